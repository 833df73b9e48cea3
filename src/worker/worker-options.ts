/**
 * The options of a worker, checked and with every default filled in, before anything is sent.
 */

import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { isSharedMode } from "../engine/shared-mode.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import {
  BACKOFF_DEFAULT,
  type Backoff,
  type BackoffFunction,
  type CheckedBackoff,
  checkedBackoff,
} from "../queue/backoff.ts";
import {
  ATTEMPTS_DEFAULT,
  ATTEMPTS_MAX,
  BEAT_MS_DEFAULT,
  BEAT_MS_MAX,
  BEAT_MS_MIN,
  CONCURRENCY_DEFAULT,
  CONCURRENCY_MAX,
  CRASH_LIMIT_DEFAULT,
  LEASE_MS_DEFAULT,
  LEASE_MS_MAX,
  LEASE_MS_MIN,
  LOOK_AHEAD_MAX,
  PAYLOAD_BYTES_MAX,
  PAYLOAD_BYTES_MAX_DEFAULT,
  STOP_GRACE_MS_DEFAULT,
  STOP_GRACE_MS_MAX,
  TIMEOUT_NAMES_MAX,
} from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { assertBoolean, assertKnownOptions, assertWhole, checkedLogger } from "../queue/option-check.ts";
import { type CodecOption, PayloadCodec } from "../queue/payload-codec.ts";
import {
  assertKeptByAll,
  checkedRetention,
  DEAD_KEEP_DEFAULT,
  KEEP_ALL,
  type Keep,
  type Retention,
} from "../queue/retention.ts";
import { type CheckedSchemas, checkedSchemas, type StandardSchema } from "../queue/schema.ts";
import { checkedTelemetry, type Telemetry } from "../queue/telemetry.ts";
import type { PoisonHook } from "./poison-teller.ts";

/** Options of a worker. `Payloads` are the data as its handler gets them. */
export interface WorkerOptions<Payloads = Record<string, unknown>> {
  /** Handlers that run at once, 1 to 10,000. Default 1. May be changed later. */
  readonly concurrency?: number;
  /** How long a claim lasts unless it is renewed, which happens every third of it: 100 ms to 2^31 ms. Default 30 s. */
  readonly lease?: Duration;
  /**
   * How long to wait for a wake token before asking anyway, and half of what lies between two looks for lapsed leases:
   * 10 ms to 60 s. Default 1 s.
   */
  readonly beat?: Duration;
  /** Lapsed leases after which a job is dead, from 1 on. Default 3. */
  readonly crashLimit?: number;
  /** Failures after which a job is dead, from 1 on, unless the job or its queue says otherwise. Default 3. */
  readonly attempts?: number;
  /** Wait between a failure and the next run, unless the job or its queue says otherwise. Default 1 s. */
  readonly backoff?: Backoff;
  /** How long a handler may run, unless the job or its queue says otherwise. 0, the default, is without limit. */
  readonly timeout?: Duration;
  /**
   * The same by the name of the job, before `timeout`: `{ report: "10m", mail: "30s" }`, at most 1000 names; 0 is
   * without limit.
   */
  readonly timeouts?: { readonly [Name in keyof Payloads]?: Duration };
  /**
   * How long a handler may go on after it was told to stop, by its timeout or a cancel, before its slot is taken from
   * it: 0 ms to an hour. Default 5 s.
   */
  readonly stopGrace?: Duration;
  /**
   * The most jobs leased beyond those that run, 0 to 256. Default 256, of which few are used unless handlers are quick.
   */
  readonly lookAhead?: number;
  /** Whether the worker begins by itself. Default true; otherwise `run()` begins. */
  readonly autorun?: boolean;
  /** Validators by name of job. The handler gets what they make of the data. */
  readonly schemas?: { readonly [Name in keyof Payloads]?: StandardSchema<unknown, Payloads[Name]> };
  /**
   * How the bytes of payloads become data, and results bytes: what the queue has. Default JSON. Whatever it is, plain
   * JSON of other producers and earlier jobs is read, except by a codec of bytes, which takes everything as it is.
   */
  readonly codec?: CodecOption;
  /**
   * Bytes of an encoded result, progress or data, at most, and of data once unpacked: 1 to 512 MiB. Default 16 MiB.
   */
  readonly sizeLimit?: number;
  /**
   * What is kept of completed jobs, unless the job or its queue says otherwise: `true` none, `false` all, a number the
   * newest of the queue, `{ count, age }` with an age as well. Default `true`.
   */
  readonly removeOnComplete?: Retention;
  /** The same of dead jobs. Default 10,000. */
  readonly removeOnFail?: Retention;
  /**
   * Told of each job that this worker ended because its leases had lapsed `crashLimit` times, with its data: send it to
   * another queue, or to somebody. It may be async; what it throws is logged. Default: nobody is told.
   */
  readonly onPoison?: PoisonHook;
  /**
   * Whether the worker fires the schedulers of its queue, beside all others that do. Default true; beside programs of
   * wire 3, whose pump fires the repeats that it knows, false.
   */
  readonly schedulers?: boolean;
  /**
   * Whether this worker carries what ended jobs tell their parents in other queues. Default true; beside programs of
   * wire 3, where two that carry lose signals, false: give it there once their pump is off.
   */
  readonly pump?: boolean;
  /**
   * Traces handlers, and the children that they add: `openTelemetry()` of `echomq/opentelemetry`. Default: no tracing.
   */
  readonly telemetry?: Telemetry;
  /** Where warnings go while nobody listens to `error`. Default: one line each on stderr. */
  readonly logger?: Logger;
}

