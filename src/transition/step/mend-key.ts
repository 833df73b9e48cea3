/**
 * Putting right what a queue has one of: the wake list, the place of the round, counters, the rate window, settings;
 * and deduplication keys whose holder is gone.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";
import { isLimited } from "./limit.ts";
import { LEFT, MENDED, RIGHT } from "./mend-job.ts";
import { boundTokens } from "./tokens.ts";

/** Tokens that the list may hold where foreign speakers push them. */
const WAKE_TOKENS_MAX = 64;

/** Entries of the hash of workers: those of a thousand, and the instant of the last pruning. */
const WORKERS_MAX = 1001;

/** Puts the tokens of removed jobs back within their bounds. */
export function mendTokens(s: Server, base: Bytes): number {
  return boundTokens(s, base) ? MENDED : RIGHT;
}

/** Forgets the workers when there are more than can be; those that are there tell so again at their next beat. */
export function mendWorkers(s: Server, base: Bytes): number {
  if (s.call("HLEN", `${base}workers`) <= WORKERS_MAX) return RIGHT;
  s.call("DEL", `${base}workers`);
  return MENDED;
}

/**
 * Empties a wake list that holds too much or what is no token. The caller pushes one for the work that waits, also
 * where the list was empty. `open` is whether the queue is not paused.
 */
export function mendWake(s: Server, base: Bytes, open: boolean): number {
  const call = s.call;
  const wake = `${base}wake`;
  if (call("LLEN", wake) === 0) {
    return open && call("EXISTS", `${base}pending`, `${base}ring`) > 0 && !isLimited(s, base) ? MENDED : RIGHT;
  }
  let isWrong = call("LLEN", wake) > WAKE_TOKENS_MAX;
  for (const token of call("LRANGE", wake, 0, WAKE_TOKENS_MAX)) if (token !== "1") isWrong = true;
  if (!isWrong) return RIGHT;
  call("DEL", wake);
  return MENDED;
}

/** Releases a deduplication key that has no expiry and whose holder has no row. */
export function mendDedup(s: Server, base: Bytes, dedup: Bytes): number {
  const call = s.call;
  if (!s.name(dedup)) return RIGHT;
  const key = `${base}de:${dedup}`;
  const holder = call("GET", key);
  if (holder === false || call("PTTL", key) !== -1) return RIGHT;
  if (s.branded(holder) && call("EXISTS", `${base}job:${holder}`) === 1) return RIGHT;
  call("DEL", key);
  return MENDED;
}

/** Whether a field is absent or a whole number that is not negative. */
function isCount(s: Server, text: Bytes | false): boolean {
  return text === false || s.int(text, 0, NUMBER_MAX);
}

/** Whether a field is absent or a whole number of either sign. */
function isSigned(s: Server, text: Bytes | false): boolean {
  if (text === false) return true;
  return s.int(s.char(text, 0) === "-" ? text.slice(1) : text, 0, NUMBER_MAX);
}

/** Drops a place of the round that no act can read: the round starts anew. */
export function mendCursor(s: Server, base: Bytes): number {
  const fields = s.call("HMGET", `${base}cursor`, "passed", "credit", "share");
  if (isCount(s, fields[0]) && isSigned(s, fields[1]) && isCount(s, fields[2])) return RIGHT;
  s.call("DEL", `${base}cursor`);
  return MENDED;
}

/** Lets a counter begin anew that no act can raise. */
export function mendCounter(s: Server, base: Bytes, which: Bytes, mayDestroy: boolean): number {
  if (which !== "completed" && which !== "failed") return RIGHT;
  const key = `${base}metrics:${which}`;
  const count = s.call("HGET", key, "count");
  if (count === false || s.int(count, 0, NUMBER_MAX)) return RIGHT;
  if (!mayDestroy) return LEFT;
  s.call("HDEL", key, "count");
  return MENDED;
}

/** Ends a rate window that is no number or would never end. */
export function mendLimiter(s: Server, base: Bytes): number {
  const limiter = `${base}limiter`;
  const count = s.call("GET", limiter);
  if (count === false || (s.int(count, 0, NUMBER_MAX) && s.call("PTTL", limiter) !== -1)) return RIGHT;
  s.call("DEL", limiter);
  return MENDED;
}

/** Drops a setting of the queue that no act can read. */
export function mendSetting(s: Server, base: Bytes, field: Bytes, mayDestroy: boolean): number {
  const isOne = field === "concurrency" || field === "max" || field === "duration" || field === "burst";
  if (!isOne && field !== "keep_n" && field !== "keep_ms") return RIGHT;
  const text = s.call("HGET", `${base}meta`, field);
  if (text === false || s.int(text, 0, NUMBER_MAX)) return RIGHT;
  if (!mayDestroy) return LEFT;
  s.call("HDEL", `${base}meta`, field);
  return MENDED;
}

/**
 * Gives a repeat that has lost its next occurrence one that whoever fires looks for, and takes away what is left of one
 * without a record.
 */
export function mendRepeat(s: Server, base: Bytes, set: Bytes, name: Bytes): number {
  if (set !== "repeat" && set !== "cron") return RIGHT;
  const call = s.call;
  const key = `${base}${set}`;
  const record = `${key}:${name}`;
  const score = call("ZSCORE", key, name);
  if (s.name(name) && call("HEXISTS", record, "template") === 1) {
    if (score !== false && s.int(score, 0, NUMBER_MAX)) return RIGHT;
    call("ZADD", key, 0, name);
    return MENDED;
  }
  let gone = call("ZREM", key, name);
  if (s.name(name)) gone += call("DEL", record);
  return gone > 0 ? MENDED : RIGHT;
}
