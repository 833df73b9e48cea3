/** Which keys are those of jobs' rows: they end in `:job:` and the 14 bytes of an id. */

import { fromBase62 } from "../../protocol/base62.ts";
import type { Bytes } from "../../protocol/bytes.ts";

const ROW_TAIL_BYTES = 19;
const COLON = 0x3a;
const LETTER_J = 0x6a;

/** An id's digits, and those of them that say when it was minted, to some 3.5 ms. */
const ID_DIGITS = 11;
const LOW_DIGITS = 4;

/** Whether a key is that of a job's row, to all appearances. */
export function isRowKey(key: Bytes): boolean {
  const tail = key.length - ROW_TAIL_BYTES;
  return key.charCodeAt(tail) === COLON && key.charCodeAt(tail + 1) === LETTER_J;
}

/** A number that rises with the instant at which the id of a row's key was minted; -1 for a key of anything else. */
export function mintOrderOf(key: Bytes): number {
  if (!isRowKey(key)) return -1;
  return fromBase62(key, key.length - ID_DIGITS, key.length - LOW_DIGITS);
}
