/**
 * Commands on keys of any type, and on the keyspace as a whole.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { ListValue } from "../store/list-value.ts";
import { StreamValue } from "../store/stream-value.ts";
import type { Value } from "../store/value.ts";
import { bytesAt, integerAt, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { matchesGlob } from "./glob.ts";
import { scanCursorAt, scanOptions } from "./member-scan.ts";
import { BULKS, SCAN_STEP } from "./reply-form.ts";

const MS_A_SECOND = 1000;

const DATABASE_MAX = 2 ** 31 - 1;

/** The commands on keys, by name. */
export const KEY_COMMANDS: CommandShapes = {
  DEL: shape("integer", remove),
  UNLINK: shape("integer", remove),
  EXISTS: shape("integer", exists),
  TOUCH: shape("integer", exists),
  TYPE: shape("status", (keyspace, args) => keyspace.find(bytesAt(args, 0))?.type ?? "none"),
  "OBJECT|ENCODING": shape("bulk", (keyspace, args) => keyspace.find(bytesAt(args, 1))?.encoding ?? false),
  KEYS: shape(BULKS, keys),
  SCAN: shape(SCAN_STEP, scan),
  DBSIZE: shape("integer", (keyspace) => keyspace.size),
  FLUSHALL: shape("status", flush),
  FLUSHDB: shape("status", flush),
  RENAME: shape("status", (keyspace, args) => {
    rename(keyspace, args, false);
    return "OK";
  }),
  RENAMENX: shape("integer", (keyspace, args) => (rename(keyspace, args, true) ? 1 : 0)),
  COPY: shape("integer", copy),
  EXPIRE: shape("integer", (keyspace, args) =>
    expire(keyspace, args, { name: "expire", unitMs: MS_A_SECOND, from: keyspace.now }),
  ),
  PEXPIRE: shape("integer", (keyspace, args) =>
    expire(keyspace, args, { name: "pexpire", unitMs: 1, from: keyspace.now }),
  ),
  EXPIREAT: shape("integer", (keyspace, args) =>
    expire(keyspace, args, { name: "expireat", unitMs: MS_A_SECOND, from: 0 }),
  ),
  PEXPIREAT: shape("integer", (keyspace, args) => expire(keyspace, args, { name: "pexpireat", unitMs: 1, from: 0 })),
  PTTL: shape("integer", (keyspace, args) => lifeLeft(keyspace, bytesAt(args, 0), keyspace.now)),
  TTL: shape("integer", (keyspace, args) => inSeconds(lifeLeft(keyspace, bytesAt(args, 0), keyspace.now))),
  PEXPIRETIME: shape("integer", (keyspace, args) => lifeLeft(keyspace, bytesAt(args, 0), 0)),
  EXPIRETIME: shape("integer", (keyspace, args) => inSeconds(lifeLeft(keyspace, bytesAt(args, 0), 0))),
  PERSIST: shape("integer", persist),
};

function remove(keyspace: Keyspace, args: readonly Argument[]): number {
  let removed = 0;
  for (let at = 0; at < args.length; at++) {
    if (keyspace.remove(bytesAt(args, at))) removed++;
  }
  return removed;
}

function exists(keyspace: Keyspace, args: readonly Argument[]): number {
  let found = 0;
  for (let at = 0; at < args.length; at++) {
    if (keyspace.find(bytesAt(args, at)) !== undefined) found++;
  }
  return found;
}

function keys(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const pattern = bytesAt(args, 0);
  const found: Bytes[] = [];
  for (const [key] of keyspace.entries()) {
    if (pattern === "*" || matchesGlob(pattern, key)) found.push(key);
  }
  return found;
}

function scan(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const cursor = scanCursorAt(args, 0);
  const { pattern, type, count } = scanOptions(args, 1, "keys");
  const found: Bytes[] = [];
  const next = keyspace.scan(cursor, count, (key, value) => {
    if (pattern !== "*" && !matchesGlob(pattern, key)) return;
    if (type !== "" && value.type !== type) return;
    found.push(key);
  });
  return [String(next), found];
}

function flush(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const mode = wordAt(args, 0);
  if (args.length > 1 || (args.length === 1 && mode !== "SYNC" && mode !== "ASYNC")) throw syntaxError();
  keyspace.clear();
  return "OK";
}

/** Gives a key another name; `false` when `onlyNew` is set and the name is taken. */
function rename(keyspace: Keyspace, args: readonly Argument[], onlyNew: boolean): boolean {
  const from = bytesAt(args, 0);
  const to = bytesAt(args, 1);
  const value = keyspace.find(from);
  if (value === undefined) throw new CommandError("ERR no such key");
  if (from === to) return !onlyNew;
  if (onlyNew && keyspace.find(to) !== undefined) return false;
  keyspace.rename(from, to);
  tell(keyspace, to, value);
  return true;
}

