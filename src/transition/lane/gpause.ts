/**
 * `GPAUSE`: pauses a lane and takes it off the ring. What is leased goes on.
 *
 * No base is declared, so the lane itself is not seen: the ring is searched, but only when the lane was not paused yet.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGpause } from "../check/lane/gpause.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { LANE_SETTINGS_MAX, SETTINGS_FULL } from "../step/lane.ts";

/** Keys: paused, ring. Arguments: group. Answers 1. */
export function gpause(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGpause(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  if (call("SISMEMBER", keys[0], args[0]) === 1) return 1;
  if (call("SCARD", keys[0]) >= LANE_SETTINGS_MAX) return s.error(SETTINGS_FULL);
  call("LREM", keys[1], 0, args[0]);
  call("SADD", keys[0], args[0]);
  return 1;
}
