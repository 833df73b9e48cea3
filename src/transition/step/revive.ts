/**
 * Reviving: a dead job gets a fresh budget and waits again, at its own place.
 *
 * A parent that died while it waited for its children waits again if some are open; those that have failed count as
 * ended from then on. A child is open again at a parent of the same queue.
 *
 * The attempts number stays: it is the fencing token and must never repeat. The attempts so far count as interruptions.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { writePairs } from "./bulk.ts";
import { queueOf } from "./kin.ts";
import { countOpen } from "./open-children.ts";
import { openIn } from "./parent.ts";
import { letWait, readPlace } from "./waiting.ts";

/**
 * Lets a child count as open at its parent again, if that is of the same queue.
 *
 * @cold
 */
function reopenChild(s: Server, base: Bytes, id: Bytes, parent: Bytes): void {
  const call = s.call;
  const own = call("HMGET", `${base}job:${id}`, "parent_queue", "parent_as");
  const isNear = own[0] === false || own[0] === "" || own[0] === queueOf(base);
  if (!isNear || !s.branded(parent)) return;
  call("HDEL", `${base}job:${parent}:failed`, own[1] === false ? id : own[1]);
}

/** Counts the failed children of a parent as ended, with their failures; answers how many are open. */
function acceptFailures(s: Server, row: Bytes): number {
  const call = s.call;
  const failed = call("HGETALL", `${row}:failed`);
  writePairs(s, `${row}:unsuccessful`, failed);
  call("DEL", `${row}:failed`);
  let left = Math.max(0, openIn(s, call("GET", `${row}:dependencies`)) - failed.length / 2);
  // Some may have failed before the parent was told of them.
  if (call("EXISTS", `${row}:children`) === 1) left = countOpen(s, row);
  call("SET", `${row}:dependencies`, left);
  return left;
}

/** Reads what {@link acceptFailures} writes to. */
function readFailures(s: Server, base: Bytes, row: Bytes): void {
  s.call("HLEN", `${row}:failed`);
  s.call("HLEN", `${row}:unsuccessful`);
  s.call("HLEN", `${row}:processed`);
  s.call("HLEN", `${row}:children`);
  s.call("GET", `${row}:dependencies`);
  s.call("ZCARD", `${base}awaiting`);
}

/**
 * Lets a parent wait again that died while it waited, when children of it are open. Answers whether it does.
 *
 * @cold
 */
function awaitAgain(s: Server, base: Bytes, id: Bytes): boolean {
  const row = `${base}job:${id}`;
  s.call("HDEL", row, "failed_child");
  s.call("ZREM", `${base}ttl`, id);
  if (acceptFailures(s, row) === 0) return false;
  s.call("HSET", row, "state", "awaiting_children");
  s.call("ZADD", `${base}awaiting`, s.now(), id);
  return true;
}

/**
 * Reads what reviving a child, or a parent that died while it waited, touches.
 *
 * @cold
 */
function readFamily(s: Server, base: Bytes, id: Bytes, parent: Bytes | false, isParent: boolean): void {
  if (isParent) readFailures(s, base, `${base}job:${id}`);
  if (parent !== false && s.branded(parent)) s.call("HLEN", `${base}job:${parent}:failed`);
  s.call("ZCARD", `${base}ttl`);
}

/**
 * Revives a member of `dead`; `fields` are `attempts`, `group`, `priority`, `state`, `parent` and `failed_child` of its
 * row, which must be there.
 */
export function reviveDead(s: Server, base: Bytes, id: Bytes, fields: (Bytes | false)[]): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  const attempts = fields[0];
  readPlace(s, base, fields[1]);
  call("ZCARD", `${base}expiry`);
  const parent = fields[4];
  const isParent = fields[5] !== false;
  if (isParent || parent !== false) readFamily(s, base, id, parent, isParent);
  call("ZREM", `${base}dead`, id);
  call("ZREM", `${base}expiry`, id);
  call("HDEL", row, "last_error", "stalled", "cancel", "owner", "finished_at");
  if (attempts !== false) call("HSET", row, "state", "pending", "deferred", attempts);
  if (attempts === "0") call("HDEL", row, "deferred");
  if (parent !== false) reopenChild(s, base, id, parent);
  if (!isParent || !awaitAgain(s, base, id)) letWait(s, base, id, fields[1], fields[2]);
}
