import { describe, expect, it } from "vitest";
import type { Reply } from "../../../src/engine/engine.ts";
import { refusalError } from "../../../src/engine/refusal.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { type Ask, isFinalRefusal, passFence } from "../../../src/valkey/fence.ts";

const OWN = { wireVersion: "echomq:4.0.0", isReadonly: false };

/** Answers one question after the other from a list; texts of refusals begin with `-`. */
function setup(answers: readonly Reply[]) {
  const asked: string[] = [];
  const left = [...answers];
  const ask: Ask = (parts) => {
    asked.push(parts.join(" "));
    const answer = left.shift();
    if (answer === undefined) throw new Error(`asked too much: ${asked.join(", ")}`);
    if (typeof answer === "string" && answer.startsWith("-")) return Promise.reject(refusalError(answer.slice(1)));
    return Promise.resolve(answer);
  };
  return { ask, asked };
}

describe("the fence", () => {
  it("passes on an equal version after one question", async () => {
    const { ask, asked } = setup(["echomq:4.0.0"]);
    await passFence(ask, OWN);
    expect(asked).toEqual(["GET {emq}:version"]);
  });

  it("claims an absent version and reads it again", async () => {
    const { ask, asked } = setup([null, "OK", "echomq:4.0.0"]);
    await passFence(ask, OWN);
    expect(asked).toEqual(["GET {emq}:version", "SET {emq}:version echomq:4.0.0 NX", "GET {emq}:version"]);
  });

  it("is refused when it loses the race for an absent version to another wire", async () => {
    const { ask } = setup([null, null, "echomq:3.0.0"]);
    await expect(passFence(ask, OWN)).rejects.toMatchObject({ code: "fence", details: { found: "echomq:3.0.0" } });
  });

  it("passes when it loses the race to one of its own kind", async () => {
    const { ask, asked } = setup([null, null, "echomq:4.0.0"]);
    await passFence(ask, OWN);
    expect(asked).toEqual(["GET {emq}:version", "SET {emq}:version echomq:4.0.0 NX", "GET {emq}:version"]);
  });

  it("claims once more when the key vanished in between, but not for ever", async () => {
    await passFence(setup([null, "OK", null, "OK", "echomq:4.0.0"]).ask, OWN);
    const vanishing = setup(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? null : "OK")));
    await expect(passFence(vanishing.ask, OWN)).rejects.toMatchObject({ code: "server_busy" });
  });

  it("lets a reader pass on an absent version without a claim", async () => {
    const { ask, asked } = setup([null]);
    await passFence(ask, { ...OWN, isReadonly: true });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ["WRONGTYPE Operation against a key", "fence"],
    ["NOAUTH Authentication required.", "auth"],
    ["WRONGPASS invalid username-password pair", "auth"],
    ["NOPERM this user has no permissions", "permission"],
  ])("is refused for good by %s", async (refusal, code) => {
    const error: unknown = await passFence(setup([`-${refusal}`]).ask, OWN).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(isFinalRefusal(error)).toBe(true);
  });

  it.each(["LOADING", "BUSY", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "OOM", "NOREPLICAS", "TRYAGAIN", "ERR what"])(
    "is to be tried again after %s",
    async (refusal) => {
      const claimed: unknown = await passFence(setup([null, `-${refusal}`]).ask, OWN).catch(
        (thrown: unknown) => thrown,
      );
      expect(claimed).toBeInstanceOf(EchoMQError);
      expect(isFinalRefusal(claimed)).toBe(false);
    },
  );

  it("is to be tried again when no answer came", () => {
    expect(isFinalRefusal(new EchoMQError("timeout", "x"))).toBe(false);
    expect(isFinalRefusal(new EchoMQError("disconnected", "x"))).toBe(false);
    expect(isFinalRefusal(new Error("x"))).toBe(false);
  });
});
