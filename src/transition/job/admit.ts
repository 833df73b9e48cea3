/**
 * `ADMIT`: admits many jobs in one act; what `add` and `addBulk` send.
 *
 * Values and kinds of all rows are judged, and all types that the writes can meet are read, before the first write. Members
 * go in before rows, for the same reason as in `ENQUEUE`. Jobs of one run go into their set by one command.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkAdmit } from "../check/job/admit.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { dueIn } from "../step/put-back.ts";
import { isServable, laneKey } from "../step/lane.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";
import { isOpen, push, pushIfClaimable } from "../step/wake.ts";

/** Members of one `ZADD`, well below what a call can spread. */
const SPREAD_MAX = 400;

/** What one act gathers. */
interface Admission {
  readonly base: Bytes;
  readonly exceptions: TransitionReply[];
  /** `s:<id>` to the state of each job that this act admits. */
  readonly admitted: Record<string, Bytes>;
  /** Score and member in turn, for the flat queue and the schedule. */
  readonly flat: (Bytes | number)[];
  readonly later: (Bytes | number)[];
  /** Lane and id in turn, and the score of each. */
  readonly lanes: Bytes[];
  readonly laneScores: number[];
  /** Position in `args` and shape of each row that is new. */
  readonly rows: number[];
  readonly shapes: Bytes[];
}

/** The value that a row has for a letter of its shape, empty when it has none. */
function valueOf(args: Bytes[], at: number, shape: Bytes, letter: Bytes): Bytes {
  const i = shape.indexOf(letter);
  return i < 0 ? "" : args[at + 2 + i];
}

/** Whether every id of every run is of the job kind. */
function allJobs(s: Server, args: Bytes[]): boolean {
  const stop = args.length;
  let at = 0;
  while (at < stop) {
    const width = 2 + args[at].length;
    const past = at + 2 + s.num(args[at + 1]) * width;
    for (let row = at + 2; row < past; row += width) if (!isJobId(args[row])) return false;
    at = past;
  }
  return true;
}

/** Decides where one new row will wait. */
function place(s: Server, admission: Admission, args: Bytes[], at: number, shape: Bytes): void {
  const id = args[at];
  admission.rows[admission.rows.length] = at;
  admission.shapes[admission.shapes.length] = shape;
  const priority = valueOf(args, at, shape, "p");
  const score = priority === "" ? 0 : s.num(priority);
  const group = valueOf(args, at, shape, "g");
  const dueAt = valueOf(args, at, shape, "a");
  const delay = valueOf(args, at, shape, "i");
  if (dueAt !== "" || delay !== "") {
    const later = admission.later;
    later[later.length] = dueAt !== "" ? s.num(dueAt) : dueIn(s, s.num(delay));
    later[later.length] = id;
    admission.admitted[`s:${id}`] = "scheduled";
    return;
  }
  admission.admitted[`s:${id}`] = "pending";
  if (group !== "") {
    admission.lanes[admission.lanes.length] = group;
    admission.lanes[admission.lanes.length] = id;
    admission.laneScores[admission.laneScores.length] = score;
  } else {
    const flat = admission.flat;
    flat[flat.length] = score;
    flat[flat.length] = id;
  }
}

/** Whether some row of a run exists already, by one command for up to 400 of them. */
function anyExists(s: Server, base: Bytes, args: Bytes[], from: number, past: number, width: number): boolean {
  let rows: Bytes[] = [];
  for (let at = from; at < past; at += width) {
    rows[rows.length] = `${base}job:${args[at]}`;
    if (rows.length >= SPREAD_MAX || at + width >= past) {
      if (s.call("EXISTS", ...rows) > 0) return true;
      rows = [];
    }
  }
  return false;
}

/** The state of a job that exists, or that this very act admits further up. */
function stateOf(s: Server, admission: Admission, id: Bytes): Bytes {
  const state = s.call("HGET", `${admission.base}job:${id}`, "state");
  if (state !== false) return state;
  const own = admission.admitted[`s:${id}`];
  if (own === undefined) return "unknown";
  return own;
}

