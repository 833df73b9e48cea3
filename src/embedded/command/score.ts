/**
 * Scores to text and back, as the server writes and reads doubles.
 *
 * The server writes whole numbers in full, and everything else by the shortest digits that give the number back, with
 * an exponent for the very large and small. JavaScript finds the same digits but switches to exponents elsewhere.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";

/** Whole numbers up to here are written in full: half of the greatest 64-bit integer. */
const WHOLE_MAX = 2 ** 62;

const DECIMAL = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i;
const HEXADECIMAL = /^([+-]?)(0x[0-9a-f]+)$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** The text of a score. */
export function scoreText(score: number): Bytes {
  if (Number.isSafeInteger(score)) return String(score);
  if (score === Number.POSITIVE_INFINITY) return "inf";
  if (score === Number.NEGATIVE_INFINITY) return "-inf";
  if (Number.isInteger(score) && Math.abs(score) <= WHOLE_MAX) return BigInt(score).toString();
  return fractionText(score);
}

/** The number of a score; `undefined` when it is none. What overflows a double is none, and there is no -0. */
export function scoreOf(argument: Argument): number | undefined {
  if (typeof argument === "number") return Number.isNaN(argument) ? undefined : argument;
  if (DECIMAL.test(argument)) {
    const number = Number(argument);
    return Number.isFinite(number) ? number + 0 : undefined;
  }
  const infinite = INFINITE.exec(argument);
  if (infinite !== null) return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const hexadecimal = HEXADECIMAL.exec(argument);
  if (hexadecimal === null) return undefined;
  const number = Number(hexadecimal[2]);
  return hexadecimal[1] === "-" ? 0 - number : number;
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
