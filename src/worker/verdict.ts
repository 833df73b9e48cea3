/**
 * What the server's answer to a settlement means.
 *
 * A settlement whose reply was lost is sent again, and then the server may answer that the job is gone or in another
 * state. While the lease holds nobody else can have done that, so it is what our own success looks like the second time
 * and no error. Once the lease is over, or on a first try, the same answer means that the job was taken from us.
 */

import type { Attempt } from "./attempt.ts";

/** What became of a job by its settlement; `lost`: nothing that this worker did. */
export type Judgement =
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly outcome: "scheduled" | "dead" }
  /** Delayed or given back. */
  | { readonly kind: "returned" }
  | { readonly kind: "lost"; readonly why: string };

const COMPLETED: Judgement = { kind: "completed" };

/**
 * Judges the verdict on an attempt's settlement; `undefined` when it went as asked.
 *
 * @param now the host's time at the answer; it matters with a verdict only.
 */
export function judgeSettlement(attempt: Attempt, verdict: string | undefined, now: number): Judgement {
  const isOurOwn = attempt.wasSent && now < attempt.leaseUntil;
  switch (attempt.op) {
    case "c":
    case "r":
      // Completion deletes the row or leaves it completed: its repetition finds the job gone, or not active any more.
      if (verdict === undefined || (isOurOwn && (verdict === "0" || verdict.startsWith("EMQSTATE")))) {
        return COMPLETED;
      }
      return lost(attempt, verdict);
    case "f":
      if (verdict === undefined || verdict === "dead") return failed(verdict === "dead");
      return isOurOwn ? failed(hasSpentAll(attempt)) : lost(attempt, verdict);
    case "k":
      if (verdict === undefined || verdict === "dead" || isOurOwn) return failed(true);
      return lost(attempt, verdict);
    default:
      // What was to be given back is not with us any more either way.
      return { kind: "returned" };
  }
}

function failed(isDead: boolean): Judgement {
  return { kind: "failed", outcome: isDead ? "dead" : "scheduled" };
}

/** Whether this failure was the last that the settlement allowed. */
function hasSpentAll(attempt: Attempt): boolean {
  return attempt.failureNumber >= Number(attempt.values[1]);
}

function lost(attempt: Attempt, verdict: string): Judgement {
  const fact = verdict === "0" ? "the job is gone" : verdict;
  return { kind: "lost", why: attempt.wasSent ? `${fact}; an earlier try may have counted` : fact };
}
