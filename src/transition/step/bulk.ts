/**
 * Commands over many keys, members or fields, in calls that can be spread: the server's Lua spreads fewer than 8,000.
 *
 * What fits into one call is spread as it is; only what does not is copied, part by part.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";

/** Keys, members, or fields and values of one call. */
const SPREAD_MAX = 400;

/** Removes members from a sorted set. */
export function removeMembers(s: Server, set: Bytes, members: Bytes[]): void {
  const stop = members.length;
  if (stop > 0 && stop <= SPREAD_MAX) {
    s.call("ZREM", set, ...members);
    return;
  }
  let part: Bytes[] = [];
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = members[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      s.call("ZREM", set, ...part);
      part = [];
    }
  }
}

/** Writes fields and values in turn into a hash. */
export function writePairs(s: Server, key: Bytes, pairs: Bytes[]): void {
  const stop = pairs.length;
  if (stop > 0 && stop <= SPREAD_MAX) {
    s.call("HSET", key, ...pairs);
    return;
  }
  let part: Bytes[] = [];
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = pairs[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      s.call("HSET", key, ...part);
      part = [];
    }
  }
}

/**
 * Deletes keys; answers how many there were. `UNLINK` leaves giving the memory back to a thread of the server.
 */
export function deleteKeys(s: Server, command: "DEL" | "UNLINK", doomed: Bytes[]): number {
  const stop = doomed.length;
  if (stop > 0 && stop <= SPREAD_MAX) return s.call(command, ...doomed);
  let part: Bytes[] = [];
  let deleted = 0;
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = doomed[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      deleted += s.call(command, ...part);
      part = [];
    }
  }
  return deleted;
}
