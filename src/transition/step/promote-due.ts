/**
 * Promotion: due jobs go from the schedule to where they wait.
 *
 * Only a row whose state is `scheduled` is moved. A member whose row is gone, or lives elsewhere since, is dropped
 * without making a row, and the next one takes its place.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { letWait } from "./waiting.ts";

/** Members looked at by one act, at most. */
const LOOKS_MAX = 1000;

/** Moves one member that has left the schedule; whether its row waits now. */
function promoteOne(s: Server, base: Bytes, id: Bytes): boolean {
  const row = `${base}job:${id}`;
  const fields = s.call("HMGET", row, "state", "group", "priority");
  if (fields[0] !== "scheduled") return false;
  s.call("HSET", row, "state", "pending");
  letWait(s, base, id, fields[1], fields[2]);
  return true;
}

/** Promotes at most `batch` due jobs; answers how many. */
export function promoteDue(s: Server, schedule: Bytes, base: Bytes, batch: number): number {
  const now = s.now();
  let moved = 0;
  let looks = 0;
  while (moved < batch && looks < LOOKS_MAX) {
    const room = Math.min(batch - moved, LOOKS_MAX - looks);
    const due = s.call("ZRANGEBYSCORE", schedule, "-inf", now, "LIMIT", 0, room);
    const stop = due.length;
    if (stop === 0) return moved;
    for (let i = 0; i < stop; i += 1) {
      s.call("ZREM", schedule, due[i]);
      if (promoteOne(s, base, due[i])) moved += 1;
    }
    looks += stop;
  }
  return moved;
}
