/** The codec of byte strings, for arbitrary bytes and texts. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrayOf, bytesFrom, bytesOf, textOf } from "../../../src/protocol/bytes.ts";

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });

describe("byte strings", () => {
  it("give back any array", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (array) => {
        expect(arrayOf(bytesFrom(array))).toEqual(array);
      }),
    );
  });

  it("give back any well-formed text, and any other with U+FFFD for each lone surrogate", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(textOf(bytesOf(text))).toBe(text.replace(/\p{Surrogate}/gu, "\ufffd"));
      }),
    );
  });

  it("hold the same bytes as the platform's own encoder", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(arrayOf(bytesOf(text))).toEqual(new TextEncoder().encode(text));
      }),
    );
  });

  it("read any bytes as the platform's own decoder does when it keeps the byte order mark", () => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    fc.assert(
      fc.property(fc.uint8Array(), (array) => {
        expect(textOf(bytesFrom(array))).toBe(decoder.decode(array));
      }),
    );
  });

  it("compare as their bytes do", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        const left = bytesFrom(a);
        const right = bytesFrom(b);
        expect(left < right ? -1 : left > right ? 1 : 0).toBe(Buffer.compare(a, b));
      }),
    );
  });
});
