/**
 * Commands on sorted sets that go by member or take from the ends; `sorted-set-ranges.ts` has those that read a range.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { SortedSetValue } from "../store/sorted-set-value.ts";
import { bytesAt, countAt, refuse, refuseMore, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { emptyStep, scanCursorAt, scanReply } from "./member-scan.ts";
import { type ReplyForm, SCAN_STEP, SCORED } from "./reply-form.ts";
import { digitsText, scoreOf, scoreText } from "./score.ts";

/** Options of `ZADD` as bits of one number. */
const NX = 1;
const XX = 2;
const GT = 4;
const LT = 8;
const CH = 16;
const INCR = 32;

const ZADD_OPTIONS: ReadonlyMap<string, number> = new Map(Object.entries({ NX, XX, GT, LT, CH, INCR }));

const SCORES: ReplyForm = { list: "array", of: "double" };
const RANKED: ReplyForm = { list: "tuple", of: ["integer", "double"] };
const POPPED: ReplyForm = { list: "tuple", of: ["bulk", "double"] };

/** The commands on sorted sets by member and at the ends, by name. */
export const SORTED_SET_COMMANDS: CommandShapes = {
  ZADD: shape(addReply, zadd),
  ZINCRBY: shape("double", zincrby),
  ZREM: shape("integer", zrem),
  ZCARD: shape("integer", (keyspace, args) => keyspace.sortedSet(bytesAt(args, 0))?.size ?? 0),
  ZSCORE: shape("double", (keyspace, args) => memberScore(keyspace.sortedSet(bytesAt(args, 0)), bytesAt(args, 1))),
  ZMSCORE: shape(SCORES, zmscore),
  ZRANK: shape(rankReply, (keyspace, args) => rank(keyspace, args, { name: "zrank", reverse: false })),
  ZREVRANK: shape(rankReply, (keyspace, args) => rank(keyspace, args, { name: "zrevrank", reverse: true })),
  ZSCAN: shape(SCAN_STEP, zscan),
  ZPOPMIN: shape(popReply, (keyspace, args) => pop(keyspace, args, true)),
  ZPOPMAX: shape(popReply, (keyspace, args) => pop(keyspace, args, false)),
};

function addReply(args: readonly Argument[]): ReplyForm {
  for (let at = 1; zaddOption(args, at) !== 0; at++) if (zaddOption(args, at) === INCR) return "double";
  return "integer";
}

function rankReply(args: readonly Argument[]): ReplyForm {
  return args.length === 3 ? RANKED : "integer";
}

/** A list of one pair when a count was given, and that pair alone otherwise. */
function popReply(args: readonly Argument[]): ReplyForm {
  return args.length === 2 ? SCORED : POPPED;
}

/** Takes out a member that has this score, with a record. */
export function removeMember(keyspace: Keyspace, set: SortedSetValue, member: Bytes, score: number): void {
  keyspace.undo.score(set, member, score);
  set.remove(member, score);
}

/** Takes out the first member, which is this one and has this score, with a record and without a search. */
export function removeFirst(keyspace: Keyspace, set: SortedSetValue, member: Bytes, score: number): void {
  keyspace.undo.score(set, member, score);
  set.removeFirst(member);
}

function zadd(keyspace: Keyspace, args: readonly Argument[]): Answer {
  let first = 1;
  let options = 0;
  // A score is the usual second argument, and a number or digits never name an option.
  for (let option = zaddOption(args, first); option !== 0; option = zaddOption(args, first)) {
    options |= option;
    first++;
  }
  checkZadd(options, args.length - first);
  for (let at = first; at < args.length; at += 2) scoreAt(args, at);
  const key = bytesAt(args, 0);
  let set = keyspace.sortedSet(key);
  if (set === undefined) {
    if ((options & XX) !== 0) return (options & INCR) !== 0 ? false : 0;
    set = keyspace.create(key, new SortedSetValue());
  }
  if (set.encoding === "listpack") set.expect((args.length - first) / 2, longestMember(args, first));
  if ((options & INCR) !== 0)
    return addOne(keyspace, set, { member: bytesAt(args, first + 1), by: scoreAt(args, first), options });
  return addMany(keyspace, set, { args, first, options });
}

/** The most bytes of a member in the pairs of score and member from `first` on. */
function longestMember(args: readonly Argument[], first: number): number {
  let memberBytes = 0;
  for (let at = first + 1; at < args.length; at += 2) memberBytes = Math.max(memberBytes, bytesAt(args, at).length);
  return memberBytes;
}

function zaddOption(args: readonly Argument[], at: number): number {
  const argument = args[at];
  if (typeof argument !== "string" || argument.charCodeAt(0) <= 0x39) return 0;
  return ZADD_OPTIONS.get(argument.toUpperCase()) ?? 0;
}

function checkZadd(options: number, rest: number): void {
  if (rest === 0 || rest % 2 !== 0) throw syntaxError();
  if ((options & NX) !== 0 && (options & XX) !== 0) {
    throw new CommandError("ERR XX and NX options at the same time are not compatible");
  }
  const directions = ((options & GT) >> 2) + ((options & LT) >> 3) + (options & NX);
  if (directions > 1) throw new CommandError("ERR GT, LT, and/or NX options at the same time are not compatible");
  if ((options & INCR) !== 0 && rest > 2) {
    throw new CommandError("ERR INCR option supports a single increment-element pair");
  }
}

interface AddMany {
  readonly args: readonly Argument[];
  /** Where the first pair of score and member begins. */
  readonly first: number;
  readonly options: number;
}

