/**
 * Removing many jobs that wait, with their rows, their side keys and their names.
 *
 * All rows of a slice are read before the first is written, so a foreign type in one of them leaves the slice whole.
 * The caller looks after the ring, because only it knows where a lane stands on it.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { deleteKeys, removeMembers } from "./bulk.ts";
import { letGo, type Names, readNames } from "./dedup.ts";
import { erase } from "./erase.ts";
import { tellOfJob } from "./event.ts";
import { type Notice, noteEnd, tellGone } from "./family.ts";
import { nothingTold } from "./kin.ts";
import { REMOVED_ERROR } from "./parent.ts";
import { tellWaiters, waitedUntil } from "./result.ts";
import { gatherRow } from "./row.ts";
import { lastToken, rememberTokens } from "./tokens.ts";

/** Tells that a job is removed which waited. */
function tellRemoved(s: Server, base: Bytes, id: Bytes, dedup: Bytes | false, state: Bytes): void {
  tellOfJob(s, base, "removed", id, dedup, ["state", state]);
}

/** Removes up to `most` jobs from a set of waiting jobs, flat or of a lane; answers how many. */
export function drainWaiting(s: Server, base: Bytes, set: Bytes, most: number, heard: number): number {
  if (most <= 0) return 0;
  const ids = s.call("ZRANGE", set, 0, most - 1);
  const doomed: Bytes[] = [];
  const held: Names[] = [];
  const waited: Bytes[] = [];
  const tokens: number[] = [];
  const notices: Notice[] = [];
  const told = nothingTold();
  for (const id of ids) {
    const row = `${base}job:${id}`;
    const fields = s.call("HMGET", row, "dedup", "wait", "attempts", "parent");
    tokens[tokens.length] = lastToken(s, base, fields[2]);
    const names = readNames(s, base, id, fields[0], true);
    if (waitedUntil(s, fields[1], 0) > 0) waited[waited.length] = id;
    const notice = noteEnd(s, base, id, fields[3], "removed", REMOVED_ERROR, true, told);
    if (notice !== false) notices[notices.length] = notice;
    if (heard > 0) tellRemoved(s, base, id, fields[0], "pending");
    gatherRow(doomed, row);
    if (names !== false) held[held.length] = names;
  }
  const timed = s.call("ZCARD", `${base}ttl`);
  for (const id of waited) tellWaiters(s, base, id);
  removeMembers(s, set, ids);
  if (timed > 0) removeMembers(s, `${base}ttl`, ids);
  deleteKeys(s, "DEL", doomed);
  rememberTokens(s, base, ids, tokens);
  for (const notice of notices) tellGone(s, base, notice);
  for (const names of held) letGo(s, base, names);
  return ids.length;
}

/** Removes up to `most` jobs from the schedule, the next due first; answers how many. */
export function drainScheduled(s: Server, base: Bytes, schedule: Bytes, most: number, heard: number): number {
  if (most <= 0) return 0;
  const call = s.call;
  const ids = call("ZRANGE", schedule, 0, most - 1);
  for (const id of ids) {
    const fields = call("HMGET", `${base}job:${id}`, "group", "dedup");
    if (heard > 0) tellRemoved(s, base, id, fields[1], "scheduled");
    erase(s, base, id, fields[0], fields[1]);
  }
  return ids.length;
}
