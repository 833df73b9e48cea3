/** The slot against a bitwise CRC of its own, and the hashtag against the text of the rule. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashtag, slot } from "../../../src/protocol/slot.ts";

/** CRC-16 XMODEM bit by bit. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const carry = ((crc >> 15) & 1) !== ((byte >> bit) & 1);
      crc = (crc << 1) & 0xffff;
      if (carry) crc ^= 0x1021;
    }
  }
  return crc;
}

describe("slot", () => {
  it("is the CRC of the hashtag's bytes modulo 16384", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (key) => {
        expect(slot(key)).toBe(crcOf(hashtag(key)) % 16384);
      }),
      { numRuns: 500 },
    );
  });

  it("depends on what stands between the braces and on nothing else", () => {
    const plain = fc.string().filter((text) => !/[{}]/.test(text));
    fc.assert(
      fc.property(plain, plain, plain, (head, tag, tail) => {
        fc.pre(tag !== "");
        expect(hashtag(`${head}{${tag}}${tail}`)).toBe(tag);
        expect(slot(`${head}{${tag}}${tail}`)).toBe(slot(tag));
      }),
    );
  });
});
