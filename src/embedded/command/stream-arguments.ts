/**
 * Reads the ids, ranges and trims that the commands on streams take, and writes entries as they answer them.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import {
  compareIds,
  HIGHEST_ID,
  idAfter,
  idBefore,
  idText,
  LOWEST_ID,
  parseId,
  type StreamId,
} from "../store/stream-id.ts";
import type { StreamEntry, StreamValue } from "../store/stream-value.ts";
import { INTEGER_MAX, type Whole } from "../store/whole.ts";
import { bytesAt, integerAt, integerOf, refuse, wordAt } from "./argument.ts";
import type { Answer } from "./command.ts";

/** Entries of one node of a server's stream. An approximate trim takes whole nodes. */
export const NODE_ENTRIES = 100;

/** Entries that an approximate trim looks at unless told otherwise. */
const TRIM_LIMIT_DEFAULT = 100 * NODE_ENTRIES;

/** No id, or one that cannot stand here. */
export function invalidId(): CommandError {
  return new CommandError("ERR Invalid stream ID specified as stream command argument");
}

/** The id at an index, which may be a millisecond alone. `-` and `+` are none. */
export function idAt(args: readonly Argument[], index: number): StreamId {
  return parseId(bytesAt(args, index), 0) ?? refuse(invalidId());
}

/** The lower end of a range at an index, as the first id that belongs to it. */
export function startAt(args: readonly Argument[], index: number): StreamId {
  const text = bytesAt(args, index);
  if (text.length < 2 || !text.startsWith("(")) return endOf(text, 0);
  const next = idAfter(parseId(text.slice(1), 0) ?? refuse(invalidId()));
  return next ?? refuse(new CommandError("ERR invalid start ID for the interval"));
}

/** The upper end of a range at an index, as the last id that belongs to it. */
export function endAt(args: readonly Argument[], index: number): StreamId {
  const text = bytesAt(args, index);
  if (text.length < 2 || !text.startsWith("(")) return endOf(text, HIGHEST_ID.seq);
  const before = idBefore(parseId(text.slice(1), HIGHEST_ID.seq) ?? refuse(invalidId()));
  return before ?? refuse(new CommandError("ERR invalid end ID for the interval"));
}

function endOf(text: Bytes, seq: Whole): StreamId {
  if (text === "-") return LOWEST_ID;
  if (text === "+") return HIGHEST_ID;
  return parseId(text, seq) ?? refuse(invalidId());
}

/** The entry as replies carry it. */
export function entryAnswer(entry: StreamEntry): Answer {
  return [idText(entry.id), [...entry.fields]];
}

/** The entries of a stream from `start` to `end`, at most `most`. */
export function entriesBetween(stream: StreamValue, start: StreamId, end: StreamId, most: number): StreamEntry[] {
  const first = stream.entries.seek(start);
  const after = idAfter(end);
  const stop = after === undefined ? stream.entries.length : stream.entries.seek(after);
  return stream.entries.slice(first, Math.max(0, Math.min(most, stop - first)));
}

/** How a stream is shortened. */
export interface Trim {
  readonly by: "length" | "id";
  /** Entries that stay, by length. */
  readonly keep: number;
  /** The lowest id that stays, by id. */
  readonly from: StreamId;
  /** Whole nodes only, and so perhaps less than was asked. */
  readonly isApproximate: boolean;
  readonly limit: number | undefined;
}

/** What was read of the options in front of an `XADD`'s id, or of those of an `XTRIM`. */
export interface TrimOptions {
  readonly trim: Trim | undefined;
  /** What `LIMIT` said, also without a trim that it could limit. */
  readonly limit: number | undefined;
  readonly mustExist: boolean;
  /** The first argument that is no option. */
  readonly next: number;
}

/** Reads the options of `XADD` (`forAdd`), up to the id, or all of those of `XTRIM`. */
export function trimOptions(args: readonly Argument[], forAdd: boolean): TrimOptions {
  let trim: Trim | undefined;
  let limit: number | undefined;
  let mustExist = false;
  let at = 1;
  for (; at < args.length; at++) {
    const word = at + 1 < args.length ? wordAt(args, at) : "";
    if (word === "MAXLEN" || word === "MINID") {
      if (trim !== undefined) throw twoTrims();
      const sign = at + 2 < args.length ? bytesAt(args, at + 1) : "";
      at += sign === "~" || sign === "=" ? 2 : 1;
      trim = trimAt(args, at, { word, isApproximate: sign === "~" });
    } else if (word === "LIMIT") limit = limitAt(args, ++at);
    else if (!forAdd) throw syntaxError();
    else if (wordAt(args, at) === "NOMKSTREAM") mustExist = true;
    else break;
  }
  return { trim, limit, mustExist, next: at };
}

