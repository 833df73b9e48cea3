/** Bounds of what the acts read and write: the same that `spec/` states for arguments. */

import type { Server } from "../server.ts";

/** The largest number: 2^53 - 1, the last that a score holds exactly. Instants, durations and counters go up to it. */
export const NUMBER_MAX = 9007199254740991;

/** The instant that a delay from now reaches; a longer one ends at the latest that there is. */
export function dueIn(s: Server, ms: number): number {
  return Math.min(s.now() + ms, NUMBER_MAX);
}

/** The largest priority: 2^21. */
export const PRIORITY_MAX = 2097152;
