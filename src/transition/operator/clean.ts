/**
 * `CLEAN`: removes those of the given jobs that are in one state.
 *
 * The host picks ids by their age, which never changes, and this act judges the state, which may have changed since. So
 * nothing is removed that was claimed, retried or promoted in between. A locked job stays.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkClean } from "../check/operator/clean.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { erase } from "../step/erase.ts";
import { heardBy, tellOfJob } from "../step/event.ts";
import { laneKey } from "../step/lane.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** The set in which a job of a state stands; a job of a lane waits in its lane. */
function placeOf(base: Bytes, state: Bytes, group: Bytes | false): Bytes {
  if (state === "dead" || state === "completed") return `${base}${state}`;
  if (state === "awaiting_children") return `${base}awaiting`;
  if (state === "scheduled") return `${base}schedule`;
  return group === false ? `${base}pending` : laneKey(base, group);
}

/** Keys: pending, schedule, dead, base. Arguments: state, ids. Answers how many were removed. */
export function clean(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkClean(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[3];
  const state = args[0];
  const open = isOpen(s, base);
  const heard = heardBy(s, base);
  const stop = args.length;
  let removed = 0;
  for (let i = 1; i < stop; i += 1) {
    const id = args[i];
    const row = `${base}job:${id}`;
    const fields = call("HMGET", row, "state", "group", "dedup", "lock");
    if (fields[0] === state && fields[3] === false && call("EXISTS", `${row}:lock`) === 0) {
      if (call("ZSCORE", placeOf(base, state, fields[1]), id) !== false) {
        if (heard > 0) tellOfJob(s, base, "removed", id, fields[2], ["state", state]);
        erase(s, base, id, fields[1], fields[2]);
        removed += 1;
      }
    }
  }
  if (removed > 0) pushIfClaimable(s, base, open);
  return removed;
}