/** Checked options; every duration in ms. */
export interface WorkerSettings {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly crashLimit: number;
  readonly attempts: number;
  readonly backoff: CheckedBackoff | BackoffFunction;
  /** 0 is without limit. */
  readonly timeoutMs: number;
  /** By name; `undefined` for none. */
  readonly timeoutsMs: ReadonlyMap<string, number> | undefined;
  readonly stopGraceMs: number;
  readonly lookAheadMax: number;
  readonly autorun: boolean;
  readonly schemas: CheckedSchemas | undefined;
  readonly codec: PayloadCodec;
  readonly resultBytesMax: number;
  /** `undefined` leaves it to the queue's `meta`, else none is kept. */
  readonly keepCompleted: Keep | undefined;
  readonly keepDead: Keep;
  readonly onPoison: PoisonHook | undefined;
  readonly firesRepeats: boolean;
  readonly carriesSignals: boolean;
  readonly telemetry: Telemetry | undefined;
  readonly logger: Logger;
}

const NOT_YET = "it is not available yet";

const WORKER_TABLE = {
  owner: "Worker",
  example: "new Worker(name, handler, { connection })",
  known: [
    "connection",
    "concurrency",
    "lease",
    "beat",
    "crashLimit",
    "attempts",
    "backoff",
    "timeout",
    "timeouts",
    "stopGrace",
    "lookAhead",
    "autorun",
    "schemas",
    "codec",
    "sizeLimit",
    "removeOnComplete",
    "removeOnFail",
    "onPoison",
    "schedulers",
    "pump",
    "telemetry",
    "logger",
  ],
  foreign: {
    prefix: "the keyspace is the protocol, so every key begins with emq:; use another database or queue name",
    lockDuration: "it is called lease",
    lockRenewTime: "a lease is renewed every third of it; give lease",
    skipLockRenewal: "a lease that is not renewed lapses; give a longer lease",
    stalledInterval: "it is called beat",
    skipStalledCheck: "lapsed leases are taken back by every worker",
    maxStalledCount: "it is called crashLimit and counts one more: the lapse that reaches it kills",
    drainDelay: "it is called beat",
    useWorkerThreads: NOT_YET,
    limiter: "limits hold for the whole queue: await queue.setLimits({ rate: { max, duration } })",
    group: "a group is called lane: set queue.lane(name).limit(n)",
    batch: NOT_YET,
    metrics: "counters are always kept: see queue.throughput()",
    ttl: "how long a handler may run is timeout",
    settings: "give backoff a function",
    backoffStrategy: "give backoff a function",
    retries: "it is called attempts and counts the first run too",
    name: "a worker is named by its process, see worker.id",
  },
} as const;

/**
 * Checks the options of a worker.
 *
 * @throws EchoMQError `unknown_option`, `invalid_option`, `unsupported`, `shared_mode`.
 */
