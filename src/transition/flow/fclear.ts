/**
 * `FCLEAR`: takes signals out of the outbox that have been delivered, or that nobody can deliver.
 *
 * Each is removed by its value, from the head on, so any number of deliverers may do so at once and none takes what it
 * has not delivered.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkFclear } from "../check/flow/fclear.generated.ts";
import type { Server, TransitionReply } from "../server.ts";

/** Signals set aside that are kept, at most, the newest. */
const BAD_MAX = 1000;

/** Keys: outbox, base. Arguments: mode, signals. Answers how many were removed. */
export function fclear(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkFclear(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const bad = `${keys[1]}flow:outbox:bad`;
  const isBad = args[0] === "bad";
  const stop = args.length;
  let removed = 0;
  if (isBad) call("LLEN", bad);
  for (let i = 1; i < stop; i += 1) {
    if (call("LREM", keys[0], 1, args[i]) === 1) {
      removed += 1;
      if (isBad) call("RPUSH", bad, args[i]);
    }
  }
  if (isBad) call("LTRIM", bad, -BAD_MAX, -1);
  return removed;
}
