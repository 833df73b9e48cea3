import { describe, expect, it } from "vitest";
import { textOf } from "../../../src/protocol/bytes.ts";
import { decodePayload, encodePayload } from "../../../src/queue/codec.ts";
import { errorOf } from "./scripted-engine.ts";

describe("encodePayload", () => {
  it.each([null, 0, "", "text", [1, [2]], { a: { b: [null] } }, { ü: "😀", nul: "\u0000" }])(
    "round-trips %o",
    (data) => {
      expect(decodePayload(encodePayload(data, 1000))).toEqual(data);
    },
  );

  it("writes UTF-8, one character a byte", () => {
    const payload = encodePayload("ü", 1000);
    expect(payload).toBe('"\u00c3\u00bc"');
    expect(textOf(payload)).toBe('"ü"');
  });

  it("leaves out a property that is undefined, and asks an object for its own form", () => {
    expect(encodePayload({ a: undefined, when: new Date(0) }, 1000)).toBe('{"when":"1970-01-01T00:00:00.000Z"}');
  });

  it("refuses with its own code whatever throws when it is read, at the second reading too", async () => {
    let reads = 0;
    const twice = {
      get member() {
        reads += 1;
        if (reads > 1) throw new Error("second reading");
        return 1;
      },
    };
    const bare = {
      toJSON() {
        throw Object.create(null);
      },
    };
    for (const data of [twice, bare]) {
      expect(await errorOf(() => encodePayload(data, 1000))).toMatchObject({ code: "invalid_payload" });
    }
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  it.each([
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a BigInt", 1n],
    ["a nested BigInt", { a: [1n] }],
    ["a cycle", cycle],
    ["a nested function", { a: { b: [() => 1] } }],
    ["a nested symbol", { a: Symbol("s") }],
    ["a Map, which would come back empty", { a: new Map([[1, 2]]) }],
    ["a Set, which would come back empty", new Set([1])],
    ["NaN, which would come back as null", { a: [Number.NaN] }],
    ["Infinity, which would come back as null", Number.POSITIVE_INFINITY],
    ["bytes, which would come back as an object of numbers", { a: new Uint8Array(2) }],
    ["an ArrayBuffer, which would come back empty", { a: new ArrayBuffer(2) }],
    ["an error", { cause: new TypeError("no such card") }],
    ["a promise that nobody awaited", Promise.resolve(1)],
    ["a pattern", [/x/]],
    [
      "a method",
      new (class {
        say = () => "hi";
      })(),
    ],
  ])("refuses %s", async (_, data) => {
    expect((await errorOf(() => encodePayload(data, 1000))).code).toBe("invalid_payload");
  });

  it("lets a result hold errors as JSON shows them, since the work is done, and nothing else of the kind", async () => {
    const settled = [{ status: "rejected", reason: new Error("no such card") }, { pattern: /x/ }];
    expect(encodePayload(settled, 1000, true)).toBe('[{"status":"rejected","reason":{}},{"pattern":{}}]');
    expect((await errorOf(() => encodePayload(new Map(), 1000, true))).code).toBe("invalid_payload");
  });

  it("names the place of what JSON would drop", async () => {
    expect((await errorOf(() => encodePayload({ a: [1, { f() {} }] }, 1000))).message).toContain("data.a.1.f");
  });

  it("measures bytes and not characters", async () => {
    expect(encodePayload("üü", 6)).toHaveLength(6);
    const error = await errorOf(() => encodePayload("üü", 5));
    expect(error.code).toBe("payload_too_large");
    expect(error.details).toEqual({ bytes: 6, limit: 5 });
  });
});

describe("decodePayload", () => {
  it("says that foreign bytes are no JSON", async () => {
    expect((await errorOf(() => decodePayload("\u00ff\u0000"))).code).toBe("invalid_payload");
  });
});
