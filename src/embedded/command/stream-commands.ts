/**
 * Commands on streams and their entries. Those on groups of readers are in `stream-group-commands.ts`.
 *
 * A command never waits here: `BLOCK` is read and judged, and has no effect, as in a script of the server. Who wants to
 * wait uses `Engine.listenForEntries`.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import {
  compareIds,
  type GivenId,
  HIGHEST_ID,
  idAfter,
  idText,
  LOWEST_ID,
  parseGivenId,
  parseId,
  type StreamId,
} from "../store/stream-id.ts";
import { StreamValue } from "../store/stream-value.ts";
import { bytesAt, bytesFrom, integerAt, refuse, wordAt, wrongNumber } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { ENTRIES, STREAMS } from "./reply-form.ts";
import {
  applyTrim,
  checkTimeout,
  endAt,
  entriesBetween,
  entryAnswer,
  idAt,
  invalidId,
  isLowest,
  limitedTrim,
  type StreamsForm,
  startAt,
  streamsFrom,
  trimOptions,
} from "./stream-arguments.ts";

/** The commands on streams, by name. */
export const STREAM_COMMANDS: CommandShapes = {
  XADD: shape("bulk", xadd),
  XLEN: shape("integer", (keyspace, args) => keyspace.stream(bytesAt(args, 0))?.entries.length ?? 0),
  XRANGE: shape(ENTRIES, (keyspace, args) => xrange(keyspace, args, false)),
  XREVRANGE: shape(ENTRIES, (keyspace, args) => xrange(keyspace, args, true)),
  XTRIM: shape("integer", xtrim),
  XDEL: shape("integer", xdel),
  XSETID: shape("status", xsetid),
  XREAD: shape(STREAMS, xread),
};

function xadd(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const options = trimOptions(args, true);
  const { mustExist, next } = options;
  const given = next < args.length ? idForm(bytesAt(args, next)) : "*";
  const trim = limitedTrim(options, "XADD");
  const fields = bytesFrom(args, next + 1);
  if (fields.length < 2 || fields.length % 2 === 1) throw wrongNumber("xadd");
  if (given !== "*" && given.ms === 0 && given.seq === 0) {
    throw new CommandError("ERR The ID specified in XADD must be greater than 0-0");
  }
  const key = bytesAt(args, 0);
  const present = keyspace.stream(key);
  if (present === undefined && mustExist) return false;
  const id = newId(given, present?.lastId ?? LOWEST_ID, keyspace.now);
  const stream = present ?? keyspace.create(key, new StreamValue());
  keyspace.undo.appending(stream);
  stream.append({ id, fields });
  if (trim !== undefined) applyTrim(keyspace, stream, trim);
  keyspace.appended(key);
  return idText(id);
}

function idForm(text: Bytes): "*" | GivenId {
  return text === "*" ? "*" : (parseGivenId(text, 0) ?? refuse(invalidId()));
}

function newId(given: "*" | GivenId, last: StreamId, now: number): StreamId {
  const following = idAfter(last);
  if (following === undefined) {
    throw new CommandError("ERR The stream has exhausted the last possible ID, unable to add more items");
  }
  if (given === "*") return now > last.ms ? { ms: now, seq: 0 } : following;
  if (given.seq === undefined && given.ms === last.ms && following.ms === last.ms) return following;
  const id = { ms: given.ms, seq: given.seq ?? 0 };
  if (compareIds(id, last) <= 0) throw notAboveTop();
  return id;
}

function notAboveTop(): CommandError {
  return new CommandError("ERR The ID specified in XADD is equal or smaller than the target stream top item");
}

function xrange(keyspace: Keyspace, args: readonly Argument[], isBackward: boolean): Answer {
  const start = startAt(args, isBackward ? 2 : 1);
  const end = endAt(args, isBackward ? 1 : 2);
  let most: number | undefined;
  for (let at = 3; at < args.length; at += 2) {
    if (wordAt(args, at) !== "COUNT" || at + 1 === args.length) throw syntaxError();
    most = Math.max(0, integerAt(args, at + 1));
  }
  const stream = keyspace.stream(bytesAt(args, 0));
  if (stream === undefined) return [];
  if (most === 0) return false;
  if (!isBackward) return entriesBetween(stream, start, end, most ?? Number.MAX_SAFE_INTEGER).map(entryAnswer);
  const after = idAfter(end);
  const stop = after === undefined ? stream.entries.length : stream.entries.seek(after);
  const first = Math.max(stream.entries.seek(start), most === undefined ? 0 : stop - most);
  return stream.entries
    .slice(first, Math.max(0, stop - first))
    .reverse()
    .map(entryAnswer);
}

function xtrim(keyspace: Keyspace, args: readonly Argument[]): number {
  const trim = limitedTrim(trimOptions(args, false), "XTRIM");
  if (trim === undefined) return 0;
  const stream = keyspace.stream(bytesAt(args, 0));
  return stream === undefined ? 0 : applyTrim(keyspace, stream, trim);
}

