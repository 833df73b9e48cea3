/**
 * Commands on keys of any type, and on the keyspace as a whole.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { bytesAt, integerAt, integerOf, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { matchesGlob } from "./glob.ts";
import { BULKS, SCAN_STEP } from "./reply-form.ts";

const MS_A_SECOND = 1000;

/** How many keys one step of `SCAN` visits unless told otherwise, as in the server. */
const SCAN_COUNT = 10;

interface ScanOptions {
  pattern: Bytes;
  type: string;
  count: number;
}

/** The commands on keys, by name. */
export const KEY_COMMANDS: CommandShapes = {
  DEL: shape("integer", remove),
  UNLINK: shape("integer", remove),
  EXISTS: shape("integer", exists),
  TYPE: shape("status", (keyspace, args) => keyspace.find(bytesAt(args, 0))?.type ?? "none"),
  KEYS: shape(BULKS, keys),
  SCAN: shape(SCAN_STEP, scan),
  DBSIZE: shape("integer", (keyspace) => keyspace.size),
  FLUSHALL: shape("status", flush),
  FLUSHDB: shape("status", flush),
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
  PTTL: shape("integer", (keyspace, args) => lifeLeft(keyspace, bytesAt(args, 0))),
  TTL: shape("integer", ttl),
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
  const cursor = integerOf(args[0] as Argument);
  if (cursor === undefined || cursor < 0) throw new CommandError("ERR invalid cursor");
  const { pattern, type, count } = scanOptions(args);
  const found: Bytes[] = [];
  const next = keyspace.scan(cursor, count, (key, value) => {
    if (pattern !== "*" && !matchesGlob(pattern, key)) return;
    if (type !== "" && value.type !== type) return;
    found.push(key);
  });
  return [String(next), found];
}

function scanOptions(args: readonly Argument[]): ScanOptions {
  const options: ScanOptions = { pattern: "*", type: "", count: SCAN_COUNT };
  for (let at = 1; at < args.length; at += 2) {
    const word = wordAt(args, at);
    if (at + 1 === args.length) throw syntaxError();
    if (word === "MATCH") options.pattern = bytesAt(args, at + 1);
    else if (word === "TYPE") options.type = bytesAt(args, at + 1).toLowerCase();
    else if (word === "COUNT") {
      options.count = integerAt(args, at + 1);
      if (options.count < 1) throw syntaxError();
    } else throw syntaxError();
  }
  return options;
}

function flush(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const mode = wordAt(args, 0);
  if (args.length > 0 && mode !== "SYNC" && mode !== "ASYNC") throw syntaxError();
  keyspace.clear();
  return "OK";
}

interface ExpireForm {
  readonly name: string;
  readonly unitMs: number;
  /** Unix milliseconds from which the argument counts. */
  readonly from: number;
}

function expire(keyspace: Keyspace, args: readonly Argument[], form: ExpireForm): number {
  const condition = expireCondition(args);
  const at = integerAt(args, 1) * form.unitMs + form.from;
  if (!Number.isSafeInteger(at)) throw new CommandError(`ERR invalid expire time in '${form.name}' command`);
  const key = bytesAt(args, 0);
  if (keyspace.find(key) === undefined) return 0;
  if (!mayExpire(condition, keyspace.expiryOf(key), at)) return 0;
  if (at <= keyspace.now) keyspace.remove(key);
  else keyspace.setExpiry(key, at);
  return 1;
}

function expireCondition(args: readonly Argument[]): string {
  if (args.length < 3) return "";
  const word = wordAt(args, 2);
  if (word === "NX" || word === "XX" || word === "GT" || word === "LT") return word;
  throw new CommandError(`ERR Unsupported option ${bytesAt(args, 2)}`);
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
    case "LT":
      return old === undefined || at < old;
    default:
      return true;
  }
}

/** Milliseconds that a key still lives: -1 for ever, -2 when it is not there. */
function lifeLeft(keyspace: Keyspace, key: Bytes): number {
  if (keyspace.find(key) === undefined) return -2;
  const at = keyspace.expiryOf(key);
  return at === undefined ? -1 : at - keyspace.now;
}

function ttl(keyspace: Keyspace, args: readonly Argument[]): number {
  const ms = lifeLeft(keyspace, bytesAt(args, 0));
  return ms < 0 ? ms : Math.floor((ms + MS_A_SECOND / 2) / MS_A_SECOND);
}

function persist(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  if (keyspace.find(key) === undefined || keyspace.expiryOf(key) === undefined) return 0;
  keyspace.setExpiry(key, undefined);
  return 1;
}
