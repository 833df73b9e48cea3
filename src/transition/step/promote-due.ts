/**
 * Promotion: due jobs go from the schedule to where they wait.
 *
 * Only a row whose state is `scheduled` is moved, or a parent whose time to wait for its children is over. A member
 * whose row is gone, or lives elsewhere since, is dropped without making a row, and the next one takes its place. All
 * rows of a pass are read before the first is written.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { removeMembers } from "./bulk.ts";
import { readLanes, releaseLane } from "./lane.ts";
import { letWait, letWaitFirst } from "./waiting.ts";

/** What a promotion did, and what it cost of the budget of its act. */
export interface Promoted {
  moved: number;
  looks: number;
}

/** Reads the rows of due members and the places where they are going to wait. */
function readDue(s: Server, base: Bytes, due: Bytes[]): (Bytes | false)[][] {
  const rows: (Bytes | false)[][] = [];
  const groups: Bytes[] = [];
  for (const id of due) {
    const fields = s.call("HMGET", `${base}job:${id}`, "state", "group", "priority", "owner");
    const group = fields[1];
    if (group !== false) groups[groups.length] = group;
    if (fields[0] === "awaiting_children") s.call("ZCARD", `${base}awaiting`);
    rows[rows.length] = fields;
  }
  s.call("ZCARD", `${base}pending`);
  readLanes(s, base, groups, 1);
  return rows;
}

/**
 * Lets a parent run whose time to wait for its children is over.
 *
 * @cold
 */
function endWait(s: Server, base: Bytes, id: Bytes): void {
  s.call("ZREM", `${base}awaiting`, id);
}

/** Lets a scheduled job wait in its lane. One that held the lane hands it over to itself, as the first that waits. */
function enterAgain(s: Server, base: Bytes, id: Bytes, group: Bytes, priority: Bytes | false): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  const order = call("HMGET", row, "held", "due");
  if (order[1] !== false) call("HDEL", row, "due");
  if (order[0] === false) {
    letWait(s, base, id, group, priority);
    return;
  }
  letWaitFirst(s, base, id, group);
  releaseLane(s, base, group);
}

/** Lets a scheduled job wait. A foreign speaker may have left an `owner`, with which an old token would settle it. */
export function letWaitAgain(s: Server, base: Bytes, id: Bytes, fields: (Bytes | false)[]): void {
  const row = `${base}job:${id}`;
  s.call("HSET", row, "state", "pending");
  if (fields[3] !== false) s.call("HDEL", row, "owner");
  const group = fields[1];
  if (group === false) letWait(s, base, id, group, fields[2]);
  else enterAgain(s, base, id, group, fields[2]);
}

/** Promotes at most `batch` due jobs and looks at no more than `most` members for them. */
export function promoteDue(s: Server, schedule: Bytes, base: Bytes, batch: number, most: number): Promoted {
  const now = s.now();
  const promoted: Promoted = { moved: 0, looks: 0 };
  while (promoted.moved < batch && promoted.looks < most) {
    const room = Math.min(batch - promoted.moved, most - promoted.looks);
    const due = s.call("ZRANGEBYSCORE", schedule, "-inf", now, "LIMIT", 0, room);
    const stop = due.length;
    if (stop === 0) return promoted;
    const rows = readDue(s, base, due);
    removeMembers(s, schedule, due);
    for (let i = 0; i < stop; i += 1) {
      const isParent = rows[i][0] === "awaiting_children";
      if (isParent) endWait(s, base, due[i]);
      if (isParent || rows[i][0] === "scheduled") {
        letWaitAgain(s, base, due[i], rows[i]);
        promoted.moved += 1;
      }
    }
    promoted.looks += stop;
    if (stop < room) return promoted;
  }
  return promoted;
}
