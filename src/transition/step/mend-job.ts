/**
 * Putting one job right: its row, and that it lies where its row says and nowhere else.
 *
 * The row's word for the state decides, as it does for every act: a claim drops a member whose row says otherwise, and
 * a settlement is judged by it. What lies elsewhere is taken out, what lies nowhere is put back. Everything is read
 * before the first write, and that takes something out, so a full server admits the rest.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX, PRIORITY_MAX } from "./bound.ts";
import { letGo, readStray } from "./dedup.ts";
import { erase } from "./erase.ts";
import { sideKeysOf } from "./evidence.ts";
import { BEGUN_SCORE, enterLane, laneKey, leaveLane, readLanes } from "./lane.ts";
import { RATE_MAX } from "./limit.ts";
import { countOpen } from "./open-children.ts";
import { openIn } from "./parent.ts";

/** What {@link mendJob} and its like answer. */
export const RIGHT = 0;
export const MENDED = 1;
export const LEFT = 2;

/**
 * How long a job that is active and leased to nobody is leased again, in ms: the default lease. A holder that still
 * works renews it meanwhile; without one a sweep takes it back.
 */
const AGAIN_MS = 30000;

/** The sets in which a job lies by its state. */
const SETS = ["pending", "active", "schedule", "dead", "completed", "awaiting"];

/** Fields that count, with the least and the most that they may hold: a counter of nothing is absent. */
const COUNTERS = ["stalled", "deferred", "finished_at", "wait", "due", "expires", "cost"];
const LEAST = [1, 1, 0, 0, 0, 0, 1];
const MOST = [NUMBER_MAX, NUMBER_MAX, NUMBER_MAX, NUMBER_MAX, NUMBER_MAX, NUMBER_MAX, RATE_MAX];

/** A job as it was found. */
interface Found {
  readonly base: Bytes;
  readonly id: Bytes;
  readonly row: Bytes;
  /** The lane of the row, empty for none. */
  readonly group: Bytes;
  /** A further lane that it may lie in, empty for none. */
  readonly lane: Bytes;
  readonly scores: (Bytes | false)[];
  readonly laneScore: Bytes | false;
}

/** Whether text is a whole number in range. */
function isWhole(s: Server, text: Bytes | false, min: number, max: number): boolean {
  return text !== false && s.int(text, min, max);
}

/** The set of a state, the empty text for one without. */
function setOf(state: Bytes): Bytes {
  return state === "scheduled" ? "schedule" : state === "awaiting_children" ? "awaiting" : state;
}

/** Whether a word is a state of the wire. */
function isState(word: Bytes | false): boolean {
  if (word === "awaiting_children" || word === "scheduled") return true;
  return word === "pending" || word === "active" || word === "dead" || word === "completed";
}

/** The state of a row that has no word for it: by where it lies, else it waits. */
function stateByPlace(scores: (Bytes | false)[]): Bytes {
  if (scores[1] !== false) return "active";
  if (scores[2] !== false) return "scheduled";
  if (scores[3] !== false) return "dead";
  if (scores[4] !== false) return "completed";
  return scores[5] === false ? "pending" : "awaiting_children";
}

/** Takes a job out of every place but the set or lane where it belongs; answers how many it left. */
function leavePlaces(s: Server, found: Found, state: Bytes): number {
  const call = s.call;
  const own = setOf(state);
  const waitsInLane = state === "pending" && found.group !== "";
  let left = 0;
  for (const set of SETS) {
    // A parent that waits for a time at most lies in the schedule as well.
    const isTime = set === "schedule" && state === "awaiting_children";
    if ((set !== own && !isTime) || waitsInLane) left += call("ZREM", `${found.base}${set}`, found.id);
  }
  if (state !== "dead" && state !== "completed") left += call("ZREM", `${found.base}expiry`, found.id);
  if (found.group !== "" && !waitsInLane) left += leaveLane(s, found.base, found.group, found.id);
  if (found.lane !== "" && found.lane !== found.group) left += leaveLane(s, found.base, found.lane, found.id);
  return left;
}

