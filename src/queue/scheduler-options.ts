/**
 * The options of a scheduler, checked whole before anything is written, and the record that they become.
 *
 * Two parts are stored apart. The rule says which instants are slots, and a change of it is another schedule; the
 * policy says what is done with them. Defaults go nowhere, so that a program which spells one out stores the same.
 */

import { bytesOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { CALENDAR_END_MS } from "./civil-time.ts";
import type { SamenessOptions } from "./dedup-options.ts";
import { MS_MAX } from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { CATCH_UP_MAX, type FiringPolicy } from "./firing-plan.ts";
import type { SharedJobOptions } from "./job-options.ts";
import { assertBoolean, assertKnownOptions, assertWhole } from "./option-check.ts";
import { type DstRule, Recurrence, type RecurrenceRule } from "./recurrence.ts";

/** An instant: Unix milliseconds, a `Date`, or ISO text that says its zone (`2026-03-29T00:00:00Z`, `…+01:00`). */
export type Instant = number | string | { getTime(): number };

/** What happens to slots at which nobody fired. */
export type MissedPolicy = "skip" | "last" | { readonly all: number };

/** What a slot means while the job of the one before has not ended. */
export type OverlapPolicy = "allow" | "skip" | "queue";

/** When a scheduler occurs. Exactly one of `every` and `pattern` is given. */
export interface RepeatOptions {
  /** The period, 10 ms and more: slots lie on its multiples since 1970, or since `startDate`. */
  readonly every?: Duration;
  /**
   * A cron pattern of five fields (minute, hour, day of month, month, day of week), of six with the second first, or of
   * seven with the year last. Day of month and day of week are joined by or when both are given.
   */
  readonly pattern?: string;
  /** The time zone of the pattern, an IANA name. Default `UTC`, whatever the host's is. */
  readonly tz?: string;
  /** What a local time means that the clocks leave out, or that comes twice. Default: shifted, and the first. */
  readonly dst?: DstRule;
  /** No slot lies before it. Default: none. */
  readonly startDate?: Instant;
  /** No slot lies after it. Default: none. */
  readonly endDate?: Instant;
  /** Jobs in all, 1 and more; then the scheduler has ended, and stays to be looked at. Default: without limit. */
  readonly limit?: number;
  /** How much later than the pattern, or the grid of the period, every slot is. Default 0. */
  readonly offset?: Duration;
  /** How much later than its slot each job falls due at most, by chance. The slot stays as it is. Default 0. */
  readonly jitter?: Duration;
  /**
   * Whether a further occurrence comes at once, when the scheduler is made or its schedule changes. Default false: the
   * first one is at the first slot.
   */
  readonly immediately?: boolean;
  /**
   * What happens to slots that nobody fired before the next one was due: `skip` fires none, and none that is more than
   * a minute late; `last` the last one; `{ all: n }` the newest `n` (1 to 100), oldest first. Default `last`.
   */
  readonly missed?: MissedPolicy;
  /**
   * What a slot means while the job of the one before waits or runs: `allow` makes its job all the same; `skip` leaves
   * the slot out; `queue` lets the jobs run one after another, of which 100 wait at most. Default `allow`.
   */
  readonly overlap?: OverlapPolicy;
}

/** Options of a scheduler's jobs: those that every job of it can have. */
export interface SchedulerJobOptions extends SharedJobOptions {
  /** As in `add`: a slot whose job is held back is left out. */
  readonly deduplication?: SamenessOptions["deduplication"];
}

/** What each job of a scheduler is. */
export interface SchedulerTemplate<Name extends string = string, Data = unknown> {
  /** Default: the id of the scheduler. */
  readonly name?: Name;
  /** Default: `{}`. */
  readonly data?: Data;
  readonly opts?: SchedulerJobOptions;
}

/** Checked options. */
export interface RepeatPlan {
  readonly recurrence: Recurrence;
  readonly policy: FiringPolicy;
  readonly limit: number | undefined;
  readonly untilMs: number | undefined;
  readonly overlap: OverlapPolicy;
  readonly isImmediate: boolean;
}

/** The shortest period, in ms: with a shorter one a queue would do little else. */
export const EVERY_MS_MIN = 10;

const REPEAT_TABLE = {
  owner: "a scheduler",
  known: [
    "every",
    "pattern",
    "tz",
    "dst",
    "startDate",
    "endDate",
    "limit",
    "offset",
    "jitter",
    "immediately",
    "missed",
    "overlap",
  ] as const satisfies readonly (keyof RepeatOptions)[],
  foreign: {
    cron: "it is called pattern",
    timezone: "it is called tz",
    utcOffset: "give tz: a name of the IANA list",
    count: "a scheduler counts by itself; give limit",
    key: "the id of the scheduler is its key",
    jobId: "each occurrence is a job of its own",
    prevMillis: "a slot depends on the schedule alone",
    catchUp: "it is called missed",
    backfill: "it is called missed",
  },
  example: '{ pattern: "0 6 * * *", tz: "Europe/Berlin" } or { every: "5m" }',
};

const DST_TABLE = { owner: "dst", known: ["missing", "repeated"] };
const MISSED_TABLE = { owner: "missed", known: ["all"] };

/** ISO text with its zone; a date alone is that of UTC. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Checks when a scheduler occurs.
 *
 * @throws EchoMQError `unknown_option`, `invalid_option`, `invalid_schedule`, `invalid_pattern`, `invalid_time_zone`,
 *   `end_before_start`, `never_occurs`.
 */
export function repeatPlan(options: RepeatOptions): RepeatPlan {
  if (options === undefined) throw new EchoMQError("invalid_schedule", `A scheduler needs ${REPEAT_TABLE.example}`);
  assertKnownOptions(options, REPEAT_TABLE);
  const { limit, missed = "last", overlap = "allow", immediately = false, jitter = 0 } = options;
  assertBoolean(immediately, "immediately");
  if (limit !== undefined) assertWhole(limit, "limit", { min: 1, max: MS_MAX });
  assertOneOf(overlap, "overlap", ["allow", "skip", "queue"]);
  const startMs = options.startDate === undefined ? undefined : instantMs(options.startDate, "startDate");
  const untilMs = options.endDate === undefined ? undefined : instantMs(options.endDate, "endDate");
  if (startMs !== undefined && untilMs !== undefined && untilMs < startMs) {
    const message = `endDate (${quote(options.endDate)}) comes before startDate (${quote(options.startDate)})`;
    throw new EchoMQError("end_before_start", message, { details: { startMs, endMs: untilMs } });
  }
  const recurrence = new Recurrence(ruleOf(options, startMs));
  if (recurrence.next(startMs ?? 0) === undefined) {
    throw new EchoMQError("never_occurs", `The pattern ${quote(options.pattern)} never occurs`, {
      details: { value: options.pattern },
    });
  }
  const jitterMs = durationMs(jitter, "jitter");
  const policy: FiringPolicy = {
    ...(missed === "last" ? {} : { missed: checkedMissed(missed) }),
    ...(jitterMs === 0 ? {} : { jitter: jitterMs }),
  };
  return { recurrence, policy, limit, untilMs, overlap, isImmediate: immediately };
}

/** The part that decides the slots. */
function ruleOf(options: RepeatOptions, startMs: number | undefined): RecurrenceRule {
  const { every, pattern, tz = "UTC", dst, offset = 0 } = options;
  const offsetMs = durationMs(offset, "offset");
  assertWhole(offsetMs, "offset", { min: 0, max: CALENDAR_END_MS });
  const shared = {
    ...(offsetMs === 0 ? {} : { offset: offsetMs }),
    ...(startMs === undefined ? {} : { start: startMs }),
  };
  if ((every === undefined) === (pattern === undefined)) {
    const what = every === undefined ? "neither every nor pattern" : "both every and pattern";
    throw new EchoMQError("invalid_schedule", `A scheduler has ${what}: give ${REPEAT_TABLE.example}`);
  }
  if (every !== undefined) {
    if (options.tz !== undefined || dst !== undefined) {
      throw new EchoMQError("invalid_schedule", "tz and dst belong to a pattern: a period is the same in every zone");
    }
    const everyMs = durationMs(every, "every");
    assertWhole(everyMs, "every", { min: EVERY_MS_MIN, max: CALENDAR_END_MS });
    return { every: everyMs, ...shared };
  }
  if (typeof tz !== "string")
    throw new EchoMQError("invalid_time_zone", `tz must be the name of a zone, not ${quote(tz)}`);
  return { ...(pattern === undefined ? {} : { pattern }), ...(tz === "UTC" ? {} : { tz }), ...dstOf(dst), ...shared };
}

function dstOf(dst: DstRule | undefined): Pick<RecurrenceRule, "missing" | "repeated"> {
  if (dst === undefined) return {};
  assertKnownOptions(dst, DST_TABLE);
  const { missing = "shift", repeated = "first" } = dst;
  assertOneOf(missing, "dst.missing", ["shift", "skip"]);
  assertOneOf(repeated, "dst.repeated", ["first", "last", "both"]);
  return { ...(missing === "shift" ? {} : { missing }), ...(repeated === "first" ? {} : { repeated }) };
}

function checkedMissed(missed: MissedPolicy): "skip" | { readonly all: number } {
  if (missed === "skip") return missed;
  if (typeof missed !== "object" || missed === null) {
    throw new EchoMQError("invalid_option", `missed must be "skip", "last" or { all: n }, not ${quote(missed)}`, {
      details: { option: "missed", value: missed },
    });
  }
  assertKnownOptions(missed, MISSED_TABLE);
  assertWhole(missed.all, "missed.all", { min: 1, max: CATCH_UP_MAX });
  return { all: missed.all };
}

function assertOneOf(value: unknown, name: string, words: readonly string[]): void {
  if (typeof value === "string" && words.includes(value)) return;
  throw new EchoMQError("invalid_option", `${name} must be ${words.join(", ")}, not ${quote(value)}`, {
    details: { option: name, value },
  });
}

/** Unix milliseconds of an instant. Text without a zone is refused: it would mean the host's. */
export function instantMs(value: Instant, name: string): number {
  const ms = typeof value === "number" ? value : typeof value === "string" ? isoMs(value) : dateMs(value);
  if (Number.isSafeInteger(ms) && ms >= 0 && ms <= CALENDAR_END_MS) return ms;
  throw new EchoMQError(
    "invalid_option",
    `${name} must be Unix milliseconds, a Date or ISO text with its zone such as "2026-03-29T00:00:00Z", not ${quote(value)}`,
    { details: { option: name, value } },
  );
}

function isoMs(text: string): number {
  return ISO.test(text) ? Date.parse(text) : Number.NaN;
}

function dateMs(value: { getTime(): number }): number {
  return typeof value === "object" && value !== null && typeof value.getTime === "function"
    ? value.getTime()
    : Number.NaN;
}

/** The pairs of a record that say when and how, in the order of the contract. */
export function repeatPairs({ recurrence, policy, limit, untilMs, overlap }: RepeatPlan): string[] {
  const pairs: string[] = [];
  if (limit !== undefined) pairs.push("limit", String(limit));
  if (untilMs !== undefined) pairs.push("until", String(untilMs));
  if (overlap !== "allow") pairs.push("overlap", overlap);
  pairs.push("rule", bytesOf(JSON.stringify(recurrence.rule)));
  if (Object.keys(policy).length > 0) pairs.push("policy", bytesOf(JSON.stringify(policy)));
  return pairs;
}
