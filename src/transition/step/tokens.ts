/**
 * Tokens outlive a removed row, so that the numbers of one id go on growing when the id is added again.
 *
 * `tokens` is a sorted set: member job id, score (minute of the removal since 1970) x 2^27 + last token. So a score is
 * exact, the oldest entries stand first on every engine, and nothing is drawn by chance. A removal writes the entry;
 * the next claim of the id takes it back out, raises `attempts` by it and books it as interruptions, which leaves the
 * budget of the new job whole. Between the two the row says 0, which no settlement can name.
 *
 * Only ids that were claimed and then removed are kept: 10,000 of them at most, the oldest going first, and all of them
 * for a day after the last removal. While there is none, the set does not exist, and an act asks for no more than that.
 * Whatever takes a pending, active, scheduled or dead row away remembers it: removal, draining, cleaning, and dead jobs
 * that are not kept. Completed jobs are not, since theirs is the way of nearly all, and OBLITERATE leaves no key at
 * all.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";
import { removeMembers } from "./bulk.ts";

/** Entries that are kept, at most. */
const TOKENS_MAX = 10000;

/** Life of the set after its last entry, in ms: a day. No holder of a removed job comes back later. */
const TOKENS_MS = 86400000;

/** Entries that one act takes away to put the set back within its bounds. */
const TOKENS_TRIM_MAX = 1000;

/** Tokens below one minute of the score: 2^27. With minutes below 2^26 (until 2097) the sum stays below 2^53. */
const TOKEN_SPAN = 134217728;

const MINUTE_MS = 60000;

/** Puts the set back within its bounds, if it has outgrown them or would stay for ever; answers whether it had to. */
export function boundTokens(s: Server, base: Bytes): boolean {
  const call = s.call;
  const key = `${base}tokens`;
  const over = call("ZCARD", key) - TOKENS_MAX;
  if (over <= 0 && call("PTTL", key) !== -1) return false;
  // A set that is far too large is taken back over several acts.
  if (over > 0) removeMembers(s, key, call("ZRANGE", key, 0, Math.min(over, TOKENS_TRIM_MAX) - 1));
  call("PEXPIRE", key, TOKENS_MS);
  return true;
}

/**
 * The token to remember of a row that is about to be deleted, 0 when it was never claimed. Reads the set, so that a
 * foreign type ends the act while nothing is written.
 */
export function lastToken(s: Server, base: Bytes, attempts: Bytes | false): number {
  if (attempts === false || !s.int(attempts, 1, NUMBER_MAX)) return 0;
  s.call("ZCARD", `${base}tokens`);
  return Math.min(s.num(attempts), TOKEN_SPAN - 1);
}

/** Remembers the last tokens of rows that were deleted, id for id; 0 is nothing to remember. */
export function rememberTokens(s: Server, base: Bytes, ids: Bytes[], tokens: number[]): void {
  const call = s.call;
  const key = `${base}tokens`;
  const stop = ids.length;
  let kept = 0;
  for (let i = 0; i < stop; i += 1) {
    if (tokens[i] > 0) {
      call("ZADD", key, Math.floor(s.now() / MINUTE_MS) * TOKEN_SPAN + tokens[i], ids[i]);
      kept += 1;
    }
  }
  if (kept === 0) return;
  const over = call("ZCARD", key) - TOKENS_MAX;
  if (over > 0) call("ZREMRANGEBYRANK", key, 0, over - 1);
  call("PEXPIRE", key, TOKENS_MS);
}

/**
 * Raises the tokens of jobs that are about to be claimed for the first time by those of the former lives of their ids;
 * answers these by their place, 0 for none. Reads only.
 *
 * @cold
 */
export function recallTokens(s: Server, base: Bytes, ids: Bytes[], tokens: number[]): number[] {
  const formers: number[] = [];
  const stop = ids.length;
  for (let i = 0; i < stop; i += 1) {
    const score = tokens[i] === 1 ? s.call("ZSCORE", `${base}tokens`, ids[i]) : false;
    const packed = score === false ? 0 : s.num(score);
    const former = packed - Math.floor(packed / TOKEN_SPAN) * TOKEN_SPAN;
    tokens[i] += former;
    formers[i] = former;
  }
  return formers;
}

/**
 * Books the former tokens of jobs that have just been claimed as interruptions, in their rows and in what the act
 * answers (eight parts a job, from `from` on), and forgets them.
 *
 * @cold
 */
export function bookTokens(
  s: Server,
  base: Bytes,
  ids: Bytes[],
  formers: number[],
  jobs: (Bytes | number)[],
  from: number,
): void {
  const stop = ids.length;
  for (let i = 0; i < stop; i += 1) {
    if (formers[i] > 0) {
      s.call("ZREM", `${base}tokens`, ids[i]);
      s.call("HSET", `${base}job:${ids[i]}`, "deferred", formers[i]);
      jobs[from + i * 8 + 7] = formers[i];
    }
  }
}
