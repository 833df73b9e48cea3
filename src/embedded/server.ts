/**
 * The server as transitions see it, over the embedded store.
 *
 * Every primitive has a twin in `tools/lua/prelude/`. The twins agree on every input but one: `base` refuses the empty
 * queue name here, as the native form does.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { Argument, Command, CommandReply, Server } from "../transition/server.ts";
import type { CommandTable } from "./command/command-table.ts";
import { jsonText } from "./json-text.ts";
import type { Keyspace } from "./store/keyspace.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the three characters that no name may hold.
const BASE = /^emq:\{[^{}\x00]+\}:$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the three characters that no name may hold.
const NAME = /^[^{}\x00]{1,256}$/;

const BRANDED = /^[A-Z]{3}[0-9A-Za-z]{11}$/;
const NAMESPACE_BYTES = 3;
/** The digits of 2^63 - 1. Digits are ordered as their bytes, so ids of one length compare as text. */
const BRANDED_PAYLOAD_MAX = "AzL8n0Y58m7";

/** Digits of the longest integer that the wire carries, 2^53 - 1. */
const INTEGER_DIGITS_MAX = 16;
const ZERO = 0x30;
const MINUS = 0x2d;

/** The server of one engine. It always stands for the act that runs, so it is made once. */
export function createServer(table: CommandTable, keyspace: Keyspace): Server {
  return {
    call: <C extends Command>(command: C, ...args: Argument[]) => {
      const answer = table.run(command, args);
      // As in the server's Lua, whose numbers are doubles.
      return (typeof answer === "bigint" ? Number(answer) : answer) as CommandReply[C];
    },
    num: Number,
    text: String,
    now: () => keyspace.now,
    int: isInteger,
    base: isBase,
    branded: isBranded,
    char: (text, index) => text.charAt(index),
    name: isName,
    holds: (key) => table.run("TYPE", [key]) as Bytes,
    json: jsonText,
    error: (text) => ({ err: text }),
  };
}

function isInteger(text: Bytes, min: number, max: number): boolean {
  const negative = text.charCodeAt(0) === MINUS;
  const start = negative ? 1 : 0;
  const digits = text.length - start;
  if (digits < 1 || digits > INTEGER_DIGITS_MAX) return false;
  let number = 0;
  for (let at = start; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return false;
    number = number * 10 + digit;
  }
  // A leading zero, and the zero that has a sign, are other texts for a number that has one already.
  if (text.charCodeAt(start) === ZERO && text.length > 1) return false;
  const value = negative ? -number : number;
  return value >= min && value <= max;
}

function isBase(text: Bytes): boolean {
  return BASE.test(text);
}

function isName(text: Bytes): boolean {
  return NAME.test(text);
}

function isBranded(text: Bytes): boolean {
  return BRANDED.test(text) && text.slice(NAMESPACE_BYTES) <= BRANDED_PAYLOAD_MAX;
}
