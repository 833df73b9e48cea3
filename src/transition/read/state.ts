/**
 * `STATE`: where a job is, by membership first and by the row's word where there is no set to look into.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkState } from "../check/read/state.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { laneKey } from "../step/lane.ts";

/** Keys: pending, active, schedule, dead, row, base. Arguments: id. Answers the word. */
export function state(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkState(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const id = args[0];
  if (call("ZSCORE", keys[0], id) !== false) return "pending";
  if (call("ZSCORE", keys[1], id) !== false) return "active";
  if (call("ZSCORE", keys[2], id) !== false) return "scheduled";
  if (call("ZSCORE", keys[3], id) !== false) return "dead";
  const fields = call("HMGET", keys[4], "state", "group");
  const state = fields[0];
  const group = fields[1];
  if (state === false) return "absent";
  if (state === "awaiting_children") return state;
  if (group !== false && call("ZSCORE", laneKey(keys[5], group), id) !== false) return "pending";
  if (call("ZSCORE", `${keys[5]}completed`, id) !== false) return "completed";
  return "unknown";
}
