/**
 * The cluster slot of a key.
 *
 * A cluster hashes only the text between the first `{` and the next `}`, so every key of one queue has one slot, and an
 * act over several of them is one atomic step. This is the pure computation; nothing here follows a redirect.
 */

import { arrayOf, bytesFrom, bytesOf } from "./bytes.ts";

/** Slots of every cluster. */
const SLOTS = 16384;

/** The generator x^16 + x^12 + x^5 + 1 of CRC-16 in the XMODEM form: start 0, nothing reflected, nothing inverted. */
const POLYNOMIAL = 0x1021;

/** The remainder that each leading byte leaves. */
const REMAINDER = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  return crc;
});

/**
 * The part of a key that a cluster hashes: what stands between the first `{` and the next `}`, or the whole key when
 * there is no such pair or nothing between. Text gives text, bytes give bytes.
 */
export function hashtag(key: string): string;
export function hashtag(key: Uint8Array): Uint8Array;
export function hashtag(key: string | Uint8Array): string | Uint8Array {
  return typeof key === "string" ? tagOf(key) : arrayOf(tagOf(bytesFrom(key)));
}

/**
 * The cluster slot of a key, 0 to 16383. Text counts as its UTF-8 bytes; give a byte string as an array of bytes, or it
 * is taken for text.
 */
export function slot(key: string | Uint8Array): number {
  const tag = tagOf(typeof key === "string" ? bytesOf(key) : bytesFrom(key));
  let crc = 0;
  for (let at = 0; at < tag.length; at++) {
    crc = ((crc << 8) & 0xffff) ^ (REMAINDER[(crc >> 8) ^ tag.charCodeAt(at)] ?? 0);
  }
  return crc % SLOTS;
}

function tagOf(key: string): string {
  const open = key.indexOf("{");
  const close = open < 0 ? -1 : key.indexOf("}", open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}
