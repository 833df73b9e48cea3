/**
 * How long a failed job waits before its next attempt.
 *
 * The wire only ever sees a literal delay, so the whole policy lives here. A delay is clamped before a power overflows:
 * attempt 50 of an exponential backoff gives its cap and not infinity. Jitter is an even choice of a whole number of
 * milliseconds from 0 to the delay, both ends included.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { BACKOFF_MS_DEFAULT, MS_MAX } from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { assertKnownOptions } from "./option-check.ts";

/** A backoff that can be stored with a job: a fixed delay, or a policy. */
export type JobBackoff = Duration | BackoffPolicy;

/** How the wait grows from failure to failure, and how much of it is left to chance. */
export interface BackoffPolicy {
  /** `fixed` waits `delay` each time; `exponential` waits `delay`, then twice, four times, … as long. */
  readonly type: "fixed" | "exponential";
  /** Default 1 s. */
  readonly delay?: Duration;
  /** The longest wait of `exponential`; a cap below `delay` gives the cap. Default: no cap but 2^53 - 1 ms. */
  readonly cap?: Duration;
  /**
   * How much of the wait is left to chance, 0 (none, the default) to 1 (all of it); `true` is 1. Half of it, 0.5, waits
   * between half the delay and the whole.
   */
  readonly jitter?: boolean | number;
}

/**
 * Chooses the wait in ms after failure number `attempt` (from 1). Takes part only on the worker, since a function
 * cannot be stored with a job.
 */
export type BackoffFunction = (attempt: number, error: unknown, job: unknown) => number | Promise<number>;

/** A backoff of a worker. */
export type Backoff = JobBackoff | BackoffFunction;

/** A policy whose numbers have been checked; every duration in ms. */
export interface CheckedBackoff {
  readonly type: "fixed" | "exponential";
  readonly delayMs: number;
  readonly capMs: number;
  /** 0 to 1. */
  readonly jitter: number;
}

/** Fixed, one second. */
export const BACKOFF_DEFAULT: CheckedBackoff = Object.freeze({
  type: "fixed",
  delayMs: BACKOFF_MS_DEFAULT,
  capMs: MS_MAX,
  jitter: 0,
});

const POLICY_OPTIONS = {
  owner: "backoff",
  known: ["type", "delay", "cap", "jitter"],
  foreign: { maxDelay: "it is called cap", max: "it is called cap", factor: "exponential always doubles" },
} as const;

/**
 * Reads a backoff.
 *
 * @throws EchoMQError `invalid_option` or `unknown_option`; a function is refused with the place where it belongs.
 */
export function checkedBackoff(backoff: JobBackoff): CheckedBackoff {
  if (typeof backoff === "function") {
    throw invalid(backoff, "a function belongs to the Worker, because it cannot be stored with a job");
  }
  if (typeof backoff !== "object" || backoff === null) {
    return { ...BACKOFF_DEFAULT, delayMs: durationMs(backoff, "backoff") };
  }
  assertKnownOptions(backoff, POLICY_OPTIONS);
  const { type, delay, cap, jitter } = backoff;
  if (type !== "fixed" && type !== "exponential") {
    throw invalid(type, 'its type must be "fixed" or "exponential"; other curves are functions of the Worker');
  }
  return {
    type,
    delayMs: delay === undefined ? BACKOFF_MS_DEFAULT : durationMs(delay, "backoff.delay"),
    capMs: cap === undefined ? MS_MAX : durationMs(cap, "backoff.cap"),
    jitter: jitterShare(jitter),
  };
}

/**
 * The form in which a checked backoff travels with a job: as short as it can be read back by {@link checkedBackoff}.
 */
export function storedBackoff(backoff: CheckedBackoff): JobBackoff {
  const { type, delayMs, capMs, jitter } = backoff;
  if (type === "fixed" && capMs === MS_MAX && jitter === 0) return delayMs;
  return {
    type,
    delay: delayMs,
    ...(capMs === MS_MAX ? {} : { cap: capMs }),
    ...(jitter === 0 ? {} : { jitter }),
  };
}

/**
 * The wait in ms after failure number `attempt`, which counts from 1.
 *
 * @param random a number from 0 (inclusive) to 1 (exclusive), asked only when there is jitter.
 */
export function backoffDelayMs(backoff: CheckedBackoff, attempt: number, random: () => number): number {
  const wholeMs = undisturbedMs(backoff, attempt);
  if (backoff.jitter === 0 || wholeMs === 0) return wholeMs;
  const swayMs = Math.floor(wholeMs * backoff.jitter);
  // The sum of two whole numbers below 2^53 whose total is at most `wholeMs` stays exact.
  return wholeMs - swayMs + Math.min(swayMs, Math.floor(random() * (swayMs + 1)));
}

function undisturbedMs({ type, delayMs, capMs }: CheckedBackoff, attempt: number): number {
  if (type === "fixed") return Math.min(delayMs, capMs);
  // 2^53 ms already exceed every cap, and beyond 2^1023 the power would be infinite.
  const doublings = Math.min(Math.max(attempt, 1) - 1, 53);
  return Math.min(delayMs * 2 ** doublings, capMs);
}

function jitterShare(jitter: boolean | number | undefined): number {
  if (jitter === undefined || jitter === false) return 0;
  if (jitter === true) return 1;
  if (typeof jitter === "number" && jitter >= 0 && jitter <= 1) return jitter;
  throw invalid(jitter, "its jitter must be true, false or a share from 0 to 1");
}

function invalid(value: unknown, why: string): EchoMQError {
  return new EchoMQError("invalid_option", `backoff cannot be ${quote(value)}: ${why}`, {
    details: { option: "backoff" },
  });
}
