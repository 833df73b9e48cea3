/**
 * The options of one job: checked, merged with those of its queue, and turned into the values of its row.
 *
 * A row stays as small as it can be. What decides where a job waits (priority, lane, delay) goes into fields that the
 * acts read; what the caller overrode for its worker goes as compact JSON into `opts`, and a default goes nowhere.
 */

import type { Engine } from "../engine/engine.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { assertValidId } from "../protocol/id.ts";
import { quote } from "../protocol/quote.ts";
import { WIRE_VERSION } from "../protocol/wire-version.ts";
import { type CheckedBackoff, checkedBackoff, type JobBackoff, storedBackoff } from "./backoff.ts";
import { SAMENESS_OPTIONS, type SamenessOptions, samenessPlan } from "./dedup-options.ts";
import {
  ADD_RETRY_MS_DEFAULT,
  ATTEMPTS_MAX,
  KEEP_LOGS_MAX,
  MS_MAX,
  PAYLOAD_BYTES_MAX,
  PAYLOAD_BYTES_MAX_DEFAULT,
  PRIORITY_MAX,
  RESULT_KEPT_MS_MAX,
} from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { assertKnownOptions, assertLane, assertWhole } from "./option-check.ts";
import { RATE_CLAIMS_MAX } from "./rate.ts";
import { assertKeptByAll, checkedRetention, type Keep, type Retention, storedRetention } from "./retention.ts";
import { boundedCarrier, type TraceCarrier } from "./telemetry.ts";

/** Options of a job that a queue may set for all its jobs. */
export interface SharedJobOptions {
  /** 0 runs first and is the default, then 1 to 2097152; within one priority in the order of minting. */
  readonly priority?: number;
  /** How long the job waits before it may run; 0, the default, is not at all. */
  readonly delay?: Duration;
  /** Failures after which the job is dead, from 1 on. Default 3. */
  readonly attempts?: number;
  /** Wait between a failure and the next attempt. Default: fixed, 1 s. */
  readonly backoff?: JobBackoff;
  /** How long the handler may run; 0 is without limit. Default: what the worker says, else without limit. */
  readonly timeout?: Duration;
  /**
   * How long the job may wait until it begins, counted from when it falls due: 1 ms and more. One that has not begun by
   * then is dead, with the error `expired`; one that has begun is not touched, also when it is tried again. Default:
   * without limit.
   */
  readonly expireIn?: Duration;
  /** Another word for `expireIn`; give one of them. */
  readonly ttl?: Duration;
  /**
   * What the job takes from the rates of its queue, lane and name when it is claimed: 1, the default, to 1048576. A
   * rate lets so much pass and not so many jobs; a job takes at most what a rate can hold.
   */
  readonly cost?: number;
  /** The lane in which the job waits; lanes take turns. 1 to 256 bytes without braces and NUL. */
  readonly lane?: string;
  /** Bytes of the encoded payload, at most. Default 16 MiB. */
  readonly sizeLimit?: number;
  /** Newest log lines that are kept, from 1 on. Default 1000. */
  readonly keepLogs?: number;
  /**
   * What is kept of completed jobs when this one completes: `true` nothing, not even this job, `false` all, a number
   * the newest of the queue, `{ count, age }` with an age as well, after which this job goes. Default: what the worker
   * says, else `true`.
   */
  readonly removeOnComplete?: Retention;
  /** The same of dead jobs, when this one dies. Default: what the worker says, else 10,000. */
  readonly removeOnFail?: Retention;
  /**
   * How long the outcome is left for `result`, also when the row has gone: up to a day. Default 0: it is left for those
   * alone who wait when the job ends.
   */
  readonly keepResult?: Duration;
}

