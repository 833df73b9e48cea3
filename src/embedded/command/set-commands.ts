/**
 * Commands on sets.
 */

import type { Argument } from "../../transition/server.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { SetValue } from "../store/set-value.ts";
import { bytesAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { scanMembers } from "./member-scan.ts";
import { BULK_SET, INTEGERS, SCAN_STEP } from "./reply-form.ts";

/** The commands on sets, by name. */
export const SET_COMMANDS: CommandShapes = {
  SADD: shape("integer", sadd),
  SREM: shape("integer", srem),
  SISMEMBER: shape("integer", (keyspace, args) => isMember(keyspace.set(bytesAt(args, 0)), args, 1)),
  SMISMEMBER: shape(INTEGERS, smismember),
  SMEMBERS: shape(BULK_SET, (keyspace, args) => [...(keyspace.set(bytesAt(args, 0))?.members ?? [])]),
  SCARD: shape("integer", (keyspace, args) => keyspace.set(bytesAt(args, 0))?.members.size ?? 0),
  SSCAN: shape(SCAN_STEP, sscan),
};

function sadd(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  const set = keyspace.set(key) ?? keyspace.create(key, new SetValue());
  let added = 0;
  for (let at = 1; at < args.length; at++) {
    const member = bytesAt(args, at);
    if (set.members.has(member)) continue;
    keyspace.undo.member(set, member, 0);
    set.members.add(member);
    added++;
  }
  return added;
}

function srem(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  const set = keyspace.set(key);
  if (set === undefined) return 0;
  let removed = 0;
  for (let at = 1; at < args.length; at++) {
    const member = bytesAt(args, at);
    if (!set.members.has(member)) continue;
    keyspace.undo.member(set, member, 1);
    set.members.delete(member);
    removed++;
  }
  if (set.members.size === 0) keyspace.remove(key);
  return removed;
}

function smismember(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const set = keyspace.set(bytesAt(args, 0));
  const answers: Answer[] = [];
  for (let at = 1; at < args.length; at++) answers.push(isMember(set, args, at));
  return answers;
}

function sscan(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { next, members } = scanMembers([...(keyspace.set(bytesAt(args, 0))?.members ?? [])], args);
  return [String(next), [...members]];
}

function isMember(set: SetValue | undefined, args: readonly Argument[], at: number): 0 | 1 {
  return set?.members.has(bytesAt(args, at)) ? 1 : 0;
}
