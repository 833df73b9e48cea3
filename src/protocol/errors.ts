/**
 * The one error class.
 *
 * Outcomes such as a duplicate are return values and never come here. What is thrown is an operating error (the server
 * is away, the payload is too large) and carries a stable `code` of the closed list in `spec/errors.json`. Recognise it
 * by {@link isEchoMQError}, which also knows an error made by another copy of this package.
 */

import { ERROR_CODES, type ErrorCode } from "./error-codes.generated.ts";

const BRAND = Symbol.for("echomq.error");

export interface EchoMQErrorOptions {
  readonly cause?: unknown;
  /** Facts for programs: the option's name, the index in a bulk, the version that was found. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An operating error of EchoMQ. */
export class EchoMQError extends Error {
  /** Stable from release to release; docs/reference/errors.md lists them all. */
  readonly code: ErrorCode;
  /** Whether the very same call may succeed later without a change. */
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: EchoMQErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EchoMQError";
    this.code = code;
    this.retryable = ERROR_CODES[code].retryable;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether a value is an error of EchoMQ, by its brand and not by `instanceof`; with `code`, one of that code. Never
 * throws: whatever was thrown anywhere may be asked about, a proxy full of traps too.
 */
export function isEchoMQError(value: unknown, code?: ErrorCode): value is EchoMQError {
  if (typeof value !== "object" || value === null) return false;
  try {
    return BRAND in value && (code === undefined || ("code" in value && value.code === code));
  } catch {
    return false;
  }
}