/** Options of `add`. */
export interface JobOptions extends SharedJobOptions, SamenessOptions {
  /**
   * The id of the job, of the namespace `JOB`; minted when absent. Adding an id whose job still lives adds nothing and
   * says so, which makes a repeated add safe.
   */
  readonly id?: string;
  /**
   * Whether the add is repeated by itself, under the same id, when its answer was lost or the server was away or busy:
   * `true` for up to 30 s from the call, a duration for up to so long, `false` not at all. The last try may take the
   * time of a call (`commandTimeoutMs`) beyond it. Default: what the queue says, else `false`.
   */
  readonly retryOnDisconnect?: boolean | Duration;
}

/** What a job asks of its worker, as it is stored in `opts`. */
export interface JobOverrides {
  readonly attempts?: number;
  readonly backoff?: CheckedBackoff;
  /** 0 is without limit. */
  readonly timeoutMs?: number;
  readonly keepLogs?: number;
  readonly keepCompleted?: Keep;
  readonly keepDead?: Keep;
  readonly keepResultMs?: number;
  /** How long the job was asked to wait before it may run: no option of a worker, but what a wait is measured from. */
  readonly delayMs?: number;
  /** The trace context of whoever added the job. */
  readonly trace?: TraceCarrier;
  /** The scheduler whose occurrence the job is, and the slot of that. */
  readonly occurrence?: Occurrence;
  /** The end of its batch with which a callback is run; with any other it goes without a run. */
  readonly runsIf?: BatchEnd;
}

/** How a batch ended: all its jobs are done, or one of them is not. */
export type BatchEnd = "success" | "failure";

/** What a job of a scheduler is an occurrence of. */
export interface Occurrence {
  readonly schedulerId: string;
  /** The instant for which it was made, in Unix ms, however late it runs. */
  readonly slotMs: number;
}

/** The values that options give to a row, ready for `ADMIT`. */
export interface JobPlan {
  readonly id: string | undefined;
  /** The shape of a job with and without a name, and the values that follow the name. */
  readonly shape: Bytes;
  readonly namedShape: Bytes;
  readonly values: readonly Bytes[];
  readonly payloadBytesMax: number;
  /** How long from the call on the add may be tried again, in ms; 0 is not at all. */
  readonly retryMs: number;
}

const SHARED_OPTIONS = [
  "priority",
  "delay",
  "attempts",
  "backoff",
  "timeout",
  "expireIn",
  "ttl",
  "cost",
  "lane",
  "sizeLimit",
  "keepLogs",
  "removeOnComplete",
  "removeOnFail",
  "keepResult",
] as const satisfies readonly (keyof SharedJobOptions)[];

/** The options that a worker reads from the row. */
const OVERRIDES = [
  "attempts",
  "backoff",
  "timeout",
  "keepLogs",
  "removeOnComplete",
  "removeOnFail",
  "keepResult",
] as const satisfies readonly (keyof SharedJobOptions)[];

const CHILD_ONLY = "it is an option of the child of a flow, see FlowProducer";
const FOREIGN: Readonly<Record<string, string>> = {
  prefix: "the keyspace is the protocol, so every key begins with emq:; use another database or queue name",
  lifo: "the order within a priority is the order of minting, on every engine; use priority",
  timestamp: "the id holds the time of minting, see job.createdAt",
  stackTraceLimit: "a row keeps the message of the last error only",
  group: "a group is called lane: give lane: name",
  groupId: "a group is called lane",
  ordering: "a key of ordering is called lane: give lane: name, and set queue.lane(name).ordered(true) or .limit(n)",
  retries: "it is called attempts and counts the first run too",
  retryDelay: "it is called backoff",
  runAt: "give delay, counted by the server's clock",
  singletonKey: "give deduplication: { id, policy }",
  singletonSeconds: "give deduplication: { id, ttl }",
  jobKey: "give deduplication: { id, replace: true }, or jobId for a name of the job",
  weight: "it is called cost; a lane has a weight: queue.lane(name).weight(n)",
  uniqueId: "give jobId, or deduplication: { id }",
  uniqueKey: "give jobId, or deduplication: { id }",
  dedupe: "it is called deduplication",
  dedup: "it is called deduplication",
  throttle: "give deduplication: { id, ttl }",
  concurrencyLimit: "give lane, and set queue.lane(name).limit(n)",
  repeat: "a schedule of jobs is a scheduler: upsertJobScheduler(id, { pattern or every, tz }, { name, data, opts })",
  parent: "jobs that wait for others are added by a FlowProducer: flows.add({ …, children })",
  children: "jobs that wait for others are added by a FlowProducer: flows.add({ …, children })",
  onFailure: CHILD_ONLY,
  failParentOnFailure: CHILD_ONLY,
  continueParentOnFailure: CHILD_ONLY,
  ignoreDependencyOnFailure: CHILD_ONLY,
  removeDependencyOnFailure: CHILD_ONLY,
  telemetry: "it is an option of the Queue and the Worker",
  expiresIn: "it is called expireIn",
  expireInSeconds: "it is called timeout, for a job that runs; expireIn is for one that waits",
  retentionSeconds: "it is called expireIn, for a job that waits",
};

