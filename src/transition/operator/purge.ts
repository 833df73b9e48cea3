/**
 * `PURGE`: unlinks keys of a paused queue, whatever they are and whatever they hold.
 *
 * It is the last part of obliterating a queue: the host finds the keys by a scan and declares each, so a cluster moves
 * them rightly. The memory is given back beside the acts of others. `meta` holds the pause and therefore goes last.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkPurge } from "../check/operator/purge.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { deleteKeys } from "../step/bulk.ts";
import { isOpen } from "../step/wake.ts";

/** Keys of one act besides the two that it always has. */
const KEYS_MAX = 1000;

/** Keys: meta, base, then those to unlink. No arguments. Answers how many there were. */
export function purge(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkPurge(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const stop = keys.length;
  if (stop > KEYS_MAX + 2) return s.error("ERR EMQ.PURGE bad argument keys");
  if (isOpen(s, keys[1])) return s.error("EMQSTATE not paused");
  const doomed: Bytes[] = [];
  for (let i = 2; i < stop; i += 1) doomed[doomed.length] = keys[i];
  return deleteKeys(s, "UNLINK", doomed);
}
