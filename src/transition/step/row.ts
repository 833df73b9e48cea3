/**
 * The row of a job and what hangs on it.
 *
 * Whoever deletes a row deletes its side keys in the same act, so that a new job of the same id starts clean and
 * nothing is left for ever.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";

/** The refusal of an id of another kind. */
export const NO_JOB_ID = "EMQKIND job id must be JOB-namespaced";

/** Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern. */
export function isJobId(id: Bytes): boolean {
  return id.slice(0, 3) === "JOB";
}

/** The score at which a job waits: its priority, 0 when it has none. */
export function scoreOf(s: Server, priority: Bytes | false): number {
  return priority === false ? 0 : s.num(priority);
}

/** The number in a counter field, 0 when it is absent. */
export function countOf(s: Server, field: Bytes | false): number {
  return field === false ? 0 : s.num(field);
}

/** Sets a counter field of a row, or drops it at 0 so that a row holds nothing that says nothing. */
export function setCount(s: Server, row: Bytes, field: Bytes, count: number): void {
  if (count > 0) s.call("HSET", row, field, count);
  else s.call("HDEL", row, field);
}

/** Deletes a row and every side key that a job may have. */
export function deleteRow(s: Server, row: Bytes): void {
  s.call(
    "DEL",
    row,
    `${row}:logs`,
    `${row}:lock`,
    `${row}:result`,
    `${row}:dependencies`,
    `${row}:processed`,
    `${row}:failed`,
    `${row}:unsuccessful`,
    `${row}:children`,
    `${row}:parents`,
  );
}

/** Adds a row and every side key that a job may have to a list of keys to delete. */
export function gatherRow(doomed: Bytes[], row: Bytes): void {
  const next = doomed.length;
  doomed[next] = row;
  doomed[next + 1] = `${row}:logs`;
  doomed[next + 2] = `${row}:lock`;
  doomed[next + 3] = `${row}:result`;
  doomed[next + 4] = `${row}:dependencies`;
  doomed[next + 5] = `${row}:processed`;
  doomed[next + 6] = `${row}:failed`;
  doomed[next + 7] = `${row}:unsuccessful`;
  doomed[next + 8] = `${row}:parents`;
  doomed[next + 9] = `${row}:children`;
}

/**
 * The deduplication key of a name if it holds this job, otherwise the empty text. It goes when the job ends; reading it
 * comes before the first write, as its type may be foreign.
 */
export function heldDedup(s: Server, base: Bytes, dedup: Bytes | false, id: Bytes): Bytes {
  if (dedup === false || dedup === "") return "";
  const key = `${base}de:${dedup}`;
  return s.call("GET", key) === id ? key : "";
}