const JOB_TABLE = {
  owner: "add",
  known: ["id", "retryOnDisconnect", ...SAMENESS_OPTIONS, ...SHARED_OPTIONS],
  foreign: FOREIGN,
};
const DEFAULTS_TABLE = {
  owner: "defaultJobOptions",
  known: SHARED_OPTIONS,
  foreign: {
    ...FOREIGN,
    id: "an id belongs to one job: give it to add",
    ...Object.fromEntries(SAMENESS_OPTIONS.map((name) => [name, "it belongs to one job: give it to add"])),
    retryOnDisconnect: "it is an option of the queue itself, and of add",
  },
};

/** Checks options against the defaults of one queue. */
export class JobPlanner {
  readonly #defaults: JobOptions;
  /** What an add without options is: nearly every job takes it as it is. */
  readonly #plain: JobPlan;
  /**
   * The last options and their plan: the jobs of a bulk, and those of one line of a program, mostly have equal ones.
   */
  #last: RememberedPlan | undefined;

  readonly #engine: Pick<Engine, "wireVersion">;

  /** @throws EchoMQError for what is wrong with the defaults. */
  constructor(
    defaults: SharedJobOptions = {},
    retryOnDisconnect: boolean | Duration = false,
    engine: Pick<Engine, "wireVersion"> = { wireVersion: WIRE_VERSION },
  ) {
    assertKnownOptions(defaults, DEFAULTS_TABLE);
    assertKeptByAll(engine, defaults);
    this.#engine = engine;
    this.#defaults = { ...defaults, retryOnDisconnect };
    this.#plain = planOf(this.#defaults);
  }

