import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePayload, encodePayload } from "../../../src/queue/codec.ts";

describe("a payload", () => {
  it("comes back as JSON itself would bring it back, one character a byte on the way", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const payload = encodePayload(data, 1_000_000);
        expect([...payload].every((character) => character.charCodeAt(0) < 256)).toBe(true);
        expect(decodePayload(payload)).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });
});
