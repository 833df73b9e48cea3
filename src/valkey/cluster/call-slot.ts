/**
 * The slot that a call belongs to, by its first key.
 *
 * An act declares its keys, and all of them have one slot. A plain command has its first key where almost all commands
 * have it, right behind the name; the few others that EchoMQ uses are listed. Where no key is, any node will do.
 */

import { arrayOf, type Bytes } from "../../protocol/bytes.ts";
import { slot } from "../../protocol/slot.ts";
import type { CallHead } from "../call.ts";
import { STREAM_READS, streamReadOf } from "../stream-read.ts";

/** The slot of a call that every node can answer. */
export const ANY_SLOT = -1;

const KEYLESS: ReadonlySet<string> = new Set(
  "acl client cluster command config dbsize info latency memory ping publish pubsub role script time".split(" "),
);

/** Commands whose keys follow their number, which is the second argument. */
const NUMBERED: ReadonlySet<string> = new Set(["eval", "eval_ro", "evalsha", "evalsha_ro"]);

/** Commands with a subcommand, whose key is the second argument. */
const SUBCOMMANDED: ReadonlySet<string> = new Set(["xgroup", "xinfo"]);

/** What {@link callSlot} looks at. */
interface CallParts {
  readonly head: CallHead;
  readonly keys: readonly Bytes[];
  readonly args: readonly Bytes[];
}

/** The slot of a call, 0 to 16383, or {@link ANY_SLOT}. */
export function callSlot(call: CallParts): number {
  const key = firstKey(call);
  return key === undefined ? ANY_SLOT : keySlot(key);
}

/** The slot of a key that is a byte string. */
export function keySlot(key: Bytes): number {
  return slot(arrayOf(key));
}

function firstKey({ head, keys, args }: CallParts): Bytes | undefined {
  if (head.isScript) return keys[0];
  if (KEYLESS.has(head.name)) return undefined;
  if (NUMBERED.has(head.name)) return args[2];
  if (SUBCOMMANDED.has(head.name)) return args[1];
  if (STREAM_READS.has(head.name)) return args[streamReadOf(args).keysAt ?? 0];
  if (head.name === "scan") return taggedPattern(args);
  return args[0];
}

/**
 * A scan looks at one node. A pattern with a hashtag names it; without one nobody knows better than any node. A tag
 * with a star of its own is part of a pattern too, so it is taken for what its escaped characters stand for.
 */
function taggedPattern(args: readonly Bytes[]): Bytes | undefined {
  const at = args.findIndex((part) => part.toUpperCase() === "MATCH");
  const pattern = at < 0 ? undefined : args[at + 1];
  if (pattern === undefined || !/\{[^}]+\}/.test(pattern)) return undefined;
  return pattern.replaceAll(/\\(.)/gs, "$1");
}
