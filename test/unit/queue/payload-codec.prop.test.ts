import fc from "fast-check";
import { expect, it } from "vitest";
import { bytesFrom } from "../../../src/protocol/bytes.ts";
import { bytes, json, PayloadCodec } from "../../../src/queue/payload-codec.ts";
import { HEADER_MARK } from "../../../src/queue/payload-header.ts";

/** Bytes of which many begin like a header. */
const anyBytes = fc.oneof(
  fc.uint8Array(),
  fc.uint8Array().map((tail) => Uint8Array.from([0xff, 0x65, 0x6d, 0x71, ...tail])),
);

it("any bytes come back as they were, also those that begin like a header", () => {
  const codec = new PayloadCodec(bytes);
  fc.assert(
    fc.property(anyBytes, (array) => {
      expect(codec.decode(codec.encode(array, 1000) as string, 1000)).toEqual(array);
    }),
  );
});

it("whatever lies in a row, decoding gives data or an error of ours", () => {
  const codecs = [new PayloadCodec(), new PayloadCodec([json, bytes]), new PayloadCodec(bytes)];
  fc.assert(
    fc.property(anyBytes, fc.constantFrom(...codecs), (array, codec) => {
      try {
        codec.decode(bytesFrom(array), 1000);
      } catch (error) {
        expect(error).toHaveProperty("code", expect.stringMatching(/^(?:invalid_payload|unknown_codec)$/));
      }
    }),
  );
});

it("no JSON begins with the mark", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      expect((new PayloadCodec().encode(data, 1_000_000) as string).startsWith(HEADER_MARK)).toBe(false);
    }),
  );
});
