/**
 * What is kept of jobs that have ended: the option as users write it, and the terms as the wire has them.
 *
 * An act cannot read the options of a job, so whoever settles says the terms. The nearest word wins: what the job says,
 * then what its queue says in `defaultJobOptions`, then what the worker says, then, of completed jobs, what the queue's
 * `meta` says (docs/protocol/retention.md).
 */

import type { Engine } from "../engine/engine.ts";
import { assertOwnWire } from "../engine/shared-mode.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { DEAD_KEPT_DEFAULT, MS_MAX } from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { assertKnownOptions, assertWhole } from "./option-check.ts";

/**
 * What is kept of jobs that have ended in one way: `true` none, `false` all, a number the newest of them, or a number
 * and an age. The number is of the whole queue, whichever job said it; the age is of the job.
 */
export type Retention = boolean | number | { readonly count?: number; readonly age?: Duration };

/** A checked {@link Retention}. */
export interface Keep {
  /** Jobs that are kept; 0 keeps none, {@link KEEP_ALL} all. */
  readonly count: number;
  /** How long one is kept, in ms; 0 is without limit. */
  readonly ms: number;
}

/** The number that keeps all jobs. */
export const KEEP_ALL: number = Number.MAX_SAFE_INTEGER;

/** The dead jobs that a worker keeps unless it or the job says otherwise. */
export const DEAD_KEEP_DEFAULT: Keep = { count: DEAD_KEPT_DEFAULT, ms: 0 };

const TABLE_KNOWN = ["count", "age"];
const TABLE_FOREIGN = { limit: "a settlement takes away ten beyond what it adds, so that none is slow" };

/**
 * Checks a retention; `undefined` stays.
 *
 * @param option what it is called, for the message.
 * @throws EchoMQError `invalid_option`, `unknown_option`.
 */
export function checkedRetention(value: Retention | undefined, option: string): Keep | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "boolean") return { count: value ? 0 : KEEP_ALL, ms: 0 };
  if (typeof value === "number") {
    assertWhole(value, option, { min: 0, max: KEEP_ALL });
    return { count: value, ms: 0 };
  }
  if (typeof value !== "object" || value === null) {
    const message = `${option} must be true, false, a number of jobs or { count, age }, not ${quote(value)}`;
    throw new EchoMQError("invalid_option", message, { details: { option, value } });
  }
  assertKnownOptions(value, { owner: option, known: TABLE_KNOWN, foreign: TABLE_FOREIGN });
  if (value.count === undefined && value.age === undefined) {
    const message = `${option} names neither count nor age: give one, or false to keep all`;
    throw new EchoMQError("invalid_option", message, { details: { option, value } });
  }
  const { count = KEEP_ALL, age } = value;
  assertWhole(count, `${option}.count`, { min: 0, max: KEEP_ALL });
  if (age === undefined) return { count, ms: 0 };
  const ms = durationMs(age, `${option}.age`);
  assertWhole(ms, `${option}.age`, { min: 1, max: MS_MAX });
  return { count, ms };
}

/** The options that say what is kept. */
export interface RetentionOptions {
  readonly removeOnComplete?: Retention;
  readonly removeOnFail?: Retention;
}

/**
 * Lets pass in shared mode what programs of wire 3 do anyway, which is `removeOnComplete: true` and `removeOnFail:
 * false`: they neither trim nor look for what is kept.
 *
 * @throws EchoMQError `shared_mode`.
 */
export function assertKeptByAll(
  engine: Pick<Engine, "wireVersion">,
  { removeOnComplete = true, removeOnFail = false }: RetentionOptions,
): void {
  if (removeOnComplete !== true || removeOnFail !== false) assertOwnWire(engine, "removeOnComplete and removeOnFail");
}

/** The shortest {@link Retention} that says the same, for the `opts` of a row. */
export function storedRetention({ count, ms }: Keep): Retention {
  if (ms > 0) return count === KEEP_ALL ? { age: ms } : { count, age: ms };
  if (count === 0) return true;
  return count === KEEP_ALL ? false : count;
}

/** On which terms jobs are kept that one worker or job ends. */
export interface TermsSource {
  /** Of completed jobs; `undefined` leaves it to the queue's `meta`, else none is kept. */
  readonly completed?: Keep | undefined;
  /** Of dead jobs; `undefined` keeps all. */
  readonly dead?: Keep | undefined;
  /** How long the outcome is left for whoever asks, in ms. Default 0: for those alone who have asked. */
  readonly resultMs?: number | undefined;
}

/** The terms of {@link TermsSource} as arguments of `TURN`, made once and compared often. */
export class Terms {
  /** keep_n, keep_ms, dead_n, dead_ms, result_ms. */
  readonly args: readonly Bytes[];
  /** The arguments in one text: equal terms have equal keys. */
  readonly key: string;
  /** Whether completed jobs end by them as they do without any. */
  readonly isPlain: boolean;

  constructor({ completed, dead, resultMs = 0 }: TermsSource) {
    const done = completed === undefined ? ["", "0"] : keepArguments(completed);
    this.args = [...done, ...keepArguments(dead ?? { count: KEEP_ALL, ms: 0 }), String(resultMs)];
    this.key = this.args.join();
    this.isPlain = completed === undefined && resultMs === 0;
  }
}

/** The two arguments of what is kept. */
export function keepArguments({ count, ms }: Keep): Bytes[] {
  return [String(count), String(ms)];
}
