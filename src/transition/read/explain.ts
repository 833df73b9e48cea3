/**
 * `EXPLAIN`: all that decides whether a job runs, read from one instant, so that the parts of an answer agree.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkExplain } from "../check/read/explain.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { laneKey } from "../step/lane.ts";

/** Where a job is. */
interface Place {
  state: Bytes;
  score: Bytes | false;
  rank: number;
}

/** Looks for a job in one set, unless it was found already. */
function look(s: Server, place: Place, key: Bytes, id: Bytes, state: Bytes): void {
  if (place.score !== false) return;
  place.score = s.call("ZSCORE", key, id);
  if (place.score === false) return;
  place.state = state;
  const rank = s.call("ZRANK", key, id);
  if (rank !== false && (state === "pending" || state === "scheduled")) place.rank = rank;
}

/** Keys: pending, active, schedule, dead, row, base. Arguments: id. Answers instant, place, queue, row. */
export function explain(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkExplain(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const id = args[0];
  const base = keys[5];
  const told = ["attempts", "name", "group", "owner", "last_error", "stalled", "deferred", "cancel", "state"];
  const fields = call("HMGET", keys[4], ...told);
  const group = fields[2];
  const place: Place = { state: fields[8] === false ? "absent" : "unknown", score: false, rank: -1 };
  look(s, place, keys[0], id, "pending");
  look(s, place, keys[1], id, "active");
  look(s, place, keys[2], id, "scheduled");
  look(s, place, keys[3], id, "dead");
  if (fields[8] === "awaiting_children" && place.score === false) {
    place.state = fields[8];
  } else if (fields[8] !== false) {
    if (group !== false) look(s, place, laneKey(base, group), id, "pending");
    look(s, place, `${base}completed`, id, "completed");
  }
  const paused = call("HEXISTS", `${base}meta`, "paused");
  const score = place.score === false ? "" : place.score;
  const out: (Bytes | number)[] = [s.now(), place.state, score, place.rank, paused, call("ZCARD", keys[1])];
  for (let i = 0; i < 8; i += 1) {
    const field = fields[i];
    out[out.length] = field === false ? "" : field;
  }
  return out;
}
