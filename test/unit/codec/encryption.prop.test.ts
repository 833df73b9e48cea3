import fc from "fast-check";
import { expect, it } from "vitest";
import { withCompression } from "../../../src/codec/compression.ts";
import { withEncryption } from "../../../src/codec/encryption.ts";
import { isEchoMQError } from "../../../src/protocol/errors.ts";
import { json, PayloadCodec } from "../../../src/queue/payload-codec.ts";

const MAX = 2 ** 16;
const keys = [{ id: "k1", key: new Uint8Array(32).fill(1) }];

function setup() {
  return new PayloadCodec(withEncryption(withCompression(json, { above: 50 }), { keys, required: true }));
}

it("whatever JSON goes in comes out", async () => {
  const codec = setup();
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (data) => {
      const plain: unknown = JSON.parse(JSON.stringify(data));
      expect(await codec.decode(await codec.encode(data, MAX), MAX)).toEqual(plain);
    }),
    { numRuns: 200 },
  );
});

it("a payload with one changed byte is never read as other data, and never breaks the reader", async () => {
  const codec = setup();
  const text = fc.string({ minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.integer({ min: 1, max: 255 }), async (data, place, change) => {
      const payload = await codec.encode(data, MAX);
      const at = place % payload.length;
      const unit = String.fromCharCode(payload.charCodeAt(at) ^ change);
      const bent = payload.slice(0, at) + unit + payload.slice(at + 1);
      const fault: unknown = await Promise.resolve()
        .then(() => codec.decode(bent, MAX))
        .catch((error: unknown) => error);
      expect(isEchoMQError(fault)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
