/**
 * `GLIMIT`: sets how many jobs of a lane may be leased at once, or removes that limit.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGlimit } from "../check/lane/glimit.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isOrdered, LANE_SETTINGS_MAX, SETTINGS_FULL, setLimit } from "../step/lane.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: glimit, gactive, ring, paused, wake, base. Arguments: group, limit or 0. Answers 1. */
export function glimit(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGlimit(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[5];
  const group = args[0];
  if (isOrdered(s, base, group) && args[1] !== "1") return s.error("EMQSTATE lane is ordered");
  const known = call("HEXISTS", keys[0], group) === 1;
  if (args[1] !== "0" && !known && call("HLEN", keys[0]) >= LANE_SETTINGS_MAX) return s.error(SETTINGS_FULL);
  const open = isOpen(s, base);
  setLimit(s, base, group, s.num(args[1]));
  pushIfClaimable(s, base, open);
  return 1;
}
