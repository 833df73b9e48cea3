/**
 * Time to live: a job that has not begun in time does not begin any more.
 *
 * The row of such a job holds `expires`, the instant by which it must have been claimed, and the sorted set `ttl` holds
 * its id under the same instant, so that it is found in silence too. The row decides: an entry of `ttl` that the row
 * does not bear out says nothing, and goes when its instant has come. The first claim takes both away, so a job that
 * has begun never expires, whatever becomes of it afterwards. A queue without such jobs pays one question an act.
 *
 * A job whose time is over is dead, with the error `expired`. A claim that meets one knows no terms of retention, so it
 * leaves the entry in `ttl`, and the next sweep keeps the dead job as the terms of its worker say. The same is done for
 * a parent that a child has ended. The time of a parent runs while it waits for its children.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { dueIn, NUMBER_MAX } from "./bound.ts";
import { removeMembers } from "./bulk.ts";
import { bury, readDeaths } from "./bury.ts";
import { aliasesOf, letGo, type Names, readNames } from "./dedup.ts";
import { heardBy, tellOfJob } from "./event.ts";
import { type Notice, noteEnd, tellDead } from "./family.ts";
import { nothingTold, type Told } from "./kin.ts";
import { readLanes } from "./lane.ts";
import { tellWaiters, waitedUntil } from "./result.ts";
import { deleteKept, dropOldest, type Leavers, plainTerms, type Terms } from "./retain.ts";
import { readTally } from "./tally.ts";
import { lastToken, rememberTokens } from "./tokens.ts";
import { stopWaiting } from "./waiting.ts";

/** The error of a job that did not begin in time. */
export const EXPIRED_ERROR = "expired";

/** Gives a job `ms` from when it falls due, -1 for at once, to begin. */
export function limitTime(s: Server, base: Bytes, id: Bytes, due: number, ms: Bytes): void {
  const until = Math.min(Math.max(due, s.now()) + s.num(ms), NUMBER_MAX);
  s.call("HSET", `${base}job:${id}`, "expires", until);
  s.call("ZADD", `${base}ttl`, until, id);
}

/** Takes the limit of a job's time away. */
export function unlimitTime(s: Server, base: Bytes, id: Bytes): void {
  s.call("HDEL", `${base}job:${id}`, "expires");
  s.call("ZREM", `${base}ttl`, id);
}

/**
 * Moves the end of a job's time by as much as its due time moves. A number of the row that is none stays.
 *
 * @cold
 */
export function moveTime(s: Server, base: Bytes, id: Bytes, expires: Bytes, byMs: number): void {
  if (!s.int(expires, 0, NUMBER_MAX)) return;
  const until = Math.max(0, Math.min(s.num(expires) + byMs, NUMBER_MAX));
  s.call("ZREM", `${base}ttl`, id);
  s.call("HSET", `${base}job:${id}`, "expires", until);
  s.call("ZADD", `${base}ttl`, until, id);
}

/** Whether the time of a job is over by its field `expires`. */
function isOver(s: Server, expires: Bytes | false): boolean {
  return expires !== false && s.int(expires, 0, NUMBER_MAX) && s.num(expires) <= s.now();
}

/** A job that is going to end because its time is over, with what its end needs. */
export interface Overdue {
  readonly id: Bytes;
  /** Where it waits: the words of the row. */
  readonly state: Bytes | false;
  readonly group: Bytes | false;
  readonly dedup: Bytes | false;
  readonly names: Names | false;
  /** The parents that hear of it, and what the act has told of such. */
  readonly notice: Notice | false;
  readonly told: Told;
  /** Until when its outcome is left, 0 for nobody who asked. */
  readonly until: number;
}

/** Reads what the end of an overdue job needs, and tells those who wait for it. Its `parent` is the sixth field. */
function readOverdue(s: Server, base: Bytes, id: Bytes, fields: (Bytes | false)[], terms: Terms, told: Told): Overdue {
  const names = readNames(s, base, id, fields[2], terms.deadCount === 0);
  const until = waitedUntil(s, fields[3], terms.resultMs);
  const notice = noteEnd(s, base, id, fields[5], "failed", EXPIRED_ERROR, true, told);
  if (until > 0) tellWaiters(s, base, id);
  if (heardBy(s, base) > 0) {
    tellOfJob(s, base, "expired", id, fields[2], []);
    tellOfJob(s, base, "dead", id, fields[2], ["error", EXPIRED_ERROR]);
  }
  return { id, state: fields[0], group: fields[1], dedup: fields[2], names, notice, told, until };
}

/** Ends an overdue job that has left the place where it waited, and lets its names go. */
function endOverdue(s: Server, base: Bytes, job: Overdue, names: Names | false, terms: Terms): void {
  s.call("HDEL", `${base}job:${job.id}`, "expires", "owner");
  if (job.state === "awaiting_children") s.call("HSET", `${base}job:${job.id}`, "failed_child", "");
  bury(s, base, job.id, EXPIRED_ERROR, terms, job.until);
  tellDead(s, base, job.notice, EXPIRED_ERROR);
  letGo(s, base, names);
}

/** What a claim finds among jobs that have a time to live. */
export interface Timed {
  /** Those that begin now, in time. */
  begun: Bytes[];
  overdue: Overdue[];
}

/**
 * Looks whether a job that a claim has come to has a time to live. Answers whether it is over, and notes that after
 * reading what its end writes to; `begins` says whether one that is in time is leased and so noted as well.
 *
 * @cold
 */
