/**
 * The options of `add` that say which jobs are one and the same: checked, and turned into letters of `ADMIT`.
 *
 * Several vocabularies lead to few modes of the wire (docs/protocol/jobs.md): BullMQ's `deduplication`, pg-boss's
 * policies by name, `debounce`, and the keys of Trigger.dev. What two of them say together, or what one says that
 * cannot be, is refused here, because an act would only know that it is odd.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { aliasName, dedupName } from "./dedup-name.ts";
import { IDEMPOTENCY_MS_DEFAULT } from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { assertBoolean, assertKnownOptions, assertLane, nearestName } from "./option-check.ts";

/** Which jobs of one deduplication id there may be at once, by the names that pg-boss gives. */
export type DedupPolicy = (typeof POLICIES)[number];

/** What a deduplication id does to a job that is added while another holds it. */
export interface DeduplicationOptions {
  /** What makes jobs the same: text of 1 to 256 bytes. */
  readonly id: string;
  /**
   * Without it, the id is held until its job is completed, dead or removed. With it, for so long from the add on,
   * whatever becomes of the job; 0 is as without. With a `policy`, `replace` or `keepLastIfActive`: for so long at
   * most, and no longer than its job lives.
   */
  readonly ttl?: Duration;
  /** Whether each add that is held back begins the `ttl` anew. Default `false`. */
  readonly extend?: boolean;
  /**
   * Whether a job that waits takes the data, options and delay of the new one, keeping its id. One that runs is never
   * changed; with `extend` as well, the new job is then admitted beside it. Default `false`.
   */
  readonly replace?: boolean;
  /** With `replace`: how long replacements may put the job off, from its first add on. Default: without limit. */
  readonly maxWait?: Duration;
  /**
   * Whether a job that is added while another runs is kept and runs after its end, whatever that is. Of several, the
   * last one counts. Default `false`.
   */
  readonly keepLastIfActive?: boolean;
  /**
   * `exclusive`: one job, waiting or running, which is what happens without any option. `short`: one waits, any number
   * run. `singleton`: any number wait, one runs at a time, in mint order: the id is the name of a lane whose limit is
   * 1 unless it has one. `stately`: one waits, one runs.
   */
  readonly policy?: DedupPolicy;
}

/** Waits until no more jobs of an id come, then runs the last one. */
export interface DebounceOptions {
  /** What makes jobs the same: text of 1 to 256 bytes. */
  readonly id: string;
  /** How long the job waits after the last add, from 1 ms on. */
  readonly wait: Duration;
  /** How long it waits after the first add, at most. Default: without limit. */
  readonly maxWait?: Duration;
}

/** Options of `add` that say which jobs are the same. */
export interface SamenessOptions {
  /** Holds other jobs of one id back, replaces them, or lets them follow. */
  readonly deduplication?: DeduplicationOptions;
  /** Runs the last of a burst of jobs; excludes `deduplication` and `delay`. */
  readonly debounce?: DebounceOptions;
  /**
   * A name of the job by any text, up to 252 bytes. While a job of that name exists, waiting, running, dead or kept,
   * another one is a duplicate. `getJob`, `remove` and all else that takes an id takes it too.
   */
  readonly jobId?: string;
  /** Whether a job of the same `jobId` that is dead or completed gives way to the new one. Default `false`. */
  readonly replaceFinished?: boolean;
  /** The word of Trigger.dev for `deduplication: { id, ttl }`. */
  readonly idempotencyKey?: string;
  /** How long the `idempotencyKey` holds jobs back, from the add on, whatever becomes of its job. Default 30 days. */
  readonly idempotencyKeyTTL?: Duration;
  /** The word of Trigger.dev for `lane`. */
  readonly concurrencyKey?: string;
}

/** The names of {@link SamenessOptions}. */
export const SAMENESS_OPTIONS = [
  "deduplication",
  "debounce",
  "jobId",
  "replaceFinished",
  "idempotencyKey",
  "idempotencyKeyTTL",
  "concurrencyKey",
] as const satisfies readonly (keyof SamenessOptions)[];

/** What the options ask of the act. */
export interface SamenessPlan {
  /** Letters and values in their order, those of lane and delay not among them. */
  readonly letters: readonly (readonly [letter: string, value: Bytes])[];
  readonly lane?: string;
  /** The delay, when it is not that of the options. */
  readonly delayMs?: number;
}

const POLICIES = ["exclusive", "short", "singleton", "stately"] as const;

