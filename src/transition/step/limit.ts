/**
 * Limits: how much of a queue, and of each of its lanes, may be claimed now.
 *
 * A queue has a ceiling of leased jobs (`meta.concurrency`) and a rate (`meta.max` claims in `meta.duration` ms); a
 * lane has a rate in the hash `rate`. A limited job is not touched: no order, no attempt, no row changes. What has
 * spent its rate goes into the sorted set `rest` until it may be claimed from again, a lane by its name and the queue
 * by the empty name. So a limited lane is off the ring and no claim looks at it, and a limited queue is known by one
 * look. An act that puts something at the head of `rest` pushes a token, so that one worker keeps the time of its end,
 * as for the schedule.
 *
 * A rate counts in one of three ways, told by its `burst`: none is a window that begins with the first claim in it, as
 * wire 3 has it; 0 is a sliding window, which counts the window before by the share that the span still covers; a
 * number is a bucket of so many, filled evenly by `max` in `duration`. What a rate has spent are three whole numbers:
 *
 *     window    at: end of the window        level: claims in it
 *     sliding   at: beginning of the window  level: claims in it           before: claims of the window before
 *     bucket    at: when level was right     level: what is gone, in claims x duration
 *
 * They stay below 2^53, since `max` and `burst` are at most 2^20 and `duration` at most 2^31.
 *
 * A job takes its `cost` from each rate that it passes, which is 1 unless its row says another; it takes at most what
 * the rate can hold, so that no job is too dear for ever. Where the next job costs more than is left, its lane, or the
 * queue, rests until there is enough: nothing that waits behind it passes it.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";

/** Claims of a rate in one of its durations, at most; also the largest burst. */
export const RATE_MAX = 1048576;

/** The longest duration of a rate, in ms: 24 days. */
export const RATE_MS_MAX = 2147483648;

/** The burst of a plain window. */
const WINDOW = -1;

/** A rate and what is spent of it. Only the steps of one act see it. */
export interface Rate {
  /** A lane, or empty for the queue. */
  readonly subject: Bytes;
  readonly max: number;
  readonly duration: number;
  readonly burst: number;
  at: number;
  level: number;
  before: number;
  /** What this act may still take, and what it has taken. */
  left: number;
  spent: number;
  /** What the next job costs, if that is more than is left; 0 otherwise. */
  lacks: number;
}

/** A whole number in a field that others may have written; `other` for anything else. */
function numberIn(s: Server, field: Bytes | false, most: number, other: number): number {
  return field !== false && s.int(field, 0, most) ? s.num(field) : other;
}

/** Brings what is spent up to this instant. A clock that was set back begins anew. */
function age(s: Server, rate: Rate): void {
  const now = s.now();
  const duration = rate.duration;
  if (rate.burst === WINDOW) {
    if (rate.at <= now || rate.at > now + duration) {
      rate.at = now + duration;
      rate.level = 0;
    }
    return;
  }
  const elapsed = now - rate.at;
  if (rate.burst > 0) {
    const gone = Math.min(rate.level, rate.burst * duration);
    if (elapsed > 0) rate.level = elapsed * rate.max >= gone ? 0 : gone - elapsed * rate.max;
    else rate.level = gone;
    rate.at = now;
  } else if (elapsed < 0 || elapsed >= 2 * duration) {
    rate.at = now;
    rate.level = 0;
    rate.before = 0;
  } else if (elapsed >= duration) {
    rate.at += duration;
    rate.before = rate.level;
    rate.level = 0;
  }
}

/** What an aged rate can hold, which is what a job costs at most. */
function capacity(rate: Rate): number {
  return rate.burst > 0 ? rate.burst : rate.max;
}

/** How many claims an aged rate has left at this instant. */
function allowance(s: Server, rate: Rate): number {
  const duration = rate.duration;
  if (rate.burst > 0) return Math.max(0, Math.floor((rate.burst * duration - rate.level) / duration));
  if (rate.burst === WINDOW) return Math.max(0, rate.max - rate.level);
  const share = Math.floor((rate.before * (duration - (s.now() - rate.at))) / duration);
  return Math.max(0, rate.max - rate.level - share);
}

/** When an aged rate that has less than `need` left has so much again. */
function freeAt(s: Server, rate: Rate, need: number): number {
  const duration = rate.duration;
  if (rate.burst === WINDOW) return rate.at;
  if (rate.burst > 0) return s.now() + Math.ceil((rate.level + (need - rate.burst) * duration) / rate.max);
  const isFull = rate.level + need > rate.max;
  const from = isFull ? rate.at + duration : rate.at;
  const fading = isFull ? rate.level : rate.before;
  const room = (isFull ? rate.max : rate.max - rate.level) - need + 1;
  // The first instant at which the share that still counts has fallen below the room.
  const wait = fading < room ? 0 : duration - Math.ceil((room * duration) / fading) + 1;
  return from + Math.max(0, wait);
}

/** Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time. */
export function restsUntil(s: Server, base: Bytes, subject: Bytes): number {
  const until = s.call("ZSCORE", `${base}rest`, subject);
  return until === false ? 0 : s.num(until);
}

/** Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet. */
export function isResting(s: Server, base: Bytes, lane: Bytes): boolean {
  return s.call("ZSCORE", `${base}rest`, lane) !== false;
}

/**
 * Lets a lane, or the queue, rest until an instant; one that rests longer goes on doing so. It is taken out before it
 * is put in: that is a write which a full server admits, and this may be the first of its act.
 */
export function letRest(s: Server, base: Bytes, subject: Bytes, until: number): void {
  if (restsUntil(s, base, subject) >= until) return;
  s.call("ZREM", `${base}rest`, subject);
  s.call("ZADD", `${base}rest`, until, subject);
}

/** A rate from max, duration, burst, at, level and before, which stand at place `from` of a list. */
function rateOf(s: Server, subject: Bytes, fields: (Bytes | false)[], from: number): Rate | false {
  const max = numberIn(s, fields[from], RATE_MAX, 0);
  const duration = numberIn(s, fields[from + 1], RATE_MS_MAX, 0);
  if (max === 0 || duration === 0) return false;
  const rate: Rate = {
    subject,
    max,
    duration,
    burst: numberIn(s, fields[from + 2], RATE_MAX, WINDOW),
    at: numberIn(s, fields[from + 3], NUMBER_MAX, 0),
    level: numberIn(s, fields[from + 4], NUMBER_MAX, 0),
    before: numberIn(s, fields[from + 5], RATE_MAX, 0),
    left: 0,
    spent: 0,
    lacks: 0,
  };
  age(s, rate);
  rate.left = allowance(s, rate);
  return rate;
}

/** The rate of a lane with what is left of it now, `false` when it has none. */
export function readLaneRate(s: Server, base: Bytes, lane: Bytes): Rate | false {
  const fields = s.call("HMGET", `${base}rate`, `m${lane}`, `d${lane}`, `b${lane}`, `a${lane}`, `l${lane}`, `p${lane}`);
  return rateOf(s, lane, fields, 0);
}

/**
 * The rate of the queue, `false` when it has none. Others that count in `limiter` by hand are heeded while it lives and
 * no window of ours is on.
 */
function readQueueRate(s: Server, base: Bytes, settings: (Bytes | false)[]): Rate | false {
  const call = s.call;
  const spent = call("HMGET", `${base}rate`, "a", "l", "p");
  const fields = [settings[2], settings[3], settings[4], spent[0], spent[1], spent[2]];
  const rate = rateOf(s, "", fields, 0);
  if (rate === false || rate.burst !== WINDOW || rate.level > 0) return rate;
  if (s.holds(`${base}limiter`) !== "string") return rate;
  const count = numberIn(s, call("GET", `${base}limiter`), RATE_MAX, 0);
  if (count === 0) return rate;
  const left = call("PTTL", `${base}limiter`);
  if (left <= 0 || left > rate.duration) return rate;
  rate.at = s.now() + left;
  rate.level = count;
  rate.left = allowance(s, rate);
  return rate;
}

/** What an act that claims knows of the limits of its queue. */
export interface Gate {
  /** How many jobs it may claim: what it wants, or less. */
  room: number;
  /** The rate of the queue, `false` for none. */
  rate: Rate | false;
  /** Whether anything but a pause may hold jobs back, so that this act must look and write. */
  limited: boolean;
  /** Whether lanes have rates. */
  rated: boolean;
  /** Whether names of jobs have limits, which sends flat jobs of these names into lanes. */
  named: boolean;
  /** What this act sent to rest: lanes, and the empty name for the queue. */
  readonly rested: Bytes[];
}

/** Lets what has too little left rest until it has enough for the next job, as far as that is known. */
function sendToRest(s: Server, base: Bytes, gate: Gate, rate: Rate): void {
  const until = freeAt(s, rate, Math.max(1, rate.lacks));
  letRest(s, base, rate.subject, until);
  gate.rested[gate.rested.length] = rate.subject;
  if (rate.subject === "") {
    // A reader of wire 3 sees a spent counter that ends when claims go on.
    s.call("SET", `${base}limiter`, Math.max(rate.max, rate.level));
    s.call("PEXPIREAT", `${base}limiter`, until);
  }
}

/** The gate of a queue without any limit. */
export function openGate(want: number): Gate {
  return { room: want, rate: false, limited: false, rated: false, named: false, rested: [] };
}

/**
 * Reads how much may be claimed of a queue that has settings or something at rest. Reads all that limits write to, so a
 * foreign type ends the act while nothing is written.
 *
 * @cold
 */
