/**
 * Lapsed leases: back to where the job waits, or dead when it lapsed too often.
 *
 * A job that waits after a lapse keeps an empty `owner`, so that its late holder may still settle it until it is
 * claimed again. A job whose cancel was asked for does not run again: nobody is left who could hear of it.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { releaseLane } from "./lane.ts";
import { countOf } from "./row.ts";
import { letWait } from "./waiting.ts";

/** What a sweep did. */
export interface Lapsed {
  readonly recovered: Bytes[];
  readonly dead: Bytes[];
}

/** Ends a job that lapsed too often. */
function killLapsed(s: Server, base: Bytes, id: Bytes, stalled: number, error: Bytes): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  call("HDEL", row, "owner");
  call("HSET", row, "state", "dead", "last_error", error, "stalled", stalled);
  call("ZADD", `${base}dead`, 0, id);
  call("HINCRBY", `${base}metrics:failed`, "count", 1);
}

/**
 * Takes back at most `limit` lapsed leases. `maxStalled` is the number of lapses that kills; -1 never kills. A member
 * of `active` whose row is gone or is not active is dropped.
 */
export function takeBack(s: Server, active: Bytes, base: Bytes, maxStalled: number, limit: number): Lapsed {
  const call = s.call;
  const lapsed: Lapsed = { recovered: [], dead: [] };
  if (limit === 0) return lapsed;
  const ids = call("ZRANGEBYSCORE", active, "-inf", s.now(), "LIMIT", 0, limit);
  for (const id of ids) {
    const row = `${base}job:${id}`;
    const fields = call("HMGET", row, "state", "group", "priority", "stalled", "cancel");
    call("ZREM", active, id);
    if (fields[0] === "active") {
      const group = fields[1];
      const stalled = countOf(s, fields[3]) + 1;
      if (group !== false) releaseLane(s, base, group);
      const over = maxStalled >= 0 && stalled >= maxStalled;
      if (over || (maxStalled >= 0 && fields[4] !== false)) {
        killLapsed(s, base, id, stalled, fields[4] === false ? "stalled" : fields[4]);
        lapsed.dead[lapsed.dead.length] = id;
      } else {
        call("HSET", row, "state", "pending", "stalled", stalled, "owner", "");
        letWait(s, base, id, group, fields[2]);
        lapsed.recovered[lapsed.recovered.length] = id;
      }
    }
  }
  return lapsed;
}