/** Judges the rows of one run against what exists; `position` is that of its first row. */
function judgeRun(s: Server, admission: Admission, args: Bytes[], at: number, position: number): void {
  const shape = args[at];
  const width = 2 + shape.length;
  const past = at + 2 + s.num(args[at + 1]) * width;
  const base = admission.base;
  const mixed = anyExists(s, base, args, at + 2, past, width);
  let index = position;
  for (let row = at + 2; row < past; row += width) {
    const id = args[row];
    const twin = admission.admitted[`s:${id}`] !== undefined;
    if (twin || (mixed && s.call("EXISTS", `${base}job:${id}`) === 1)) {
      admission.exceptions[admission.exceptions.length] = index;
      admission.exceptions[admission.exceptions.length] = [0, stateOf(s, admission, id)];
    } else {
      place(s, admission, args, row, shape);
    }
    index += 1;
  }
}

/** Appends one field and its value. */
function addField(fields: Bytes[], name: Bytes, value: Bytes): void {
  fields[fields.length] = name;
  fields[fields.length] = value;
}

/** Writes one row: born with three fields, then those that apply. */
function writeRow(s: Server, base: Bytes, args: Bytes[], at: number, shape: Bytes): void {
  const call = s.call;
  const row = `${base}job:${args[at]}`;
  if (shape === "") {
    call("HSET", row, "state", "pending", "attempts", "0", "payload", args[at + 1]);
    return;
  }
  if (shape === "n" && args[at + 2] !== "" && args[at + 2] !== "default") {
    call("HSET", row, "state", "pending", "attempts", "0", "payload", args[at + 1], "name", args[at + 2]);
    return;
  }
  const later = shape.indexOf("a") >= 0 || shape.indexOf("i") >= 0;
  const fields: Bytes[] = ["state", later ? "scheduled" : "pending", "attempts", "0", "payload", args[at + 1]];
  const group = valueOf(args, at, shape, "g");
  const name = valueOf(args, at, shape, "n");
  const priority = valueOf(args, at, shape, "p");
  const opts = valueOf(args, at, shape, "o");
  if (group !== "") addField(fields, "group", group);
  if (name !== "" && name !== "default") addField(fields, "name", name);
  if (priority !== "" && priority !== "0") addField(fields, "priority", priority);
  if (opts !== "") addField(fields, "opts", opts);
  call("HSET", row, ...fields);
}

/** Adds scores and members to a set, in calls that can be spread. */
function addMembers(s: Server, set: Bytes, members: (Bytes | number)[]): void {
  let part: (Bytes | number)[] = [];
  const stop = members.length;
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = members[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      s.call("ZADD", set, ...part);
      part = [];
    }
  }
}

/** Adds jobs to their lanes; a lane whose first members they are comes onto the ring. */
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

/** Reads every key that the writes may meet, so that a foreign type refuses the act while nothing is written. */
function readTargets(s: Server, admission: Admission, pending: Bytes): void {
  const call = s.call;
  const base = admission.base;
  if (admission.later.length > 0) {
    call("ZCARD", pending);
    call("ZCARD", `${base}schedule`);
  }
  const lanes = admission.lanes;
  const stop = lanes.length;
  if (stop > 0) {
    call("ZCARD", pending);
    call("LLEN", `${base}ring`);
  }
  for (let i = 0; i < stop; i += 2) {
    isServable(s, base, lanes[i]);
    call("ZCARD", laneKey(base, lanes[i]));
  }
}

/** Keys: base, pending. Arguments: runs of (shape, count, row…). Answers the exceptions. */
export function admit(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkAdmit(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  if (!allJobs(s, args)) return s.error(NO_JOB_ID);
  const base = keys[0];
  const admission: Admission = {
    base,
    exceptions: [],
    admitted: {},
    flat: [],
    later: [],
    lanes: [],
    laneScores: [],
    rows: [],
    shapes: [],
  };
  const stop = args.length;
  let at = 0;
  let position = 0;
  while (at < stop) {
    judgeRun(s, admission, args, at, position);
    const count = s.num(args[at + 1]);
    position += count;
    at += 2 + count * (2 + args[at].length);
  }
  if (admission.rows.length === 0) return admission.exceptions;
  const open = isOpen(s, base);
  readTargets(s, admission, keys[1]);
  addMembers(s, keys[1], admission.flat);
  addMembers(s, `${base}schedule`, admission.later);
  const rows = admission.rows.length;
  for (let i = 0; i < rows; i += 1) writeRow(s, base, args, admission.rows[i], admission.shapes[i]);
  addToLanes(s, admission);
  if (open) pushIfClaimable(s, base);
  if (admission.later.length > 0) {
    const head = s.call("ZRANGE", `${base}schedule`, 0, 0);
    if (head.length > 0 && admission.admitted[`s:${head[0]}`] !== undefined) push(s, `${base}wake`);
  }
  return admission.exceptions;
}
