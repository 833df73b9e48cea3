/**
 * The rows of `ADMIT`: runs of (shape, count, row…), where a row is id, payload and one value for each letter of the
 * shape.
 *
 * Everything is judged here before the act reads or writes anything, so one bad row refuses the whole act and no value
 * can fail half-way.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";

/** Rows of one act, at most. */
const ROWS_MAX = 1000;

/** Payload bytes of one act, at most, unless a single row holds more. */
const PAYLOAD_MAX = 1048576;

/** The letters of a shape in their order; `a` and `i` exclude each other. */
const LETTERS = "npgoai";

/** The longest delay or instant, the last that a score holds exactly. */
const MS_MAX = 9007199254740991;

/** The largest priority, 2^21. */
const PRIORITY_MAX = 2097152;

/** The longest name of a lane or job, in bytes. */
const NAME_MAX = 256;

/** The letters of a shape, or one empty text when it is no shape: a letter unknown, twice or out of order. */
function lettersOf(s: Server, shape: Bytes): Bytes[] {
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
  return shape.indexOf("ai") < 0 ? letters : [""];
}

/** The name of a bad value, empty when the value suits its letter. */
function badValue(s: Server, letter: Bytes, value: Bytes): Bytes {
  if (letter === "p") return s.int(value, 0, PRIORITY_MAX) ? "" : "priority";
  if (letter === "g") return s.name(value) ? "" : "lane";
  if (letter === "n") return value.length <= NAME_MAX ? "" : "name";
  if (letter === "o") return "";
  return s.int(value, 0, MS_MAX) ? "" : "due";
}

/** The name of the first bad argument from position `from` on, empty when all runs are well formed. */
export function badAdmitRow(s: Server, args: Bytes[], from: number): Bytes {
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
      for (let i = 2; i < width; i += 1) {
        const bad = badValue(s, letters[i - 2], args[row + i]);
        if (bad !== "") return bad;
      }
    }
    at = past;
  }
  return rows > 1 && payload > PAYLOAD_MAX ? "payload" : "";
}
