/**
 * The admission of rows in the form of `ADMIT`: judged, placed and written by every act that makes jobs of them.
 *
 * Everything is judged, and every type that the writes can meet is read, before the first write. Members go in before
 * rows, for the same reason as in `ENQUEUE`. A run knows where in a row each value lies, so that a row costs its writes
 * and little else: `ADMIT` and `TURN` are the two that bound how fast a queue is.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { type Admission, addLetters, dueOf, except, offsetOf, place, type Run, stateOf } from "./admission.ts";
import { tellAdmitted } from "./admit-event.ts";
import { isNamedShape, isPlainShape } from "./admit-rows.ts";
import { judgeNamed, placeNamed, writeNamed } from "./dedup-rows.ts";
import { UNHEARD, wantOf } from "./event.ts";
import { isServable, laneKey, readLanes } from "./lane.ts";
import { isJobId, NO_JOB_ID } from "./row.ts";
import { limitTime } from "./ttl.ts";
import { isOpen, push, pushIfClaimable } from "./wake.ts";

/** Keys or members of one call, well below what a call can spread. */
const SPREAD_MAX = 400;

/** A run of a plain shape, with no rows yet. The keys of all its rows make room for those of its new ones. */
function startPlain(shape: Bytes, keys: Bytes[]): Run {
  return {
    shape,
    name: shape === "n" || shape === "no" ? 2 : 0,
    priority: 0,
    lane: 0,
    opts: shape === "no" ? 3 : shape === "o" ? 2 : 0,
    dueAt: 0,
    dueIn: 0,
    expire: 0,
    cost: 0,
    isNamed: false,
    fresh: [],
    keys,
  };
}

/**
 * A run of any shape, with no rows yet.
 *
 * @cold
 */
function startRun(shape: Bytes, keys: Bytes[]): Run {
  return {
    shape,
    name: offsetOf(shape, "n"),
    priority: offsetOf(shape, "p"),
    lane: offsetOf(shape, "g"),
    opts: offsetOf(shape, "o"),
    dueAt: offsetOf(shape, "a"),
    dueIn: offsetOf(shape, "i"),
    expire: offsetOf(shape, "x"),
    cost: offsetOf(shape, "c"),
    isNamed: isNamedShape(shape),
    fresh: [],
    keys,
  };
}

/** How many of up to any number of keys exist. */
function countExisting(s: Server, rows: Bytes[]): number {
  let part: Bytes[] = [];
  let count = 0;
  const stop = rows.length;
  if (stop <= SPREAD_MAX) return s.call("EXISTS", ...rows);
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = rows[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      count += s.call("EXISTS", ...part);
      part = [];
    }
  }
  return count;
}

/**
 * Reports a row whose id exists, or stands further up in this act.
 *
 * @cold
 */
function exceptTwin(s: Server, admission: Admission, id: Bytes, row: Bytes, position: number): void {
  const own = admission.admitted[id];
  const stored = own === undefined ? s.call("HGET", row, "state") : own;
  except(admission, position, [0, stored === false ? "unknown" : stored]);
}

/**
 * Begins the table of ids with those of the rows judged so far, since they ascend no more.
 *
 * @cold
 */
function tabulate(admission: Admission, args: Bytes[]): void {
  const admitted = admission.admitted;
  for (const run of admission.runs) {
    for (const at of run.fresh) admitted[args[at]] = "pending";
  }
  admission.ascends = false;
}

/**
 * Judges the rows of a run some of which may exist (`mixed`), or that say more than a name and options. They begin at
 * `first`, and `position` is that of the first. Answers the refusal of the whole act, empty for none.
 *
 * @cold
 */
function judgeRows(
  s: Server,
  admission: Admission,
  run: Run,
  args: Bytes[],
  first: number,
  position: number,
  mixed: boolean,
): Bytes {
  const width = 2 + run.shape.length;
  const past = first + s.num(args[first - 1]) * width;
  if (admission.ascends) tabulate(admission, args);
  const admitted = admission.admitted;
  const fresh = run.fresh;
  const keys = run.keys;
  let index = 0;
  for (let row = first; row < past; row += width) {
    const id = args[row];
    const key = keys[index];
    if (admitted[id] !== undefined || (mixed && s.call("EXISTS", key) === 1)) {
      exceptTwin(s, admission, id, key, position + index);
    } else if (run.isNamed) {
      const refusal = judgeNamed(s, admission, run, args, row, position + index);
      if (refusal !== "") return refusal;
    } else {
      admitted[id] = place(s, admission, run, args, row, id, dueOf(s, run, args, row));
      keys[fresh.length] = key;
      fresh[fresh.length] = row;
    }
    index += 1;
  }
  return "";
}

