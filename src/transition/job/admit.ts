/**
 * `ADMIT`: admits many jobs in one act; what `add` and `addBulk` send.
 *
 * Everything is judged, and every type that the writes can meet is read, before the first write. Members go in before
 * rows, for the same reason as in `ENQUEUE`. A run knows where in a row each value lies, so that a row costs its writes
 * and little else: this act and `TURN` are the two that bound how fast a queue is.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkAdmit } from "../check/job/admit.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isServable, laneKey, readLanes } from "../step/lane.ts";
import { dueIn } from "../step/put-back.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";
import { isOpen, push, pushIfClaimable } from "../step/wake.ts";

/** Keys or members of one call, well below what a call can spread. */
const SPREAD_MAX = 400;

/**
 * The rows of one run that are new, and where in a row each value lies: its offset, 0 for a letter not in the shape.
 */
interface Run {
  readonly name: number;
  readonly priority: number;
  readonly lane: number;
  readonly opts: number;
  readonly dueAt: number;
  readonly dueIn: number;
  /** Position in `args` of each new row, and the key of that row. */
  readonly fresh: number[];
  readonly keys: Bytes[];
}

/** What one act gathers. */
interface Admission {
  readonly base: Bytes;
  readonly runs: Run[];
  readonly exceptions: TransitionReply[];
  /**
   * Id to the state of each job that this act admits. Ids are of the job kind by then, so any text is safe as a key.
   */
  readonly admitted: Record<Bytes, Bytes>;
  /** Score and member in turn, for the flat queue and the schedule. */
  readonly flat: (Bytes | number)[];
  readonly later: (Bytes | number)[];
  /** Lane and id in turn, and the score of each pair. */
  readonly lanes: Bytes[];
  readonly laneScores: number[];
}

/** Offset of a letter's value within a row, 0 for none. */
function offsetOf(shape: Bytes, letter: Bytes): number {
  const at = shape.indexOf(letter);
  return at < 0 ? 0 : at + 2;
}

/** A run of a shape, with no rows yet. */
function startRun(shape: Bytes): Run {
  return {
    name: offsetOf(shape, "n"),
    priority: offsetOf(shape, "p"),
    lane: offsetOf(shape, "g"),
    opts: offsetOf(shape, "o"),
    dueAt: offsetOf(shape, "a"),
    dueIn: offsetOf(shape, "i"),
    fresh: [],
    keys: [],
  };
}

/** Decides where one new row will wait; answers its state. */
function place(s: Server, admission: Admission, run: Run, args: Bytes[], at: number): Bytes {
  const id = args[at];
  if (run.dueAt + run.dueIn > 0) {
    const later = admission.later;
    const size = later.length;
    later[size] = run.dueAt > 0 ? s.num(args[at + run.dueAt]) : dueIn(s, s.num(args[at + run.dueIn]));
    later[size + 1] = id;
    return "scheduled";
  }
  const score = run.priority > 0 ? s.num(args[at + run.priority]) : 0;
  if (run.lane > 0) {
    admission.lanes[admission.lanes.length] = args[at + run.lane];
    admission.lanes[admission.lanes.length] = id;
    admission.laneScores[admission.laneScores.length] = score;
  } else {
    const flat = admission.flat;
    const size = flat.length;
    flat[size] = score;
    flat[size + 1] = id;
  }
  return "pending";
}

/** Whether one of up to any number of rows exists already. */
function anyExists(s: Server, rows: Bytes[]): boolean {
  let part: Bytes[] = [];
  const stop = rows.length;
  if (stop <= SPREAD_MAX) return s.call("EXISTS", ...rows) > 0;
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = rows[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      if (s.call("EXISTS", ...part) > 0) return true;
      part = [];
    }
  }
  return false;
}

/** Reports a row whose id exists, or stands further up in this act. */
function exceptTwin(s: Server, admission: Admission, id: Bytes, row: Bytes, position: number): void {
  const own = admission.admitted[id];
  const stored = own === undefined ? s.call("HGET", row, "state") : own;
  const exceptions = admission.exceptions;
  exceptions[exceptions.length] = position;
  exceptions[exceptions.length] = [0, stored === false ? "unknown" : stored];
}

/**
 * Judges the rows of one run, which begins at `at`; `position` is that of its first row. Answers false for a bad kind.
 */
