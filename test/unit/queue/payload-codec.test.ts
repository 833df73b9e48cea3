import { describe, expect, it } from "vitest";
import { arrayOf, bytesFrom } from "../../../src/protocol/bytes.ts";
import { bytes, type Codec, json, type Layer, PayloadCodec } from "../../../src/queue/payload-codec.ts";
import { headerOf } from "../../../src/queue/payload-header.ts";
import { errorOf } from "./scripted-engine.ts";

const MAX = 1000;

/** Dates as eight bytes. */
const instants: Codec<Date> = {
  name: "instants",
  encode: (date) => new Uint8Array(new BigInt64Array([BigInt(date.getTime())]).buffer),
  decode: (array) => new Date(Number(new BigInt64Array(array.slice().buffer)[0])),
};

/** Text, turned round, after a while. */
const mirrored: Codec<string> = {
  name: "mirrored",
  encode: async (text) => [...text].reverse().join(""),
  decode: async (array) => [...new TextDecoder().decode(array)].reverse().join(""),
};

/** Adds one to every byte and remembers what it was told. */
function shift(word: string, isRequired = false) {
  const asked: unknown[] = [];
  const layer: Layer = {
    words: [word],
    isRequired,
    apply: async (array, context) => {
      asked.push(context);
      return { bytes: array.map((byte) => byte + 1), word, parameter: "" };
    },
    undo: async (array, context) => {
      asked.push(context);
      return array.map((byte) => byte - 1);
    },
  };
  return { layer, asked };
}

describe("without a codec", () => {
  it("JSON is its text, at once", () => {
    const codec = new PayloadCodec();
    expect(codec.isPlain).toBe(true);
    expect(codec.encode({ to: "ü" }, MAX)).toBe('{"to":"\u00c3\u00bc"}');
    expect(codec.decode('{"to":"\u00c3\u00bc"}', MAX)).toEqual({ to: "ü" });
    expect(codec.encodeResult([1], MAX)).toBe("[1]");
  });

  it("bytes that say so are read, and anything else names the codec that is missing", async () => {
    const codec = new PayloadCodec();
    expect(codec.decode(`${headerOf("bytes")}\u00ff\u0000`, MAX)).toEqual(Uint8Array.of(255, 0));
    const error = await errorOf(() => codec.decode(`${headerOf("instants")}x`, MAX));
    expect(error).toMatchObject({ code: "unknown_codec", details: { codec: "instants" } });
    expect(error.message).toContain('"instants"');
    const layered = await errorOf(() => codec.decode(`${headerOf("shift json")}x`, MAX));
    expect(layered).toMatchObject({ code: "unknown_codec", details: { codec: "shift" } });
  });
});

describe("the codec of bytes", () => {
  const codec = new PayloadCodec(bytes);

  it("stores them as they are, and reads everything that has no header", () => {
    const array = Uint8Array.of(0, 255, 10, 128);
    expect(codec.encode(array, MAX)).toBe(bytesFrom(array));
    expect(codec.decode(bytesFrom(array), MAX)).toEqual(array);
    expect(codec.decode('{"to":"ada"}', MAX)).toEqual(arrayOf('{"to":"ada"}'));
  });

  it("says what it is before bytes that would be taken for a header", () => {
    const array = arrayOf(`${headerOf("json")}5`);
    const payload = codec.encode(array, MAX);
    expect(payload).toBe(headerOf("bytes") + bytesFrom(array));
    expect(codec.decode(payload as string, MAX)).toEqual(array);
  });

  it.each([[undefined], ["text"], [{ length: 1 }], [[1, 2]], [new ArrayBuffer(2)]])("refuses %o", async (data) => {
    expect((await errorOf(() => codec.encode(data, MAX))).code).toBe("invalid_payload");
  });

  it("reads what a queue of JSON wrote with a header, and lets results be JSON", async () => {
    const { layer } = shift("shift");
    const both = new PayloadCodec({ ...bytes, layers: [layer] });
    const fromJson = await new PayloadCodec({ ...json, layers: [layer] }).encode({ a: 1 }, MAX);
    expect(await both.decode(fromJson, MAX)).toEqual({ a: 1 });
    expect(codec.encodeResult({ a: 1 }, MAX)).toBe(`${headerOf("json")}{"a":1}`);
    expect(codec.encodeResult(Uint8Array.of(7), MAX)).toBe("\u0007");
    expect(await both.decode(await both.encodeResult({ a: 1 }, MAX), MAX)).toEqual({ a: 1 });
  });
});

