/**
 * Commands on lists.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { ListValue } from "../store/list-value.ts";
import { INTEGER_MAX, INTEGER_MIN } from "../store/whole.ts";
import { bytesAt, countAt, integerAt, integerOf, refuseMore, wideAt, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { BULKS, INTEGERS, type ReplyForm } from "./reply-form.ts";

const RANK_ZERO =
  "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... " +
  "or use negative to start from the end of the list";

/**
 * Up to so many items that one call takes out are put back one by one when it is taken back; else the whole list is.
 */
const ITEMS_PUT_BACK_MAX = 64;

/** The commands on lists, by name. */
export const LIST_COMMANDS: CommandShapes = {
  LPUSH: shape("integer", (keyspace, args) => push(keyspace, args, true)),
  RPUSH: shape("integer", (keyspace, args) => push(keyspace, args, false)),
  LPUSHX: shape("integer", (keyspace, args) => pushPresent(keyspace, args, true)),
  RPUSHX: shape("integer", (keyspace, args) => pushPresent(keyspace, args, false)),
  LPOP: shape(popReply, (keyspace, args) => pop(keyspace, args, { name: "lpop", atHead: true })),
  RPOP: shape(popReply, (keyspace, args) => pop(keyspace, args, { name: "rpop", atHead: false })),
  LLEN: shape("integer", (keyspace, args) => keyspace.list(bytesAt(args, 0))?.length ?? 0),
  LRANGE: shape(BULKS, lrange),
  LINDEX: shape("bulk", lindex),
  LSET: shape("status", lset),
  LREM: shape("integer", lrem),
  LTRIM: shape("status", ltrim),
  LINSERT: shape("integer", linsert),
  RPOPLPUSH: shape("bulk", (keyspace, args) => move(keyspace, args, { fromHead: false, toHead: true })),
  LMOVE: shape("bulk", lmove),
  LPOS: shape(positionReply, lpos),
};

function popReply(args: readonly Argument[]): ReplyForm {
  return args.length === 2 ? BULKS : "bulk";
}

function positionReply(args: readonly Argument[]): ReplyForm {
  for (let at = 2; at < args.length; at += 2) if (wordAt(args, at) === "COUNT") return INTEGERS;
  return "integer";
}

function push(keyspace: Keyspace, args: readonly Argument[], atHead: boolean): number {
  const key = bytesAt(args, 0);
  const list = keyspace.list(key) ?? keyspace.create(key, new ListValue());
  for (let at = 1; at < args.length; at++) pushOne(keyspace, list, { item: bytesAt(args, at), atHead });
  const length = list.length;
  keyspace.pushed(key, list);
  return length;
}

/** Pushes to a list that is there, and does nothing otherwise. */
function pushPresent(keyspace: Keyspace, args: readonly Argument[], atHead: boolean): number {
  return keyspace.list(bytesAt(args, 0)) === undefined ? 0 : push(keyspace, args, atHead);
}

interface PopForm {
  readonly name: string;
  readonly atHead: boolean;
}

function pop(keyspace: Keyspace, args: readonly Argument[], { name, atHead }: PopForm): Answer {
  refuseMore(args, 2, name);
  const count = args.length === 2 ? countAt(args, 1) : undefined;
  const key = bytesAt(args, 0);
  const list = keyspace.list(key);
  if (list === undefined) return false;
  if (count === undefined) {
    const item = popOne(keyspace, list, atHead);
    dropIfEmpty(keyspace, key, list);
    return item;
  }
  const items: Bytes[] = [];
  while (items.length < count && list.length > 0) items.push(popOne(keyspace, list, atHead));
  dropIfEmpty(keyspace, key, list);
  return items;
}

function lrange(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const first = integerAt(args, 1);
  const last = integerAt(args, 2);
  const list = keyspace.list(bytesAt(args, 0));
  if (list === undefined) return [];
  return list.slice(firstOf(first, list.length), lastOf(last, list.length));
}

function lindex(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const list = keyspace.list(bytesAt(args, 0));
  if (list === undefined) return false;
  const index = integerAt(args, 1);
  return list.at(index < 0 ? list.length + index : index) ?? false;
}

function lset(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const list = keyspace.list(bytesAt(args, 0));
  if (list === undefined) throw new CommandError("ERR no such key");
  const given = integerAt(args, 1);
  const index = given < 0 ? list.length + given : given;
  const old = list.at(index);
  if (old === undefined) throw new CommandError("ERR index out of range");
  // Taking back the two steps of a replacement: remove what is there, insert what was there.
  keyspace.undo.removed(list, index, old);
  keyspace.undo.inserted(list, index);
  list.setAt(index, bytesAt(args, 2));
  return "OK";
}

function lrem(keyspace: Keyspace, args: readonly Argument[]): number {
  const count = signedAt(args, 1);
  const key = bytesAt(args, 0);
  const list = keyspace.list(key);
  if (list === undefined) return 0;
  const item = bytesAt(args, 2);
  const removed = removeEqual(keyspace, list, count, item);
  dropIfEmpty(keyspace, key, list);
  return removed;
}

function ltrim(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const given = { first: integerAt(args, 1), last: integerAt(args, 2) };
  const key = bytesAt(args, 0);
  const list = keyspace.list(key);
  if (list === undefined) return "OK";
  const first = firstOf(given.first, list.length);
  const last = lastOf(given.last, list.length);
  const kept = Math.max(0, last - first + 1);
  while (list.length > Math.max(0, last + 1) && list.length > 0) popOne(keyspace, list, false);
  while (list.length > kept) popOne(keyspace, list, true);
  dropIfEmpty(keyspace, key, list);
  return "OK";
}

