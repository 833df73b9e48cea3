/**
 * What the server's answer to a settlement means.
 *
 * A settlement whose reply was lost is sent again, and then the server may answer that the job is gone or in another
 * state: that is what its own success looks like the second time, so it is no error. The same answer to a first try
 * means that the lease was over.
 */

import type { Attempt } from "./attempt.ts";

export type Judgement =
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly outcome: "scheduled" | "dead" }
  /** Delayed or given back. */
  | { readonly kind: "returned" }
  | { readonly kind: "lost"; readonly why: string };

/** Judges the verdict on an attempt's settlement; `undefined` when it went as asked. */
export function judgeSettlement(attempt: Attempt, verdict: string | undefined): Judgement {
  switch (attempt.op) {
    case "c":
    case "r":
      // Completion deletes the row, so its repetition finds it gone.
      if (verdict === undefined || (verdict === "0" && attempt.wasSent)) return { kind: "completed" };
      return lost(verdict);
    case "f":
      if (verdict === undefined || verdict === "dead") return failed(verdict === "dead");
      return attempt.wasSent ? failed(hasSpentAll(attempt)) : lost(verdict);
    case "k":
      if (verdict === undefined || verdict === "dead" || attempt.wasSent) return failed(true);
      return lost(verdict);
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

function lost(verdict: string): Judgement {
  return { kind: "lost", why: verdict === "0" ? "the job is gone" : verdict };
}