/** Judges the rows of a run none of which exists and that say no more than a name and options, as nearly all do. */
function judgeFlat(s: Server, admission: Admission, run: Run, args: Bytes[], first: number, position: number): void {
  const width = 2 + run.shape.length;
  const past = first + s.num(args[first - 1]) * width;
  const admitted = admission.admitted;
  const flat = admission.flat;
  const fresh = run.fresh;
  const keys = run.keys;
  let ascends = admission.ascends;
  let last = admission.last;
  let size = flat.length;
  let index = 0;
  let news = 0;
  for (let row = first; row < past; row += width) {
    const id = args[row];
    if (ascends && id <= last) {
      tabulate(admission, args);
      ascends = false;
    }
    if (!ascends && admitted[id] !== undefined) {
      exceptTwin(s, admission, id, keys[index], position + index);
    } else {
      if (!ascends) admitted[id] = "pending";
      last = id;
      flat[size] = 0;
      flat[size + 1] = id;
      fresh[news] = row;
      if (news < index) keys[news] = keys[index];
      size += 2;
      news += 1;
    }
    index += 1;
  }
  admission.last = last;
}

/**
 * Judges the rows of one run, which begins at `at`; `position` is that of its first row. Answers the refusal of the
 * whole act, empty for none.
 */
function judgeRun(s: Server, admission: Admission, args: Bytes[], at: number, position: number): Bytes {
  const shape = args[at];
  const width = 2 + shape.length;
  const first = at + 2;
  const past = first + s.num(args[at + 1]) * width;
  const prefix = `${admission.base}job:`;
  const keys: Bytes[] = [];
  let count = 0;
  for (let row = first; row < past; row += width) {
    const id = args[row];
    if (!isJobId(id)) return NO_JOB_ID;
    keys[count] = `${prefix}${id}`;
    count += 1;
  }
  // One question for all rows, and for those who listen to events.
  if (position === 0) keys[count] = `${admission.base}listeners`;
  let existing = countExisting(s, keys);
  if (position === 0 && existing > 0 && s.call("EXISTS", `${admission.base}listeners`) === 1) {
    admission.heard = wantOf(s, admission.base);
    existing -= 1;
  }
  const run = isPlainShape(shape) ? startPlain(shape, keys) : startRun(shape, keys);
  admission.runs[admission.runs.length] = run;
  const isFlat = run.priority + run.lane + run.dueAt + run.dueIn === 0 && !run.isNamed;
  if (isFlat && existing === 0) judgeFlat(s, admission, run, args, first, position);
  else {
    const refusal = judgeRows(s, admission, run, args, first, position, existing > 0);
    if (refusal !== "") return refusal;
  }
  return "";
}

/** Writes one row that carries more than a name: the three fields of birth, then those that apply. */
function writeRow(s: Server, admission: Admission, run: Run, key: Bytes, args: Bytes[], at: number): void {
  const id = args[at];
  const fields: Bytes[] = ["state", stateOf(admission, id), "attempts", "0", "payload", args[at + 1]];
  addLetters(fields, run, args, at);
  s.call("HSET", key, ...fields);
  const due = admission.dues[id];
  if (due !== undefined) s.call("HSET", key, "due", due);
  if (run.expire > 0) limitTime(s, admission.base, id, dueOf(s, run, args, at), args[at + run.expire]);
}

/**
 * Writes the rows of a run that carry more than a name.
 *
 * @cold
 */
function writeRows(s: Server, admission: Admission, run: Run, args: Bytes[]): void {
  const stop = run.fresh.length;
  for (let i = 0; i < stop; i += 1) writeRow(s, admission, run, run.keys[i], args, run.fresh[i]);
}

