/**
 * Commands on hashes.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError } from "../store/command-error.ts";
import { FLAT_FIELDS_MAX, HashValue } from "../store/hash-value.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { isRowKey } from "../store/row-key.ts";
import { bytesAt, integerOf, refuse, sumOf, wideAt, wrongNumber } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { emptyStep, scanCursorAt, scanReply } from "./member-scan.ts";
import { BULK_MAP, BULKS, SCAN_STEP } from "./reply-form.ts";

/** The commands on hashes, by name. */
export const HASH_COMMANDS: CommandShapes = {
  HSET: shape("integer", (keyspace, args) => hset(keyspace, args, "hset")),
  HMSET: shape("status", hmset),
  HSETNX: shape("integer", hsetnx),
  HGET: shape("bulk", hget),
  HMGET: shape(BULKS, hmget),
  HGETALL: shape(BULK_MAP, (keyspace, args) => keyspace.hash(bytesAt(args, 0))?.entries() ?? []),
  HKEYS: shape(BULKS, (keyspace, args) => everyOther(keyspace, args, 0)),
  HVALS: shape(BULKS, (keyspace, args) => everyOther(keyspace, args, 1)),
  HLEN: shape("integer", (keyspace, args) => keyspace.hash(bytesAt(args, 0))?.size ?? 0),
  HDEL: shape("integer", hdel),
  HSTRLEN: shape("integer", (keyspace, args) => keyspace.hash(bytesAt(args, 0))?.get(bytesAt(args, 1))?.length ?? 0),
  HEXISTS: shape("integer", hexists),
  HINCRBY: shape("integer", hincrby),
  HSCAN: shape(SCAN_STEP, hscan),
};

function hmset(keyspace: Keyspace, args: readonly Argument[]): Answer {
  hset(keyspace, args, "hmset");
  return "OK";
}

function hset(keyspace: Keyspace, args: readonly Argument[], name: string): number {
  if (args.length % 2 === 0) throw wrongNumber(name);
  const key = bytesAt(args, 0);
  const present = keyspace.hash(key);
  if (present === undefined && args.length <= 1 + 2 * FLAT_FIELDS_MAX) {
    const made = HashValue.of(args, 1, isRowKey(key));
    if (made !== undefined) {
      keyspace.create(key, made);
      return made.size;
    }
  }
  const hash = present ?? keyspace.create(key, new HashValue());
  const undo = keyspace.undo;
  let added = 0;
  for (let at = 1; at < args.length; at += 2) {
    const field = bytesAt(args, at);
    const old = hash.get(field);
    if (old === undefined) added++;
    undo.field(hash, field, old);
    hash.set(field, bytesAt(args, at + 1));
  }
  return added;
}

function hsetnx(keyspace: Keyspace, args: readonly Argument[]): number {
  const field = bytesAt(args, 1);
  if (keyspace.hash(bytesAt(args, 0))?.get(field) !== undefined) return 0;
  return hset(keyspace, args, "hsetnx");
}

function hget(keyspace: Keyspace, args: readonly Argument[]): Answer {
  return keyspace.hash(bytesAt(args, 0))?.get(bytesAt(args, 1)) ?? false;
}

function hmget(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const hash = keyspace.hash(bytesAt(args, 0));
  const values: Answer[] = [];
  for (let at = 1; at < args.length; at++) values.push(hash?.get(bytesAt(args, at)) ?? false);
  return values;
}

function everyOther(keyspace: Keyspace, args: readonly Argument[], first: 0 | 1): Answer {
  const entries = keyspace.hash(bytesAt(args, 0))?.entries() ?? [];
  return entries.filter((_, at) => at % 2 === first);
}

function hdel(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  const hash = keyspace.hash(key);
  if (hash === undefined) return 0;
  let removed = 0;
  for (let at = 1; at < args.length; at++) {
    const field = bytesAt(args, at);
    const old = hash.get(field);
    if (old === undefined) continue;
    keyspace.undo.field(hash, field, old);
    hash.delete(field);
    removed++;
  }
  if (hash.size === 0) keyspace.remove(key);
  return removed;
}

function hexists(keyspace: Keyspace, args: readonly Argument[]): number {
  return keyspace.hash(bytesAt(args, 0))?.get(bytesAt(args, 1)) === undefined ? 0 : 1;
}

function hincrby(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const by = wideAt(args, 2);
  const key = bytesAt(args, 0);
  const field = bytesAt(args, 1);
  const old = keyspace.hash(key)?.get(field);
  const number = integerOf(old ?? 0) ?? refuse(new CommandError("ERR hash value is not an integer"));
  const sum = sumOf(number, by);
  const hash = hashForWrite(keyspace, key);
  keyspace.undo.field(hash, field, old);
  const expiry = hash.expiryOf(field);
  hash.set(field, String(sum));
  if (expiry !== undefined) hash.setExpiry(field, expiry);
  return sum;
}

function hscan(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const cursor = scanCursorAt(args, 1);
  const hash = keyspace.hash(bytesAt(args, 0));
  if (hash === undefined) return emptyStep();
  return scanReply(keyspace, args, {
    cursor,
    scanned: "hash",
    value: hash,
    size: hash.size,
    all: () => hash.entries().filter((_, at) => at % 2 === 0),
    rest: (field) => {
      const value = hash.get(field);
      return value === undefined ? undefined : [value];
    },
  });
}

function hashForWrite(keyspace: Keyspace, key: Bytes): HashValue {
  return keyspace.hash(key) ?? keyspace.create(key, new HashValue());
}
