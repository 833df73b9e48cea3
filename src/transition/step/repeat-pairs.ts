/**
 * The pairs of `REPEAT`: what the jobs of a repeat have, and what the repeat itself has.
 *
 * The words of jobs stand for the letters of `ADMIT`, in its order, so the row that a repeat makes again and again is
 * judged once, by the very rules of admission, when the repeat is registered.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { badAdmitRow } from "./admit-rows.ts";
import { NUMBER_MAX } from "./bound.ts";

/** Arguments before the pairs, and the place of the template among them. */
const FIXED = 5;
const TEMPLATE_AT = 3;

/** Every word in its order, each between blanks. */
const WORDS =
  " name priority group opts due_in dedup mode dedup_ms max_wait_ms lane_limit expire_ms cost limit until overlap rule policy ";

/** The words that say what a slot means while the job of the one before lives. */
const OVERLAPS = " allow skip queue ";

/** Bytes of `rule` and of `policy`, at most. */
const RULE_BYTES_MAX = 4096;

/** The letter of `ADMIT` that a word stands for, empty for a word of the repeat itself. */
export function letterOf(word: Bytes): Bytes {
  if (word === "name") return "n";
  if (word === "priority") return "p";
  if (word === "group") return "g";
  if (word === "opts") return "o";
  if (word === "due_in") return "i";
  if (word === "dedup") return "d";
  if (word === "mode") return "m";
  if (word === "dedup_ms") return "t";
  if (word === "max_wait_ms") return "w";
  if (word === "lane_limit") return "l";
  if (word === "expire_ms") return "x";
  return word === "cost" ? "c" : "";
}

/** Whether a value suits a word of the repeat itself. */
function isOwnValue(s: Server, word: Bytes, value: Bytes): boolean {
  if (word === "limit") return s.int(value, 1, NUMBER_MAX);
  if (word === "until") return s.int(value, 0, NUMBER_MAX);
  if (word === "overlap") return value !== "" && value.indexOf(" ") < 0 && OVERLAPS.indexOf(` ${value} `) >= 0;
  return value.length <= RULE_BYTES_MAX;
}

/** Whether options are an object, as far as its braces tell: the acts put the slot in at its beginning. */
function isObject(s: Server, opts: Bytes): boolean {
  return s.char(opts, 0) === "{" && s.char(opts, opts.length - 1) === "}";
}

/** The name of the first bad argument from position `from` on, empty when all pairs are well formed. */
export function badRepeat(s: Server, args: Bytes[], from: number): Bytes {
  const stop = args.length;
  const values: Bytes[] = [];
  let shape = "";
  let last = -1;
  let isQueued = false;
  let at = from;
  while (at < stop) {
    const word = args[at];
    const place = word === "" || word.indexOf(" ") >= 0 ? -1 : WORDS.indexOf(` ${word} `);
    if (place <= last) return "word";
    if (at + 1 >= stop) return "value";
    last = place;
    const letter = letterOf(word);
    const value = args[at + 1];
    if (letter !== "") {
      shape = `${shape}${letter}`;
      values[values.length] = value;
      if (letter === "o" && !isObject(s, value)) return "opts";
    } else if (!isOwnValue(s, word, value)) return word;
    if (word === "overlap" && value === "queue") isQueued = true;
    at += 2;
  }
  if (isQueued && shape.indexOf("g") < 0) return "group";
  const row: Bytes[] = [shape, "1", "", args[TEMPLATE_AT]];
  for (const value of values) row[row.length] = value;
  return badAdmitRow(s, row, 0);
}

/** The value of a word among the pairs of a call, `false` where there is none. */
export function pairOf(args: Bytes[], word: Bytes): Bytes | false {
  const stop = args.length;
  for (let i = FIXED; i < stop; i += 2) if (args[i] === word) return args[i + 1];
  return false;
}
