/**
 * Settlements that wait for a TURN to carry them, in the order in which they were decided.
 *
 * They are written in runs of one letter, so that a thousand completions cost one letter and one count. Bounded by what
 * the turn loop holds: an attempt is in its buffer or here.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { Terms } from "../queue/retention.ts";
import { termsArguments } from "../queue/turn-call.ts";
import type { Attempt, SettlementOp } from "./attempt.ts";
import { Ring } from "./ring.ts";

/** Settlements of one TURN, at most. Together with the claims they stay far below the 1000 of the wire. */
export const SETTLEMENTS_PER_TURN_MAX = 128;

/** Bytes of results and errors in one TURN, at most, unless one alone is larger (docs/protocol/calls.md, Budget). */
export const SETTLEMENT_BYTES_MAX = 2 ** 20;

/** The settlements of one worker that are still to be sent. */
export class SettlementQueue {
  readonly #terms: Terms;
  readonly #waiting: Ring<Attempt> = new Ring();

  /** @param terms what is kept of jobs that end and do not say themselves. */
  constructor(terms: Terms) {
    this.#terms = terms;
  }

  get length(): number {
    return this.#waiting.length;
  }

  push(attempt: Attempt): void {
    this.#waiting.push(attempt);
  }

  /**
   * Moves as many as one TURN may carry into its arguments, and answers them. What is kept of the jobs that end is said
   * before a run to which it matters and which it has not been said for; most turns say nothing.
   */
  take(args: Bytes[]): Attempt[] {
    const attempts: Attempt[] = [];
    let op: SettlementOp | undefined;
    let said: Terms | undefined;
    let countAt = 0;
    let count = 0;
    let bytes = 0;
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      for (const value of next.values) bytes += value.length;
      if (attempts.length === SETTLEMENTS_PER_TURN_MAX) break;
      if (bytes > SETTLEMENT_BYTES_MAX && attempts.length > 0) break;
      this.#waiting.shift();
      const terms = this.#termsToSay(next, said);
      if (next.op !== op || terms !== undefined) {
        if (op !== undefined) args[countAt] = String(count);
        if (terms !== undefined) {
          args.push(...termsArguments(terms));
          said = terms;
        }
        op = next.op;
        count = 0;
        countAt = args.push(op as Bytes, "") - 1;
      }
      args.push(next.claimed.id, String(next.claimed.token));
      for (const value of next.values) args.push(value);
      count += 1;
      attempts.push(next);
    }
    if (op !== undefined) args[countAt] = String(count);
    return attempts;
  }

  /** The terms that must be said before a settlement, when `said` were said last; `undefined` for none. */
  #termsToSay({ op, terms = this.#terms }: Attempt, said: Terms | undefined): Terms | undefined {
    if (op === "d" || op === "a" || op === "b" || op === "l") return undefined;
    if (said === undefined) return terms.isPlain && (op === "c" || op === "r") ? undefined : terms;
    return said === terms || said.key === terms.key ? undefined : terms;
  }
}
