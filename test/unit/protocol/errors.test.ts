/** The error class: its facts, and the brand that outlives a second copy of the package. */

import { describe, expect, it } from "vitest";
import { EchoMQError, isEchoMQError } from "../../../src/protocol/errors.ts";

describe("EchoMQError", () => {
  it("carries its code, whether a retry may help, cause and details", () => {
    const cause = new Error("socket");
    const error = new EchoMQError("disconnected", "the connection was lost", { cause, details: { host: "h" } });
    expect(error).toMatchObject({
      name: "EchoMQError",
      message: "the connection was lost",
      code: "disconnected",
      retryable: true,
      details: { host: "h" },
    });
    expect(error.cause).toBe(cause);
    expect(error).toBeInstanceOf(Error);
  });

  it("has empty details and no cause unless they are given", () => {
    const error = new EchoMQError("invalid_id", "no id");
    expect(error.details).toEqual({});
    expect("cause" in error).toBe(false);
    expect(error.retryable).toBe(false);
  });
});

describe("isEchoMQError", () => {
  it("knows an error by its brand and not by its class", () => {
    const foreign = Object.defineProperty(new Error("from another copy"), Symbol.for("echomq.error"), { value: true });
    expect(isEchoMQError(foreign)).toBe(true);
    expect(isEchoMQError(foreign, "kind")).toBe(false);
    expect(isEchoMQError(Object.assign(foreign, { code: "kind" }), "kind")).toBe(true);
  });

  it("asks for the code where one is given", () => {
    const error = new EchoMQError("kind", "EMQKIND");
    expect(isEchoMQError(error, "kind")).toBe(true);
    expect(isEchoMQError(error, "stale")).toBe(false);
  });

  it("is false for everything else", () => {
    for (const value of [undefined, null, "kind", 5, {}, new Error("kind"), { code: "kind" }]) {
      expect(isEchoMQError(value)).toBe(false);
    }
  });
});