function judgeRun(s: Server, admission: Admission, args: Bytes[], at: number, position: number): boolean {
  const shape = args[at];
  const width = 2 + shape.length;
  const first = at + 2;
  const past = first + s.num(args[at + 1]) * width;
  const prefix = `${admission.base}job:`;
  const rows: Bytes[] = [];
  for (let row = first; row < past; row += width) {
    if (!isJobId(args[row])) return false;
    rows[rows.length] = prefix + args[row];
  }
  const mixed = anyExists(s, rows);
  const run = startRun(shape);
  const admitted = admission.admitted;
  let index = 0;
  for (let row = first; row < past; row += width) {
    const id = args[row];
    const key = rows[index];
    if (admitted[id] !== undefined || (mixed && s.call("EXISTS", key) === 1)) {
      exceptTwin(s, admission, id, key, position + index);
    } else {
      admitted[id] = place(s, admission, run, args, row);
      run.fresh[run.fresh.length] = row;
      run.keys[run.keys.length] = key;
    }
    index += 1;
  }
  admission.runs[admission.runs.length] = run;
  return true;
}

/** Appends one field and its value, unless the value says nothing. */
function addField(fields: Bytes[], name: Bytes, value: Bytes, silent: Bytes): void {
  if (value === "" || value === silent) return;
  fields[fields.length] = name;
  fields[fields.length] = value;
}

/** Writes one row that carries more than a name: the three fields of birth, then those that apply. */
function writeRow(s: Server, run: Run, key: Bytes, args: Bytes[], at: number): void {
  const state = run.dueAt + run.dueIn > 0 ? "scheduled" : "pending";
  const fields: Bytes[] = ["state", state, "attempts", "0", "payload", args[at + 1]];
  if (run.lane > 0) addField(fields, "group", args[at + run.lane], "");
  if (run.name > 0) addField(fields, "name", args[at + run.name], "default");
  if (run.priority > 0) addField(fields, "priority", args[at + run.priority], "0");
  if (run.opts > 0) addField(fields, "opts", args[at + run.opts], "");
  s.call("HSET", key, ...fields);
}

/** Writes the rows of one run. The two usual shapes, none and a name alone, are written without gathering fields. */
function writeRun(s: Server, run: Run, args: Bytes[]): void {
  const call = s.call;
  const plain = run.priority + run.lane + run.opts + run.dueAt + run.dueIn === 0;
  const stop = run.fresh.length;
  for (let i = 0; i < stop; i += 1) {
    const at = run.fresh[i];
    const key = run.keys[i];
    const name = run.name > 0 ? args[at + run.name] : "";
    if (!plain) writeRow(s, run, key, args, at);
    else if (name === "" || name === "default") {
      call("HSET", key, "state", "pending", "attempts", "0", "payload", args[at + 1]);
    } else {
      call("HSET", key, "state", "pending", "attempts", "0", "payload", args[at + 1], "name", name);
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

/** Adds jobs to their lanes; a lane whose first member it is comes onto the ring. */
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

/** Reads every key that a later write may meet, so that a foreign type refuses the act while nothing is written. */
function readTargets(s: Server, admission: Admission, pending: Bytes): void {
  const call = s.call;
  const base = admission.base;
  const lanes = admission.lanes;
  const stop = lanes.length;
  if (admission.later.length + stop > 0) {
    call("ZCARD", pending);
    call("ZCARD", `${base}schedule`);
  }
  readLanes(s, base, lanes, 2);
}

/** Keys: base, pending. Arguments: runs of (shape, count, row…). Answers the exceptions. */
export function admit(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkAdmit(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const base = keys[0];
  const admission: Admission = {
    base,
    runs: [],
    exceptions: [],
    admitted: {},
    flat: [],
    later: [],
    lanes: [],
    laneScores: [],
  };
  const stop = args.length;
  let at = 0;
  let position = 0;
  while (at < stop) {
    if (!judgeRun(s, admission, args, at, position)) return s.error(NO_JOB_ID);
    const count = s.num(args[at + 1]);
    position += count;
    at += 2 + count * (2 + args[at].length);
  }
  if (admission.exceptions.length === position * 2) return admission.exceptions;
  const open = isOpen(s, base);
  readTargets(s, admission, keys[1]);
  addMembers(s, keys[1], admission.flat);
  addMembers(s, `${base}schedule`, admission.later);
  for (const run of admission.runs) writeRun(s, run, args);
  addToLanes(s, admission);
  pushIfClaimable(s, base, open);
  if (admission.later.length > 0) {
    const head = s.call("ZRANGE", `${base}schedule`, 0, 0);
    if (head.length > 0 && admission.admitted[head[0]] === "scheduled") push(s, `${base}wake`);
  }
  return admission.exceptions;
}
