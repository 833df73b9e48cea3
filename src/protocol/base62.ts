/**
 * Base-62 digits of whole numbers.
 *
 * The alphabet rises in byte value, so texts of equal length have the byte order of their numbers; the order of ids and
 * with it the order of jobs rests on that. Digits are looked up two at a time: an id costs a few table reads, and no
 * big integer is needed below 2^53.
 */

/** The digits 0 to 61, in rising byte order. */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const BASE = ALPHABET.length;
const PAIR_BASE = BASE * BASE;

/** Every two-digit text, at the position that it stands for. */
const PAIRS: readonly string[] = [...ALPHABET].flatMap((high) => [...ALPHABET].map((low) => high + low));

/** The digit that each ASCII character stands for, -1 for none. */
const DIGIT_OF = new Int8Array(128).fill(-1);
for (let digit = 0; digit < BASE; digit++) DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;

/** The character code of the digit that follows each digit; the last one is followed by the first. */
const NEXT_CODE = new Uint8Array(128);
for (let digit = 0; digit < BASE; digit++)
  NEXT_CODE[ALPHABET.charCodeAt(digit)] = ALPHABET.charCodeAt((digit + 1) % BASE);

const FIRST_CODE = ALPHABET.charCodeAt(0);

/** Exactly `count` digits of `value`, a whole number from 0 to below 62^`count` and at most 2^53 - 1. */
export function base62(value: number, count: number): string {
  let text = "";
  let left = value;
  let missing = count;
  for (; missing >= 2; missing -= 2) {
    // The remainder goes first: the division is then exact, whatever the size.
    const low = left % PAIR_BASE;
    text = `${PAIRS[low]}${text}`;
    left = (left - low) / PAIR_BASE;
  }
  return missing === 1 ? ALPHABET.charAt(left) + text : text;
}

/**
 * The number that the characters `from` to below `to` of a text stand for, -1 when one is no digit; at most 8 digits.
 */
export function fromBase62(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = DIGIT_OF[text.charCodeAt(at)] ?? -1;
    if (digit < 0) return -1;
    value = value * BASE + digit;
  }
  return value;
}

/** Adds 1 to the number whose digits are the last character codes of `codes`; they must not all be the last digit. */
export function incrementBase62(codes: Uint8Array): void {
  let at = codes.length - 1;
  for (;;) {
    const next = NEXT_CODE[codes[at] ?? 0] ?? 0;
    codes[at] = next;
    if (next !== FIRST_CODE) return;
    at -= 1;
  }
}