function addMany(keyspace: Keyspace, set: SortedSetValue, { args, first, options }: AddMany): number {
  const undo = keyspace.undo;
  let added = 0;
  let changed = 0;
  for (let at = first; at < args.length; at += 2) {
    const member = bytesAt(args, at + 1);
    const score = scoreAt(args, at);
    const old = set.isBeyondAll(score, member) ? undefined : set.scoreOf(member);
    if (!mayStore(options, old, score)) continue;
    undo.score(set, member, old);
    if (old === undefined) {
      set.add(member, score);
      added++;
    } else if (old !== score) {
      set.move(member, old, score);
      changed++;
    }
  }
  return (options & CH) !== 0 ? added + changed : added;
}

function mayStore(options: number, old: number | undefined, score: number): boolean {
  if (options === 0) return true;
  if (old === undefined) return (options & XX) === 0;
  if ((options & NX) !== 0) return false;
  if ((options & GT) !== 0) return score > old;
  if ((options & LT) !== 0) return score < old;
  return true;
}

interface AddOne {
  readonly member: Bytes;
  readonly by: number;
  readonly options: number;
}

function addOne(keyspace: Keyspace, set: SortedSetValue, { member, by, options }: AddOne): Answer {
  const old = set.scoreOf(member);
  // Before the sum: a member that is to stay as it is cannot overflow.
  if (old !== undefined && (options & NX) !== 0) return false;
  const score = old === undefined ? by : old + by;
  if (Number.isNaN(score)) throw new CommandError("ERR resulting score is not a number (NaN)");
  if (!mayStore(options, old, score)) return false;
  keyspace.undo.score(set, member, old);
  if (old === undefined) set.add(member, score);
  else if (old !== score) set.move(member, old, score);
  return scoreText(score);
}

function zincrby(keyspace: Keyspace, args: readonly Argument[]): Answer {
  // To the server it is a `ZADD`, whose options would stand here.
  if (zaddOption(args, 1) !== 0) throw syntaxError();
  const by = scoreAt(args, 1);
  const key = bytesAt(args, 0);
  const set = keyspace.sortedSet(key) ?? keyspace.create(key, new SortedSetValue());
  set.expect(1, longestMember(args, 1));
  return addOne(keyspace, set, { member: bytesAt(args, 2), by, options: 0 });
}

function zrem(keyspace: Keyspace, args: readonly Argument[]): number {
  const key = bytesAt(args, 0);
  const set = keyspace.sortedSet(key);
  if (set === undefined) return 0;
  let removed = 0;
  for (let at = 1; at < args.length; at++) {
    const member = bytesAt(args, at);
    const score = set.scoreOf(member);
    if (score === undefined) continue;
    removeMember(keyspace, set, member, score);
    removed++;
  }
  if (set.size === 0) keyspace.remove(key);
  return removed;
}

function zmscore(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const set = keyspace.sortedSet(bytesAt(args, 0));
  const scores: Answer[] = [];
  for (let at = 1; at < args.length; at++) scores.push(memberScore(set, bytesAt(args, at)));
  return scores;
}

function memberScore(set: SortedSetValue | undefined, member: Bytes): Answer {
  const score = set?.scoreOf(member);
  return score === undefined ? false : scoreText(score);
}

interface RankForm {
  readonly name: string;
  readonly reverse: boolean;
}

function rank(keyspace: Keyspace, args: readonly Argument[], { name, reverse }: RankForm): Answer {
  refuseMore(args, 3, name);
  if (args.length === 3 && wordAt(args, 2) !== "WITHSCORE") throw syntaxError();
  const set = keyspace.sortedSet(bytesAt(args, 0));
  const member = bytesAt(args, 1);
  const score = set?.scoreOf(member);
  if (set === undefined || score === undefined) return false;
  const before = set.rankOf(member, score);
  const place = reverse ? set.size - 1 - before : before;
  return args.length === 3 ? [place, scoreText(score)] : place;
}

function zscan(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const cursor = scanCursorAt(args, 1);
  const set = keyspace.sortedSet(bytesAt(args, 0));
  if (set === undefined) return emptyStep();
  return scanReply(keyspace, args, {
    cursor,
    scanned: "zset",
    value: set,
    size: set.size,
    all: () => set.members(),
    rest: (member) => {
      const score = set.scoreOf(member);
      if (score === undefined) return undefined;
      // The server has two ways to write a score, by how it keeps the set.
      return [set.encoding === "skiplist" ? digitsText(score) : scoreText(score)];
    },
  });
}

function pop(keyspace: Keyspace, args: readonly Argument[], fromFront: boolean): Answer {
  if (args.length > 2) throw syntaxError();
  const count = args.length === 2 ? countAt(args, 1) : 1;
  const key = bytesAt(args, 0);
  const set = keyspace.sortedSet(key);
  const popped: Bytes[] = [];
  if (set === undefined) return popped;
  for (let left = Math.min(count, set.size); left > 0; left--) {
    const { member, score } = fromFront ? set.first() : set.last();
    if (fromFront) removeFirst(keyspace, set, member, score);
    else removeMember(keyspace, set, member, score);
    popped.push(member, scoreText(score));
  }
  if (set.size === 0) keyspace.remove(key);
  return popped;
}

function scoreAt(args: readonly Argument[], at: number): number {
  const argument = args[at] as Argument;
  if (typeof argument === "number") return argument;
  return scoreOf(argument) ?? refuse(new CommandError("ERR value is not a valid float"));
}
