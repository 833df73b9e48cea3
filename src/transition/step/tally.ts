/**
 * Counting what ended: all the time, and by the minute.
 *
 * `metrics:<which>` counts for ever. `metrics:<which>:minutes` is a hash of minutes since 1970, of which the last four
 * hours mean anything: when a minute begins and there are more fields than that, the old ones go. So the hash is
 * bounded, an act pays for one step more, and one act a minute for looking at the fields.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";

/**
 * Minutes that are kept: four hours. A server keeps so many fields in one compact piece and finds one in a few
 * microseconds; a day of them would cost each act as much as its settlement.
 */
const MINUTES_KEPT = 240;

const MINUTE_MS = 60000;

/** Reads what {@link tally} writes to, before the first write. */
export function readTally(s: Server, base: Bytes, which: Bytes): void {
  s.call("HGET", `${base}metrics:${which}`, "count");
  s.call("HLEN", `${base}metrics:${which}:minutes`);
}

/**
 * Drops the minutes that are too old, and fields that are no minutes.
 *
 * @cold
 */
function dropOld(s: Server, minutes: Bytes, minute: number): void {
  const call = s.call;
  if (call("HLEN", minutes) <= MINUTES_KEPT) return;
  for (const field of call("HKEYS", minutes)) {
    if (!s.int(field, 0, NUMBER_MAX) || s.num(field) <= minute - MINUTES_KEPT) call("HDEL", minutes, field);
  }
}

/** Counts jobs that ended `completed` or `failed`. */
export function tally(s: Server, base: Bytes, which: Bytes, count: number): void {
  const call = s.call;
  const minutes = `${base}metrics:${which}:minutes`;
  const minute = Math.floor(s.now() / MINUTE_MS);
  call("HINCRBY", `${base}metrics:${which}`, "count", count);
  if (call("HINCRBY", minutes, minute, count) === count) dropOld(s, minutes, minute);
}
