/**
 * `EXAMINE`: everything that invariants say about a lane, a deduplication key and some jobs, read at one instant.
 *
 * It judges nothing: what is wrong, is for `src/doctor/` to say, on any engine alike.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkExamine } from "../check/read/examine.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { type ChildBudget, examineDedup, examineJob, examineLane } from "../step/evidence.ts";

/** Arguments before the ids. */
const FIXED = 3;

/** Ids of one act, at most. */
const EXAMINED_MAX = 1000;

/** Children that one act looks at, at most, to count those that are open. */
const CHILDREN_MAX = 1000;

/** Keys: pending, base. Arguments: lane or empty, deduplication id or empty, count, ids. Answers what it saw. */
export function examine(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkExamine(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const stop = args.length;
  if (stop > EXAMINED_MAX + FIXED) return s.error("ERR EMQ.EXAMINE bad argument id");
  const base = keys[1];
  const jobs: TransitionReply[] = [];
  const budget: ChildBudget = { left: CHILDREN_MAX };
  for (let i = FIXED; i < stop; i += 1) jobs[jobs.length] = examineJob(s, base, args[i], args[0], budget);
  const lane = args[0] === "" ? [] : examineLane(s, base, args[0], args[2]);
  const dedup = args[1] === "" ? [] : examineDedup(s, base, args[1]);
  return [s.now(), lane, dedup, jobs];
}
