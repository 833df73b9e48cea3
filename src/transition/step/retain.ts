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
import { deleteKeys, removeMembers } from "./bulk.ts";
import { aliasesOf } from "./dedup.ts";
import { lastToken, rememberTokens } from "./tokens.ts";

/** As many as there are, and the last instant. */
export const ALL = 9007199254740991;

/** Jobs that one settlement takes away beyond those that it adds, at most. */
const TRIM_MAX = 10;

/** The terms on which jobs end: what is kept of them, and for how long; and who is told. */
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
  /** Whether anybody listens to events; see `heardBy`. 0 until whoever settles has asked. */
  heard: number;
  /** Whether a parent that an end releases wakes a worker: not in a `TURN`, which sees to all work that it leaves. */
  wakes: boolean;
}

/** The terms where nobody says any. */
export function plainTerms(): Terms {
  return { doneCount: -1, doneMs: 0, deadCount: ALL, deadMs: 0, resultMs: 0, heard: 0, wakes: true };
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

/** Deletes a kept job's row and side keys, but not an outcome that somebody waits for: that goes by itself. */
export function deleteKept(s: Server, row: Bytes): void {
  s.call(
    "DEL",
    row,
    `${row}:logs`,
    `${row}:lock`,
    `${row}:dependencies`,
    `${row}:processed`,
    `${row}:failed`,
    `${row}:unsuccessful`,
    `${row}:children`,
    `${row}:parents`,
  );
}

/** Puts a job that has ended into its set, with the instant at which it is to go if there is one. */
export function keep(s: Server, base: Bytes, set: Bytes, id: Bytes, ms: number): void {
  const now = s.now();
  s.call("ZADD", `${base}${set}`, set === "completed" ? now : 0, id);
  if (ms > 0) s.call("ZADD", `${base}expiry`, Math.min(now + ms, ALL), id);
}

/** Kept jobs that are to go, and the aliases that go with them. */
export interface Leavers {
  readonly ids: Bytes[];
  readonly aliases: Bytes[];
}

/**
 * Finds the oldest members of a set that are beyond `count` once the act has added `adding` more: at most nine more
 * than `added` in all, and never one that is yet to be added. To be called before the first write, as it reads their
 * rows.
 */
export function findOldest(s: Server, base: Bytes, set: Bytes, count: number, adding: number, added: number): Leavers {
  const call = s.call;
  const key = `${base}${set}`;
  const size = call("ZCARD", key);
  call("ZCARD", `${base}expiry`);
  const excess = count >= ALL ? 0 : Math.min(size + adding - count, adding + added + TRIM_MAX - 1, size);
  if (excess <= 0) return { ids: [], aliases: [] };
  const ids = call("ZRANGE", key, 0, excess - 1);
  return { ids, aliases: aliasesOf(s, base, ids) };
}

/** Takes away what {@link findOldest} has found in a set. */
export function dropOldest(s: Server, base: Bytes, set: Bytes, leavers: Leavers): void {
  if (leavers.ids.length === 0) return;
  removeMembers(s, `${base}${set}`, leavers.ids);
  removeMembers(s, `${base}expiry`, leavers.ids);
  const tokens: number[] = [];
  for (const id of leavers.ids) {
    const row = `${base}job:${id}`;
    tokens[tokens.length] = set === "dead" ? lastToken(s, base, s.call("HGET", row, "attempts")) : 0;
    deleteKept(s, row);
  }
  rememberTokens(s, base, leavers.ids, tokens);
  deleteKeys(s, "DEL", leavers.aliases);
}

/** Entries of `expiry` whose time is over: all of them in order, and which of them are of jobs that have ended. */
export interface Expired {
  readonly ids: Bytes[];
  /** `over:<id>` to whether the job has ended. */
  readonly over: Record<string, boolean>;
  /** `over:<id>` to the last token that is to be remembered, 0 for none. */
  readonly tokens: Record<string, number>;
  /** `over:<id>` to the alias that goes with it, at most one. */
  readonly aliases: Record<string, Bytes[]>;
}

/** Finds at most `limit` entries whose time is over, before the first write. */
export function findExpired(s: Server, base: Bytes, limit: number): Expired {
  const call = s.call;
  const over: Record<string, boolean> = {};
  const tokens: Record<string, number> = {};
  const aliases: Record<string, Bytes[]> = {};
  if (limit <= 0) return { ids: [], over, tokens, aliases };
  const ids = call("ZRANGEBYSCORE", `${base}expiry`, "-inf", s.now(), "LIMIT", 0, limit);
  if (ids.length > 0) {
    call("ZCARD", `${base}completed`);
    call("ZCARD", `${base}dead`);
    call("ZCARD", `${base}tokens`);
  }
  for (const id of ids) {
    const fields = call("HMGET", `${base}job:${id}`, "state", "attempts");
    over[`over:${id}`] = fields[0] === "completed" || fields[0] === "dead";
    tokens[`over:${id}`] = fields[0] === "dead" ? lastToken(s, base, fields[1]) : 0;
    aliases[`over:${id}`] = aliasesOf(s, base, [id]);
  }
  return { ids, over, tokens, aliases };
}

/**
 * Takes away at most `limit` of what {@link findExpired} has found; answers how many entries that were. An entry whose
 * job is not over, or gone, is dropped and nothing else.
 */
export function dropExpired(s: Server, base: Bytes, expired: Expired, limit: number): number {
  const ids: Bytes[] = [];
  const over: Bytes[] = [];
  const tokens: number[] = [];
  const aliases: Bytes[] = [];
  for (const id of expired.ids) {
    if (ids.length < limit) {
      ids[ids.length] = id;
      if (expired.over[`over:${id}`] === true) {
        over[over.length] = id;
        tokens[tokens.length] = expired.tokens[`over:${id}`];
        for (const alias of expired.aliases[`over:${id}`]) aliases[aliases.length] = alias;
      }
    }
  }
  removeMembers(s, `${base}expiry`, ids);
  removeMembers(s, `${base}completed`, over);
  removeMembers(s, `${base}dead`, over);
  for (const id of over) deleteKept(s, `${base}job:${id}`);
  rememberTokens(s, base, over, tokens);
  deleteKeys(s, "DEL", aliases);
  return ids.length;
}
