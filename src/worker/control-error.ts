/**
 * Errors by which a handler says what is to become of its job.
 *
 * Any other thrown value is a failure: it spends an attempt and is tried again after the backoff. These are recognised
 * by a registered symbol and not by `instanceof`, so that a handler built against another copy of the package is
 * understood.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { type Duration, durationMs } from "../queue/duration.ts";

const BRAND = Symbol.for("echomq.control");

/** What a control error asks for. */
export type Control =
  | { readonly kind: "unrecoverable" }
  /** Again after `ms`, without spending an attempt. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Again at the server instant `atMs`, without spending an attempt. */
  | { readonly kind: "delayUntil"; readonly atMs: number }
  /** Back to its place at once, and nothing of the queue starts for `ms`, without spending an attempt. */
  | { readonly kind: "limit"; readonly ms: number }
  /** Back to its place at once, without spending an attempt. */
  | { readonly kind: "giveBack" };

/**
 * What a thrown value asks for; `undefined` when it is an ordinary failure. Never throws.
 *
 * The brand may come from another version of the package, or from anybody: what this one cannot send is no control, for
 * a settlement that the server refuses would be sent again and again.
 */
export function controlOf(error: unknown): Control | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  try {
    return readControl((error as { [BRAND]?: unknown })[BRAND]);
  } catch {
    return undefined;
  }
}

function readControl(control: unknown): Control | undefined {
  if (typeof control !== "object" || control === null) return undefined;
  const { kind, ms, atMs } = control as { readonly kind?: unknown; readonly ms?: unknown; readonly atMs?: unknown };
  switch (kind) {
    case "unrecoverable":
    case "giveBack":
      return { kind };
    case "delay":
    case "limit":
      return isTime(ms) ? { kind, ms } : undefined;
    case "delayUntil":
      return isTime(atMs) ? { kind, atMs } : undefined;
    default:
      return undefined;
  }
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

abstract class ControlError extends Error {
  constructor(message: string, control: Control) {
    super(message);
    Object.defineProperty(this, BRAND, { value: control });
  }
}

/** Ends the job at once: it is dead, whatever attempts are left. */
export class UnrecoverableError extends ControlError {
  override readonly name = "UnrecoverableError";

  constructor(message = "the job cannot be recovered") {
    super(message, { kind: "unrecoverable" });
  }
}

/** Puts the job off; it spends no attempt. */
export class DelayedError extends ControlError {
  override readonly name = "DelayedError";

  /**
   * @param delay how long from now, or a `Date` by the server's clock.
   * @throws EchoMQError `invalid_option`.
   */
  constructor(delay: Duration | { getTime(): number }) {
    if (typeof delay === "object") {
      const atMs = delay.getTime();
      if (!Number.isSafeInteger(atMs) || atMs < 0) {
        throw new EchoMQError("invalid_option", "A DelayedError needs a valid date or a duration");
      }
      super(`put off until ${atMs}`, { kind: "delayUntil", atMs });
      return;
    }
    const ms = durationMs(delay, "delay");
    super(`put off for ${ms} ms`, { kind: "delay", ms });
  }
}

/**
 * Something that the jobs of the queue need takes no more calls for a while. The job goes back to its place without
 * spending an attempt, no worker starts a job of the queue for that long, and then this one is first again.
 */
export class RateLimitError extends ControlError {
  override readonly name = "RateLimitError";

  /** @throws EchoMQError `invalid_option` for what is no duration. */
  constructor(retryAfter: Duration) {
    const ms = durationMs(retryAfter, "retryAfter");
    super(`rate limited for ${ms} ms`, { kind: "limit", ms });
  }
}

/** Puts the job back to its place at once, for another worker; it spends no attempt. */
export class GiveBackError extends ControlError {
  override readonly name = "GiveBackError";

  constructor(message = "given back") {
    super(message, { kind: "giveBack" });
  }
}

/**
 * What leaves a handler whose job rests until its children have ended. The job is not the handler's any more, so
 * nothing depends on it; it stands here so that tracing does not take it for a failure.
 */
export class ParkedError extends ControlError {
  override readonly name = "ParkedError";

  constructor() {
    super("the job rests until its children have ended, and its handler runs again then", { kind: "giveBack" });
  }
}

/**
 * The error to throw in order to be called again later without spending an attempt.
 *
 * @example
 * if (!(await isReady(job.data.file))) throw snooze("30s");
 */
export function snooze(delay: Duration): DelayedError {
  return new DelayedError(delay);
}
