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

/** Whether rows of a shape say no more than a name and options, as nearly all do. */
export function isPlainShape(shape: Bytes): boolean {
  return shape === "" || shape === "n" || shape === "no" || shape === "o";
}

/**
 * What is wrong with the rows of well-formed runs that carry a name: there are too many, or one has a mode that says
 * nothing without a time, and no time. Empty when all suits.
 *
 * @cold
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
 * The letters of a shape that is not plain.
 *
 * @cold
 */
function readShape(s: Server, shape: Bytes): Bytes[] {
  return lettersOf(s, shape);
}

/**
 * The name of the first bad value of rows of some letters, empty when each suits its letter.
 *
 * @cold
 */
function badValues(s: Server, letters: Bytes[], args: Bytes[], from: number, past: number): Bytes {
  const stop = letters.length;
  for (let row = from; row < past; row += 2 + stop) {
    for (let i = 0; i < stop; i += 1) {
      const bad = badValue(s, letters[i], args[row + 2 + i]);
      if (bad !== "") return bad;
    }
  }
  return "";
}

/** The payload bytes of the rows of a run; -1 where the shape is plain and a row has a name that is too long. */
function payloadOf(shape: Bytes, args: Bytes[], from: number, past: number): number {
  const width = 2 + shape.length;
  let bytes = 0;
  if (shape === "n" || shape === "no") {
    for (let row = from; row < past; row += width) {
      bytes += args[row + 1].length;
      if (args[row + 2].length > NAME_MAX) return -1;
    }
  } else {
    for (let row = from; row < past; row += width) bytes += args[row + 1].length;
  }
  return bytes;
}

/** The name of the first bad argument from position `from` on, empty when all runs are well formed. */
export function badAdmitRow(s: Server, args: Bytes[], from: number): Bytes {
  const stop = args.length;
  let at = from;
  let rows = 0;
  let payload = 0;
  let areNamed = false;
  if (at >= stop) return "shape";
  while (at < stop) {
    const shape = args[at];
    const isPlain = isPlainShape(shape);
    const letters = isPlain ? [] : readShape(s, shape);
    if (!isPlain && letters[0] === "") return "shape";
    if (at + 1 >= stop || !s.int(args[at + 1], 1, ROWS_MAX)) return "count";
    const count = s.num(args[at + 1]);
    const width = 2 + shape.length;
    const past = at + 2 + count * width;
    rows += count;
    if (rows > ROWS_MAX) return "count";
    if (past > stop) return "row";
    const bytes = payloadOf(shape, args, at + 2, past);
    if (bytes < 0) return "name";
    payload += bytes;
    if (!isPlain) {
      const bad = badValues(s, letters, args, at + 2, past);
      if (bad !== "") return bad;
      areNamed = areNamed || isNamedShape(shape);
    }
    at = past;
  }
  if (rows > 1 && payload > PAYLOAD_MAX) return "payload";
  return areNamed ? badNamed(s, args, from) : "";
}
