/**
 * From how a job ended to what its caller gets: the value that the handler returned, or an error that says why not.
 */

import { textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { RESULT_TIMEOUT_MS_DEFAULT, RESULT_TIMEOUT_MS_MAX } from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { assertKnownOptions, assertWhole } from "./option-check.ts";
import type { PayloadCodec } from "./payload-codec.ts";
import type { Outcome } from "./result-outcome.ts";

/** Options of `result`. */
export interface ResultOptions {
  /** How long to wait: up to 24 days, default one minute; 0 only looks. */
  readonly timeout?: Duration;
}

const RESULT_TABLE = { owner: "result", known: ["timeout"], foreign: { ttl: "it is called timeout" } };

/**
 * The milliseconds to wait.
 *
 * @throws EchoMQError `unknown_option`, `invalid_option`.
 */
export function resultTimeoutMs(options: ResultOptions | undefined): number {
  assertKnownOptions(options, RESULT_TABLE);
  return checkedTimeoutMs(options?.timeout);
}

/** The milliseconds of a timeout of a wait; throws `invalid_option`. */
export function checkedTimeoutMs(timeout: Duration = RESULT_TIMEOUT_MS_DEFAULT): number {
  const ms = durationMs(timeout, "timeout");
  assertWhole(ms, "timeout", { min: 0, max: RESULT_TIMEOUT_MS_MAX });
  return ms;
}

/** What a value is read with. */
export interface ValueReader {
  readonly codec: PayloadCodec;
  /** Bytes of a result once its layers are off, at most. */
  readonly payloadBytesMax: number;
}

/**
 * The value that a handler returned; `undefined` when it returned none.
 *
 * @throws EchoMQError `job_failed` with `details.error`, `job_removed`, `result_too_large`, `result_timeout` for no
 *   outcome, and what decoding throws.
 */
export async function resultValue(id: string, outcome: Outcome | undefined, reader: ValueReader): Promise<unknown> {
  const details = { id };
  switch (outcome?.kind) {
    case "completed":
      if (outcome.result === undefined) return undefined;
      return await reader.codec.decode(outcome.result, reader.payloadBytesMax);
    case "dead": {
      const error = textOf(outcome.error);
      throw new EchoMQError("job_failed", `Job ${id} is dead: ${error}`, { details: { ...details, error } });
    }
    case "too-large":
      throw new EchoMQError(
        "result_too_large",
        `Job ${id} is completed, but its result is above 1 MiB and went with its row: keep completed jobs to read it`,
        { details },
      );
    case "absent":
      throw new EchoMQError(
        "job_removed",
        `There is no job ${id}: it was removed, or it ended before anybody waited for its result`,
        { details },
      );
    case undefined:
      throw new EchoMQError("result_timeout", `Job ${id} has not ended yet`, { details });
  }
}