/** Sets the score of a job in its set, where it is missing or another; answers how many it set. */
function enterSet(s: Server, found: Found, set: Bytes, score: number, isAny: boolean, at: number): number {
  const present = found.scores[at];
  if (present !== false && isAny && s.int(present, 0, NUMBER_MAX)) return 0;
  if (present !== false && !isAny && s.int(present, 0, NUMBER_MAX) && s.num(present) === score) return 0;
  s.call("ZADD", `${found.base}${set}`, score, found.id);
  return 1;
}

/** Lets a job wait where it belongs; answers how many scores it set. */
function enterWaiting(s: Server, found: Found, priority: number, isHeld: boolean): number {
  if (found.group === "") return enterSet(s, found, "pending", priority, false, 0);
  const present = found.laneScore;
  if (present !== false && s.int(present, 0, NUMBER_MAX) && s.num(present) === priority) return 0;
  if (present === "-1" && isHeld) return 0;
  const score = isHeld ? BEGUN_SCORE : priority;
  if (present === false) enterLane(s, found.base, found.group, found.id, score);
  else s.call("ZADD", laneKey(found.base, found.group), score, found.id);
  return 1;
}

/** Puts a job where its state says, if it is not there with the right score; answers how many scores it set. */
function enterPlace(s: Server, found: Found, state: Bytes, fields: (Bytes | false)[]): number {
  const now = s.now();
  if (state === "pending") {
    const priority = fields[3];
    const rank = priority !== false && s.int(priority, 1, PRIORITY_MAX) ? s.num(priority) : 0;
    return enterWaiting(s, found, rank, fields[5] !== false);
  }
  if (state === "active") return enterSet(s, found, "active", now + AGAIN_MS, true, 1);
  if (state === "scheduled") return enterSet(s, found, "schedule", now, true, 2);
  if (state === "awaiting_children") return enterSet(s, found, "awaiting", now, true, 5);
  if (state === "dead") return enterSet(s, found, "dead", 0, false, 3);
  if (state !== "completed") return 0;
  const finished = fields[6];
  if (finished !== false && s.int(finished, 0, NUMBER_MAX)) {
    return enterSet(s, found, "completed", s.num(finished), false, 4);
  }
  s.call("HSET", found.row, "finished_at", now);
  return enterSet(s, found, "completed", now, false, 4);
}

/** Drops fields that say nothing right; answers how many. `more` are fields that the record does not know. */
function dropFields(s: Server, found: Found, state: Bytes, fields: (Bytes | false)[], more: Bytes[]): number {
  const call = s.call;
  let dropped = 0;
  if (fields[3] !== false && !s.int(fields[3], 1, PRIORITY_MAX)) dropped += call("HDEL", found.row, "priority");
  if (fields[2] !== false && found.group === "") dropped += call("HDEL", found.row, "group");
  const owner = fields[4];
  const mayHaveOwner = state === "active" || (state === "pending" && owner === "");
  if (owner !== false && !mayHaveOwner) dropped += call("HDEL", found.row, "owner");
  for (let i = 0; i < COUNTERS.length; i += 1) {
    const text = call("HGET", found.row, COUNTERS[i]);
    if (text !== false && !s.int(text, LEAST[i], MOST[i])) dropped += call("HDEL", found.row, COUNTERS[i]);
  }
  for (const field of more) {
    // The fields of birth are never foreign, whatever the caller says.
    if (field !== "state" && field !== "attempts" && field !== "payload") dropped += call("HDEL", found.row, field);
  }
  return dropped;
}

/** A member without a row: it is taken out of wherever it lies, and what a row left goes if that is allowed. */
function dropGhost(s: Server, found: Found, mayDestroy: boolean): number {
  const side = s.branded(found.id) ? sideKeysOf(s, found.row) : [];
  const left = leavePlaces(s, found, "");
  if (side.length === 0) return left > 0 ? MENDED : RIGHT;
  if (!mayDestroy) return LEFT;
  for (const type of side) s.call("DEL", `${found.row}:${type}`);
  return MENDED;
}

