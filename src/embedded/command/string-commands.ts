/**
 * Commands on strings.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, notAnInteger, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { StringValue } from "../store/string-value.ts";
import type { Whole } from "../store/whole.ts";
import { bytesAt, integerAt, integerOf, refuse, sumOf, wideAt, wordAt, wrongNumber } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { BULKS, type ReplyForm } from "./reply-form.ts";

/** The longest string of the engine, a few bytes short of the server's 512 MiB: no text of JavaScript is longer. */
const TEXT_BYTES_MAX = 2 ** 29 - 24;

const NUL = "\0";

type ExpiryUnit = "EX" | "PX" | "EXAT" | "PXAT";

/** Options of `SET` and `GETEX`. */
interface StringOptions {
  condition: "" | "NX" | "XX";
  get: boolean;
  keepExpiry: boolean;
  persist: boolean;
  expiry: { readonly unit: ExpiryUnit; readonly value: Argument } | undefined;
}

/** The commands on strings, by name. */
export const STRING_COMMANDS: CommandShapes = {
  GET: shape("bulk", (keyspace, args) => textOf(keyspace, bytesAt(args, 0))),
  GETDEL: shape("bulk", getdel),
  GETSET: shape("bulk", getset),
  GETEX: shape("bulk", getex),
  SET: shape(setReply, set),
  SETNX: shape("integer", setnx),
  SETEX: shape("status", (keyspace, args) => setWithExpiry(keyspace, args, { name: "setex", unit: "EX" })),
  PSETEX: shape("status", (keyspace, args) => setWithExpiry(keyspace, args, { name: "psetex", unit: "PX" })),
  MGET: shape(BULKS, mget),
  MSET: shape("status", mset),
  MSETNX: shape("integer", msetnx),
  APPEND: shape("integer", append),
  STRLEN: shape("integer", (keyspace, args) => keyspace.string(bytesAt(args, 0))?.text.length ?? 0),
  GETRANGE: shape("bulk", getrange),
  SUBSTR: shape("bulk", getrange),
  SETRANGE: shape("integer", setrange),
  INCR: shape("integer", (keyspace, args) => increment(keyspace, bytesAt(args, 0), 1)),
  DECR: shape("integer", (keyspace, args) => increment(keyspace, bytesAt(args, 0), -1)),
  INCRBY: shape("integer", (keyspace, args) => increment(keyspace, bytesAt(args, 0), wideAt(args, 1))),
  DECRBY: shape("integer", (keyspace, args) => increment(keyspace, bytesAt(args, 0), negated(wideAt(args, 1)))),
};