function copy(keyspace: Keyspace, args: readonly Argument[]): number {
  const isReplacing = copyOptions(args);
  const from = bytesAt(args, 0);
  const to = bytesAt(args, 1);
  if (from === to) throw new CommandError("ERR source and destination objects are the same");
  const value = keyspace.find(from);
  if (value === undefined) return 0;
  if (keyspace.find(to) !== undefined) {
    if (!isReplacing) return 0;
    keyspace.remove(to);
  }
  const made = keyspace.create(to, value.copy());
  const at = keyspace.expiryOf(from);
  if (at !== undefined) keyspace.setExpiry(to, at);
  tell(keyspace, to, made);
  return 1;
}

/** Whether a key that is there may be replaced. */
function copyOptions(args: readonly Argument[]): boolean {
  let isReplacing = false;
  for (let at = 2; at < args.length; at++) {
    const word = wordAt(args, at);
    if (word === "REPLACE") isReplacing = true;
    else if (word === "DB" && at + 1 < args.length) checkDatabaseAt(args, ++at);
    else throw syntaxError();
  }
  return isReplacing;
}

/** Refuses any number of a database but 0, the only one. @throws CommandError */
export function checkDatabaseAt(args: readonly Argument[], at: number): void {
  const index = integerAt(args, at);
  if (index > DATABASE_MAX || index < -DATABASE_MAX - 1) {
    const range = `${-DATABASE_MAX - 1} and ${DATABASE_MAX}`;
    throw new CommandError(`ERR value is out of range, value must between ${range}`);
  }
  if (index !== 0) throw new CommandError("ERR DB index is out of range");
}

/** A value that comes under a name may be what somebody waits for there. */
function tell(keyspace: Keyspace, key: Bytes, value: Value): void {
  if (value instanceof ListValue) keyspace.pushed(key, value);
  else if (value instanceof StreamValue) keyspace.appended(key);
}

interface ExpireForm {
  readonly name: string;
  readonly unitMs: number;
  /** Unix milliseconds from which the argument counts. */
  readonly from: number;
}

function expire(keyspace: Keyspace, args: readonly Argument[], form: ExpireForm): number {
  const conditions = expireConditions(args);
  const at = integerAt(args, 1) * form.unitMs + form.from;
  // Further instants than 2^53 are refused, where the server goes to 2^63; both lie beyond every calendar.
  if (!Number.isSafeInteger(at)) throw new CommandError(`ERR invalid expire time in '${form.name}' command`);
  const key = bytesAt(args, 0);
  if (keyspace.find(key) === undefined) return 0;
  const old = keyspace.expiryOf(key);
  for (const condition of conditions) if (!mayExpire(condition, old, at)) return 0;
  if (at <= keyspace.now) keyspace.remove(key);
  else keyspace.setExpiry(key, at);
  return 1;
}

function expireConditions(args: readonly Argument[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (let at = 2; at < args.length; at++) {
    const word = wordAt(args, at);
    if (word !== "NX" && word !== "XX" && word !== "GT" && word !== "LT") {
      throw new CommandError(`ERR Unsupported option ${bytesAt(args, at).split("\0", 1)[0]}`);
    }
    words.add(word);
  }
  if (words.has("NX") && words.size > 1) {
    throw new CommandError("ERR NX and XX, GT or LT options at the same time are not compatible");
  }
  if (words.has("GT") && words.has("LT")) {
    throw new CommandError("ERR GT and LT options at the same time are not compatible");
  }
  return words;
}

/** A key that does not expire counts as one that expires after every other. */
function mayExpire(condition: string, old: number | undefined, at: number): boolean {
  switch (condition) {
    case "NX":
      return old === undefined;
    case "XX":
      return old !== undefined;
    case "GT":
      return old !== undefined && at > old;
    default:
      return old === undefined || at < old;
  }
}

/** Milliseconds from an instant to a key's end: -1 when it has none, -2 when the key is not there. */
function lifeLeft(keyspace: Keyspace, key: Bytes, from: number): number {
  if (keyspace.find(key) === undefined) return -2;
  const at = keyspace.expiryOf(key);
  return at === undefined ? -1 : at - from;
}

function inSeconds(ms: number): number {
  return ms < 0 ? ms : Math.floor((ms + MS_A_SECOND / 2) / MS_A_SECOND);
}

function persist(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  if (keyspace.find(key) === undefined || keyspace.expiryOf(key) === undefined) return 0;
  keyspace.setExpiry(key, undefined);
  return 1;
}