/** Reads a job and everything that mending it writes to. */
function find(s: Server, base: Bytes, id: Bytes, lane: Bytes, group: Bytes): Found {
  const scores: (Bytes | false)[] = [];
  for (const set of SETS) scores[scores.length] = s.call("ZSCORE", `${base}${set}`, id);
  s.call("ZCARD", `${base}expiry`);
  s.call("ZCARD", `${base}ttl`);
  let laneScore: Bytes | false = false;
  if (group !== "") {
    readLanes(s, base, [group], 1);
    laneScore = s.call("ZSCORE", laneKey(base, group), id);
  }
  if (lane !== "") readLanes(s, base, [lane], 1);
  return { base, id, row: `${base}job:${id}`, group, lane, scores, laneScore };
}

/**
 * Sets the count of a parent to its open children; answers how many changes that were.
 *
 * @cold
 */
function mendCount(s: Server, row: Bytes, count: Bytes): number {
  if (s.call("EXISTS", `${row}:children`) === 0) return 0;
  const open = countOpen(s, row);
  if (s.int(count, 0, NUMBER_MAX) && s.num(count) === open) return 0;
  s.call("SET", `${row}:dependencies`, open);
  return 1;
}

/** Whether a parent waits for nobody. */
function waitsForNobody(s: Server, row: Bytes): boolean {
  return openIn(s, s.call("GET", `${row}:dependencies`)) === 0;
}

/** Lists a job that waits by the end of its time to live, if it has one; answers how many entries it wrote. */
function listTime(s: Server, found: Found, state: Bytes): number {
  const expires = s.call("HGET", found.row, "expires");
  const waits = state === "pending" || state === "scheduled" || state === "awaiting_children";
  if (!waits || expires === false || !s.int(expires, 0, NUMBER_MAX)) return 0;
  const listed = s.call("ZSCORE", `${found.base}ttl`, found.id);
  if (listed !== false && s.int(listed, 0, NUMBER_MAX) && s.num(listed) <= s.num(expires)) return 0;
  s.call("ZREM", `${found.base}ttl`, found.id);
  s.call("ZADD", `${found.base}ttl`, expires, found.id);
  return 1;
}

/** Puts a row right that has everything to run, and its places; answers {@link MENDED} if anything was wrong. */
function mendRow(s: Server, found: Found, fields: (Bytes | false)[], more: Bytes[]): number {
  const call = s.call;
  const word = fields[0];
  let state: Bytes = word !== false && isState(word) ? word : stateByPlace(found.scores);
  const count = call("GET", `${found.row}:dependencies`);
  let changes = count === false ? 0 : mendCount(s, found.row, count);
  if (state === "awaiting_children" && waitsForNobody(s, found.row)) state = "pending";
  changes += leavePlaces(s, found, state);
  changes += dropFields(s, found, state, fields, more);
  if (word !== state) {
    call("HSET", found.row, "state", state);
    changes += 1;
  }
  if (!isWhole(s, fields[1], 0, NUMBER_MAX)) {
    call("HSET", found.row, "attempts", 0);
    changes += 1;
  }
  changes += enterPlace(s, found, state, fields);
  changes += listTime(s, found, state);
  return changes > 0 ? MENDED : RIGHT;
}

/** Puts one job right. `lane` is a further lane in which it was seen; `more` are fields to take out of its row. */
export function mendJob(s: Server, base: Bytes, id: Bytes, lane: Bytes, mayDestroy: boolean, more: Bytes[]): number {
  const call = s.call;
  const row = `${base}job:${id}`;
  if (!s.branded(id) || call("EXISTS", row) === 0) return dropGhost(s, find(s, base, id, lane, ""), mayDestroy);
  const fields = call("HMGET", row, "state", "attempts", "group", "priority", "owner", "held", "finished_at");
  const named = fields[2];
  const group = named !== false && s.name(named) ? named : "";
  const found = find(s, base, id, lane, group);
  if (call("HEXISTS", row, "payload") === 1) {
    const stray = readStray(s, base, id);
    const outcome = mendRow(s, found, fields, mayDestroy ? more : []);
    letGo(s, base, stray);
    return stray === false ? outcome : MENDED;
  }
  // Nobody can run it: what is left of it is no job.
  if (!mayDestroy) return LEFT;
  const own: Bytes | false = group === "" ? false : group;
  erase(s, base, id, own, false);
  if (lane !== "" && lane !== group) leaveLane(s, base, lane, id);
  return MENDED;
}