function linsert(keyspace: Keyspace, args: readonly Argument[]): number {
  const word = wordAt(args, 1);
  if (word !== "BEFORE" && word !== "AFTER") throw syntaxError();
  const key = bytesAt(args, 0);
  const list = keyspace.list(key);
  if (list === undefined) return 0;
  const found = list.indexOf(bytesAt(args, 2));
  if (found < 0) return -1;
  const index = word === "AFTER" ? found + 1 : found;
  keyspace.undo.inserted(list, index);
  list.insertAt(index, bytesAt(args, 3));
  keyspace.pushed(key, list);
  return list.length;
}

function lmove(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const fromHead = isHead(args, 2);
  return move(keyspace, args, { fromHead, toHead: isHead(args, 3) });
}

interface MoveForm {
  readonly fromHead: boolean;
  readonly toHead: boolean;
}

function move(keyspace: Keyspace, args: readonly Argument[], { fromHead, toHead }: MoveForm): Answer {
  const source = bytesAt(args, 0);
  const target = bytesAt(args, 1);
  const from = keyspace.list(source);
  if (from === undefined) return false;
  const to = keyspace.list(target) ?? keyspace.create(target, new ListValue());
  const item = popOne(keyspace, from, fromHead);
  pushOne(keyspace, to, { item, atHead: toHead });
  dropIfEmpty(keyspace, source, from);
  keyspace.pushed(target, to);
  return item;
}

interface PositionOptions {
  rank: number;
  /** `undefined` asks for one position and not for a list; 0 for all. */
  count: number | undefined;
  /** How many items are compared at most; 0 means all. */
  compared: number;
}

function lpos(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { rank, count, compared } = positionOptions(args);
  const found: number[] = [];
  const list = keyspace.list(bytesAt(args, 0));
  if (list === undefined) return count === undefined ? false : found;
  const item = bytesAt(args, 1);
  const wanted = count ?? 1;
  const looks = compared === 0 ? list.length : Math.min(compared, list.length);
  let skipped = Math.abs(rank) - 1;
  for (let look = 0; look < looks; look++) {
    const index = rank > 0 ? look : list.length - 1 - look;
    if (list.at(index) !== item || skipped-- > 0) continue;
    found.push(index);
    if (found.length === wanted) break;
  }
  return count === undefined ? (found[0] ?? false) : found;
}

function positionOptions(args: readonly Argument[]): PositionOptions {
  const options: PositionOptions = { rank: 1, count: undefined, compared: 0 };
  for (let at = 2; at < args.length; at += 2) {
    const word = wordAt(args, at);
    if (at + 1 === args.length) throw syntaxError();
    if (word === "RANK") options.rank = rankAt(args, at + 1);
    else if (word === "COUNT") options.count = positiveAt(args, at + 1, word);
    else if (word === "MAXLEN") options.compared = positiveAt(args, at + 1, word);
    else throw syntaxError();
  }
  return options;
}

function rankAt(args: readonly Argument[], at: number): number {
  const rank = signedAt(args, at);
  if (rank === 0) throw new CommandError(RANK_ZERO);
  return rank;
}

/** An integer whose negative is one too, so that the least of all is refused. */
function signedAt(args: readonly Argument[], at: number): number {
  const number = wideAt(args, at);
  if (number !== INTEGER_MIN) return Number(number);
  throw new CommandError(`ERR value is out of range, value must between ${-INTEGER_MAX} and ${INTEGER_MAX}`);
}

function positiveAt(args: readonly Argument[], at: number, word: string): number {
  const number = integerOf(args[at] as Argument);
  if (number === undefined || number < 0) throw new CommandError(`ERR ${word} can't be negative`);
  return Number(number);
}

function pushOne(keyspace: Keyspace, list: ListValue, { item, atHead }: { item: Bytes; atHead: boolean }): void {
  keyspace.undo.inserted(list, atHead ? 0 : list.length);
  if (atHead) list.pushHead(item);
  else list.pushTail(item);
}

function popOne(keyspace: Keyspace, list: ListValue, atHead: boolean): Bytes {
  const item = atHead ? list.popHead() : list.popTail();
  keyspace.undo.removed(list, atHead ? 0 : list.length, item);
  return item;
}

/** Takes out the first `count` equal items, the last for a negative count, all for 0. */
function removeEqual(keyspace: Keyspace, list: ListValue, count: number, item: Bytes): number {
  const found = list.indexesOf(item, count === 0 ? list.length : Math.abs(count), count < 0);
  if (found.length > ITEMS_PUT_BACK_MAX) keyspace.undo.rewritten(list);
  else for (const [before, index] of found.entries()) keyspace.undo.removed(list, index - before, item);
  if (found.length > 0) list.removeAll(found);
  return found.length;
}

function dropIfEmpty(keyspace: Keyspace, key: Bytes, list: ListValue): void {
  if (list.length === 0) keyspace.remove(key);
}

function isHead(args: readonly Argument[], at: number): boolean {
  const word = wordAt(args, at);
  if (word !== "LEFT" && word !== "RIGHT") throw syntaxError();
  return word === "LEFT";
}

/** The first index of a range; negative indexes count from the tail. */
function firstOf(index: number, length: number): number {
  return index < 0 ? Math.max(0, length + index) : index;
}

/** The last index of a range; it may lie before the first. */
function lastOf(index: number, length: number): number {
  return index < 0 ? length + index : Math.min(index, length - 1);
}