export function workerSettings(options: WorkerOptions, engine: Pick<Engine, "ports" | "wireVersion">): WorkerSettings {
  assertKnownOptions(options, WORKER_TABLE);
  assertKeptByAll(engine, options);
  // `undefined` alone stands for the default: `null` is what a setting looks like that could not be read.
  const {
    concurrency = CONCURRENCY_DEFAULT,
    attempts = ATTEMPTS_DEFAULT,
    crashLimit = CRASH_LIMIT_DEFAULT,
    lookAhead: lookAheadMax = LOOK_AHEAD_MAX,
    sizeLimit: resultBytesMax = PAYLOAD_BYTES_MAX_DEFAULT,
    autorun = true,
    lease = LEASE_MS_DEFAULT,
    beat = engine.ports.beatMs ?? BEAT_MS_DEFAULT,
    timeout = 0,
    stopGrace = STOP_GRACE_MS_DEFAULT,
  } = options;
  assertConcurrency(concurrency);
  assertWhole(attempts, "attempts", { min: 1, max: ATTEMPTS_MAX });
  assertWhole(crashLimit, "crashLimit", { min: 1, max: ATTEMPTS_MAX });
  assertWhole(lookAheadMax, "lookAhead", { min: 0, max: LOOK_AHEAD_MAX });
  assertWhole(resultBytesMax, "sizeLimit", { min: 1, max: PAYLOAD_BYTES_MAX });
  assertBoolean(autorun, "autorun");
  const { schedulers: firesRepeats = !isSharedMode(engine) } = options;
  assertBoolean(firesRepeats, "schedulers");
  const { pump: carriesSignals = !isSharedMode(engine) } = options;
  assertBoolean(carriesSignals, "pump");
  return {
    concurrency,
    attempts,
    crashLimit,
    lookAheadMax,
    resultBytesMax,
    autorun,
    leaseMs: boundedMs(lease, "lease", { min: LEASE_MS_MIN, max: LEASE_MS_MAX }),
    beatMs: boundedMs(beat, "beat", { min: BEAT_MS_MIN, max: BEAT_MS_MAX }),
    timeoutMs: durationMs(timeout, "timeout"),
    timeoutsMs: checkedTimeouts(options.timeouts),
    stopGraceMs: boundedMs(stopGrace, "stopGrace", { min: 0, max: STOP_GRACE_MS_MAX }),
    backoff: checkedWorkerBackoff(options.backoff),
    schemas: checkedSchemas(options.schemas),
    codec: new PayloadCodec(options.codec),
    keepCompleted: checkedRetention(options.removeOnComplete, "removeOnComplete"),
    keepDead: checkedRetention(options.removeOnFail, "removeOnFail") ?? defaultKeepDead(engine),
    onPoison: checkedHook(options.onPoison),
    firesRepeats,
    carriesSignals,
    telemetry: checkedTelemetry(options.telemetry),
    logger: checkedLogger(options.logger, engine.ports.logger),
  };
}

/** Dead jobs stay where programs of wire 3 may look for them. */
function defaultKeepDead(engine: Pick<Engine, "wireVersion">): Keep {
  return isSharedMode(engine) ? { count: KEEP_ALL, ms: 0 } : DEAD_KEEP_DEFAULT;
}

/** Throws `invalid_option` for what is no concurrency. */
export function assertConcurrency(value: unknown): void {
  assertWhole(value, "concurrency", { min: 1, max: CONCURRENCY_MAX });
}

function checkedWorkerBackoff(backoff: Backoff | undefined): CheckedBackoff | BackoffFunction {
  if (backoff === undefined) return BACKOFF_DEFAULT;
  return typeof backoff === "function" ? backoff : checkedBackoff(backoff);
}

function checkedTimeouts(timeouts: unknown): ReadonlyMap<string, number> | undefined {
  if (timeouts === undefined) return undefined;
  if (typeof timeouts !== "object" || timeouts === null || Array.isArray(timeouts)) {
    throw invalid("timeouts", "an object of durations by the names of jobs", timeouts);
  }
  const entries = Object.entries(timeouts as Readonly<Record<string, Duration | undefined>>);
  if (entries.length > TIMEOUT_NAMES_MAX) throw invalid("timeouts", `of ${TIMEOUT_NAMES_MAX} names at most`, timeouts);
  const ms = new Map<string, number>();
  for (const [name, timeout] of entries) {
    if (timeout !== undefined) ms.set(name, durationMs(timeout, `timeouts.${name}`));
  }
  return ms;
}

function checkedHook(hook: PoisonHook | undefined): PoisonHook | undefined {
  if (hook !== undefined && typeof hook !== "function") throw invalid("onPoison", "a function", hook);
  return hook;
}

function boundedMs(value: Duration, name: string, range: { readonly min: number; readonly max: number }): number {
  const ms = durationMs(value, name);
  if (ms < range.min || ms > range.max) throw invalid(name, `from ${range.min} ms to ${range.max} ms`, value);
  return ms;
}

function invalid(option: string, what: string, value: unknown): EchoMQError {
  return new EchoMQError("invalid_option", `${option} must be ${what}, not ${quote(value)}`, {
    details: { option, value },
  });
}