  /**
   * The plan of a job.
   *
   * @throws EchoMQError `unknown_option`, `invalid_option`, `invalid_lane`, `invalid_id`, `kind`, `unsupported`,
   *   `invalid_deduplication`, `invalid_job_id`, `shared_mode`.
   */
  plan(options: JobOptions | undefined): JobPlan {
    if (options === undefined) return this.#plain;
    if (this.#last !== undefined && isPlanOf(this.#last, options)) return this.#last.plan;
    const plan = this.#planAnew(options);
    this.#last = rememberedPlan(options, plan);
    return plan;
  }

  #planAnew(options: JobOptions): JobPlan {
    assertKnownOptions(options, JOB_TABLE);
    assertKeptByAll(this.#engine, options);
    const merged: Record<string, unknown> = { ...this.#defaults };
    // Two words for one thing: what the job says stands in place of either.
    if (options.expireIn !== undefined || options.ttl !== undefined) {
      delete merged.expireIn;
      delete merged.ttl;
    }
    for (const [name, value] of Object.entries(options)) if (value !== undefined) merged[name] = value;
    return planOf(merged);
  }
}

/** A plan, and the options that gave it. */
interface RememberedPlan {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  readonly plan: JobPlan;
}

/** Remembers a plan, but not of options that hold objects, which may change unseen. */
function rememberedPlan(options: JobOptions, plan: JobPlan): RememberedPlan | undefined {
  const values: unknown[] = Object.values(options);
  if (values.length === 0 || values.some((value) => typeof value === "object")) return undefined;
  return { names: Object.keys(options), values, plan };
}

/** Whether options are plain and name the very same in the same order. */
function isPlanOf({ names, values }: RememberedPlan, options: JobOptions): boolean {
  if (options === null || Object.getPrototypeOf(options) !== Object.prototype) return false;
  let at = 0;
  for (const name in options) {
    if (name !== names[at] || options[name as keyof JobOptions] !== values[at]) return false;
    at += 1;
  }
  return at === names.length;
}

function planOf(options: JobOptions): JobPlan {
  let shape = "";
  const values: Bytes[] = [];
  const add = (letter: string, value: Bytes) => {
    shape += letter;
    values.push(value);
  };
  const { id, priority = 0, delay = 0, lane, cost = 1, sizeLimit = PAYLOAD_BYTES_MAX_DEFAULT } = options;
  assertWhole(priority, "priority", { min: 0, max: PRIORITY_MAX });
  assertWhole(cost, "cost", { min: 1, max: RATE_CLAIMS_MAX });
  assertWhole(sizeLimit, "sizeLimit", { min: 1, max: PAYLOAD_BYTES_MAX });
  if (id !== undefined) assertJobId(id);
  if (lane !== undefined) assertLane(lane);
  const same = samenessPlan(options);
  const itsLane = same.lane ?? lane;
  const dueInMs = same.delayMs ?? durationMs(delay, "delay");
  const overrides = storedOverrides(options, dueInMs);
  if (priority !== 0) add("p", String(priority));
  if (itsLane !== undefined) add("g", bytesOf(itsLane));
  if (overrides !== "") add("o", bytesOf(overrides));
  if (dueInMs !== 0) add("i", String(dueInMs));
  for (const [letter, value] of same.letters) add(letter, value);
  const expireMs = expireInMs(options);
  if (expireMs > 0) add("x", String(expireMs));
  if (cost !== 1) add("c", String(cost));
  const retryMs = retryMsOf(options.retryOnDisconnect);
  return { id, shape, namedShape: `n${shape}`, values, payloadBytesMax: sizeLimit, retryMs };
}

/** How long a job may wait until it begins, in ms; 0 is without limit. */
function expireInMs({ expireIn, ttl }: JobOptions): number {
  if (expireIn !== undefined && ttl !== undefined) {
    const message = "expireIn and ttl are one thing: give one of them";
    throw new EchoMQError("invalid_option", message, { details: { option: "ttl", value: ttl } });
  }
  const value = expireIn ?? ttl;
  if (value === undefined) return 0;
  const option = expireIn === undefined ? "ttl" : "expireIn";
  const ms = durationMs(value, option);
  assertWhole(ms, option, { min: 1, max: MS_MAX });
  return ms;
}

/** How long an add is repeated, in ms; 0 is not at all. */
function retryMsOf(option: boolean | Duration = false): number {
  if (option === false) return 0;
  return option === true ? ADD_RETRY_MS_DEFAULT : durationMs(option, "retryOnDisconnect");
}

/**
 * Throws `invalid_id` for a malformed id, and `kind` for a well-formed one of another namespace: the act would refuse
 * it, and with it the neighbours of its batch.
 */
function assertJobId(id: unknown): asserts id is string {
  if (typeof id !== "string") throw new EchoMQError("invalid_id", `An id must be text, not ${quote(id)}`);
  assertValidId(id);
  if (!id.startsWith("JOB")) {
    throw new EchoMQError("kind", `${quote(id)} is no id of a job: ids of jobs begin with JOB`, { details: { id } });
  }
}

/** What the options override for the worker, as compact JSON, and how long the job is put off; empty for nothing. */
function storedOverrides(options: SharedJobOptions, dueInMs: number): string {
  const { attempts, backoff, timeout, keepLogs, removeOnComplete, removeOnFail, keepResult } = options;
  if (dueInMs === 0 && OVERRIDES.every((name) => options[name] === undefined)) return "";
  if (attempts !== undefined) assertWhole(attempts, "attempts", { min: 1, max: ATTEMPTS_MAX });
  if (keepLogs !== undefined) assertWhole(keepLogs, "keepLogs", { min: 1, max: KEEP_LOGS_MAX });
  const completed = checkedRetention(removeOnComplete, "removeOnComplete");
  const dead = checkedRetention(removeOnFail, "removeOnFail");
  return JSON.stringify({
    attempts,
    backoff: backoff === undefined ? undefined : storedBackoff(checkedBackoff(backoff)),
    timeout: timeout === undefined ? undefined : durationMs(timeout, "timeout"),
    keepLogs,
    removeOnComplete: completed === undefined ? undefined : storedRetention(completed),
    removeOnFail: dead === undefined ? undefined : storedRetention(dead),
    keepResult: keepResult === undefined ? undefined : keepResultMs(keepResult),
    delay: dueInMs === 0 ? undefined : dueInMs,
  });
}

function keepResultMs(value: Duration): number {
  const ms = durationMs(value, "keepResult");
  assertWhole(ms, "keepResult", { min: 0, max: RESULT_KEPT_MS_MAX });
  return ms;
}

/**
 * Reads the `opts` of a row. Never throws: another speaker may have written anything, and a job must not be lost for
 * it, so what cannot be read is as if it had not been given.
 */
export function readOverrides(opts: string): JobOverrides {
  if (opts === "") return {};
  let stored: unknown;
  try {
    stored = JSON.parse(opts);
  } catch {
    return {};
  }
  if (typeof stored !== "object" || stored === null) return {};
  const { attempts, backoff, timeout, keepLogs, removeOnComplete, removeOnFail, keepResult, delay, ...own } =
    stored as SharedJobOptions & Readonly<Record<"trace" | "repeat" | "slot" | "runsIf", unknown>>;
  const { trace, repeat, slot, runsIf } = own;
  return {
    ...readable("attempts", () => whole(attempts, "attempts", ATTEMPTS_MAX)),
    ...readable("backoff", () => (backoff === undefined ? undefined : checkedBackoff(backoff))),
    ...readable("timeoutMs", () => (timeout === undefined ? undefined : durationMs(timeout, "timeout"))),
    ...readable("keepLogs", () => whole(keepLogs, "keepLogs", KEEP_LOGS_MAX)),
    ...readable("keepCompleted", () => checkedRetention(removeOnComplete, "removeOnComplete")),
    ...readable("keepDead", () => checkedRetention(removeOnFail, "removeOnFail")),
    ...readable("keepResultMs", () => (keepResult === undefined ? undefined : keepResultMs(keepResult))),
    ...readable("delayMs", () => (delay === undefined ? undefined : durationMs(delay, "delay"))),
    ...readable("trace", () => boundedCarrier(trace)),
    ...readable("occurrence", () => occurrenceOf(repeat, slot)),
    ...readable("runsIf", () => (runsIf === "success" || runsIf === "failure" ? runsIf : undefined)),
  };
}

function occurrenceOf(repeat: unknown, slot: unknown): Occurrence | undefined {
  if (typeof repeat !== "string" || typeof slot !== "number" || !Number.isSafeInteger(slot)) return undefined;
  return { schedulerId: repeat, slotMs: slot };
}

function whole(value: number | undefined, name: string, max: number): number | undefined {
  if (value !== undefined) assertWhole(value, name, { min: 1, max });
  return value;
}

/** A record of one value, or of none when it is absent or bad. */
function readable<Value>(name: string, read: () => Value | undefined): Record<string, Value> {
  try {
    const value = read();
    return value === undefined ? {} : { [name]: value };
  } catch {
    return {};
  }
}
