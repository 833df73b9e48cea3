/**
 * From what a handler did to the letter and values by which the wire settles the job.
 *
 * Nothing here sends anything: an attempt gets its settlement written on it, and the turn loop carries it out.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { backoffDelayMs } from "../queue/backoff.ts";
import { BACKOFF_MS_DEFAULT, MS_MAX } from "../queue/defaults.ts";
import type { JobOverrides } from "../queue/job-options.ts";
import { Terms } from "../queue/retention.ts";
import type { Attempt } from "./attempt.ts";
import { type Control, controlOf } from "./control-error.ts";
import { errorBytes } from "./error-text.ts";
import type { WorkerSettings } from "./worker-options.ts";

const NO_VALUES: readonly Bytes[] = [];

/**
 * The bytes of what a handler returned; a promise of them when the codec takes time.
 *
 * @throws EchoMQError `invalid_payload` or `payload_too_large` when the value cannot be stored; a promise rejects with
 *   them.
 */
export function encodeResult(
  value: unknown,
  { codec, resultBytesMax }: Pick<WorkerSettings, "codec" | "resultBytesMax">,
): Bytes | Promise<Bytes> {
  let result: Bytes | Promise<Bytes>;
  try {
    result = codec.encodeResult(value, resultBytesMax);
  } catch (cause) {
    throw resultFault(cause);
  }
  if (typeof result === "string") return result;
  return result.catch((cause: unknown) => {
    throw resultFault(cause);
  });
}

/** What a job asks to be kept of it, where it says something about that; the worker's word stands for the rest. */
export function termsOf(
  { keepCompleted, keepDead, keepResultMs }: JobOverrides,
  worker: Pick<WorkerSettings, "keepCompleted" | "keepDead">,
): Terms | undefined {
  if (keepCompleted === undefined && keepDead === undefined && keepResultMs === undefined) return undefined;
  const completed = keepCompleted ?? worker.keepCompleted;
  return new Terms({ completed, dead: keepDead ?? worker.keepDead, resultMs: keepResultMs });
}

/** Settles an attempt whose handler returned `value`, `bytes` of which are stored; `undefined` stores no result. */
export function settleReturned(attempt: Attempt, value: unknown, bytes: Bytes | undefined): void {
  attempt.values = bytes === undefined ? NO_VALUES : [bytes];
  attempt.op = bytes === undefined ? "c" : "r";
  attempt.outcome = value;
}

/** Ends the job of an attempt that was told to stop because somebody cancelled it: it is dead with their reason. */
export function settleCancelled(attempt: Attempt, reason: EchoMQError): void {
  attempt.op = "k";
  attempt.values = [errorBytes(reason.details?.reason ?? reason)];
  attempt.outcome = reason;
}

/**
 * Settles an attempt that is put back to its place without having spent anything. A job that was cancelled is not put
 * back: nobody is to run it again.
 */
export function settleGivenBack(attempt: Attempt): void {
  if (attempt.stopReason?.code === "cancelled") {
    settleCancelled(attempt, attempt.stopReason);
    return;
  }
  attempt.op = "b";
  attempt.values = NO_VALUES;
}

/** Settles an attempt that comes again after `delayMs` without having spent anything. */
export function settlePutOff(attempt: Attempt, delayMs: number): void {
  attempt.op = "d";
  attempt.values = [String(delayMs)];
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
      settlePutOff(attempt, control.ms);
      return;
    case "limit":
      attempt.op = "l";
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

function resultFault(cause: unknown): unknown {
  if (!isEchoMQError(cause)) return cause;
  const message = `What the handler returned cannot be stored: ${cause.message}`;
  return new EchoMQError(cause.code, message, { cause, details: cause.details });
}
