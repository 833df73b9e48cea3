/**
 * `GORDER`: makes a lane strictly ordered, or ends that.
 *
 * The order is kept by the limit of the lane, which is 1 as long as it lasts: so speakers that know of limits only
 * never run two of its jobs at once.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGorder } from "../check/lane/gorder.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isOrdered, LANE_SETTINGS_MAX, SETTINGS_FULL, setLimit } from "../step/lane.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: gordered, glimit, gactive, ring, paused, wake, base. Arguments: group, on or off. Answers 1. */
export function gorder(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGorder(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[6];
  const group = args[0];
  const wanted = args[1] === "on";
  if (isOrdered(s, base, group) === wanted) return 1;
  if (wanted) {
    const known = call("HEXISTS", keys[1], group) === 1;
    if (call("SCARD", keys[0]) >= LANE_SETTINGS_MAX) return s.error(SETTINGS_FULL);
    if (!known && call("HLEN", keys[1]) >= LANE_SETTINGS_MAX) return s.error(SETTINGS_FULL);
  }
  const open = isOpen(s, base);
  setLimit(s, base, group, wanted ? 1 : 0);
  if (wanted) call("SADD", keys[0], group);
  else call("SREM", keys[0], group);
  pushIfClaimable(s, base, open);
  return 1;
}
