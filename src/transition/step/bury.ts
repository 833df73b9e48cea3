/**
 * Death: how a job ends that will not be tried again. It is kept as the terms say, or its row goes.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { leaveOutcome } from "./result.ts";
import { ALL, findOldest, keep, type Leavers, type Terms } from "./retain.ts";
import { deleteRow } from "./row.ts";
import { readTally, tally } from "./tally.ts";
import { lastToken, rememberTokens } from "./tokens.ts";

/**
 * Reads what `deaths` deaths write to, before the first write; answers the dead jobs that go to make room for them. A
 * job that has just died never goes by its own act, so that it can be seen.
 */
export function readDeaths(s: Server, base: Bytes, terms: Terms, deaths: number): Leavers {
  readTally(s, base, "failed");
  s.call("ZCARD", `${base}tokens`);
  return findOldest(s, base, "dead", terms.deadCount === 0 ? ALL : terms.deadCount, deaths, 0);
}

/**
 * Ends a job as dead whose lease has ended: it is kept as the terms say, or its row goes. `until` is until when its
 * outcome is left, 0 for nobody who asked.
 */
export function bury(s: Server, base: Bytes, id: Bytes, error: Bytes, terms: Terms, until: number): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  if (terms.deadCount === 0) {
    const token = lastToken(s, base, call("HGET", row, "attempts"));
    deleteRow(s, row);
    rememberTokens(s, base, [id], [token]);
  } else {
    call("HSET", row, "state", "dead", "last_error", error, "finished_at", s.now());
    keep(s, base, "dead", id, terms.deadMs);
  }
  tally(s, base, "failed", 1);
  if (until > 0) leaveOutcome(s, base, id, `k${error}`, until);
}
