/**
 * Scores to text and back, as the server writes and reads doubles.
 *
 * The server writes whole numbers in full, and everything else by the shortest digits that give the number back, with
 * an exponent for the very large and small. JavaScript finds the same digits but switches to exponents elsewhere. It
 * reads with C's `strtod`: hexadecimal, infinities and all, strictly where a score is stored, less so for the ends of a
 * range, where it takes spaces in front, overflow, and no text at all for 0.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";

/** Whole numbers up to here are written in full: half of the greatest 64-bit integer. */
const WHOLE_MAX = 2 ** 62;

/** Digits that give every double back. */
const DIGITS = 17;

const DECIMAL = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i;
const HEXADECIMAL = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?[0-9]+))?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;
const SPACES = /^[ \t\n\v\f\r]+/;

/** The text of a score. */
export function scoreText(score: number): Bytes {
  if (Number.isSafeInteger(score)) return Object.is(score, -0) ? "-0" : String(score);
  if (score === Number.POSITIVE_INFINITY) return "inf";
  if (score === Number.NEGATIVE_INFINITY) return "-inf";
  if (Number.isInteger(score) && Math.abs(score) <= WHOLE_MAX) return BigInt(score).toString();
  return fractionText(score);
}

/** The text of a score with up to 17 digits, needed or not, as C's `%.17g` writes it. */
export function digitsText(score: number): Bytes {
  if (!Number.isFinite(score) || Number.isSafeInteger(score)) return scoreText(score);
  const [mantissa = "", power = "0"] = score.toExponential(DIGITS - 1).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < DIGITS) return withoutZeros(score.toFixed(Math.max(0, DIGITS - 1 - exponent)));
  return `${withoutZeros(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** The number of a score; `undefined` when it is none, or beyond what a double can be, also towards zero. */
export function scoreOf(argument: Argument): number | undefined {
  if (typeof argument === "number") return Number.isNaN(argument) ? undefined : argument;
  if (DECIMAL.test(argument)) {
    const number = Number(argument);
    return Number.isFinite(number) && !hasVanished(number, argument) ? number : undefined;
  }
  return infiniteOf(argument) ?? hexadecimalOf(argument);
}

/** The number at the end of a range; `undefined` when it is none. */
export function scoreEndOf(argument: Argument): number | undefined {
  if (typeof argument === "number") return argument;
  // C's text ends at a NUL.
  const nul = argument.indexOf("\0");
  const text = nul < 0 ? argument : argument.slice(0, nul);
  if (text === "") return 0;
  const trimmed = text.replace(SPACES, "");
  return DECIMAL.test(trimmed) ? Number(trimmed) : (infiniteOf(trimmed) ?? hexadecimalOf(trimmed));
}

/** Whether digits other than zeros made a zero. */
function hasVanished(number: number, text: Bytes): boolean {
  return number === 0 && /^[^e]*[1-9]/i.test(text);
}

function infiniteOf(text: Bytes): number | undefined {
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function hexadecimalOf(text: Bytes): number | undefined {
  const parts = HEXADECIMAL.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = parts;
  if (whole === "" && fraction === "") return undefined;
  const number = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(power) - 4 * fraction.length);
  return sign === "-" ? -number : number;
}

function fractionText(score: number): Bytes {
  const [mantissa = "", power = "0"] = Math.abs(score).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  return (score < 0 ? "-" : "") + placed(digits, exponent);
}

/** Digits with the point where the server puts it; the first digit stands for 10^`exponent`. */
function placed(digits: string, exponent: number): string {
  // Places of the last digit below (negative) or above the units.
  const last = exponent - digits.length + 1;
  if (last >= 0 && exponent < digits.length + 7) return digits + "0".repeat(last);
  if (last < 0 && (last > -7 || Math.abs(exponent) < 4)) {
    if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
    return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
  }
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${digits.slice(0, 1)}${fraction}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}