export function readGate(s: Server, base: Bytes, want: number): Gate {
  const call = s.call;
  const gate = openGate(want);
  const settings = call("HMGET", `${base}meta`, "paused", "concurrency", "max", "duration", "burst");
  gate.limited = call("ZCARD", `${base}rest`) > 0 || settings[2] !== false;
  if (call("HLEN", `${base}rate`) > 0) {
    gate.limited = true;
    gate.rated = true;
    gate.named = call("HEXISTS", `${base}rate`, "n") === 1;
  }
  if (settings[0] !== false || want === 0 || restsUntil(s, base, "") > s.now()) {
    gate.room = 0;
    return gate;
  }
  const ceiling = numberIn(s, settings[1], NUMBER_MAX, 0);
  if (ceiling > 0) gate.room = Math.min(want, Math.max(0, ceiling - call("ZCARD", `${base}active`)));
  if (settings[2] === false || gate.room === 0) return gate;
  const rate = readQueueRate(s, base, settings);
  if (rate === false) return gate;
  gate.rate = rate;
  if (rate.left === 0) sendToRest(s, base, gate, rate);
  gate.room = Math.min(gate.room, rate.left);
  return gate;
}

/** What a job with this field `cost` takes from a rate. */
function priceOf(s: Server, rate: Rate, cost: Bytes | false): number {
  return Math.min(Math.max(1, numberIn(s, cost, RATE_MAX, 1)), capacity(rate));
}

/** Whether a rate has enough left for a job with this field `cost`; notes what it lacks if not. */
export function affords(s: Server, rate: Rate, cost: Bytes | false): boolean {
  const price = priceOf(s, rate, cost);
  rate.lacks = price > rate.left ? price : 0;
  return rate.lacks === 0;
}

/** Takes what a job with this field `cost` costs from what a rate has left. */
export function charge(s: Server, rate: Rate, cost: Bytes | false): void {
  const price = priceOf(s, rate, cost);
  rate.left -= price;
  rate.spent += price;
}

/**
 * Writes what was taken from a rate, and lets its subject rest when too little is left. Answers whether it rests.
 *
 * @cold
 */
export function spend(s: Server, base: Bytes, gate: Gate, rate: Rate): boolean {
  const call = s.call;
  const spent = rate.spent;
  if (spent > 0) {
    const subject = rate.subject;
    rate.level += rate.burst > 0 ? spent * rate.duration : spent;
    rate.spent = 0;
    call("HSET", `${base}rate`, `a${subject}`, rate.at, `l${subject}`, rate.level);
    if (rate.burst === 0) call("HSET", `${base}rate`, `p${subject}`, rate.before);
    if (subject === "" && rate.burst === WINDOW) {
      call("SET", `${base}limiter`, rate.level);
      call("PEXPIREAT", `${base}limiter`, rate.at);
    }
  }
  if (rate.lacks === 0 && rate.left > 0) return false;
  sendToRest(s, base, gate, rate);
  return true;
}

/**
 * Whether limits keep the queue from being claimed from. Asked after the writes of an act, so a foreign type is no
 * error here.
 */
export function isLimited(s: Server, base: Bytes): boolean {
  const call = s.call;
  if (s.holds(`${base}rest`) === "zset" && restsUntil(s, base, "") > s.now()) return true;
  const ceiling = numberIn(s, call("HGET", `${base}meta`, "concurrency"), NUMBER_MAX, 0);
  return ceiling > 0 && s.holds(`${base}active`) === "zset" && call("ZCARD", `${base}active`) >= ceiling;
}

/** Whether the queue has a ceiling of leased jobs, so that the end of any job can let another one run. */
export function hasCeiling(s: Server, base: Bytes): boolean {
  return s.call("HEXISTS", `${base}meta`, "concurrency") === 1;
}

/** The lane whose rate a field of `rate` sets, empty for any other field. */
export function ratedLane(s: Server, field: Bytes): Bytes {
  return s.char(field, 0) === "m" ? field.slice(1) : "";
}

/**
 * The burst that a rate is kept with, from its max, duration, way and burst at place `from`: empty for a window, `0`
 * for a sliding one, the size of a bucket.
 */
export function burstOf(args: Bytes[], from: number): Bytes {
  if (args[from + 2] === "window") return "";
  if (args[from + 2] === "sliding") return "0";
  return args[from + 3] === "0" ? args[from] : args[from + 3];
}

/** Whether another duration or burst than before means that what was spent cannot be counted on. */
export function changesCounting(before: (Bytes | false)[], duration: Bytes, burst: Bytes): boolean {
  return before[0] !== duration || (before[1] === false ? "" : before[1]) !== burst;
}

/** Forgets what a rate has spent. */
export function forgetSpent(s: Server, base: Bytes, subject: Bytes): void {
  s.call("HDEL", `${base}rate`, `a${subject}`, `l${subject}`, `p${subject}`);
}
