/**
 * The rows of `ADMIT`: runs of (shape, count, row…), where a row is id, payload and one value for each letter of the
 * shape.
 *
 * Everything is judged here before the act reads or writes anything, so one bad row refuses the whole act and no value
 * can fail half-way.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX, PRIORITY_MAX } from "./bound.ts";
import { RATE_MAX } from "./limit.ts";

/** Rows of one act, at most. */
const ROWS_MAX = 1000;

/** Rows of one act that carry a name, at most: each costs about four others. */
const NAMED_MAX = 250;

/** Payload bytes of one act, at most, unless a single row holds more. */
const PAYLOAD_MAX = 1048576;

/** The letters of a shape in their order; `a` and `i` exclude each other, and so do `j` and `k`. */
const LETTERS = "npgoaidmtwjklxc";

/** The words of the letter `m`, each between blanks. */
const MODES = " keep extend replace throttle slide debounce short follow latest ";

/** The modes that say nothing without a time. */
const TIMED_MODES = " extend throttle slide ";

/** The largest limit of a lane, 2^31. */
const LIMIT_MAX = 2147483648;

/** The longest name of a lane or job, in bytes. */
const NAME_MAX = 256;

/** The letters of a shape, or one empty text when it is no shape: a letter unknown, twice or out of order. */
export function lettersOf(s: Server, shape: Bytes): Bytes[] {
  const letters: Bytes[] = [];
  let last = -1;
  const stop = shape.length;
  for (let i = 0; i < stop; i += 1) {
    const letter = s.char(shape, i);
    const at = LETTERS.indexOf(letter);
    if (at <= last) return [""];
    last = at;
    letters[i] = letter;
  }
  if (shape.indexOf("ai") >= 0 || shape.indexOf("jk") >= 0) return [""];
  const needsDedup = shape.indexOf("m") >= 0 || shape.indexOf("t") >= 0 || shape.indexOf("w") >= 0;
  if (needsDedup && shape.indexOf("d") < 0) return [""];
  return shape.indexOf("l") < 0 || shape.indexOf("g") >= 0 ? letters : [""];
}

/** Whether a word stands in a list whose words stand between blanks. */
function isWord(words: Bytes, word: Bytes): boolean {
  return word !== "" && word.indexOf(" ") < 0 && words.indexOf(` ${word} `) >= 0;
}

/**
 * The name of a bad value of a letter that says how a job is named, empty when it suits.
 *
 * @cold
 */
function badName(s: Server, letter: Bytes, value: Bytes): Bytes {
  if (letter === "d") return s.name(value) ? "" : "dedup";
  if (letter === "m") return isWord(MODES, value) ? "" : "mode";
  if (letter === "t") return s.int(value, 1, NUMBER_MAX) ? "" : "dedup_ms";
  if (letter === "w") return s.int(value, 0, NUMBER_MAX) ? "" : "max_wait_ms";
  if (letter === "l") return s.int(value, 1, LIMIT_MAX) ? "" : "limit";
  return s.name(value) ? "" : "alias";
}

/** The name of a bad value, empty when the value suits its letter. */
export function badValue(s: Server, letter: Bytes, value: Bytes): Bytes {
  if (letter === "p") return s.int(value, 0, PRIORITY_MAX) ? "" : "priority";
  if (letter === "g") return s.name(value) ? "" : "lane";
  if (letter === "n") return value.length <= NAME_MAX ? "" : "name";
  if (letter === "o") return "";
  if (letter === "a" || letter === "i") return s.int(value, 0, NUMBER_MAX) ? "" : "due";
  if (letter === "x") return s.int(value, 1, NUMBER_MAX) ? "" : "expire_ms";
  if (letter === "c") return s.int(value, 1, RATE_MAX) ? "" : "cost";
  return badName(s, letter, value);
}

/** Whether rows of a shape carry a name, or give their lane a limit. */
export function isNamedShape(shape: Bytes): boolean {
  return shape.indexOf("d") >= 0 || shape.indexOf("j") >= 0 || shape.indexOf("k") >= 0 || shape.indexOf("l") >= 0;
}

/**
 * What is wrong with the rows of well-formed runs that carry a name: there are too many, or one has a mode that says
 * nothing without a time, and no time. Empty when all suits.
 */
function badNamed(s: Server, args: Bytes[], from: number): Bytes {
  const stop = args.length;
  let at = from;
  let rows = 0;
  while (at < stop) {
    const shape = args[at];
    const width = 2 + shape.length;
    const mode = shape.indexOf("m");
    const past = at + 2 + s.num(args[at + 1]) * width;
    if (isNamedShape(shape)) rows += s.num(args[at + 1]);
    if (rows > NAMED_MAX) return "count";
    if (mode >= 0 && shape.indexOf("t") < 0) {
      for (let row = at + 2; row < past; row += width) if (isWord(TIMED_MODES, args[row + 2 + mode])) return "dedup_ms";
    }
    at = past;
  }
  return "";
}

/**
 * The name of the first bad value of a row, empty when each suits its letter. A short name, which nearly every row has,
 * is seen to at once.
 */
function badFields(s: Server, letters: Bytes[], args: Bytes[], row: number): Bytes {
  const stop = letters.length;
  for (let i = 0; i < stop; i += 1) {
    const value = args[row + 2 + i];
    const bad = letters[i] === "n" && value.length <= NAME_MAX ? "" : badValue(s, letters[i], value);
    if (bad !== "") return bad;
  }
  return "";
}

/** The name of the first bad value, empty when all runs are well formed and each value suits its letter. */
function badRun(s: Server, args: Bytes[], from: number): Bytes {
  const stop = args.length;
  let at = from;
  let rows = 0;
  let payload = 0;
  if (at >= stop) return "shape";
  while (at < stop) {
    const shape = args[at];
    const letters = lettersOf(s, shape);
    if (shape.length > 0 && letters[0] === "") return "shape";
    if (at + 1 >= stop || !s.int(args[at + 1], 1, ROWS_MAX)) return "count";
    const count = s.num(args[at + 1]);
    const width = 2 + shape.length;
    const past = at + 2 + count * width;
    rows += count;
    if (rows > ROWS_MAX) return "count";
    if (past > stop) return "row";
    for (let row = at + 2; row < past; row += width) {
      payload += args[row + 1].length;
      const bad = badFields(s, letters, args, row);
      if (bad !== "") return bad;
    }
    at = past;
  }
  return rows > 1 && payload > PAYLOAD_MAX ? "payload" : "";
}

/** The name of the first bad argument from position `from` on, empty when all runs are well formed. */
export function badAdmitRow(s: Server, args: Bytes[], from: number): Bytes {
  const bad = badRun(s, args, from);
  return bad === "" ? badNamed(s, args, from) : bad;
}
