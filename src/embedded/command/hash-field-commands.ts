/**
 * Commands on the expiry of single fields of a hash.
 *
 * A foreign lock plane marks a row with a field that goes by itself. Servers have these commands since Valkey 9 and
 * Redis 7.4; the forms and answers are theirs.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { bytesAt, integerAt, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { INTEGERS } from "./reply-form.ts";

const MS_A_SECOND = 1000;

/** What a command answers for one field. */
const NO_FIELD = -2;
const NO_EXPIRY = -1;
const NOT_MET = 0;
const DONE = 1;
const DELETED = 2;

/** The commands on the expiry of fields, by name. */
export const HASH_FIELD_COMMANDS: CommandShapes = {
  HEXPIRE: shape(INTEGERS, (keyspace, args) => expire(keyspace, args, { unitMs: MS_A_SECOND, from: keyspace.now })),
  HPEXPIRE: shape(INTEGERS, (keyspace, args) => expire(keyspace, args, { unitMs: 1, from: keyspace.now })),
  HEXPIREAT: shape(INTEGERS, (keyspace, args) => expire(keyspace, args, { unitMs: MS_A_SECOND, from: 0 })),
  HPEXPIREAT: shape(INTEGERS, (keyspace, args) => expire(keyspace, args, { unitMs: 1, from: 0 })),
  HTTL: shape(INTEGERS, (keyspace, args) => lifeLeft(keyspace, args, MS_A_SECOND)),
  HPTTL: shape(INTEGERS, (keyspace, args) => lifeLeft(keyspace, args, 1)),
  HPERSIST: shape(INTEGERS, persist),
};

/** How the instant of a command is counted. */
interface ExpireForm {
  readonly unitMs: number;
  /** Unix milliseconds from which the argument counts. */
  readonly from: number;
}

function expire(keyspace: Keyspace, args: readonly Argument[], form: ExpireForm): Answer {
  const amount = integerAt(args, 1);
  const at = amount * form.unitMs + form.from;
  if (!Number.isSafeInteger(at) || amount < 0) throw new CommandError("ERR invalid expire time, must be >= 0");
  const condition = wordAt(args, 2);
  const hasCondition = condition !== "FIELDS";
  if (hasCondition && !["NX", "XX", "GT", "LT"].includes(condition)) throw unknownArgument();
  const key = bytesAt(args, 0);
  const fields = fieldsFrom(args, hasCondition ? 3 : 2);
  return fields.map((field) => {
    const hash = keyspace.hash(key);
    if (hash?.get(field) === undefined) return NO_FIELD;
    if (hasCondition && !mayExpire(condition, hash.expiryOf(field), at)) return NOT_MET;
    keyspace.undo.fieldExpiry(hash, field, hash.expiryOf(field));
    hash.setExpiry(field, at);
    if (at > keyspace.now) return DONE;
    // Looking at it takes the field away, and the hash when it was the last.
    keyspace.hash(key);
    return DELETED;
  });
}

/** A field that does not expire counts as one that expires after every other. */
function mayExpire(condition: string, old: number | undefined, at: number): boolean {
  if (condition === "NX") return old === undefined;
  if (condition === "LT") return old === undefined || at < old;
  if (condition === "GT") return old !== undefined && at > old;
  return old !== undefined;
}

function lifeLeft(keyspace: Keyspace, args: readonly Argument[], unitMs: number): Answer {
  const hash = keyspace.hash(bytesAt(args, 0));
  return fieldsFrom(args, 1).map((field) => {
    if (hash?.get(field) === undefined) return NO_FIELD;
    const at = hash.expiryOf(field);
    return at === undefined ? NO_EXPIRY : Math.ceil((at - keyspace.now) / unitMs);
  });
}

function persist(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const hash = keyspace.hash(bytesAt(args, 0));
  return fieldsFrom(args, 1).map((field) => {
    if (hash?.get(field) === undefined) return NO_FIELD;
    if (hash.expiryOf(field) === undefined) return NO_EXPIRY;
    keyspace.undo.fieldExpiry(hash, field, hash.expiryOf(field));
    hash.setExpiry(field, undefined);
    return DONE;
  });
}

/** The fields behind `FIELDS <count>` at position `at`. */
function fieldsFrom(args: readonly Argument[], at: number): Bytes[] {
  if (at >= args.length || wordAt(args, at) !== "FIELDS") throw unknownArgument();
  const count = at + 1 < args.length ? integerAt(args, at + 1) : 0;
  const fields = args.slice(at + 2).map((_, index) => bytesAt(args, at + 2 + index));
  if (count < 1) throw new CommandError("ERR Parameter `numFields` should be greater than 0");
  if (count !== fields.length) {
    throw new CommandError("ERR The `numfields` parameter must match the number of arguments");
  }
  return fields;
}

function unknownArgument(): CommandError {
  return new CommandError("ERR Mandatory argument FIELDS is missing or not at the right position");
}
