/** Which keys are those of jobs' rows: they end in `:job:` and the 14 bytes of an id. */

import type { Bytes } from "../../protocol/bytes.ts";

const ROW_TAIL_BYTES = 19;
const COLON = 0x3a;
const LETTER_J = 0x6a;

/** Whether a key is that of a job's row, to all appearances. */
export function isRowKey(key: Bytes): boolean {
  const tail = key.length - ROW_TAIL_BYTES;
  return key.charCodeAt(tail) === COLON && key.charCodeAt(tail + 1) === LETTER_J;
}
