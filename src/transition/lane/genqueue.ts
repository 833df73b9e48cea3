/**
 * `GENQUEUE`: admits one job into a lane.
 *
 * The member goes in first: it is the write that can meet a foreign type, and the row is known to be absent by then. No
 * base is declared, so neither the queue's pause nor what waits elsewhere is known; a lane that comes onto the ring
 * pushes a token as wire 3 does. That a lane rests is not known either: it comes onto the ring and the next claim takes
 * it off.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGenqueue } from "../check/lane/genqueue.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isUnderLimit } from "../step/lane.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";
import { pushOfLane } from "../step/wake.ts";

/**
 * Keys: row, lane, ring, paused, glimit, gactive, wake. Arguments: id, payload, group. Answers 1, or 0 for a duplicate.
 */
export function genqueue(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGenqueue(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const id = args[0];
  const group = args[2];
  if (!isJobId(id)) return s.error(NO_JOB_ID);
  const call = s.call;
  if (call("EXISTS", keys[0]) === 1) return 0;
  const base = keys[2].slice(0, -4);
  const first = call("ZCARD", keys[1]) === 0;
  call("LLEN", keys[2]);
  call("LLEN", keys[6]);
  const servable = isUnderLimit(s, base, group);
  call("ZADD", keys[1], 0, id);
  call("HSET", keys[0], "state", "pending", "attempts", "0", "payload", args[1], "group", group);
  if (first && servable) {
    call("RPUSH", keys[2], group);
    pushOfLane(s, keys[6]);
  }
  return 1;
}
