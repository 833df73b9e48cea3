/** Branded ids, for arbitrary numbers and texts: round trip, order and refusal. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeId, encodeId, hash32, idParts, isValidId, parseId } from "../../../src/protocol/id.ts";
import { refusalOf } from "./refusal.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const VALUE_MAX = 2n ** 63n - 1n;

const anyValue = fc.bigInt({ min: 0n, max: VALUE_MAX });
const anyNamespace = fc.string({ unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"), minLength: 3, maxLength: 3 });
const elevenDigits = fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 11, maxLength: 11 });

/** The number of digits by plain arithmetic, as an independent reading of the contract. */
function numberOf(digits: string): bigint {
  return [...digits].reduce((value, digit) => value * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
}

describe("branded ids", () => {
  it("give back every namespace and number", () => {
    fc.assert(
      fc.property(anyNamespace, anyValue, (namespace, value) => {
        const id = encodeId(namespace, value);
        expect(id).toHaveLength(14);
        expect(numberOf(id.slice(3))).toBe(value);
        expect(parseId(id)).toEqual({ namespace, value });
      }),
      { numRuns: 2000 },
    );
  });

  it("have the byte order of their numbers within a namespace", () => {
    // Pairs of neighbours are as likely as pairs far apart.
    const near = fc.tuple(anyValue, fc.bigInt({ min: -5n, max: 5n })).map(([a, step]) => [a, clamp(a + step)] as const);
    fc.assert(
      fc.property(anyNamespace, fc.oneof(near, fc.tuple(anyValue, anyValue)), (namespace, [a, b]) => {
        const order = Buffer.compare(Buffer.from(encodeId(namespace, a)), Buffer.from(encodeId(namespace, b)));
        expect(order).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
      { numRuns: 2000 },
    );
  });

  it("are refused exactly when eleven digits exceed 2^63 - 1", () => {
    fc.assert(
      fc.property(anyNamespace, elevenDigits, (namespace, digits) => {
        const value = numberOf(digits);
        expect(parseId(namespace + digits)).toEqual(value > VALUE_MAX ? { error: "range" } : { namespace, value });
      }),
      { numRuns: 2000 },
    );
  });

  it("are refused when one character of a good one is another", () => {
    fc.assert(
      fc.property(
        anyNamespace,
        anyValue,
        fc.nat(13),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
        (namespace, value, at, other) => {
          const id = encodeId(namespace, value);
          const changed = id.slice(0, at) + other + id.slice(at + 1);
          const legal = at < 3 ? /^[A-Z]$/ : /^[0-9A-Za-z]$/;
          const good = legal.test(other) && numberOf(changed.slice(3)) <= VALUE_MAX;
          expect(isValidId(changed)).toBe(good);
          if (!good) expect(refusalOf(() => decodeId(changed)).code).toBe("invalid_id");
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("are parsed without an exception whatever the value is", () => {
    fc.assert(
      fc.property(fc.anything({ withTypedArray: true, withBigInt: true, withNullPrototype: true }), (value) => {
        expect(parseId(value).error === undefined).toBe(isValidId(value));
      }),
      { numRuns: 1000 },
    );
  });

  it("hold instant, node and sequence side by side", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 41 - 1 }), fc.nat(1023), fc.nat(4095), (ms, node, sequence) => {
        const value = (BigInt(ms) << 22n) | (BigInt(node) << 12n) | BigInt(sequence);
        expect(idParts(encodeId("JOB", value))).toEqual({ ms: ms + 1704067200000, node, sequence });
      }),
      { numRuns: 1000 },
    );
  });

  it("hash to 32 bits by the number alone", () => {
    fc.assert(
      fc.property(anyNamespace, anyNamespace, anyValue, (a, b, value) => {
        const hash = hash32(encodeId(a, value));
        expect(Number.isInteger(hash) && hash >= 0 && hash < 2 ** 32).toBe(true);
        expect(hash32(encodeId(b, value))).toBe(hash);
      }),
    );
  });
});

function clamp(value: bigint): bigint {
  return value < 0n ? 0n : value > VALUE_MAX ? VALUE_MAX : value;
}
