/**
 * Erasing a job from wherever it is, with its row, its side keys and its names. Its last token is remembered, and its
 * parents hear of it unless it was over and they know.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { letGo, readNames } from "./dedup.ts";
import { noteEnd, tellGone } from "./family.ts";
import { leaveLane, readLanes, releaseLane } from "./lane.ts";
import { REMOVED_ERROR } from "./parent.ts";
import { tellWaiters, waitedUntil } from "./result.ts";
import { deleteRow } from "./row.ts";
import { lastToken, rememberTokens } from "./tokens.ts";

/**
 * Removes an id from the sets and its lane, then deletes the row. Membership decides, not the row's word, so a
 * member that strayed goes as well.
 */
export function erase(s: Server, base: Bytes, id: Bytes, group: Bytes | false, dedup: Bytes | false): void {
  const call = s.call;
  call("ZCARD", `${base}active`);
  call("ZCARD", `${base}schedule`);
  call("ZCARD", `${base}dead`);
  call("ZCARD", `${base}completed`);
  call("ZCARD", `${base}expiry`);
  call("ZCARD", `${base}ttl`);
  if (group !== false) readLanes(s, base, [group], 1);
  const holds = group !== false && call("HEXISTS", `${base}job:${id}`, "held") === 1;
  const names = readNames(s, base, id, dedup, true);
  const fields = call("HMGET", `${base}job:${id}`, "wait", "attempts", "state", "parent");
  const token = lastToken(s, base, fields[1]);
  const state = fields[2];
  const isAwaiting = state === "awaiting_children";
  if (isAwaiting) call("ZCARD", `${base}awaiting`);
  if (state === "dead" || state === "completed") fields[3] = false;
  const notice = noteEnd(s, base, id, fields[3], "removed", REMOVED_ERROR, true, false);
  if (waitedUntil(s, fields[0], 0) > 0) tellWaiters(s, base, id);
  call("ZREM", `${base}pending`, id);
  const wasActive = call("ZREM", `${base}active`, id);
  const wasScheduled = call("ZREM", `${base}schedule`, id);
  call("ZREM", `${base}dead`, id);
  call("ZREM", `${base}completed`, id);
  call("ZREM", `${base}expiry`, id);
  call("ZREM", `${base}ttl`, id);
  if (isAwaiting) call("ZREM", `${base}awaiting`, id);
  if (group !== false) {
    leaveLane(s, base, group, id);
    if (wasActive === 1 || (wasScheduled === 1 && holds)) releaseLane(s, base, group);
  }
  deleteRow(s, `${base}job:${id}`);
  rememberTokens(s, base, [id], [token]);
  tellGone(s, base, notice);
  letGo(s, base, names);
}
