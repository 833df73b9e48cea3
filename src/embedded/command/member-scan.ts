/**
 * One step of `SSCAN` and `HSCAN`.
 *
 * Promise, as the server's: what is there from the first step to the last is found at least once, whatever is added and
 * removed between the steps, and every scan ends. A small collection is answered whole, in its own order, as the
 * server does. A large one is walked in the order of a hash of its members, because that order does not move when
 * others go; the cursor is the next hash to visit. A step therefore looks at all members and answers a part, which
 * suits what is scanned here: names of lanes and of queues, thousands and not millions.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import { bytesAt, integerAt, integerOf, wordAt } from "./argument.ts";
import { matchesGlob } from "./glob.ts";

/** How many members one step answers unless told otherwise, as in the server. */
const SCAN_COUNT = 10;

/** Up to so many members are answered at once; the server's limit for a compact set. */
const WHOLE_MAX = 128;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** What a step answers: where to go on (0 at the end), and the members. */
export interface ScanPart {
  readonly next: number;
  readonly members: readonly Bytes[];
}

/**
 * One step over `all`, for a command whose arguments are key, cursor and options. Members come in turn with nothing.
 */
export function scanMembers(all: readonly Bytes[], args: readonly Argument[]): ScanPart {
  const cursor = integerOf(args[1] as Argument);
  if (cursor === undefined || cursor < 0) throw new CommandError("ERR invalid cursor");
  const { pattern, count } = scanOptions(args);
  const { next, members } = all.length <= WHOLE_MAX ? { next: 0, members: all } : partFrom(all, cursor, count);
  return { next, members: pattern === "*" ? members : members.filter((member) => matchesGlob(pattern, member)) };
}

function scanOptions(args: readonly Argument[]): { pattern: Bytes; count: number } {
  let pattern = "*";
  let count = SCAN_COUNT;
  for (let at = 2; at < args.length; at += 2) {
    const word = wordAt(args, at);
    if (at + 1 === args.length) throw syntaxError();
    if (word === "MATCH") pattern = bytesAt(args, at + 1);
    else if (word === "COUNT") {
      count = integerAt(args, at + 1);
      if (count < 1) throw syntaxError();
    } else throw syntaxError();
  }
  return { pattern, count };
}

/** The first `count` members from a hash on; those that share the last hash come with them. */
function partFrom(all: readonly Bytes[], cursor: number, count: number): ScanPart {
  const rest = all
    .map((member) => ({ member, hash: hashOf(member) }))
    .filter(({ hash }) => hash >= cursor)
    .sort((a, b) => a.hash - b.hash);
  let end = Math.min(count, rest.length);
  while (end < rest.length && rest[end]?.hash === rest[end - 1]?.hash) end++;
  return { next: rest[end]?.hash ?? 0, members: rest.slice(0, end).map(({ member }) => member) };
}

/** FNV-1a over the bytes, 1 to 2^32: 0 is the cursor of the start and of the end. */
function hashOf(text: Bytes): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return (hash >>> 0) + 1;
}
