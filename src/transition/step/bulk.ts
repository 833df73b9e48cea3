/** Commands over many keys or members, in calls that can be spread: the server's Lua spreads fewer than 8,000. */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";

/** Keys or members of one call. */
const SPREAD_MAX = 400;

/** Removes members from a sorted set. */
export function removeMembers(s: Server, set: Bytes, members: Bytes[]): void {
  let part: Bytes[] = [];
  const stop = members.length;
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = members[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      s.call("ZREM", set, ...part);
      part = [];
    }
  }
}

/**
 * Deletes keys; answers how many there were. `UNLINK` leaves giving the memory back to a thread of the server.
 */
export function deleteKeys(s: Server, command: "DEL" | "UNLINK", doomed: Bytes[]): number {
  let part: Bytes[] = [];
  let deleted = 0;
  const stop = doomed.length;
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = doomed[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      deleted += s.call(command, ...part);
      part = [];
    }
  }
  return deleted;
}
