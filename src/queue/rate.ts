/**
 * A rate as its user writes it, and as the wire has it.
 *
 * Everything is checked here, before a byte leaves, with a code of its own: a rate that is read wrongly lets through
 * too much or nothing, and nobody sees why.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { type Duration, durationMs } from "./duration.ts";
import { assertKnownOptions } from "./option-check.ts";

/** The ways in which a rate counts. */
export const RATE_WAYS = ["window", "sliding", "bucket"] as const;

/** A way in which a rate counts. */
export type RateWay = (typeof RATE_WAYS)[number];

/**
 * How many jobs may start in a time, over all workers.
 *
 * @example
 * await queue.setLimits({ rate: { max: 100, duration: "1s" } });
 */
export interface Rate {
  /** Jobs that may start in one `duration`: 1 to 1,048,576. */
  readonly max: number;
  /** From 1 ms to 24 days. */
  readonly duration: Duration;
  /**
   * How it counts. `window`, the default, begins with the first job and lets `max` start before it ends; `sliding`
   * moves along and never lets much more than `max` start in any span of `duration`; `bucket` lets `burst` start at
   * once and is filled evenly by `max` in `duration`.
   */
  readonly way?: RateWay;
  /** The size of a bucket, 1 to 1,048,576; `max` unless told. 1 spreads jobs evenly. For `bucket` only. */
  readonly burst?: number;
}

/** Claims of one duration, at most (spec/operator/limits.json). */
export const RATE_CLAIMS_MAX = 1_048_576;

/** The longest duration of a rate, in ms. */
export const RATE_DURATION_MS_MAX = 2_147_483_648;

/**
 * The arguments max, duration, way and burst; `null` is no rate.
 *
 * @throws EchoMQError `invalid_rate`, `unknown_option`, `invalid_option`.
 */
export function rateArguments(rate: Rate | null): [max: Bytes, duration: Bytes, way: Bytes, burst: Bytes] {
  if (rate === null) return ["0", "1", "window", "0"];
  if (typeof rate !== "object") throw invalid("an object of max and duration, or null for none", rate);
  assertKnownOptions(rate, { owner: "rate", known: ["max", "duration", "way", "burst"] });
  const { max, duration, way = "window", burst } = rate;
  assertClaims(max, "max");
  if (duration === undefined) throw invalid("given a duration", duration);
  const ms = durationMs(duration, "duration");
  if (ms < 1 || ms > RATE_DURATION_MS_MAX) throw invalid("over 1 ms to 24 days", duration);
  if (!RATE_WAYS.includes(way)) throw invalid(`counted by one of ${RATE_WAYS.join(", ")}`, way);
  if (burst !== undefined && way !== "bucket") throw invalid('given a burst with way "bucket" only', way);
  if (burst !== undefined) assertClaims(burst, "burst");
  return [String(max), String(ms), way, String(burst ?? 0)];
}

/** A rate from what the wire keeps of it, `undefined` where there is none or what stands there is none. */
export function rateOf(max: Bytes | null, duration: Bytes | null, burst: Bytes | null): Rate | undefined {
  const claims = Number(max ?? 0);
  const ms = Number(duration ?? 0);
  if (!Number.isSafeInteger(claims) || claims < 1 || !Number.isSafeInteger(ms) || ms < 1) return undefined;
  const size = burst === null ? Number.NaN : Number(burst);
  if (!Number.isSafeInteger(size)) return { max: claims, duration: ms, way: "window" };
  return size === 0
    ? { max: claims, duration: ms, way: "sliding" }
    : { max: claims, duration: ms, way: "bucket", burst: size };
}

function assertClaims(value: unknown, name: string): void {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= RATE_CLAIMS_MAX) return;
  throw invalid(`given a whole ${name} from 1 to ${RATE_CLAIMS_MAX}`, value);
}

function invalid(what: string, value: unknown): EchoMQError {
  return new EchoMQError("invalid_rate", `A rate must be ${what}, not ${quote(value)}`, { details: { value } });
}
