/**
 * What one `ADMIT` gathers before it writes: the runs of its rows, where each job is going to wait, and what it
 * answers.
 *
 * Everything is decided here first, in memory, and written afterwards by one command for many members.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server, TransitionReply } from "../server.ts";
import { dueIn } from "./bound.ts";
import type { Named } from "./dedup-rows.ts";
import { isOrdered } from "./lane.ts";

/**
 * The rows of one run that are new, and where in a row each value lies: its offset, 0 for a letter not in the shape.
 */
export interface Run {
  readonly shape: Bytes;
  readonly name: number;
  readonly priority: number;
  readonly lane: number;
  readonly opts: number;
  readonly dueAt: number;
  readonly dueIn: number;
  readonly expire: number;
  readonly cost: number;
  /** Whether its rows carry a deduplication id, an alias or a limit of their lane. */
  readonly isNamed: boolean;
  /**
   * Position in `args` of each new row, and the key of that row; rows that carry a name are none of these. More keys
   * may stand behind those.
   */
  readonly fresh: number[];
  readonly keys: Bytes[];
}

/** What one act gathers. */
export interface Admission {
  readonly base: Bytes;
  readonly runs: Run[];
  readonly exceptions: TransitionReply[];
  /**
   * Id to the state of each job that this act admits, but for pending ones while `ascends`: `stateOf` reads it. Ids are
   * of the job kind by then, so any text is safe as a key.
   */
  readonly admitted: Record<Bytes, Bytes>;
  /**
   * Whether every id so far came behind the one before it, `last`, and is of a flat row. Then none of them stands
   * twice, and no table of them is needed, which costs more than all else that judges such a row.
   */
  ascends: boolean;
  last: Bytes;
  /** Score and member in turn, for the flat queue and the schedule. */
  readonly flat: (Bytes | number)[];
  readonly later: (Bytes | number)[];
  /** Id to the instant before which a job that goes into an ordered lane at once does not run. */
  readonly dues: Record<Bytes, number>;
  /** Lane and id in turn, and the score of each pair. */
  readonly lanes: Bytes[];
  readonly laneScores: number[];
  /** The rows that carry a name, `false` while there is none. */
  named: Named | false;
  /** Whether anybody listens to events; asked with the first rows. */
  heard: number;
}

/** The state of a job that this act admits. */
export function stateOf(admission: Admission, id: Bytes): Bytes {
  const state = admission.admitted[id];
  return state === undefined ? "pending" : state;
}

/** Offset of a letter's value within a row, 0 for none. */
export function offsetOf(shape: Bytes, letter: Bytes): number {
  const at = shape.indexOf(letter);
  return at < 0 ? 0 : at + 2;
}

/** When a row asks to fall due, -1 for at once. */
export function dueOf(s: Server, run: Run, args: Bytes[], at: number): number {
  if (run.dueAt > 0) return s.num(args[at + run.dueAt]);
  return run.dueIn > 0 ? dueIn(s, s.num(args[at + run.dueIn])) : -1;
}

/**
 * Decides where a job will wait; answers its state. A job of an ordered lane keeps its place there although it falls
 * due later. `due` is when it falls due, -1 for at once, and `at` the position
 * of the row that says the rest.
 */
export function place(
  s: Server,
  admission: Admission,
  run: Run,
  args: Bytes[],
  at: number,
  id: Bytes,
  due: number,
): Bytes {
  if (due >= 0 && run.lane > 0 && isOrdered(s, admission.base, args[at + run.lane])) {
    admission.dues[id] = due;
  } else if (due >= 0) {
    const later = admission.later;
    const size = later.length;
    later[size] = due;
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

/** Appends one field and its value, unless the value says nothing. */
function addField(fields: Bytes[], name: Bytes, value: Bytes, silent: Bytes): void {
  if (value === "" || value === silent) return;
  fields[fields.length] = name;
  fields[fields.length] = value;
}

/** Appends the fields that a row's letters name. */
export function addLetters(fields: Bytes[], run: Run, args: Bytes[], at: number): void {
  if (run.lane > 0) addField(fields, "group", args[at + run.lane], "");
  if (run.name > 0) addField(fields, "name", args[at + run.name], "default");
  if (run.priority > 0) addField(fields, "priority", args[at + run.priority], "0");
  if (run.opts > 0) addField(fields, "opts", args[at + run.opts], "");
  if (run.cost > 0) addField(fields, "cost", args[at + run.cost], "1");
}

/** Reports what became of a row that was not simply admitted. */
export function except(admission: Admission, position: number, verdict: TransitionReply): void {
  const exceptions = admission.exceptions;
  exceptions[exceptions.length] = position;
  exceptions[exceptions.length] = verdict;
}