function xdel(keyspace: Keyspace, args: readonly Argument[]): number {
  const stream = keyspace.stream(bytesAt(args, 0));
  if (stream === undefined) return 0;
  const ids: StreamId[] = [];
  for (let at = 1; at < args.length; at++) ids.push(idAt(args, at));
  let deleted = 0;
  for (const id of ids) {
    const entry = stream.entries.get(id);
    if (entry === undefined) continue;
    keyspace.undo.removing(stream, [entry]);
    stream.delete(id);
    deleted++;
  }
  return deleted;
}

function xsetid(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const id = idAt(args, 1);
  const { addedCount, highestDeleted } = setOptions(args, id);
  const stream = keyspace.stream(bytesAt(args, 0)) ?? refuse(new CommandError("ERR no such key"));
  const mark = stream.mark;
  if (compareIds(id, mark.highestDeleted) < 0) {
    throw new CommandError("ERR The ID specified in XSETID is smaller than current max_deleted_entry_id");
  }
  const last = stream.entries.last;
  if (last !== undefined && compareIds(id, last.id) < 0) {
    throw new CommandError("ERR The ID specified in XSETID is smaller than the target stream top item");
  }
  if (addedCount !== undefined && stream.entries.length > addedCount) {
    throw new CommandError("ERR The entries_added specified in XSETID is smaller than the target stream length");
  }
  const { claimedCount } = stream;
  keyspace.undo.change(stream, () => {
    stream.restoreMark(mark);
    stream.claimedCount = claimedCount;
  });
  stream.claimedCount += (addedCount ?? mark.addedCount) - mark.addedCount;
  stream.restoreMark({
    lastId: id,
    addedCount: addedCount ?? mark.addedCount,
    highestDeleted: isLowest(highestDeleted) ? mark.highestDeleted : highestDeleted,
  });
  return "OK";
}

function setOptions(
  args: readonly Argument[],
  id: StreamId,
): { readonly addedCount: number | undefined; readonly highestDeleted: StreamId } {
  let addedCount: number | undefined;
  let highestDeleted = LOWEST_ID;
  for (let at = 2; at < args.length; at += 2) {
    const word = at + 1 < args.length ? wordAt(args, at) : "";
    if (word === "ENTRIESADDED") {
      addedCount = integerAt(args, at + 1);
      if (addedCount < 0) throw new CommandError("ERR entries_added must be positive");
    } else if (word === "MAXDELETEDID") {
      highestDeleted = idAt(args, at + 1);
      if (compareIds(id, highestDeleted) < 0) {
        throw new CommandError("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id");
      }
    } else throw syntaxError();
  }
  return { addedCount, highestDeleted };
}

function xread(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { count, keys, froms } = readForm(keyspace, args);
  const starts = keys.map((key, index) => readStart(keyspace, key, froms[index] ?? ""));
  const found: Answer[] = [];
  for (const [index, key] of keys.entries()) {
    const start = starts[index];
    const stream = keyspace.stream(key);
    if (stream === undefined || start === undefined) continue;
    const entries = entriesBetween(stream, start, HIGHEST_ID, count);
    if (entries.length > 0) found.push([key, entries.map(entryAnswer)]);
  }
  return found.length === 0 ? false : found;
}

/** The first id that a reader wants; `undefined` when there can be none. */
function readStart(keyspace: Keyspace, key: Bytes, from: Bytes): StreamId | undefined {
  const stream = keyspace.stream(key);
  if (from === "$") return idAfter(stream?.lastId ?? LOWEST_ID);
  if (from === "+") return stream === undefined ? idAfter(LOWEST_ID) : lastIdOf(stream);
  if (from === ">") {
    throw new CommandError(
      "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.",
    );
  }
  return idAfter(parseId(from, 0) ?? refuse(invalidId()));
}

/** The last entry alone, unless it was deleted. */
function lastIdOf({ lastId }: StreamValue): StreamId {
  return isLowest(lastId) ? refuse(new CommandError("ERR the stream last element ID is 0-0")) : lastId;
}

interface ReadForm extends StreamsForm {
  readonly count: number;
}

const UNBALANCED = "ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified.";

function readForm(keyspace: Keyspace, args: readonly Argument[]): ReadForm {
  let count = Number.MAX_SAFE_INTEGER;
  for (let at = 0; at < args.length; at++) {
    const word = wordAt(args, at);
    const hasMore = at + 1 < args.length;
    if (word === "BLOCK" && hasMore) checkTimeout(keyspace, args, ++at);
    else if (word === "COUNT" && hasMore) count = integerAt(args, ++at);
    else if (word === "GROUP" && at + 2 < args.length) {
      throw new CommandError("ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.");
    } else if (word === "NOACK") {
      throw new CommandError("ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.");
    } else if (word === "STREAMS" && hasMore) {
      return { count: count > 0 ? count : Number.MAX_SAFE_INTEGER, ...streamsFrom(args, at + 1, UNBALANCED) };
    } else throw syntaxError();
  }
  throw syntaxError();
}