const DEDUP_TABLE = {
  owner: "deduplication",
  example: "deduplication: { id }",
  known: ["id", "ttl", "extend", "replace", "maxWait", "keepLastIfActive", "policy"],
  foreign: {
    key: "it is called id",
    singletonKey: "it is called id",
    window: "it is called ttl",
    wait: "give debounce: { id, wait, maxWait }",
    delay: "it is an option of add itself",
    mode: "give extend, replace, keepLastIfActive or policy",
  },
};

const DEBOUNCE_TABLE = {
  owner: "debounce",
  example: "debounce: { id, wait }",
  known: ["id", "wait", "maxWait"],
  foreign: {
    ttl: "the time is called wait; a window that holds other jobs back is deduplication: { id, ttl }",
    delay: "the time is called wait",
    key: "it is called id",
  },
};

/** What nearly every job asks for. */
const NOTHING: SamenessPlan = Object.freeze({ letters: [] });

/**
 * What options ask of the act. `delay` and `lane` are those of the job itself.
 *
 * @throws EchoMQError `invalid_deduplication`, `invalid_job_id`, `invalid_lane`, `invalid_option`, `unknown_option`.
 */
export function samenessPlan(
  options: SamenessOptions & { readonly delay?: Duration; readonly lane?: string },
): SamenessPlan {
  const { deduplication, debounce, jobId, replaceFinished, idempotencyKey, idempotencyKeyTTL, concurrencyKey } =
    options;
  const named = [deduplication, debounce, idempotencyKey].filter((value) => value !== undefined);
  if (named.length === 0 && jobId === undefined && concurrencyKey === undefined) {
    if (replaceFinished !== undefined) throw bad("replaceFinished", "goes with jobId");
    if (idempotencyKeyTTL !== undefined) throw bad("idempotencyKeyTTL", "goes with idempotencyKey");
    return NOTHING;
  }
  if (named.length > 1) throw bad("deduplication", "debounce and idempotencyKey exclude one another");
  const lane = concurrencyLane(options);
  const plan = dedupPlan(options);
  const alias = aliasLetters(options);
  const limit = plan.letters.filter(([letter]) => letter === "l");
  const first = plan.letters.filter(([letter]) => letter !== "l");
  return { ...plan, ...(lane === undefined ? {} : { lane }), letters: [...first, ...alias, ...limit] };
}

function dedupPlan(options: SamenessOptions & { readonly delay?: Duration; readonly lane?: string }): SamenessPlan {
  const { deduplication, debounce, idempotencyKey, idempotencyKeyTTL, delay, lane, concurrencyKey } = options;
  if (idempotencyKey === undefined && idempotencyKeyTTL !== undefined) {
    throw bad("idempotencyKeyTTL", "goes with idempotencyKey");
  }
  if (debounce !== undefined) return debouncePlan(debounce, delay);
  if (deduplication !== undefined) return deduplicationPlan(deduplication, lane ?? concurrencyKey);
  if (idempotencyKey === undefined) return NOTHING;
  const ttlMs = positiveMs(idempotencyKeyTTL ?? IDEMPOTENCY_MS_DEFAULT, "idempotencyKeyTTL");
  return { letters: dedupLetters(idempotencyKey, "throttle", ttlMs, undefined) };
}

/** The lane that `concurrencyKey` names. */
function concurrencyLane({ concurrencyKey, lane }: SamenessOptions & { readonly lane?: string }): string | undefined {
  if (concurrencyKey === undefined) return undefined;
  if (lane !== undefined) throw bad("concurrencyKey", "and lane are two words for one thing: give one of them");
  assertLane(concurrencyKey);
  return concurrencyKey;
}

function aliasLetters({ jobId, replaceFinished }: SamenessOptions): (readonly [string, Bytes])[] {
  if (replaceFinished !== undefined) assertBoolean(replaceFinished, "replaceFinished");
  if (jobId === undefined) {
    if (replaceFinished !== undefined) throw bad("replaceFinished", "goes with jobId");
    return [];
  }
  return [[replaceFinished === true ? "k" : "j", aliasName(jobId)]];
}

function debouncePlan(options: DebounceOptions, delay: Duration | undefined): SamenessPlan {
  assertKnownOptions(options, DEBOUNCE_TABLE);
  const { id, wait, maxWait } = options;
  if (delay !== undefined) throw bad("debounce", "and delay exclude each other: the time is called wait");
  const delayMs = positiveMs(wait, "debounce.wait");
  const maxWaitMs = maxWait === undefined ? undefined : positiveMs(maxWait, "debounce.maxWait");
  if (maxWaitMs !== undefined && maxWaitMs < delayMs) throw bad("debounce.maxWait", "must not be shorter than wait");
  return { letters: dedupLetters(id, "debounce", 0, maxWaitMs), delayMs };
}

