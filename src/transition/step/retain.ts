/**
 * Retention: what becomes of jobs that have ended.
 *
 * The terms say how many completed and dead jobs are kept, and for how long. They come with the call of whoever
 * settles, because a worker knows what job, queue and worker ask for and an act cannot read JSON; where a call does not
 * say, the queue's `meta` does for completed jobs, else completed jobs go and dead ones stay.
 *
 * A number of jobs is kept by taking the oldest away in the act that adds one; a time by the sorted set `expiry`, which
 * holds the instant at which each such job is to go. The invariant: an id in `expiry` is that of a completed or dead
 * job, so whoever takes one out of there takes it out of `expiry` too.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { removeMembers } from "./bulk.ts";
import { letAliasesGo } from "./dedup.ts";

/** As many as there are, and the last instant. */
const ALL = 9007199254740991;

/** Jobs that one settlement takes away beyond those that it adds, at most. */
const TRIM_MAX = 10;

/** What is kept of jobs that end, and for how long. */
export interface Terms {
  /** Completed jobs that are kept, the newest; 0 keeps none, -1 is not said. */
  doneCount: number;
  /** How long a completed job is kept, in ms; 0 is without limit. */
  doneMs: number;
  /** Dead jobs that are kept; 0 keeps none. */
  deadCount: number;
  /** How long a dead job is kept, in ms; 0 is without limit. */
  deadMs: number;
  /** How long the outcome of a job is left for whoever asks, in ms; 0 leaves it for those alone who have asked. */
  resultMs: number;
}

/** The terms where nobody says any. */
export function plainTerms(): Terms {
  return { doneCount: -1, doneMs: 0, deadCount: ALL, deadMs: 0, resultMs: 0 };
}

/** The number of an argument, or `absent` where there is none or it is empty. */
function given(s: Server, args: Bytes[], at: number, absent: number): number {
  return at < args.length && args[at] !== "" ? s.num(args[at]) : absent;
}

/** The terms at the end of a verb that completes one job: keep_n, keep_ms, result_ms from position `at` on. */
export function doneTerms(s: Server, args: Bytes[], at: number): Terms {
  const terms = plainTerms();
  terms.doneCount = given(s, args, at, -1);
  terms.doneMs = given(s, args, at + 1, 0);
  terms.resultMs = given(s, args, at + 2, 0);
  return terms;
}

/** The terms at the end of a verb that ends jobs as dead: keep_n, keep_ms, result_ms from position `at` on. */
export function deadTerms(s: Server, args: Bytes[], at: number): Terms {
  const terms = plainTerms();
  terms.deadCount = given(s, args, at, ALL);
  terms.deadMs = given(s, args, at + 1, 0);
  terms.resultMs = given(s, args, at + 2, 0);
  return terms;
}

/** Fills in what the queue says about completed jobs where the call did not. */
export function askQueue(s: Server, base: Bytes, terms: Terms): void {
  if (terms.doneCount >= 0) return;
  const said = s.call("HMGET", `${base}meta`, "keep_n", "keep_ms");
  const count = said[0];
  const ms = said[1];
  if (ms !== false && s.int(ms, 0, ALL)) {
    terms.doneMs = s.num(ms);
    if (terms.doneMs > 0) terms.doneCount = ALL;
  }
  if (count !== false && s.int(count, 0, ALL)) terms.doneCount = s.num(count);
}

/** Reads what keeping and trimming write to, before the first write. */
export function readKept(s: Server, base: Bytes, set: Bytes): void {
  s.call("ZCARD", `${base}${set}`);
  s.call("ZCARD", `${base}expiry`);
}

/** Deletes a kept job's row and side keys, but not an outcome that somebody waits for: that goes by itself. */
function deleteKept(s: Server, row: Bytes): void {
  s.call(
    "DEL",
    row,
    `${row}:logs`,
    `${row}:lock`,
    `${row}:dependencies`,
    `${row}:processed`,
    `${row}:failed`,
    `${row}:unsuccessful`,
    `${row}:parents`,
  );
}

/** Puts a job that has ended into its set, with the instant at which it is to go if there is one. */
export function keep(s: Server, base: Bytes, set: Bytes, id: Bytes, ms: number): void {
  const now = s.now();
  s.call("ZADD", `${base}${set}`, set === "completed" ? now : 0, id);
  if (ms > 0) s.call("ZADD", `${base}expiry`, Math.min(now + ms, ALL), id);
}

/**
 * Takes away what is beyond `count` in a set, the oldest first, but never `own`: the job that was added last must be
 * seen. `added` is how many this act has added; it takes away nine more at most.
 */
export function trimKept(s: Server, base: Bytes, set: Bytes, count: number, added: number, own: Bytes): void {
  const call = s.call;
  const key = `${base}${set}`;
  if (count >= ALL) return;
  const excess = Math.min(call("ZCARD", key) - count, added + TRIM_MAX - 1);
  if (excess <= 0) return;
  const oldest = call("ZRANGE", key, 0, excess);
  const gone: Bytes[] = [];
  for (const id of oldest) if (id !== own && gone.length < excess) gone[gone.length] = id;
  letAliasesGo(s, base, gone);
  removeMembers(s, key, gone);
  removeMembers(s, `${base}expiry`, gone);
  for (const id of gone) deleteKept(s, `${base}job:${id}`);
}

/**
 * Takes away at most `limit` kept jobs whose time is over; answers how many entries it looked at. An entry whose job is
 * not over, or gone, is dropped and nothing else.
 */
export function dropExpired(s: Server, base: Bytes, limit: number): number {
  const call = s.call;
  if (limit <= 0) return 0;
  const expiry = `${base}expiry`;
  const ids = call("ZRANGEBYSCORE", expiry, "-inf", s.now(), "LIMIT", 0, limit);
  if (ids.length === 0) return 0;
  call("ZCARD", `${base}completed`);
  call("ZCARD", `${base}dead`);
  const over: Bytes[] = [];
  for (const id of ids) {
    const state = call("HGET", `${base}job:${id}`, "state");
    if (state === "completed" || state === "dead") over[over.length] = id;
  }
  letAliasesGo(s, base, over);
  removeMembers(s, expiry, ids);
  removeMembers(s, `${base}completed`, over);
  removeMembers(s, `${base}dead`, over);
  for (const id of over) deleteKept(s, `${base}job:${id}`);
  return ids.length;
}