export function noteTimed(s: Server, base: Bytes, timed: Timed, id: Bytes, begins: boolean): boolean {
  const call = s.call;
  const fields = call("HMGET", `${base}job:${id}`, "state", "group", "dedup", "wait", "expires", "parent");
  if (fields[4] === false) return false;
  if (!isOver(s, fields[4])) {
    if (!begins) return false;
    if (timed.begun.length === 0) timed.begun = [];
    timed.begun[timed.begun.length] = id;
    return false;
  }
  if (timed.overdue.length === 0) {
    readTally(s, base, "failed");
    call("ZCARD", `${base}dead`);
    timed.overdue = [];
  }
  const told = timed.overdue.length > 0 ? timed.overdue[0].told : nothingTold();
  timed.overdue[timed.overdue.length] = readOverdue(s, base, id, fields, plainTerms(), told);
  return true;
}

/**
 * Writes what a claim has noted: the overdue jobs have left the place where they waited.
 *
 * @cold
 */
export function endTimed(s: Server, base: Bytes, timed: Timed): void {
  for (const id of timed.begun) s.call("HDEL", `${base}job:${id}`, "expires");
  removeMembers(s, `${base}ttl`, timed.begun);
  const terms = plainTerms();
  for (const job of timed.overdue) endOverdue(s, base, job, job.names, terms);
}

/** What a sweep finds among the entries of `ttl` whose instant has come. */
export interface Untimely {
  /** All of them, in order. */
  readonly ids: Bytes[];
  readonly overdue: Overdue[];
  /** Those that a claim has ended, whose retention is still to be settled, and their aliases. */
  readonly ended: Bytes[];
  readonly aliases: Bytes[];
  /** Ids whose row gives them longer, and until when. */
  readonly later: Bytes[];
  readonly untils: Bytes[];
  /** Dead jobs that go to make room. */
  readonly oldest: Leavers;
}

/** Finds at most `limit` entries whose instant has come, and tells those who wait for jobs that end by it. */
export function findUntimely(s: Server, base: Bytes, limit: number, terms: Terms): Untimely {
  const call = s.call;
  const key = `${base}ttl`;
  const none: Bytes[] = [];
  const ids = limit > 0 ? call("ZRANGEBYSCORE", key, "-inf", s.now(), "LIMIT", 0, limit) : none;
  const overdue: Overdue[] = [];
  const ended: Bytes[] = [];
  const later: Bytes[] = [];
  const untils: Bytes[] = [];
  const waiting: Bytes[] = [];
  const rows: (Bytes | false)[][] = [];
  for (const id of ids) {
    const fields = call(
      "HMGET",
      `${base}job:${id}`,
      "state",
      "group",
      "dedup",
      "wait",
      "expires",
      "parent",
      "last_error",
      "failed_child",
    );
    const state = fields[0];
    if (state === "pending" || state === "scheduled" || state === "awaiting_children") {
      if (isOver(s, fields[4])) {
        waiting[waiting.length] = id;
        rows[rows.length] = fields;
        if (fields[1] !== false) readLanes(s, base, [fields[1]], 1);
      } else if (fields[4] !== false && s.int(fields[4], 0, NUMBER_MAX)) {
        later[later.length] = id;
        untils[untils.length] = fields[4];
      }
    } else if (state === "dead" && (fields[6] === EXPIRED_ERROR || fields[7] !== false)) ended[ended.length] = id;
  }
  if (waiting.length + ended.length === 0) {
    return { ids, overdue, ended, aliases: [], later, untils, oldest: { ids: [], aliases: [] } };
  }
  call("ZCARD", `${base}pending`);
  call("ZCARD", `${base}schedule`);
  call("ZCARD", `${base}awaiting`);
  const told = nothingTold();
  const oldest = readDeaths(s, base, terms, waiting.length);
  const aliases = terms.deadCount === 0 ? aliasesOf(s, base, ended) : [];
  const stop = waiting.length;
  for (let i = 0; i < stop; i += 1) overdue[i] = readOverdue(s, base, waiting[i], rows[i], terms, told);
  return { ids, overdue, ended, aliases, later, untils, oldest };
}

/** Keeps a job that a claim has ended as the terms say. */
function settleEnded(s: Server, base: Bytes, id: Bytes, terms: Terms): void {
  if (terms.deadCount === 0) {
    const token = lastToken(s, base, s.call("HGET", `${base}job:${id}`, "attempts"));
    s.call("ZREM", `${base}dead`, id);
    deleteKept(s, `${base}job:${id}`);
    rememberTokens(s, base, [id], [token]);
  } else if (terms.deadMs > 0 && s.call("ZSCORE", `${base}dead`, id) !== false) {
    s.call("ZADD", `${base}expiry`, dueIn(s, terms.deadMs), id);
  }
}

/** Ends what {@link findUntimely} has found; answers the ids of the jobs that are dead by it. */
export function endUntimely(s: Server, base: Bytes, found: Untimely, terms: Terms): Bytes[] {
  const call = s.call;
  const dead: Bytes[] = [];
  removeMembers(s, `${base}ttl`, found.ids);
  const stop = found.later.length;
  for (let i = 0; i < stop; i += 1) call("ZADD", `${base}ttl`, found.untils[i], found.later[i]);
  for (const job of found.overdue) {
    if (job.state === "awaiting_children") call("ZREM", `${base}awaiting`, job.id);
    if (job.state === "scheduled" || job.state === "awaiting_children") call("ZREM", `${base}schedule`, job.id);
    else stopWaiting(s, base, job.id, job.group);
    // Read anew: the end of the job that it was to follow may have handed it a name since.
    const names = readNames(s, base, job.id, job.dedup, terms.deadCount === 0);
    endOverdue(s, base, job, names, terms);
    dead[dead.length] = job.id;
  }
  for (const id of found.ended) settleEnded(s, base, id, terms);
  if (found.aliases.length > 0) call("DEL", ...found.aliases);
  dropOldest(s, base, "dead", found.oldest);
  return dead;
}
