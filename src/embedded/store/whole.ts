/**
 * Whole numbers of 64 bits: a `number` where that is exact, a `bigint` beyond.
 *
 * Nearly all are far below 2^53 and cost nothing. A value has one form only, so equal numbers are `===`, and `<`
 * compares the two forms with one another.
 */

import type { Bytes } from "../../protocol/bytes.ts";

export type Whole = number | bigint;

export const INTEGER_MAX = 2n ** 63n - 1n;
export const INTEGER_MIN = -(2n ** 63n);
export const UNSIGNED_MAX = 2n ** 64n - 1n;

/** Up to so many digits a text is exact as a number for certain. */
const SAFE_DIGITS = 15;

/** Digits of 2^63, with a sign before it; nothing longer is in range. */
const SIGNED_TEXT_MAX = 20;

const LOOSE = /^[ \t\n\v\f\r]*([+-]?)([0-9]+)$/;
const CANONICAL = /^(?:0|-?[1-9][0-9]*)$/;

/** A `bigint` as a whole number. */
export function exactOf(value: bigint): Whole {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The signed 64-bit integer that canonical decimal text stands for; `undefined` when it is not such text. */
export function wholeOf(text: Bytes): Whole | undefined {
  if (text.length > SIGNED_TEXT_MAX || !CANONICAL.test(text)) return undefined;
  if (text.length <= SAFE_DIGITS) return Number(text);
  const value = BigInt(text);
  return value < INTEGER_MIN || value > INTEGER_MAX ? undefined : exactOf(value);
}

/**
 * The unsigned 64-bit integer that text stands for, as the server reads the parts of ids and cursors: canonical text,
 * or else whatever C's `strtoull` takes, with spaces, signs and zeros in front. `undefined` when it is none.
 */
export function unsignedOf(text: Bytes): Whole | undefined {
  if (text.length <= SAFE_DIGITS && CANONICAL.test(text)) return text.startsWith("-") ? undefined : Number(text);
  const [, sign = "", digits = ""] = LOOSE.exec(text) ?? [];
  if (digits === "" || (sign === "-" && wholeOf(text) !== undefined)) return undefined;
  const value = BigInt(digits);
  if (value > UNSIGNED_MAX) return undefined;
  return exactOf(sign === "-" ? BigInt.asUintN(64, -value) : value);
}

/** One more; the caller knows that there is room. */
export function increased(value: Whole): Whole {
  return typeof value === "number" && value < Number.MAX_SAFE_INTEGER ? value + 1 : exactOf(BigInt(value) + 1n);
}

/** One less; the caller knows that there is room. */
export function decreased(value: Whole): Whole {
  return typeof value === "number" ? value - 1 : exactOf(value - 1n);
}
