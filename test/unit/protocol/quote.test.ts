/** How a refused value is shown inside a message. */

import { describe, expect, it } from "vitest";
import { quote } from "../../../src/protocol/quote.ts";

describe("quote", () => {
  it.each([
    ["orders", '"orders"'],
    ["a\nb\u0000", '"a\\nb\\u0000"'],
    ["\ud800", '"\\ud800"'],
    ["x".repeat(49), `"${"x".repeat(48)}…"`],
    [5, "5"],
    [12n, "12"],
    [Number.NaN, "NaN"],
    [undefined, "undefined"],
    [null, "null"],
    [Symbol("s"), "Symbol(s)"],
    [() => 1, "a function"],
    [[1], "an array"],
    [{ password: "secret" }, "an object"],
    [Uint8Array.of(1, 2), "a byte array of length 2"],
  ])("shows %s as %s", (value, shown) => {
    expect(quote(value)).toBe(shown);
  });
});
