/**
 * Who asks: the hash `workers`, which says who serves a queue to a person who wonders why a job does not run.
 *
 * A worker adds the run `w` to a `TURN` at most once a beat, so all other turns pay for one comparison of a text. The
 * instant is the server's, as every instant that is compared with another. An entry is dropped when its worker leaves,
 * or by any other worker once it has been silent for ten of its own beats; at most 1000 are kept, and what is beyond
 * works as well but is not listed. The field `pruned` holds when that was last seen to, so however many workers there
 * are, the hash is read whole once in ten seconds.
 *
 * An entry may say that its worker is to take no jobs, which anybody may write and the worker's next word keeps. It is
 * told of it by the reply. Such an entry outlives an hour of silence, so that an outage lets no worker go on that was
 * paused.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";

/** Arguments of the run: `w`, `1`, beat in ms, concurrency (0 leaves), names. */
export const PRESENCE_WIDTH = 5;

/** Workers that are listed, at most: as many as one act may read. */
const WORKERS_MAX = 1000;

/** Bytes of the names of one worker, at most, so that all together stay about 1 MiB. */
const NAMES_MAX = 1024;

/** How often the silent ones are looked for, in ms. */
const PRUNE_MS = 10000;

/** Beats of silence after which a worker is no longer listed. */
const SILENT_BEATS = 10;

/** How a worker's entry begins that is to take no jobs, and for how long such a one may be silent, in ms. */
const PAUSED_HEAD = '{"paused":true,';
const PAUSED_SILENT_MS = 3600000;

/**
 * The name of the first bad argument of the run at position `at`, empty when all suit.
 *
 * @cold
 */
export function badPresence(s: Server, args: Bytes[], at: number): Bytes {
  if (args.length < at + PRESENCE_WIDTH) return "row";
  if (args[at + 1] !== "1") return "count";
  if (!s.int(args[at + 2], 1, 3600000)) return "beat_ms";
  if (!s.int(args[at + 3], 0, 1000000)) return "concurrency";
  return args[at + 4].length > NAMES_MAX ? "names" : "";
}

/** The bytes of a text from `at` to the next comma, 16 at most. */
function untilComma(s: Server, text: Bytes, at: number): Bytes {
  let out = "";
  let next = s.char(text, at);
  while (next !== "" && next !== "," && out.length < 16) {
    out = `${out}${next}`;
    next = s.char(text, at + out.length);
  }
  return out;
}

/** Whether an entry says that its worker is to take no jobs. */
export function isPausedEntry(entry: Bytes | false): boolean {
  return entry !== false && entry.slice(0, 15) === PAUSED_HEAD;
}

/** An entry with that word, or without it. */
export function pausedEntry(entry: Bytes, isPaused: boolean): Bytes {
  const rest = isPausedEntry(entry) ? entry.slice(15) : entry.slice(1);
  return isPaused ? `${PAUSED_HEAD}${rest}` : `{${rest}`;
}

/** Whether an entry is of a worker that has been silent for too long, or is no entry of ours. */
function isSilent(s: Server, entry: Bytes, now: number): boolean {
  // {"askedAt":<instant>,"beatMs":<ms>,…
  const at = isPausedEntry(entry) ? 25 : 11;
  const asked = untilComma(s, entry, at);
  const beat = untilComma(s, entry, at + 10 + asked.length);
  if (!s.int(asked, 0, NUMBER_MAX) || !s.int(beat, 1, 3600000)) return true;
  const silentMs = now - s.num(asked);
  if (isPausedEntry(entry) && silentMs <= PAUSED_SILENT_MS) return false;
  return silentMs > SILENT_BEATS * s.num(beat);
}

/** Drops the silent ones, if that is due. A hash that others have filled beyond all bounds begins anew. */
function pruneWorkers(s: Server, key: Bytes, now: number): void {
  const call = s.call;
  const last = call("HGET", key, "pruned");
  if (last !== false && s.int(last, 0, NUMBER_MAX)) {
    const age = now - s.num(last);
    if (age >= 0 && age < PRUNE_MS) return;
  }
  if (call("HLEN", key) > WORKERS_MAX + 1) call("DEL", key);
  const entries = call("HGETALL", key);
  const stop = entries.length;
  for (let i = 0; i < stop; i += 2) {
    if (entries[i] !== "pruned" && isSilent(s, entries[i + 1], now)) call("HDEL", key, entries[i]);
  }
  // A write that a full server admits, after which it admits the next one.
  call("HDEL", key, "pruned");
  call("HSET", key, "pruned", now);
}

/**
 * Writes that a worker asks, or that it leaves; answers 1 when it is to take no jobs, else 0. A foreign type of the
 * hash raises before anything is written.
 *
 * @cold
 */
export function notePresence(s: Server, base: Bytes, worker: Bytes, args: Bytes[], at: number): number {
  const call = s.call;
  const key = `${base}workers`;
  const now = s.now();
  const entry = call("HGET", key, worker);
  const isListed = entry !== false;
  if (args[at + 3] === "0") {
    if (isListed) call("HDEL", key, worker);
    // The mark of the last look is all that is left.
    if (call("HLEN", key) === 1 && call("HEXISTS", key, "pruned") === 1) call("DEL", key);
    return 0;
  }
  pruneWorkers(s, key, now);
  if (!isListed && call("HLEN", key) > WORKERS_MAX) return 0;
  const isPaused = isPausedEntry(entry);
  call("HDEL", key, worker);
  // The way from a number to its text that is the same on every engine.
  call("HSET", key, worker, now);
  const asked = call("HGET", key, worker);
  const head = `{"askedAt":${asked === false ? "0" : asked},"beatMs":${args[at + 2]}`;
  const text = `${head},"concurrency":${args[at + 3]},"names":${args[at + 4]}}`;
  call("HSET", key, worker, isPaused ? pausedEntry(text, true) : text);
  return isPaused ? 1 : 0;
}
