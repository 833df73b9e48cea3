/**
 * `GREASSIGN`: moves a waiting job to another lane. It keeps its priority, and its place by age.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGreassign } from "../check/lane/greassign.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { enterLane, laneKey, leaveLane, readLanes } from "../step/lane.ts";
import { scoreOf } from "../step/row.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: row, lane, ring, paused, glimit, gactive, wake, base. Arguments: id, dst. Answers 1, 0, -1 or -2. */
export function greassign(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGreassign(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[7];
  const id = args[0];
  const fields = call("HMGET", keys[0], "group", "priority");
  const source = fields[0];
  if (source === false) return -1;
  if (source === args[1]) return 0;
  if (call("ZSCORE", laneKey(base, source), id) === false) return -2;
  const open = isOpen(s, base);
  readLanes(s, base, [source, args[1]], 1);
  leaveLane(s, base, source, id);
  call("HDEL", keys[0], "held");
  call("HSET", keys[0], "group", args[1]);
  enterLane(s, base, args[1], id, scoreOf(s, fields[1]));
  pushIfClaimable(s, base, open);
  return 1;
}
