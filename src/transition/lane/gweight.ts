/**
 * `GWEIGHT`: sets the weight of a lane, or removes it.
 *
 * The field is dropped before it is set: dropping is a write that a full server admits.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGweight } from "../check/lane/gweight.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { LANE_SETTINGS_MAX, SETTINGS_FULL } from "../step/lane.ts";

/** Keys: gweight. Arguments: group, weight or 0. Answers 1. */
export function gweight(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGweight(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const known = call("HEXISTS", keys[0], args[0]) === 1;
  if (args[1] !== "0" && !known && call("HLEN", keys[0]) >= LANE_SETTINGS_MAX) return s.error(SETTINGS_FULL);
  call("HDEL", keys[0], args[0]);
  if (args[1] !== "0") call("HSET", keys[0], args[0], args[1]);
  return 1;
}