/** Writes the rows of one run. The two usual shapes, none and a name alone, are written without gathering fields. */
function writeRun(s: Server, admission: Admission, run: Run, args: Bytes[]): void {
  if (run.priority + run.lane + run.opts + run.dueAt + run.dueIn + run.expire + run.cost > 0) {
    writeRows(s, admission, run, args);
    return;
  }
  const call = s.call;
  const fresh = run.fresh;
  const keys = run.keys;
  const nameAt = run.name;
  const stop = fresh.length;
  for (let i = 0; i < stop; i += 1) {
    const at = fresh[i];
    const name = nameAt > 0 ? args[at + nameAt] : "";
    if (name === "" || name === "default") {
      call("HSET", keys[i], "state", "pending", "attempts", "0", "payload", args[at + 1]);
    } else {
      call("HSET", keys[i], "state", "pending", "attempts", "0", "payload", args[at + 1], "name", name);
    }
  }
}

/** Adds scores and members to a set, in calls that can be spread. */
function addMembers(s: Server, set: Bytes, members: (Bytes | number)[]): void {
  let part: (Bytes | number)[] = [];
  const stop = members.length;
  if (stop > 0 && stop <= SPREAD_MAX) {
    s.call("ZADD", set, ...members);
    return;
  }
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = members[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      s.call("ZADD", set, ...part);
      part = [];
    }
  }
}

/**
 * Adds jobs to their lanes; a lane whose first member it is comes onto the ring.
 *
 * @cold
 */
function addToLanes(s: Server, admission: Admission): void {
  const call = s.call;
  const base = admission.base;
  const lanes = admission.lanes;
  const stop = lanes.length;
  for (let i = 0; i < stop; i += 2) {
    const lane = laneKey(base, lanes[i]);
    const added = call("ZADD", lane, admission.laneScores[i / 2], lanes[i + 1]);
    if (added === 1 && call("ZCARD", lane) === 1 && isServable(s, base, lanes[i])) {
      call("RPUSH", `${base}ring`, lanes[i]);
    }
  }
}

/**
 * Reads every key that a later write of jobs beyond the flat queue may meet, so that a foreign type refuses the act
 * while nothing is written. Flat jobs need no such question: theirs is the first write.
 *
 * @cold
 */
function readTargets(s: Server, admission: Admission, pending: Bytes): void {
  s.call("ZCARD", pending);
  s.call("ZCARD", `${admission.base}schedule`);
  readLanes(s, admission.base, admission.lanes, 2);
}

/** An admission into the queue of `base` that has gathered nothing yet. */
export function startAdmission(base: Bytes): Admission {
  return {
    base,
    runs: [],
    exceptions: [],
    admitted: {},
    ascends: true,
    last: "",
    flat: [],
    later: [],
    lanes: [],
    laneScores: [],
    dues: {},
    named: false,
    heard: UNHEARD,
  };
}

/**
 * Judges and writes all runs of `args` from its beginning: values have been checked. Answers the refusal of the whole,
 * empty for none, in which case the exceptions of the admission say what did not go as asked.
 */
export function admitRuns(s: Server, admission: Admission, pending: Bytes, args: Bytes[]): Bytes {
  const base = admission.base;
  const stop = args.length;
  let at = 0;
  let position = 0;
  while (at < stop) {
    const verdict = judgeRun(s, admission, args, at, position);
    if (verdict !== "") return verdict;
    const count = s.num(args[at + 1]);
    position += count;
    at += 2 + count * (2 + args[at].length);
  }
  const named = admission.named !== false;
  if (!named && admission.exceptions.length === position * 2) return "";
  if (named) placeNamed(s, admission, args);
  const open = isOpen(s, base);
  for (const run of admission.runs) if (run.expire > 0) s.call("ZCARD", `${base}ttl`);
  if (admission.later.length + admission.lanes.length > 0) readTargets(s, admission, pending);
  if (admission.heard > 0) tellAdmitted(s, admission, args);
  addMembers(s, pending, admission.flat);
  addMembers(s, `${base}schedule`, admission.later);
  for (const run of admission.runs) writeRun(s, admission, run, args);
  if (admission.lanes.length > 0) addToLanes(s, admission);
  if (named) writeNamed(s, admission, args);
  pushIfClaimable(s, base, open);
  if (admission.later.length > 0) {
    const head = s.call("ZRANGE", `${base}schedule`, 0, 0);
    if (head.length > 0 && admission.admitted[head[0]] === "scheduled") push(s, `${base}wake`);
  }
  return "";
}
