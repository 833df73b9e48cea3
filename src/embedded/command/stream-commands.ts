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
  HIGHEST_ID,
  idAfter,
  idPart,
  idText,
  LOWEST_ID,
  parseId,
  type StreamId,
} from "../store/stream-id.ts";
import { StreamValue } from "../store/stream-value.ts";
import { bytesAt, integerAt, refuse, wordAt } from "./argument.ts";
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
  XREAD: shape(STREAMS, xread),
};

function xadd(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const options = trimOptions(args, true);
  const { mustExist, next } = options;
  const given = next < args.length ? idForm(bytesAt(args, next)) : undefined;
  const trim = limitedTrim(options);
  const fields = args.slice(next + 1).map((_, index) => bytesAt(args, next + 1 + index));
  if (fields.length < 2 || fields.length % 2 === 1) {
    throw new CommandError("ERR wrong number of arguments for 'xadd' command");
  }
  if (given !== undefined && given !== "*" && given.seq !== undefined && isLowest({ ms: given.ms, seq: given.seq })) {
    throw new CommandError("ERR The ID specified in XADD must be greater than 0-0");
  }
  const key = bytesAt(args, 0);
  const present = keyspace.stream(key);
  if (present === undefined && mustExist) return false;
  const id = newId(given ?? "*", present?.lastId ?? LOWEST_ID, keyspace.now);
  const stream = present ?? keyspace.create(key, new StreamValue());
  keyspace.undo.appending(stream);
  stream.append({ id, fields });
  if (trim !== undefined) applyTrim(keyspace, stream, trim);
  keyspace.appended(key);
  return idText(id);
}

/** An id as a writer gives it: whole, a millisecond whose next place is wanted, or none at all. */
type IdForm = "*" | { readonly ms: number; readonly seq: number | undefined };

function idForm(text: Bytes): IdForm {
  if (text === "*") return "*";
  if (text.endsWith("-*")) return { ms: idPart(text.slice(0, -2)) ?? refuse(invalidId()), seq: undefined };
  return parseId(text, 0) ?? refuse(invalidId());
}

function newId(form: IdForm, last: StreamId, now: number): StreamId {
  if (form === "*") return now > last.ms ? { ms: now, seq: 0 } : (idAfter(last) ?? refuse(notAboveTop()));
  if (form.seq === undefined) {
    if (form.ms === last.ms) return { ms: form.ms, seq: last.seq + 1 };
    if (form.ms < last.ms) throw notAboveTop();
    return { ms: form.ms, seq: form.ms === 0 ? 1 : 0 };
  }
  const id = { ms: form.ms, seq: form.seq };
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
  const trim = limitedTrim(trimOptions(args, false));
  // The words are `MAXLEN` and `MINID`; three arguments without either are a `LIMIT` of 0.
  if (trim === undefined) throw new CommandError("ERR syntax error, XTRIM must be called with MAXLEN or MINID");
  const stream = keyspace.stream(bytesAt(args, 0));
  return stream === undefined ? 0 : applyTrim(keyspace, stream, trim);
}

function xdel(keyspace: Keyspace, args: readonly Argument[]): number {
  const stream = keyspace.stream(bytesAt(args, 0));
  if (stream === undefined) return 0;
  const ids = args.slice(1).map((_, index) => idAt(args, index + 1));
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

function xread(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { count, keys, froms } = readForm(args);
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
  if (from === ">") {
    throw new CommandError(
      "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.",
    );
  }
  return idAfter(parseId(from, 0) ?? refuse(invalidId()));
}

interface ReadForm extends StreamsForm {
  readonly count: number;
}

const UNBALANCED = "ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified.";

function readForm(args: readonly Argument[]): ReadForm {
  let count = Number.MAX_SAFE_INTEGER;
  for (let at = 0; at < args.length; at++) {
    const word = wordAt(args, at);
    const hasMore = at + 1 < args.length;
    if (word === "BLOCK" && hasMore) checkTimeout(args, ++at);
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
