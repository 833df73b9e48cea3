import { describe, expect, test } from "vitest";
import { textOf } from "../../../src/protocol/bytes.ts";
import { ERROR_BYTES_MAX, errorBytes, errorText } from "../../../src/worker/error-text.ts";

describe("the text of a thrown value", () => {
  test("begins with name and message, and says where", () => {
    const lines = errorText(new TypeError("no such host")).split("\n");
    expect(lines[0]).toBe("TypeError: no such host");
    expect(lines[1]).toMatch(/^\s+at /);
    expect(lines.length).toBeLessThanOrEqual(6);
  });

  test("names the causes, and a cycle of causes ends", () => {
    const error = new Error("outer", { cause: new Error("inner", { cause: "root" }) });
    expect(errorText(error)).toContain("caused by Error: inner\ncaused by root");
    const loop = new Error("loop");
    loop.cause = loop;
    expect(errorText(loop).length).toBeLessThan(2000);
  });

  test.each([
    [null, "null"],
    [undefined, "undefined"],
    ["", "(an empty text was thrown)"],
    [Symbol("s"), "Symbol(s)"],
    [10n, "10"],
    [() => 1, "a function was thrown"],
    [{ message: "like an error" }, "Error: like an error"],
    [new Error(""), "Error"],
    [Object.create(null), "{}"],
  ])("is readable for %s", (thrown, text) => {
    expect(errorText(thrown).split("\n")[0]).toBe(text);
  });

  test("survives getters and proxies that throw", () => {
    const hostile = {
      get message(): string {
        throw new Error("getter");
      },
      toJSON() {
        throw new Error("toJSON");
      },
    };
    expect(errorText(hostile)).toContain("an object with message, toJSON");
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("keys");
        },
        get: () => {
          throw new Error("get");
        },
      },
    );
    expect(errorText(proxy)).toBe("an object that cannot be read");
  });

  test("is cut to its bound between two characters", () => {
    for (const unit of ["x", "é", "漢", "😀"]) {
      const bytes = errorBytes(new Error(unit.repeat(1_000_000)));
      expect(bytes.length).toBeLessThanOrEqual(ERROR_BYTES_MAX);
      expect(bytes.length).toBeGreaterThan(2500);
      expect(textOf(bytes).endsWith("\ufffd")).toBe(false);
    }
  });
});
