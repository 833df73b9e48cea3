/**
 * The id of a stream's entry: a millisecond and a place within it, each an unsigned integer of 64 bits.
 *
 * Ids are compared as pairs of numbers, never as text: `1-9` comes before `1-10`.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { decreased, increased, UNSIGNED_MAX, unsignedOf, type Whole } from "./whole.ts";

export interface StreamId {
  readonly ms: Whole;
  readonly seq: Whole;
}

/** Below every entry. */
export const LOWEST_ID: StreamId = { ms: 0, seq: 0 };

/** Above every entry. */
export const HIGHEST_ID: StreamId = { ms: UNSIGNED_MAX, seq: UNSIGNED_MAX };

/** The longest text that is read as an id. */
const TEXT_BYTES_MAX = 127;

/** Negative when `one` comes before `other`, 0 when they are the same. */
export function compareIds(one: StreamId, other: StreamId): number {
  if (one.ms !== other.ms) return one.ms < other.ms ? -1 : 1;
  if (one.seq === other.seq) return 0;
  return one.seq < other.seq ? -1 : 1;
}

/** The text that commands and replies carry. */
export function idText({ ms, seq }: StreamId): Bytes {
  return `${ms}-${seq}`;
}

/** An id as a writer gives it: whole, or with `seq` undefined where it asks for the next place of a millisecond. */
export interface GivenId {
  readonly ms: Whole;
  readonly seq: Whole | undefined;
}

/** The id that text stands for, with `seq` where it names a millisecond alone; `undefined` when it is none. */
export function parseId(text: Bytes, seq: Whole): StreamId | undefined {
  const given = parseGivenId(text, seq);
  return given === undefined || given.seq === undefined ? undefined : { ms: given.ms, seq: given.seq };
}

/** The same for a writer, who may put `*` for the place. */
export function parseGivenId(given: Bytes, seq: Whole): GivenId | undefined {
  if (given.length > TEXT_BYTES_MAX) return undefined;
  // C's text ends at a NUL.
  const text = given.split("\0", 1)[0] ?? "";
  const dash = text.indexOf("-");
  const ms = unsignedOf(dash < 0 ? text : text.slice(0, dash));
  if (ms === undefined) return undefined;
  if (dash < 0) return { ms, seq };
  const rest = text.slice(dash + 1);
  if (rest === "*") return { ms, seq: undefined };
  const place = unsignedOf(rest);
  return place === undefined ? undefined : { ms, seq: place };
}

/** The next id; `undefined` above the highest. */
export function idAfter({ ms, seq }: StreamId): StreamId | undefined {
  if (seq !== UNSIGNED_MAX) return { ms, seq: increased(seq) };
  return ms !== UNSIGNED_MAX ? { ms: increased(ms), seq: 0 } : undefined;
}

/** The id before; `undefined` below the lowest. */
export function idBefore({ ms, seq }: StreamId): StreamId | undefined {
  if (seq !== 0) return { ms, seq: decreased(seq) };
  return ms !== 0 ? { ms: decreased(ms), seq: UNSIGNED_MAX } : undefined;
}