function deduplicationPlan(options: DeduplicationOptions, lane: string | undefined): SamenessPlan {
  assertKnownOptions(options, DEDUP_TABLE);
  const { id, ttl = 0, extend = false, replace = false, maxWait, keepLastIfActive = false, policy } = options;
  const ttlMs = durationMs(ttl, "deduplication.ttl");
  const maxWaitMs = maxWait === undefined ? undefined : positiveMs(maxWait, "deduplication.maxWait");
  assertBoolean(extend, "deduplication.extend");
  assertBoolean(replace, "deduplication.replace");
  assertBoolean(keepLastIfActive, "deduplication.keepLastIfActive");
  if (extend && ttlMs === 0) throw bad("deduplication.extend", "goes with ttl: there is no time to extend");
  if (extend && keepLastIfActive) throw bad("deduplication.keepLastIfActive", "and extend exclude each other");
  if (maxWaitMs !== undefined && !replace) throw bad("deduplication.maxWait", "goes with replace");
  if (policy !== undefined) {
    if (replace || keepLastIfActive) throw bad("deduplication.policy", "excludes replace and keepLastIfActive");
    return policyPlan({ id, ttlMs, extend, policy, lane });
  }
  return { letters: dedupLetters(id, modeOf({ ttlMs, extend, replace, keepLastIfActive }), ttlMs, maxWaitMs) };
}

/** The mode of the wire. */
function modeOf(given: { ttlMs: number; extend: boolean; replace: boolean; keepLastIfActive: boolean }): string {
  const { ttlMs, extend, replace, keepLastIfActive } = given;
  if (keepLastIfActive) return replace ? "latest" : "follow";
  if (replace) return extend ? "debounce" : "replace";
  if (ttlMs === 0) return "keep";
  return extend ? "slide" : "throttle";
}

/** What a policy asks for, and with what. */
interface PolicyRequest {
  readonly id: string;
  readonly ttlMs: number;
  readonly extend: boolean;
  readonly policy: DedupPolicy;
  readonly lane: string | undefined;
}

function policyPlan({ id, ttlMs, extend, policy, lane }: PolicyRequest): SamenessPlan {
  if (!POLICIES.includes(policy)) {
    const nearest = typeof policy === "string" ? nearestName(policy, POLICIES) : undefined;
    const advice = nearest === undefined ? `one of ${POLICIES.join(", ")}` : `did you mean ${nearest}?`;
    throw bad("deduplication.policy", `cannot be ${quote(policy)}: ${advice}`);
  }
  if (policy === "exclusive") return { letters: dedupLetters(id, extend ? "extend" : "keep", ttlMs, undefined) };
  if (extend) throw bad("deduplication.extend", `does not go with the policy ${policy}`);
  if (policy === "short") return { letters: dedupLetters(id, "short", ttlMs, undefined) };
  if (lane !== undefined) throw bad("deduplication.policy", `${policy} takes the id as the lane: leave lane out`);
  assertLane(id);
  if (policy === "singleton") {
    if (ttlMs > 0) throw bad("deduplication.ttl", "does not go with the policy singleton, which holds nothing back");
    return { letters: [["l", "1"]], lane: id };
  }
  return { letters: [...dedupLetters(id, "short", ttlMs, undefined), ["l", "1"]], lane: id };
}

/** The letters of a deduplication; a time of 0 is none. */
function dedupLetters(
  id: string,
  mode: string,
  ttlMs: number,
  maxWaitMs: number | undefined,
): (readonly [string, Bytes])[] {
  const letters: (readonly [string, Bytes])[] = [["d", dedupName(id)]];
  if (mode !== "keep") letters.push(["m", mode]);
  if (ttlMs > 0) letters.push(["t", String(ttlMs)]);
  if (maxWaitMs !== undefined) letters.push(["w", String(maxWaitMs)]);
  return letters;
}

function positiveMs(value: Duration, name: string): number {
  const ms = durationMs(value, name);
  if (ms > 0) return ms;
  throw new EchoMQError("invalid_option", `${name} must be 1 ms or longer, not ${quote(value)}`, {
    details: { option: name, value },
  });
}

function bad(option: string, why: string): EchoMQError {
  return new EchoMQError("invalid_deduplication", `${option} ${why}`, { details: { option } });
}
