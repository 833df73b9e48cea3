import { describe, expect, it } from "vitest";
import { normalReply } from "../../../src/valkey/reply.ts";

describe("a reply", () => {
  it("keeps every byte", () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, code) => code));
    expect(normalReply(bytes)).toBe(String.fromCharCode(...bytes));
  });

  it("keeps numbers, nothing and lists in lists", () => {
    expect(normalReply([1, null, [Buffer.from("a"), [-5]], []])).toEqual([1, null, ["a", [-5]], []]);
  });

  it("takes the form of protocol 2 for what only protocol 3 has", () => {
    expect(normalReply(true)).toBe(1);
    expect(normalReply(false)).toBe(0);
    expect(normalReply(1.5)).toBe("1.5");
    expect([Infinity, -Infinity, Number.NaN].map(normalReply)).toEqual(["inf", "-inf", "nan"]);
    expect(normalReply(new Map([[Buffer.from("\xff", "latin1"), 1]]))).toEqual(["\xff", 1]);
    expect(normalReply({ a: Buffer.from("1"), b: [true] })).toEqual(["a", "1", "b", [1]]);
    expect(normalReply(new Set([Buffer.from("x")]))).toEqual(["x"]);
    expect(normalReply(12_345_678_901_234_567_890n)).toBe("12345678901234567890");
  });

  it("reads numbers back that a client gives as text", () => {
    expect(normalReply("-12")).toBe(-12);
    expect(normalReply("1.5")).toBe("1.5");
  });

  it("shows a refusal inside a list by its text", () => {
    expect(normalReply([new Error("ERR no")])).toEqual(["ERR no"]);
  });
});
