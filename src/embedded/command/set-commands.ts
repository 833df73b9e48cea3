/**
 * Commands on sets.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { wrongType } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { SetValue } from "../store/set-value.ts";
import { bytesAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { emptyStep, scanCursorAt, scanReply } from "./member-scan.ts";
import { BULK_SET, INTEGERS, SCAN_STEP } from "./reply-form.ts";

/** The commands on sets, by name. */
export const SET_COMMANDS: CommandShapes = {
  SADD: shape("integer", sadd),
  SREM: shape("integer", srem),
  SMOVE: shape("integer", smove),
  SISMEMBER: shape("integer", (keyspace, args) => isMember(keyspace.set(bytesAt(args, 0)), args, 1)),
  SMISMEMBER: shape(INTEGERS, smismember),
  SMEMBERS: shape(BULK_SET, (keyspace, args) => keyspace.set(bytesAt(args, 0))?.list() ?? []),
  SCARD: shape("integer", (keyspace, args) => keyspace.set(bytesAt(args, 0))?.size ?? 0),
  SSCAN: shape(SCAN_STEP, sscan),
};

function sadd(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  const set = keyspace.set(key) ?? keyspace.create(key, new SetValue(args.length - 1));
  let added = 0;
  for (let at = 1; at < args.length; at++) if (addMember(keyspace, set, bytesAt(args, at))) added++;
  return added;
}

function srem(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  const set = keyspace.set(key);
  if (set === undefined) return 0;
  let removed = 0;
  for (let at = 1; at < args.length; at++) if (removeMember(keyspace, set, bytesAt(args, at))) removed++;
  if (set.size === 0) keyspace.remove(key);
  return removed;
}

function smove(keyspace: Keyspace, args: readonly Argument[]): number {
  const source = bytesAt(args, 0);
  const target = bytesAt(args, 1);
  const member = bytesAt(args, 2);
  const value = keyspace.find(target);
  if (keyspace.find(source) === undefined) return 0;
  const from = keyspace.set(source) as SetValue;
  if (value !== undefined && !(value instanceof SetValue)) throw wrongType();
  if (from === value || !from.has(member)) return from.has(member) ? 1 : 0;
  removeMember(keyspace, from, member);
  if (from.size === 0) keyspace.remove(source);
  addMember(keyspace, value ?? keyspace.create(target, new SetValue()), member);
  return 1;
}

function addMember(keyspace: Keyspace, set: SetValue, member: Bytes): boolean {
  if (set.has(member)) return false;
  keyspace.undo.member(set, member, 0);
  return set.add(member);
}

function removeMember(keyspace: Keyspace, set: SetValue, member: Bytes): boolean {
  if (!set.has(member)) return false;
  keyspace.undo.member(set, member, 1);
  return set.delete(member);
}

function smismember(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const set = keyspace.set(bytesAt(args, 0));
  const answers: Answer[] = [];
  for (let at = 1; at < args.length; at++) answers.push(isMember(set, args, at));
  return answers;
}

function sscan(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const cursor = scanCursorAt(args, 1);
  const set = keyspace.set(bytesAt(args, 0));
  if (set === undefined) return emptyStep();
  return scanReply(keyspace, args, {
    cursor,
    scanned: "set",
    value: set,
    size: set.size,
    all: () => set.list(),
    rest: (member) => (set.has(member) ? [] : undefined),
  });
}

function isMember(set: SetValue | undefined, args: readonly Argument[], at: number): 0 | 1 {
  return set?.has(bytesAt(args, at)) ? 1 : 0;
}
