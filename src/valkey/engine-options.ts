/**
 * The check of what an engine for a server is told beside its connection.
 *
 * It stands apart from the engine because the engine is loaded late: a wrong option must be refused where it is
 * written, by who makes a queue or worker, and not by the first call that happens to wait for the engine.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";

const NUMBER_MAX = 2 ** 31 - 1;

/** Below the patience of a heartbeat, which stands behind a `BLPOP` on the blocking socket. */
const BEAT_MS_MAX = 5000;

/** Options that a queue, a worker or a test may give, unchecked. */
export interface UncheckedEngineOptions {
  readonly wireVersion?: unknown;
  readonly isReadonly?: unknown;
  readonly offline?: unknown;
  readonly commandTimeoutMs?: unknown;
  readonly maxPending?: unknown;
  readonly beatMs?: unknown;
  readonly native?: unknown;
}

/** Throws `invalid_option` for a value that no engine can work with; `undefined` is the default. */
export function assertEngineOptions(options: UncheckedEngineOptions): void {
  const { offline, wireVersion, isReadonly, native } = options;
  assertNumber("commandTimeoutMs", options.commandTimeoutMs, NUMBER_MAX);
  assertNumber("maxPending", options.maxPending, NUMBER_MAX);
  assertNumber("beatMs", options.beatMs, BEAT_MS_MAX);
  if (offline !== undefined && offline !== "wait" && offline !== "fail") {
    throw invalid("offline", '"wait" or "fail"', offline);
  }
  if (wireVersion !== undefined && (typeof wireVersion !== "string" || wireVersion === "")) {
    throw invalid("wireVersion", "a text such as echomq:4.0.0", wireVersion);
  }
  if (native !== undefined && native !== "auto" && native !== "require" && native !== "off") {
    throw invalid("native", '"auto", "require" or "off"', native);
  }
  if (isReadonly !== undefined && typeof isReadonly !== "boolean") {
    throw invalid("isReadonly", "true or false", isReadonly);
  }
}

function assertNumber(option: string, value: unknown, max: number): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max)) return;
  throw invalid(option, `a whole number from 1 to ${max}`, value);
}

function invalid(option: string, what: string, value: unknown): EchoMQError {
  return new EchoMQError("invalid_option", `The option ${option} must be ${what}, not ${quote(value)}.`, {
    details: { option, value },
  });
}
