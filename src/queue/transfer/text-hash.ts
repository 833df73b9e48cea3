/**
 * Checksums of a copy: one of the file, and one of what a queue holds, whatever the order in which it was read.
 *
 * Neither is a secret's: they tell damage and change, not forgery.
 */

import type { Bytes } from "../../protocol/bytes.ts";

/** The polynomial of CRC-32 as zip, gzip and PNG have it, its bits in reverse. */
const POLYNOMIAL = 0xedb88320;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** The CRC-32 of bytes behind others whose CRC-32 was `before`; 0 for none. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~crc >>> 0;
}

/** A CRC-32 as eight hexadecimal digits. */
export function crcText(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

/** Two odd multipliers, whose products mix into the upper bits. */
const FACTOR_A = 0x9e3779b1;
const FACTOR_B = 0x85ebca77;

/** A hash of 64 bits of some byte strings in a row, as two whole numbers below 2^32. */
function hashOf(parts: readonly Bytes[]): [number, number] {
  let a = 0x243f6a88;
  let b = 0x85a308d3;
  for (const part of parts) {
    // The length first, so that the border between two parts counts.
    a = Math.imul(a ^ part.length, FACTOR_B);
    b = Math.imul(b ^ part.length, FACTOR_A);
    for (let at = 0; at < part.length; at++) {
      const byte = part.charCodeAt(at);
      a = Math.imul(a ^ byte, FACTOR_A);
      b = Math.imul(b ^ byte, FACTOR_B);
      a ^= a >>> 15;
    }
    b ^= a >>> 13;
  }
  a = Math.imul(a ^ (b >>> 16), FACTOR_B);
  b = Math.imul(b ^ (a >>> 13), FACTOR_A);
  return [(a ^ (a >>> 16)) >>> 0, (b ^ (b >>> 15)) >>> 0];
}

/** A sum over things that were seen, the same in whatever order they came. */
export class UnorderedDigest {
  #a = 0;
  #b = 0;

  /** Adds one thing, told by byte strings. */
  add(parts: readonly Bytes[]): void {
    const [a, b] = hashOf(parts);
    this.#a = (this.#a + a) >>> 0;
    this.#b = (this.#b + Math.imul(b, 2 * a + 1)) >>> 0;
  }

  /** The sum so far. */
  get text(): string {
    return crcText(this.#a) + crcText(this.#b);
  }
}

/** Places of a new set. */
const PLACES_LEAST = 1024;

/**
 * Tells whether a key was seen before, by 8 to 32 bytes a key: a scan may show one twice, and a million names would
 * take ten times the room. Two keys are taken for one in less than one of 10^7 sets of a million.
 */
export class SeenKeys {
  #places = new Uint32Array(2 * PLACES_LEAST);
  #size = 0;

  /** How many different keys were noted. */
  get size(): number {
    return this.#size;
  }

  /** Notes a key; `false` when it was noted before. */
  add(key: Bytes): boolean {
    const [a, b] = hashOf([key]);
    // A place that is empty holds two zeros.
    if (!this.#enter(a, b === 0 ? 1 : b)) return false;
    this.#size += 1;
    if (this.#size * 4 > this.#places.length) this.#grow();
    return true;
  }

  #enter(a: number, b: number): boolean {
    const places = this.#places;
    const mask = places.length / 2 - 1;
    for (let place = a & mask; ; place = (place + 1) & mask) {
      const at = 2 * place;
      if (places[at + 1] === 0) {
        places[at] = a;
        places[at + 1] = b;
        return true;
      }
      if (places[at] === a && places[at + 1] === b) return false;
    }
  }

  #grow(): void {
    const old = this.#places;
    this.#places = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at + 1] !== 0) this.#enter(old[at] ?? 0, old[at + 1] ?? 0);
    }
  }
}
