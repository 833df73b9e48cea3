/**
 * Lapsed leases: back to where the job waits, or dead when it lapsed too often.
 *
 * A job that waits after a lapse keeps an empty `owner`, so that its late holder may still settle it until it is
 * claimed again. A job whose cancel was asked for does not run again: nobody is left who could hear of it. All rows are
 * read before the first is written, so a foreign type in one of them refuses the act whole.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { removeMembers } from "./bulk.ts";
import { readLanes, releaseLane } from "./lane.ts";
import { readDeath } from "./put-back.ts";
import { countOf, heldDedup } from "./row.ts";
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

/** Reads the rows of ids whose leases lapsed, and all that taking them back may write to. */
function readLapsed(s: Server, base: Bytes, ids: Bytes[], mayKill: boolean): (Bytes | false)[][] {
  const call = s.call;
  const rows: (Bytes | false)[][] = [];
  const groups: Bytes[] = [];
  for (const id of ids) {
    const fields = call("HMGET", `${base}job:${id}`, "state", "group", "priority", "stalled", "cancel", "dedup");
    const group = fields[1];
    // A key that holds another job is none of this act's business, so only the key that would go is kept.
    if (mayKill) fields[5] = heldDedup(s, base, fields[5], id);
    if (group !== false) groups[groups.length] = group;
    rows[rows.length] = fields;
  }
  call("ZCARD", `${base}pending`);
  readLanes(s, base, groups, 1);
  if (mayKill) readDeath(s, base);
  return rows;
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
  const stop = ids.length;
  if (stop === 0) return lapsed;
  const mayKill = maxStalled >= 0;
  const rows = readLapsed(s, base, ids, mayKill);
  removeMembers(s, active, ids);
  for (let i = 0; i < stop; i += 1) {
    const id = ids[i];
    const fields = rows[i];
    if (fields[0] === "active") {
      const group = fields[1];
      const stalled = countOf(s, fields[3]) + 1;
      if (group !== false) releaseLane(s, base, group);
      if (mayKill && (stalled >= maxStalled || fields[4] !== false)) {
        killLapsed(s, base, id, stalled, fields[4] === false ? "stalled" : fields[4]);
        if (fields[5] !== false && fields[5] !== "") call("DEL", fields[5]);
        lapsed.dead[lapsed.dead.length] = id;
      } else {
        call("HSET", `${base}job:${id}`, "state", "pending", "stalled", stalled, "owner", "");
        letWait(s, base, id, group, fields[2]);
        lapsed.recovered[lapsed.recovered.length] = id;
      }
    }
  }
  return lapsed;
}
