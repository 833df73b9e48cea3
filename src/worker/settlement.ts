/**
 * From what a handler did to the letter and values by which the wire settles the job.
 *
 * Nothing here sends anything: an attempt gets its settlement written on it, and the turn loop carries it out.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { backoffDelayMs } from "../queue/backoff.ts";
import { encodePayload } from "../queue/codec.ts";
import { BACKOFF_MS_DEFAULT, MS_MAX } from "../queue/defaults.ts";
import type { JobOverrides } from "../queue/job-options.ts";
import type { Attempt } from "./attempt.ts";
import { type Control, controlOf } from "./control-error.ts";
import { errorBytes } from "./error-text.ts";
import type { WorkerSettings } from "./worker-options.ts";

const NO_VALUES: readonly Bytes[] = [];

/**
 * Settles an attempt whose handler returned `value`.
 *
 * `undefined` is completion without a result.
 *
 * @throws EchoMQError `invalid_payload` or `payload_too_large` when the value cannot be stored; nothing is written
 * then.
 */
export function settleReturned(attempt: Attempt, value: unknown, resultBytesMax: number): void {
  attempt.values = value === undefined ? NO_VALUES : [encodeResult(value, resultBytesMax)];
  attempt.op = value === undefined ? "c" : "r";
  attempt.outcome = value;
}

/** Settles an attempt that is put back to its place without having spent anything. */
export function settleGivenBack(attempt: Attempt): void {
  attempt.op = "b";
  attempt.values = NO_VALUES;
}

/** Settles an attempt as a control error asks. */
export function settleControlled(attempt: Attempt, error: unknown, control: Control): void {
  attempt.outcome = error;
  switch (control.kind) {
    case "unrecoverable":
      attempt.op = "k";
      attempt.values = [errorBytes(error)];
      return;
    case "delay":
      attempt.op = "d";
      attempt.values = [String(control.ms)];
      return;
    case "delayUntil":
      attempt.op = "a";
      attempt.values = [String(control.atMs)];
      return;
    case "giveBack":
      settleGivenBack(attempt);
      return;
  }
}

/** Settles an attempt that failed: again after `delayMs`, or dead once `attempts` failures are reached. */
export function settleFailed(
  attempt: Attempt,
  error: unknown,
  { delayMs, attempts }: { readonly delayMs: number; readonly attempts: number },
): void {
  attempt.op = "f";
  attempt.values = [String(delayMs), String(attempts), errorBytes(error)];
  attempt.outcome = error;
}

/** What a thrown value asks for, when it is no ordinary failure: also the reason `closing`, thrown on by a handler. */
export function controlOfThrown(error: unknown): Control | undefined {
  return isEchoMQError(error, "closing") ? { kind: "giveBack" } : controlOf(error);
}

/**
 * The wait after a failure: the job's own backoff, else the worker's. A function may answer later.
 *
 * @param onBadAnswer told of a function that threw or answered no time; the default of one second stands in for it.
 */
export function retryDelayMs(
  attempt: Attempt,
  error: unknown,
  policy: {
    readonly overrides: JobOverrides;
    readonly settings: WorkerSettings;
    readonly random: () => number;
    readonly onBadAnswer: (error: unknown) => void;
  },
): number | Promise<number> {
  const { overrides, settings, random, onBadAnswer } = policy;
  const backoff = overrides.backoff ?? settings.backoff;
  if (typeof backoff !== "function") return backoffDelayMs(backoff, attempt.failureNumber, random);
  const fallback = (fault: unknown) => {
    onBadAnswer(fault);
    return BACKOFF_MS_DEFAULT;
  };
  try {
    const answer = backoff(attempt.failureNumber, error, attempt.job);
    if (typeof answer === "number") return checkedDelay(answer, onBadAnswer);
    return Promise.resolve(answer).then((ms) => checkedDelay(ms, onBadAnswer), fallback);
  } catch (fault) {
    return fallback(fault);
  }
}

/** Fractions are rounded up; what is no time at all becomes the default. */
function checkedDelay(ms: unknown, onBadAnswer: (error: unknown) => void): number {
  if (typeof ms === "number" && ms >= 0 && ms <= MS_MAX) return Math.ceil(ms);
  onBadAnswer(new EchoMQError("invalid_option", `The backoff function answered ${quote(ms)}, which is no time in ms`));
  return BACKOFF_MS_DEFAULT;
}

function encodeResult(value: unknown, bytesMax: number): Bytes {
  try {
    return encodePayload(value, bytesMax);
  } catch (cause) {
    if (!isEchoMQError(cause)) throw cause;
    const message = `What the handler returned cannot be stored: ${cause.message}`;
    throw new EchoMQError(cause.code, message, { cause, details: cause.details });
  }
}
