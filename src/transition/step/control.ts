/**
 * The channel `control`, on which workers hear at once what they would otherwise hear at their next word.
 *
 * A message is a letter and a name: `c` and the id of a job that is to stop, `w` and the id of a worker that was paused
 * or resumed. It is only a hint: what it says stands in the row, or in the hash `workers`, in the same act, and whoever
 * missed it reads it there. It goes out before the act writes, so that a missing channel right ends the act while
 * nothing is changed.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";

/** Tells workers that something about `name` was written. */
export function tellControl(s: Server, base: Bytes, letter: Bytes, name: Bytes): void {
  s.call("PUBLISH", `${base}control`, `${letter}${name}`);
}