/** With `GET` the reply is the old value. The word may also stand where a time should, and then means nothing. */
function setReply(args: readonly Argument[]): ReplyForm {
  for (let at = 2; at < args.length; at++) {
    const word = wordAt(args, at);
    if (word === "GET") return "bulk";
    if (isExpiryUnit(word)) at++;
  }
  return "status";
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

function getset(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const key = bytesAt(args, 0);
  const old = textOf(keyspace, key);
  keyspace.put(key, new StringValue(bytesAt(args, 1)));
  return old;
}

function getex(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { persist, expiry } = stringOptions(args, 1, false);
  const key = bytesAt(args, 0);
  const text = textOf(keyspace, key);
  if (text === false) return false;
  if (expiry !== undefined) {
    const at = instantOf(keyspace, expiry.value, { name: "getex", unit: expiry.unit });
    if (at <= keyspace.now) keyspace.remove(key);
    else keyspace.setExpiry(key, at);
  } else if (persist && keyspace.expiryOf(key) !== undefined) keyspace.setExpiry(key, undefined);
  return text;
}

function set(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const options = stringOptions(args, 2, true);
  const { expiry, condition } = options;
  const expiresAt =
    expiry === undefined ? undefined : instantOf(keyspace, expiry.value, { name: "set", unit: expiry.unit });
  const key = bytesAt(args, 0);
  const old = options.get ? textOf(keyspace, key) : false;
  const exists = keyspace.find(key) !== undefined;
  if (condition !== "" && exists !== (condition === "XX")) return old;
  keyspace.put(key, new StringValue(bytesAt(args, 1)), options.keepExpiry);
  if (expiresAt !== undefined) {
    if (expiresAt <= keyspace.now) keyspace.remove(key);
    else keyspace.setExpiry(key, expiresAt);
  }
  return options.get ? old : "OK";
}

function setnx(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  if (keyspace.find(key) !== undefined) return 0;
  keyspace.put(key, new StringValue(bytesAt(args, 1)));
  return 1;
}

function setWithExpiry(keyspace: Keyspace, args: readonly Argument[], form: ExpiryForm): Answer {
  const at = instantOf(keyspace, args[1] as Argument, form);
  const key = bytesAt(args, 0);
  keyspace.put(key, new StringValue(bytesAt(args, 2)));
  keyspace.setExpiry(key, at);
  return "OK";
}

function stringOptions(args: readonly Argument[], first: number, forSet: boolean): StringOptions {
  const options: StringOptions = { condition: "", get: false, keepExpiry: false, persist: false, expiry: undefined };
  for (let at = first; at < args.length; at++) {
    const word = wordAt(args, at);
    if (forSet && (word === "NX" || word === "XX") && (options.condition === "" || options.condition === word)) {
      options.condition = word;
    } else if (forSet && word === "GET") options.get = true;
    else if (forSet && word === "KEEPTTL" && options.expiry === undefined) options.keepExpiry = true;
    else if (!forSet && word === "PERSIST" && options.expiry === undefined) options.persist = true;
    else if (isExpiryUnit(word) && at + 1 < args.length && mayExpire(options, word)) {
      options.expiry = { unit: word, value: args[++at] as Argument };
    } else throw syntaxError();
  }
  return options;
}

/** The same unit may come again, and the last one counts. */
function mayExpire({ keepExpiry, persist, expiry }: StringOptions, unit: ExpiryUnit): boolean {
  return !keepExpiry && !persist && (expiry === undefined || expiry.unit === unit);
}

function isExpiryUnit(word: string): word is ExpiryUnit {
  return word === "EX" || word === "PX" || word === "EXAT" || word === "PXAT";
}

/** How an instant is given to which command. */
interface ExpiryForm {
  readonly name: string;
  readonly unit: ExpiryUnit;
}

function instantOf(keyspace: Keyspace, value: Argument, { name, unit }: ExpiryForm): number {
  const number = Number(integerOf(value) ?? refuse(notAnInteger()));
  const ms = unit.startsWith("EX") ? number * 1000 : number;
  const at = unit.endsWith("AT") ? ms : keyspace.now + ms;
  if (number <= 0 || !Number.isSafeInteger(at)) throw new CommandError(`ERR invalid expire time in '${name}' command`);
  return at;
}

function mget(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const texts: Answer[] = [];
  for (let at = 0; at < args.length; at++) {
    const value = keyspace.find(bytesAt(args, at));
    texts.push(value instanceof StringValue ? value.text : false);
  }
  return texts;
}

function mset(keyspace: Keyspace, args: readonly Argument[]): Answer {
  if (args.length % 2 === 1) throw wrongNumber("mset");
  putAll(keyspace, args);
  return "OK";
}

function msetnx(keyspace: Keyspace, args: readonly Argument[]): number {
  if (args.length % 2 === 1) throw wrongNumber("msetnx");
  for (let at = 0; at < args.length; at += 2) if (keyspace.find(bytesAt(args, at)) !== undefined) return 0;
  putAll(keyspace, args);
  return 1;
}

function putAll(keyspace: Keyspace, args: readonly Argument[]): void {
  for (let at = 0; at < args.length; at += 2) keyspace.put(bytesAt(args, at), new StringValue(bytesAt(args, at + 1)));
}

function append(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  const old = keyspace.string(key);
  const text = bytesAt(args, 1);
  checkLength((old?.text.length ?? 0) + text.length);
  const value = old === undefined ? new StringValue(text) : new StringValue(old.text + text, true);
  keyspace.put(key, value, true);
  return value.text.length;
}

function getrange(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const [start, end] = [wideAt(args, 1), wideAt(args, 2)];
  const text = textOf(keyspace, bytesAt(args, 0));
  if (text === false || (start < 0 && end < 0 && start > end)) return "";
  const { length } = text;
  const [first, last] = [Number(start), Number(end)];
  const from = Math.max(0, first < 0 ? length + first : first);
  const to = Math.min(length - 1, Math.max(0, last < 0 ? length + last : last));
  return text.slice(from, to + 1);
}

function setrange(keyspace: Keyspace, args: readonly Argument[]): number {
  const offset = integerAt(args, 1);
  if (offset < 0) throw new CommandError("ERR offset is out of range");
  const key = bytesAt(args, 0);
  const old = textOf(keyspace, key) || "";
  const text = bytesAt(args, 2);
  if (text === "") return old.length;
  checkLength(offset + text.length);
  const before = old.slice(0, offset);
  const gap = NUL.repeat(offset - before.length);
  const value = new StringValue(before + gap + text + old.slice(offset + text.length), true);
  keyspace.put(key, value, true);
  return value.text.length;
}

function checkLength(bytes: number): void {
  if (bytes > TEXT_BYTES_MAX) throw new CommandError("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
}

function negated(by: Whole): Whole {
  if (typeof by === "number") return -by;
  if (-by > 2n ** 63n - 1n) throw new CommandError("ERR decrement would overflow");
  return -by;
}

function increment(keyspace: Keyspace, key: Bytes, by: Whole): Whole {
  const value = keyspace.string(key);
  const number = value === undefined ? 0 : (integerOf(value.text) ?? refuse(notAnInteger()));
  const sum = sumOf(number, by);
  keyspace.put(key, new StringValue(String(sum)), true);
  return sum;
}
