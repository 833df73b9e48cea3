/**
 * The id of a stream's entry: a millisecond and a place within it.
 *
 * Both parts are exact up to 2^53 - 1, which is all that the wire uses; the server's own bound is 2^64 - 1. Ids are
 * compared as pairs of numbers, never as text: `1-9` comes before `1-10`.
 */

import type { Bytes } from "../../protocol/bytes.ts";

export interface StreamId {
  readonly ms: number;
  readonly seq: number;
}

/** Below every entry. */
export const LOWEST_ID: StreamId = { ms: 0, seq: 0 };

/** Above every entry. */
export const HIGHEST_ID: StreamId = { ms: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/** Digits of the largest number that a part may be here. */
const DIGITS_MAX = 16;

const PART = /^[0-9]+$/;

/** Negative when `one` comes before `other`, 0 when they are the same. */
export function compareIds(one: StreamId, other: StreamId): number {
  return one.ms - other.ms || one.seq - other.seq;
}

/** The text that commands and replies carry. */
export function idText({ ms, seq }: StreamId): Bytes {
  return `${ms}-${seq}`;
}

/** The number that a part of an id stands for; `undefined` when it is none, or beyond what is exact. */
export function idPart(text: Bytes): number | undefined {
  if (!PART.test(text) || text.length > DIGITS_MAX) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The id that text stands for, with `seq` where it names a millisecond alone; `undefined` when it is none. */
export function parseId(text: Bytes, seq: number): StreamId | undefined {
  const dash = text.indexOf("-");
  const ms = idPart(dash < 0 ? text : text.slice(0, dash));
  const place = dash < 0 ? seq : idPart(text.slice(dash + 1));
  return ms === undefined || place === undefined ? undefined : { ms, seq: place };
}

/** The next id; `undefined` above the highest. */
export function idAfter({ ms, seq }: StreamId): StreamId | undefined {
  if (seq < HIGHEST_ID.seq) return { ms, seq: seq + 1 };
  return ms < HIGHEST_ID.ms ? { ms: ms + 1, seq: 0 } : undefined;
}

/** The id before; `undefined` below the lowest. */
export function idBefore({ ms, seq }: StreamId): StreamId | undefined {
  if (seq > 0) return { ms, seq: seq - 1 };
  return ms > 0 ? { ms: ms - 1, seq: HIGHEST_ID.seq } : undefined;
}
