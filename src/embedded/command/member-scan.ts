/**
 * What `SCAN`, `HSCAN`, `SSCAN` and `ZSCAN` have in common: cursors, options, and one step over a collection.
 *
 * A small collection is answered whole, in its own order, as the server does; {@link MemberScans} walks a large one.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { COMPACT_ENTRIES_MAX, type Value } from "../store/value.ts";
import { unsignedOf } from "../store/whole.ts";
import { bytesAt, integerAt, refuse, wordAt } from "./argument.ts";
import type { Answer } from "./command.ts";
import { matchesGlob } from "./glob.ts";

/** How many members, or keys, one step answers unless told otherwise, as in the server. */
const SCAN_COUNT = 10;

/** The types that `SCAN` can be told to look for; one that the server has and this engine not finds nothing. */
const TYPES: ReadonlySet<string> = new Set(["string", "list", "set", "zset", "hash", "stream"]);

/** Which command scans. */
export type Scanned = "keys" | "hash" | "set" | "zset";

export interface ScanOptions {
  pattern: Bytes;
  count: number;
  /** Of keys: the only type that is answered; empty for all. */
  type: string;
  /** Members without their values or scores. */
  isBare: boolean;
}

/** The cursor at `index`. @throws CommandError when it is none. */
export function scanCursorAt(args: readonly Argument[], index: number): number {
  const text = bytesAt(args, index).split("\0", 1)[0] ?? "";
  return Number(unsignedOf(text) ?? refuse(new CommandError("ERR invalid cursor")));
}

/** The options from `first` on. */
export function scanOptions(args: readonly Argument[], first: number, scanned: Scanned): ScanOptions {
  const options: ScanOptions = { pattern: "*", count: SCAN_COUNT, type: "", isBare: false };
  for (let at = first; at < args.length; at++) {
    const word = wordAt(args, at);
    const hasMore = at + 1 < args.length;
    if (word === "COUNT" && hasMore) {
      options.count = integerAt(args, ++at);
      if (options.count < 1) throw syntaxError();
    } else if (word === "MATCH" && hasMore) options.pattern = bytesAt(args, ++at);
    else if (word === "TYPE" && hasMore && scanned === "keys") options.type = typeAt(args, ++at);
    else if (word === "NOVALUES" || word === "NOSCORES") {
      checkBare(word, scanned);
      options.isBare = true;
    } else throw syntaxError();
  }
  return options;
}

function typeAt(args: readonly Argument[], at: number): string {
  const type = bytesAt(args, at);
  if (TYPES.has(type.toLowerCase())) return type.toLowerCase();
  throw new CommandError(`ERR unknown type name '${type.split("\0", 1)[0]}'`);
}

function checkBare(word: "NOVALUES" | "NOSCORES", scanned: Scanned): void {
  const [type, command] = word === "NOVALUES" ? ["hash", "HSCAN"] : ["zset", "ZSCAN"];
  if (scanned !== type) throw new CommandError(`ERR ${word} option can only be used in ${command}`);
}

/** A collection that is scanned. */
export interface ScannedCollection {
  readonly value: Value;
  readonly size: number;
  /** Its members, in its own order. */
  readonly all: () => readonly Bytes[];
  /** What comes with a member that is there: its value, its score, or nothing. `undefined` when it is gone. */
  readonly rest: (member: Bytes) => readonly Bytes[] | undefined;
}

/** The reply to one step over a collection; key, cursor and options are the arguments. */
export function scanReply(
  keyspace: Keyspace,
  args: readonly Argument[],
  { cursor, scanned, value, size, all, rest }: ScannedCollection & { cursor: number; scanned: Scanned },
): Answer {
  const { pattern, count, isBare } = scanOptions(args, 2, scanned);
  const isSmall = size <= COMPACT_ENTRIES_MAX;
  const { next, members } = isSmall
    ? { next: 0, members: all() }
    : keyspace.memberScans.step({ value, cursor, count, all });
  const found: Bytes[] = [];
  for (const member of members) {
    if (pattern !== "*" && !matchesGlob(pattern, member)) continue;
    const more = rest(member);
    if (more === undefined) continue;
    found.push(member);
    if (!isBare) found.push(...more);
  }
  return [String(next), found];
}

/** The reply of a scan over nothing. Its options are not looked at. */
export function emptyStep(): Answer {
  return ["0", []];
}
