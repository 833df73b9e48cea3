import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type CompressionOptions, withCompression } from "../../../src/codec/compression.ts";
import { bytesFrom } from "../../../src/protocol/bytes.ts";
import { bytes, type Codec, json, PayloadCodec } from "../../../src/queue/payload-codec.ts";
import { headerOf } from "../../../src/queue/payload-header.ts";
import { errorOf } from "../queue/scripted-engine.ts";

const MAX = 2 ** 20;
const letters = { text: "lorem ipsum ".repeat(1000) };

function setup(options?: CompressionOptions) {
  return new PayloadCodec(withCompression(json, options));
}

describe("compression", () => {
  it.each(["deflate", "gzip", "brotli"] as const)("by %s shrinks a payload and gives it back", async (algorithm) => {
    const codec = setup({ algorithm });
    const payload = await codec.encode(letters, MAX);
    expect(payload.startsWith(headerOf(`${algorithm} json`))).toBe(true);
    expect(payload.length).toBeLessThan(1000);
    expect(await codec.decode(payload, MAX)).toEqual(letters);
  });

  it("reads what any of them packed, whichever it writes", async () => {
    const payload = await setup({ algorithm: "brotli" }).encode(letters, MAX);
    expect(await setup({ algorithm: "gzip" }).decode(payload, MAX)).toEqual(letters);
  });

  it("leaves alone what is below the size, and what does not shrink", async () => {
    expect(await setup().encode({ to: "ada" }, MAX)).toBe('{"to":"ada"}');
    expect((await setup({ above: 1 }).encode({ to: "ada" }, MAX)).startsWith("{")).toBe(true);
    expect((await setup({ above: Number.POSITIVE_INFINITY }).encode(letters, MAX)).startsWith("{")).toBe(true);
    const at = JSON.stringify(letters).length;
    expect((await setup({ above: at }).encode(letters, MAX)).startsWith("{")).toBe(false);
    expect((await setup({ above: at + 1 }).encode(letters, MAX)).startsWith("{")).toBe(true);
  });

  it("counts the packed bytes in the limit of the writer", async () => {
    const payload = await setup().encode(letters, MAX);
    expect(await setup().encode(letters, payload.length)).toHaveLength(payload.length);
    expect((await errorOf(() => setup().encode(letters, payload.length - 1))).code).toBe("payload_too_large");
  });

  it("does not unpack more than the reader takes", async () => {
    // A gigabyte of zeros would be a thousand times this; the bound holds while it is unpacked.
    const bomb = headerOf("deflate bytes") + bytesFrom(deflateSync(new Uint8Array(8 * 2 ** 20)));
    expect(bomb.length).toBeLessThan(10_000);
    const codec = setup();
    const error = await errorOf(() => codec.decode(bomb, MAX));
    expect(error).toMatchObject({ code: "payload_too_large", details: { limit: MAX } });
    expect(await codec.decode(bomb, 8 * 2 ** 20)).toHaveLength(8 * 2 ** 20);
  });

  it.each(["deflate", "gzip", "brotli"])("says that bytes are no %s", async (word) => {
    const error = await errorOf(() => setup().decode(`${headerOf(`${word} json`)}\u00ff\u0001garbage`, MAX));
    expect(error.code).toBe("invalid_payload");
    expect(error.message).toContain(word);
  });

  it("notices a payload that was cut off", async () => {
    const cut = bytesFrom(gzipSync(JSON.stringify(letters))).slice(0, -9);
    expect((await errorOf(() => setup().decode(`${headerOf("gzip json")}${cut}`, MAX))).code).toBe("invalid_payload");
  });

  it("goes with bytes", async () => {
    const codec = new PayloadCodec(withCompression(bytes) as Codec);
    const array = new Uint8Array(5000);
    expect(await codec.decode(await codec.encode(array, 100), MAX)).toEqual(array);
  });

  it("is named to a reader that lacks it", async () => {
    const payload = await setup().encode(letters, MAX);
    expect(await errorOf(() => new PayloadCodec().decode(payload, MAX))).toMatchObject({
      code: "unknown_codec",
      details: { codec: "deflate" },
    });
  });

  it.each([
    [{ algorithm: "zip" }, "invalid_option"],
    [{ algorithm: "toString" }, "invalid_option"],
    [{ level: 10 }, "invalid_option"],
    [{ algorithm: "brotli", level: 12 }, "invalid_option"],
    [{ above: -1 }, "invalid_option"],
    [{ threshold: 5 }, "unknown_option"],
  ])("refuses the options %o", async (options, code) => {
    expect((await errorOf(() => withCompression(json, options as CompressionOptions))).code).toBe(code);
  });
});