function limitAt(args: readonly Argument[], at: number): number {
  const limit = integerAt(args, at);
  if (limit < 0) throw new CommandError("ERR The LIMIT argument must be >= 0.");
  return limit;
}

function trimAt(
  args: readonly Argument[],
  at: number,
  { word, isApproximate }: { readonly word: string; readonly isApproximate: boolean },
): Trim {
  if (word === "MINID") return { by: "id", keep: 0, from: idAt(args, at), isApproximate, limit: undefined };
  const keep = integerAt(args, at);
  if (keep < 0) throw new CommandError("ERR The MAXLEN argument must be >= 0.");
  return { by: "length", keep, from: LOWEST_ID, isApproximate, limit: undefined };
}

/** The trim with its limit. Judged by itself, since an `XADD` judges its id before. */
export function limitedTrim({ trim, limit }: TrimOptions, command: "XADD" | "XTRIM"): Trim | undefined {
  if (limit !== undefined && limit > 0 && trim === undefined) {
    throw new CommandError("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy");
  }
  if (trim === undefined && command === "XTRIM") {
    throw new CommandError("ERR syntax error, XTRIM must be called with a trimming strategy");
  }
  if (limit !== undefined && trim?.isApproximate !== true) {
    throw new CommandError("ERR syntax error, LIMIT cannot be used without the special ~ option");
  }
  return trim === undefined ? undefined : { ...trim, limit };
}

function twoTrims(): CommandError {
  return new CommandError("ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
}

/** Shortens a stream; tells how many entries went. */
export function applyTrim(keyspace: Keyspace, stream: StreamValue, trim: Trim): number {
  const { entries } = stream;
  let count = trim.by === "length" ? Math.max(0, entries.length - trim.keep) : entries.seek(trim.from);
  if (trim.isApproximate) count = wholeNodes(stream, count, trim);
  if (count > 0) {
    keyspace.undo.removing(stream, entries.slice(0, count));
    entries.dropFirst(count);
  }
  return count;
}

/** How many of the first `count` entries make whole nodes, and are no more than the limit; 0 is no limit. */
function wholeNodes(stream: StreamValue, count: number, { by, from, limit = TRIM_LIMIT_DEFAULT }: Trim): number {
  const { entries, highestDeleted } = stream;
  const most = limit > 0 ? Math.min(count, limit) : count;
  // A deleted entry keeps its place in the node, and keeps the node if its id is one that stays.
  if (most === entries.length && (by === "length" || compareIds(highestDeleted, from) < 0)) return most;
  // Nodes are filled one after the other, so a node ends where the count of all that were ever added says.
  const before = stream.addedCount - stream.claimedCount - entries.length;
  return Math.max(0, Math.floor((before + most) / NODE_ENTRIES) * NODE_ENTRIES - before);
}

/** A count of entries at an index, for a command to which fewer than none means none. */
export function entryCountAt(args: readonly Argument[], index: number): number {
  return Math.max(0, integerAt(args, index));
}

/** The streams of a read, and by the same place in its list from where each is read. */
export interface StreamsForm {
  readonly keys: readonly Bytes[];
  readonly froms: readonly Bytes[];
}

/** The streams from an index on: first all keys, then all ids. `unbalanced` refuses keys and ids that do not pair. */
export function streamsFrom(args: readonly Argument[], at: number, unbalanced: string): StreamsForm {
  const rest = args.slice(at).map((_, index) => bytesAt(args, at + index));
  if (rest.length % 2 === 1) throw new CommandError(unbalanced);
  return { keys: rest.slice(0, rest.length / 2), froms: rest.slice(rest.length / 2) };
}

/** A time in milliseconds to wait, which is read and never waited. It must end before the end of the server's time. */
export function checkTimeout(keyspace: Keyspace, args: readonly Argument[], index: number): void {
  const ms = integerOf(args[index] as Argument);
  if (ms === undefined) throw new CommandError("ERR timeout is not an integer or out of range");
  if (ms < 0) throw new CommandError("ERR timeout is negative");
  if (ms > INTEGER_MAX - BigInt(keyspace.now)) throw new CommandError("ERR timeout is out of range");
}

/** Whether `id` is the lowest, which no entry may have. */
export function isLowest(id: StreamId): boolean {
  return compareIds(id, LOWEST_ID) === 0;
}
