/** What the arguments of `XREAD` and `XREADGROUP` say: whether they wait, and where their keys stand. */

import type { Bytes } from "../protocol/bytes.ts";

/** Commands that read streams, in small letters; their keys follow the word `STREAMS`. */
export const STREAM_READS: ReadonlySet<string> = new Set(["xread", "xreadgroup"]);

/** A read of streams. */
export interface StreamRead {
  /** Whether it asks to wait. */
  readonly blocks: boolean;
  /** Where its first key stands among the arguments; `undefined` when it has none. */
  readonly keysAt: number | undefined;
}

/** Reads the options, behind which the keys stand. The names of a group and a consumer may be any text. */
export function streamReadOf(args: readonly Bytes[]): StreamRead {
  let blocks = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]?.toUpperCase();
    if (word === "STREAMS") return { blocks, keysAt: at + 1 };
    if (word === "BLOCK") blocks = true;
    if (word === "GROUP") at += 2;
    else if (word === "COUNT" || word === "BLOCK") at += 1;
  }
  return { blocks, keysAt: undefined };
}
