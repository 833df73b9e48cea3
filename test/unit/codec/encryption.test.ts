import { describe, expect, it } from "vitest";
import { withCompression } from "../../../src/codec/compression.ts";
import { type EncryptionKey, type EncryptionOptions, withEncryption } from "../../../src/codec/encryption.ts";
import { json, PayloadCodec } from "../../../src/queue/payload-codec.ts";
import { headerOf } from "../../../src/queue/payload-header.ts";
import { errorOf } from "../queue/scripted-engine.ts";

const MAX = 2 ** 20;
const secret = { iban: "DE00 1234" };
const key = (id: string, fill: number): EncryptionKey => ({ id, key: new Uint8Array(32).fill(fill) });
const first = key("k1", 1);
const second = key("k2", 2);

function setup(keys: readonly EncryptionKey[] = [first], options: Partial<EncryptionOptions> = {}) {
  return new PayloadCodec(withEncryption(json, { keys, ...options }));
}

/** The payload with one bit of the byte at `at` turned. */
function bent(payload: string, at: number): string {
  const place = at < 0 ? payload.length + at : at;
  const unit = String.fromCharCode(payload.charCodeAt(place) ^ 1);
  return payload.slice(0, place) + unit + payload.slice(place + 1);
}

describe("encryption", () => {
  it("hides the data, names the key and gives the data back", async () => {
    const codec = setup();
    const payload = await codec.encode(secret, MAX);
    expect(payload.startsWith(headerOf("aes-gcm:k1 json"))).toBe(true);
    expect(payload).not.toContain("1234");
    expect(await codec.decode(payload, MAX)).toEqual(secret);
  });

  it("never writes the same bytes twice", async () => {
    const codec = setup();
    expect(await codec.encode(secret, MAX)).not.toBe(await codec.encode(secret, MAX));
  });

  it("encrypts with the first key and decrypts with all", async () => {
    const old = await setup([first]).encode(secret, MAX);
    const rotated = setup([second, first]);
    const fresh = await rotated.encode(secret, MAX);
    expect(fresh.startsWith(headerOf("aes-gcm:k2 json"))).toBe(true);
    expect(await rotated.decode(old, MAX)).toEqual(secret);
    expect(await rotated.decode(fresh, MAX)).toEqual(secret);
  });

  it("names the key that is missing", async () => {
    const payload = await setup([second]).encode(secret, MAX);
    const error = await errorOf(() => setup([first]).decode(payload, MAX));
    expect(error).toMatchObject({ code: "unknown_key", retryable: false, details: { keyId: "k2" } });
    expect(error.message).toContain('"k2"');
  });

  it("names the key that is another one of the same id", async () => {
    const payload = await setup([first]).encode(secret, MAX);
    const error = await errorOf(() => setup([key("k1", 9)]).decode(payload, MAX));
    expect(error).toMatchObject({ code: "decryption_failed", details: { keyId: "k1" } });
    expect(error.message).toContain('"k1"');
  });

  it("notices a change of any part", async () => {
    const codec = setup();
    const payload = await codec.encode(secret, MAX);
    const body = headerOf("aes-gcm:k1 json").length;
    for (const at of [body, body + 11, body + 12, -17, -1]) {
      expect((await errorOf(() => codec.decode(bent(payload, at), MAX))).code).toBe("decryption_failed");
    }
    for (const cut of [payload.slice(0, -1), payload.slice(0, body + 27), payload.slice(0, body)]) {
      expect((await errorOf(() => codec.decode(cut, MAX))).code).toBe("decryption_failed");
    }
  });

  it("notices a change of the words that say what is inside", async () => {
    const codec = setup([first, { ...first, id: "k3" }]);
    const header = headerOf("aes-gcm:k1 json");
    const payload = await codec.encode(secret, MAX);
    for (const words of ["aes-gcm:k1 bytes", "aes-gcm:k3 json"]) {
      const error = await errorOf(() => codec.decode(headerOf(words) + payload.slice(header.length), MAX));
      expect(error.code).toBe("decryption_failed");
    }
  });

  it("binds a context that both sides must share", async () => {
    const payload = await setup([first], { context: "mail" }).encode(secret, MAX);
    expect(await setup([first], { context: "mail" }).decode(payload, MAX)).toEqual(secret);
    expect((await errorOf(() => setup([first], { context: "bills" }).decode(payload, MAX))).code).toBe(
      "decryption_failed",
    );
  });

  it("reads plain payloads unless encryption is required", async () => {
    expect(await setup().decode('{"a":1}', MAX)).toEqual({ a: 1 });
    const error = await errorOf(() => setup([first], { required: true }).decode('{"a":1}', MAX));
    expect(error).toMatchObject({ code: "invalid_payload", details: { layer: "aes-gcm" } });
  });

  it("goes over compression", async () => {
    const codec = new PayloadCodec(withEncryption(withCompression(json), { keys: [first] }));
    const long = { text: "lorem ipsum ".repeat(1000) };
    const payload = await codec.encode(long, MAX);
    expect(payload.startsWith(headerOf("aes-gcm:k1 deflate json"))).toBe(true);
    expect(payload.length).toBeLessThan(1000);
    expect(await codec.decode(payload, MAX)).toEqual(long);
    expect((await codec.encode(1, MAX)).startsWith(headerOf("aes-gcm:k1 json"))).toBe(true);
  });

  it.each([16, 24, 32])("takes a key of %i bytes, also as base64", async (size) => {
    const raw = Uint8Array.from({ length: size }, (_, at) => at * 7);
    const payload = await setup([{ id: "k", key: raw }]).encode(secret, MAX);
    const asText = setup([{ id: "k", key: Buffer.from(raw).toString("base64") }]);
    expect(await asText.decode(payload, MAX)).toEqual(secret);
  });

  it.each([
    ["no keys", []],
    ["no list", "secret"],
    ["a short key", [{ id: "k", key: new Uint8Array(31) }]],
    ["text that is no base64", [{ id: "k", key: "hunter2!" }]],
    ["base64 of another length", [{ id: "k", key: "aGVsbG8=" }]],
    ["an id with a space", [{ id: "a b", key: new Uint8Array(32) }]],
    ["no id", [{ key: new Uint8Array(32) }]],
    ["two of one id", [first, first]],
    ["nothing in the list", [undefined]],
  ])("refuses %s, and shows no key", async (_, keys) => {
    const error = await errorOf(() => setup(keys as readonly EncryptionKey[]));
    expect(error).toMatchObject({ code: "invalid_option", details: { option: "keys" } });
    expect(error.message).not.toMatch(/hunter2|aGVsbG8/);
  });

  it("refuses options that it does not know", async () => {
    expect((await errorOf(() => setup([first], { algorithm: "aes" } as object))).code).toBe("unknown_option");
    expect((await errorOf(() => withEncryption(json, undefined as unknown as EncryptionOptions))).code).toBe(
      "invalid_option",
    );
  });
});
