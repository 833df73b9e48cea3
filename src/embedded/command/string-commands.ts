/**
 * Commands on strings.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, notAnInteger, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { StringValue } from "../store/string-value.ts";
import { bytesAt, integerAt, integerOf, refuse, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import type { ReplyForm } from "./reply-form.ts";

interface SetOptions {
  condition: "" | "NX" | "XX";
  get: boolean;
  keepExpiry: boolean;
  /** Unix milliseconds; `undefined` means that the key does not expire. */
  expiresAt: number | undefined;
}

/** The commands on strings, by name. */
export const STRING_COMMANDS: CommandShapes = {
  GET: shape("bulk", (keyspace, args) => textOf(keyspace, bytesAt(args, 0))),
  GETDEL: shape("bulk", getdel),
  SET: shape(setReply, set),
  INCR: shape("integer", (keyspace, args) => increment(keyspace, bytesAt(args, 0), 1)),
  DECR: shape("integer", (keyspace, args) => increment(keyspace, bytesAt(args, 0), -1)),
  INCRBY: shape("integer", (keyspace, args) => increment(keyspace, bytesAt(args, 0), integerAt(args, 1))),
  DECRBY: shape("integer", (keyspace, args) => increment(keyspace, bytesAt(args, 0), -integerAt(args, 1))),
};

/** With `GET` the reply is the old value. */
function setReply(args: readonly Argument[]): ReplyForm {
  for (let at = 2; at < args.length; at++) if (wordAt(args, at) === "GET") return "bulk";
  return "status";
}

/** The sum of an integer and an increment. @throws CommandError when it is beyond what can be counted exactly. */
export function sumOf(number: number, by: number): number {
  const sum = number + by;
  if (!Number.isSafeInteger(sum)) throw new CommandError("ERR increment or decrement would overflow");
  return sum;
}

function textOf(keyspace: Keyspace, key: Bytes): Bytes | false {
  const value = keyspace.string(key);
  return value === undefined ? false : value.text;
}

function getdel(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const key = bytesAt(args, 0);
  const text = textOf(keyspace, key);
  keyspace.remove(key);
  return text;
}

function set(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const options = setOptions(keyspace, args);
  const key = bytesAt(args, 0);
  const old = options.get ? textOf(keyspace, key) : false;
  const exists = keyspace.find(key) !== undefined;
  if (options.condition !== "" && exists !== (options.condition === "XX")) return old;
  const { expiresAt, keepExpiry } = options;
  keyspace.put(key, new StringValue(bytesAt(args, 1)), keepExpiry);
  if (expiresAt !== undefined) {
    if (expiresAt <= keyspace.now) keyspace.remove(key);
    else keyspace.setExpiry(key, expiresAt);
  }
  return options.get ? old : "OK";
}

function setOptions(keyspace: Keyspace, args: readonly Argument[]): SetOptions {
  const options: SetOptions = { condition: "", get: false, keepExpiry: false, expiresAt: undefined };
  let expiry: { readonly unit: string; readonly value: Argument } | undefined;
  for (let at = 2; at < args.length; at++) {
    const word = wordAt(args, at);
    if (word === "NX" || word === "XX") {
      if (options.condition !== "" && options.condition !== word) throw syntaxError();
      options.condition = word;
    } else if (word === "GET") options.get = true;
    else if (word === "KEEPTTL" && expiry === undefined) options.keepExpiry = true;
    else if (isExpiryUnit(word) && at + 1 < args.length && expiry === undefined && !options.keepExpiry) {
      expiry = { unit: word, value: args[++at] as Argument };
    } else throw syntaxError();
  }
  if (expiry !== undefined) options.expiresAt = instantOf(keyspace, expiry.unit, expiry.value);
  return options;
}

function isExpiryUnit(word: string): boolean {
  return word === "EX" || word === "PX" || word === "EXAT" || word === "PXAT";
}

function instantOf(keyspace: Keyspace, unit: string, value: Argument): number {
  const number = integerOf(value) ?? refuse(notAnInteger());
  const ms = unit.startsWith("EX") ? number * 1000 : number;
  const at = unit.endsWith("AT") ? ms : keyspace.now + ms;
  if (number <= 0 || !Number.isSafeInteger(at)) throw new CommandError("ERR invalid expire time in 'set' command");
  return at;
}

function increment(keyspace: Keyspace, key: Bytes, by: number): number {
  const value = keyspace.string(key);
  const number = value === undefined ? 0 : (integerOf(value.text) ?? refuse(notAnInteger()));
  const sum = sumOf(number, by);
  keyspace.put(key, new StringValue(String(sum)), true);
  return sum;
}
