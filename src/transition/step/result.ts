/**
 * Results for whoever waits for them.
 *
 * A waiter marks the row with `wait`, the server instant until which it waits. The act that ends such a job tells the
 * channel `results`, and leaves how it ended in `job:<id>:result` until that instant, so that a waiter who looks late
 * still finds it although the row is gone. Nothing is published and nothing left where nobody asked. The message goes
 * out before the act writes of the job, so that a missing channel right ends the act while nothing is lost.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";

/** Bytes of a result that is left beside its row, at most: of a larger one only that it was too large is told. */
export const RESULT_BYTES_MAX = 1048576;

/**
 * Until when the outcome of a job must be left, 0 for nobody who asked. `resultMs` is how long it is to be left from
 * now on whoever asks; 0 leaves that to the mark.
 */
export function waitedUntil(s: Server, wait: Bytes | false, resultMs: number): number {
  const now = s.now();
  const until = resultMs > 0 ? Math.min(now + resultMs, NUMBER_MAX) : 0;
  if (wait === false || !s.int(wait, 0, NUMBER_MAX)) return until;
  const marked = s.num(wait);
  return marked > now ? Math.max(marked, until) : until;
}

/** Tells whoever waits that a job ends in this act. */
export function tellWaiters(s: Server, base: Bytes, id: Bytes): void {
  s.call("PUBLISH", `${base}results`, id);
}

/** The outcome of a completed job: `c` without a result, `r` and the result, `l` for a result that is too large. */
export function doneOutcome(result: Bytes | false): Bytes {
  if (result === false) return "c";
  return result.length > RESULT_BYTES_MAX ? "l" : `r${result}`;
}

/** Leaves the outcome of a job that has ended. */
export function leaveOutcome(s: Server, base: Bytes, id: Bytes, outcome: Bytes, until: number): void {
  s.call("SET", `${base}job:${id}:result`, outcome, "PXAT", until);
}