describe("a codec of one's own", () => {
  it("is named in the payload, and reads plain JSON beside its own", () => {
    const codec = new PayloadCodec(instants);
    const payload = codec.encode(new Date(5000), MAX) as string;
    expect(payload).toBe(`${headerOf("instants")}\u0088\u0013\u0000\u0000\u0000\u0000\u0000\u0000`);
    expect(codec.decode(payload, MAX)).toEqual(new Date(5000));
    expect(codec.decode('{"to":"ada"}', MAX)).toEqual({ to: "ada" });
  });

  it("may take its time, and may write text", async () => {
    const codec = new PayloadCodec(mirrored);
    const payload = await codec.encode("añb", MAX);
    expect(payload).toBe(`${headerOf("mirrored")}b\u00c3\u00b1a`);
    expect(await codec.decode(payload, MAX)).toBe("añb");
  });

  it("reads what the others of its list wrote", async () => {
    const payload = new PayloadCodec(instants).encode(new Date(1), MAX) as string;
    expect(new PayloadCodec([mirrored, instants]).decode(payload, MAX)).toEqual(new Date(1));
    expect((await errorOf(() => new PayloadCodec(mirrored).decode(payload, MAX))).code).toBe("unknown_codec");
  });

  it("counts its header in the limit", async () => {
    const codec = new PayloadCodec(instants);
    const size = headerOf("instants").length + 8;
    expect(codec.encode(new Date(1), size)).toHaveLength(size);
    const error = await errorOf(() => codec.encode(new Date(1), size - 1));
    expect(error).toMatchObject({ code: "payload_too_large", details: { bytes: size, limit: size - 1 } });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no such type");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no such type"))],
  ])("that %s is named in the error", async (_, fail: () => Promise<string>) => {
    const codec = new PayloadCodec({ name: "picky", encode: fail, decode: fail });
    for (const verb of ["encode", "decode"] as const) {
      const act = async () =>
        verb === "encode" ? await codec.encode(1, MAX) : await codec.decode(`${headerOf("picky")}x`, MAX);
      const error = await errorOf(act);
      expect(error).toMatchObject({ code: "invalid_payload", details: { codec: "picky" } });
      expect(error.message).toContain(`picky could not ${verb}`);
      expect(error.message).toContain("no such type");
    }
  });

  it("must encode to bytes or text", async () => {
    const codec = new PayloadCodec({ name: "wrong", encode: () => 5 as unknown as string, decode: () => 5 });
    expect((await errorOf(() => codec.encode(1, MAX))).code).toBe("invalid_payload");
  });

  it.each<readonly [string, unknown]>([
    ["no object", 5],
    ["nothing", null],
    ["no name", { encode: () => "", decode: () => "" }],
    ["capitals in its name", { name: "Mine", encode: () => "", decode: () => "" }],
    ["a space in its name", { name: "a b", encode: () => "", decode: () => "" }],
    ["no decode", { name: "mine", encode: () => "" }],
    ["the name of a known one", { name: "json", encode: () => "", decode: () => "" }],
    ["a name that another has", [mirrored, { ...mirrored }]],
  ])("is refused with %s", async (_, option) => {
    const error = await errorOf(() => new PayloadCodec(option as Codec));
    expect(error).toMatchObject({ code: "invalid_option", details: { option: "codec" } });
  });
});

describe("layers", () => {
  it("are applied in order, undone in the opposite one, and know what is inside", async () => {
    const inner = shift("inner");
    const outer = shift("outer");
    const codec = new PayloadCodec({ ...json, layers: [inner.layer, outer.layer] });
    const payload = await codec.encode("a", MAX);
    expect(payload).toBe(`${headerOf("outer inner json")}$c$`);
    expect(await codec.decode(payload, MAX)).toBe("a");
    expect(inner.asked).toMatchObject([{ inner: "json" }, { inner: "json", word: "inner", bytesMax: MAX }]);
    expect(outer.asked).toMatchObject([{ inner: "inner json" }, { inner: "inner json", word: "outer", bytesMax: MAX }]);
  });

  it("that have nothing to do leave a plain payload plain", async () => {
    const idle: Layer = { words: ["idle"], apply: async () => undefined, undo: async (array) => array };
    expect(await new PayloadCodec({ ...json, layers: [idle] }).encode({ a: 1 }, MAX)).toBe('{"a":1}');
    expect(await new PayloadCodec({ ...instants, layers: [idle] }).encode(new Date(0), MAX)).toBe(
      `${headerOf("instants")}${"\u0000".repeat(8)}`,
    );
  });

  it("that are required refuse payloads without them", async () => {
    const codec = new PayloadCodec({ ...json, layers: [shift("shift", true).layer] });
    expect(await codec.decode(await codec.encode(1, MAX), MAX)).toBe(1);
    for (const payload of ["1", `${headerOf("bytes")}1`]) {
      const error = await errorOf(() => codec.decode(payload, MAX));
      expect(error).toMatchObject({ code: "invalid_payload", details: { layer: "shift" } });
    }
  });

  it("are limited by what is stored, and by what it was before", async () => {
    const packed: Layer = {
      words: ["packed"],
      apply: async () => ({ bytes: Uint8Array.of(1), word: "packed", parameter: "" }),
      undo: async (array) => array,
    };
    const codec = new PayloadCodec({ ...bytes, layers: [packed] });
    const header = headerOf("packed bytes").length;
    expect(await codec.encode(new Uint8Array(5000), header + 1)).toHaveLength(header + 1);
    expect((await errorOf(() => codec.encode(new Uint8Array(1), header))).code).toBe("payload_too_large");
    const huge = new Uint8Array(16 * 2 ** 20 + 1);
    expect((await errorOf(() => codec.encode(huge, MAX))).code).toBe("payload_too_large");
  });
});
