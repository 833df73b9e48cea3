/**
 * One job of a flow verb: shape, id, payload and one value for each letter of the shape, as in a row of `ADMIT`.
 *
 * What is judged here is judged before the act reads anything; then the places are read that the job may go to; then it
 * is written, its member first and its row by one command, links to its parents included: no other act can ever see the
 * job without them.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { badValue, lettersOf } from "./admit-rows.ts";
import { dueIn } from "./bound.ts";
import { tell } from "./event.ts";
import { isOrdered } from "./lane.ts";
import { limitTime } from "./ttl.ts";
import { letWait, readPlace } from "./waiting.ts";

/** Letters that a parent may have. */
export const PARENT_LETTERS = "npgoixc";

/** Letters that a child may have that is admitted together with its parent. */
export const CHILD_LETTERS = "npgoaixc";

/** Letters that a child may have that is admitted by itself: names too. */
export const NAMED_CHILD_LETTERS = "npgoaidtjxc";

/** The arguments that a job takes. */
export function widthOfJob(shape: Bytes): number {
  return 3 + shape.length;
}

/** The name of the first bad part of the job at `at`, empty when it is well formed. `letters` are those it may have. */
export function badJob(s: Server, args: Bytes[], at: number, letters: Bytes): Bytes {
  if (at >= args.length) return "shape";
  const shape = args[at];
  const stop = shape.length;
  if (stop > 0 && lettersOf(s, shape)[0] === "") return "shape";
  if (at + widthOfJob(shape) > args.length) return "row";
  if (!s.branded(args[at + 1])) return "id";
  for (let i = 0; i < stop; i += 1) {
    const letter = s.char(shape, i);
    if (letters.indexOf(letter) < 0) return "shape";
    const bad = badValue(s, letter, args[at + 3 + i]);
    if (bad !== "") return bad;
  }
  return "";
}

/** The value of a letter of the job at `at`, empty where it has no such letter. */
export function valueOf(args: Bytes[], at: number, letter: Bytes): Bytes {
  const index = args[at].indexOf(letter);
  return index < 0 ? "" : args[at + 3 + index];
}

/** The lane of the job at `at`, `false` for none. */
export function laneOf(args: Bytes[], at: number): Bytes | false {
  const lane = valueOf(args, at, "g");
  return lane === "" ? false : lane;
}

/** The priority of the job at `at`, `false` for none. */
function priorityOf(args: Bytes[], at: number): Bytes | false {
  const priority = valueOf(args, at, "p");
  return priority === "" ? false : priority;
}

/** When the job at `at` falls due, -1 for at once. */
export function dueAt(s: Server, args: Bytes[], at: number): number {
  const instant = valueOf(args, at, "a");
  if (instant !== "") return s.num(instant);
  const delay = valueOf(args, at, "i");
  return delay === "" ? -1 : dueIn(s, s.num(delay));
}

/** Where the job at `at` is going to wait: its state. */
export function stateOf(s: Server, base: Bytes, args: Bytes[], at: number): Bytes {
  return dueAt(s, args, at) >= 0 && !isOrdered(s, base, laneOf(args, at)) ? "scheduled" : "pending";
}

/** Reads the places that the job at `at` may go to. */
export function readJobPlace(s: Server, base: Bytes, args: Bytes[], at: number): void {
  s.call("ZCARD", `${base}schedule`);
  s.call("ZCARD", `${base}ttl`);
  readPlace(s, base, laneOf(args, at));
}

/** Tells that the job at `at` is added. */
export function tellAdded(s: Server, base: Bytes, args: Bytes[], at: number, state: Bytes): void {
  const more = ["state", state, "name", valueOf(args, at, "n"), "lane", valueOf(args, at, "g")];
  more[6] = "alias";
  more[7] = valueOf(args, at, "j");
  tell(s, base, "added", args[at + 1], more);
}

/** Appends one field and its value, unless the value says nothing. */
function addField(fields: Bytes[], name: Bytes, value: Bytes, silent: Bytes): void {
  if (value === "" || value === silent) return;
  fields[fields.length] = name;
  fields[fields.length] = value;
}

/** Adds to the fields of a row those that the letters of the job at `at` name. */
function addLetters(fields: Bytes[], args: Bytes[], at: number): void {
  addField(fields, "group", valueOf(args, at, "g"), "");
  addField(fields, "name", valueOf(args, at, "n"), "default");
  addField(fields, "priority", valueOf(args, at, "p"), "0");
  addField(fields, "opts", valueOf(args, at, "o"), "");
  addField(fields, "cost", valueOf(args, at, "c"), "1");
  const dedup = valueOf(args, at, "d");
  const alias = valueOf(args, at, "j");
  if (dedup === "" && alias === "") return;
  // A row that has an alias has this field as well, perhaps empty: it is what every end of a job looks at.
  fields[fields.length] = "dedup";
  fields[fields.length] = dedup;
  addField(fields, "alias", alias, "");
}

/** Writes the row of the job at `at`; `links` are the fields that name its parent, and others of its own. */
function writeRow(s: Server, base: Bytes, args: Bytes[], at: number, state: Bytes, links: Bytes[]): void {
  const fields = ["state", state, "attempts", "0", "payload", args[at + 2]];
  for (const part of links) fields[fields.length] = part;
  if (args[at] !== "") addLetters(fields, args, at);
  const id = args[at + 1];
  s.call("HSET", `${base}job:${id}`, ...fields);
  const expire = valueOf(args, at, "x");
  if (expire !== "") limitTime(s, base, id, dueAt(s, args, at), expire);
}

/** Writes the job at `at` as one that waits for its turn or its time; answers its state. */
export function writeJob(s: Server, base: Bytes, args: Bytes[], at: number, links: Bytes[]): Bytes {
  const id = args[at + 1];
  const due = dueAt(s, args, at);
  const state = stateOf(s, base, args, at);
  if (state === "scheduled") s.call("ZADD", `${base}schedule`, due, id);
  else letWait(s, base, id, laneOf(args, at), priorityOf(args, at));
  writeRow(s, base, args, at, state, links);
  if (state === "pending" && due >= 0) s.call("HSET", `${base}job:${id}`, "due", due);
  return state;
}

/**
 * Writes the job at `at` as a parent that waits for `open` children. A delay counts from when they have ended, so it
 * stays in the row.
 */
export function writeParent(s: Server, base: Bytes, args: Bytes[], at: number, links: Bytes[], open: number): void {
  const id = args[at + 1];
  s.call("ZADD", `${base}awaiting`, s.now(), id);
  addField(links, "delay", valueOf(args, at, "i"), "0");
  writeRow(s, base, args, at, "awaiting_children", links);
  s.call("SET", `${base}job:${id}:dependencies`, open);
}
