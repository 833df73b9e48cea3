/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The producer's half of a queue: adds jobs, looks at them, pauses and resumes.
 *
 * Everything that a caller gives is checked before anything is written, so a refusal never leaves half a job. What the
 * server answers about a job (duplicate, gone, locked) is a value; only what keeps the queue from working is an error.
 * Adds are gathered into acts (admission.ts); all other calls are one act or one command each.
 *
 * This class sees an engine only. `Queue` of the package is this class with a connection in front of it.
 */

import { type DoctorReport, inspectQueue } from "../doctor/doctor.ts";
import type { Logger, Ports } from "../engine/ports.ts";
import { arrayOf, bytesFrom, textOf } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import type { StateAnswer } from "../protocol/registry.generated.ts";
import { encodePayload } from "./codec.ts";
import { dedupName } from "./dedup-name.ts";
import {
  CLOSE_TIMEOUT_MS_DEFAULT,
  KEEP_LOGS_DEFAULT,
  KEEP_LOGS_MAX,
  PAYLOAD_BYTES_MAX_DEFAULT,
  PRIORITY_MAX,
  RESULT_KEPT_MS_DEFAULT,
} from "./defaults.ts";
import { type DoctorOptions, inspectOptions } from "./doctor-options.ts";
import { type Duration, durationMs } from "./duration.ts";
import { Emitter } from "./emitter.ts";
import type { EngineLease } from "./engine-lease.ts";
import { checkedEventsOption, type EventKeeping, readEventKeeping, setEventKeeping } from "./event-keeping.ts";
import { type Explanation, explainJob } from "./explain.ts";
import { findId } from "./id-lookup.ts";
import type { IdPage } from "./id-page.ts";
import { type AddedJob, type JobVerbs, type StoredJob, storedJob } from "./job.ts";
import { JobAdder, type UncheckedItem } from "./job-adder.ts";
import type { JobOptions } from "./job-options.ts";
import { type PageSource, readJobPage, readJobs } from "./job-page.ts";
import type { JobScheduler, RunNowResult } from "./job-scheduler.ts";
import { JobSchedulers, type SchedulerPage, type SchedulerPageOptions } from "./job-schedulers.ts";
import { Jobs } from "./jobs.ts";
import { Lane } from "./lane.ts";
import { type LanePage, type LanePageOptions, readLanePage } from "./lane-page.ts";
import { Lanes } from "./lanes.ts";
import { type LimitsChange, type LimitsPlace, type QueueLimits, readQueueLimits, setQueueLimits } from "./limits.ts";
import {
  type CleanOptions,
  type DrainOptions,
  type MinuteCount,
  type ObliterateOptions,
  Operator,
  type PageOptions,
} from "./operator.ts";
import { assertBoolean, assertKnownOptions, assertLane, assertWhole, checkedLogger } from "./option-check.ts";
import { PayloadCodec } from "./payload-codec.ts";
import { checkQueueOptions, type PayloadMap, type QueueOptions } from "./queue-options.ts";
import { type QueueRetention, type RetentionChange, readQueueRetention, setQueueRetention } from "./queue-retention.ts";
import { COUNT_WORDS, type CountWord, type ListedState } from "./read-verbs.ts";
import { checkedTimeoutMs, type ResultOptions, resultTimeoutMs, resultValue } from "./result-value.ts";
import { ResultWaits } from "./result-waits.ts";
import { assertReason, assertWorkerId, readWorkers, type WorkerInfo } from "./roster.ts";
import type { RepeatOptions, SchedulerTemplate } from "./scheduler-options.ts";
import type { SliceOptions } from "./slice-options.ts";
import { QueueKeys } from "./verb-call.ts";

/** One item of {@link QueueCore.addBulk}. */
export type BulkItem<Payloads extends PayloadMap<Payloads>> = {
  readonly [Name in keyof Payloads & string]: {
    readonly name: Name;
    readonly data: Payloads[Name];
    readonly opts?: JobOptions;
  };
}[keyof Payloads & string];

/** A job as `add` gives it back, of any name of the map: `job.name` tells which data it has. */
export type AddedJobOf<Payloads> = {
  [Name in keyof Payloads & string]: AddedJob<Payloads[Name], Name>;
}[keyof Payloads & string];

/** A job as it is read, of any name of the map: `job.name` tells which data it has. */
export type StoredJobOf<Payloads> = {
  [Name in keyof Payloads & string]: StoredJob<Payloads[Name], Name>;
}[keyof Payloads & string];

/** Local events of a queue. */
export interface LocalQueueEvents {
  /** The server could not be asked or refused to work; adds that were waiting for it have been rejected. */
  error: [error: unknown];
  /** The queue has been closed. */
  closed: [];
}

const EVENT_NAMES = ["error", "closed"] as const satisfies readonly (keyof LocalQueueEvents)[];

/** Options of {@link QueueCore.addAndWait}. */
export interface AddAndWaitOptions extends ResultOptions {
  /** The options of the job. */
  readonly opts?: JobOptions;
}

const ADD_AND_WAIT_TABLE = {
  owner: "addAndWait",
  known: ["timeout", "opts"],
  foreign: { ttl: "it is called timeout", attempts: "options of the job stand in opts" },
};

/** At least so long lies between two warnings of one code, in ms. */
const WARN_EVERY_MS = 10_000;

/** The longest wait at close for the server to take the node number back, in ms; it lapses by itself. */
const RELEASE_MS_MAX = 1000;

/** The producer's half of a queue on an engine. */
export class QueueCore<Payloads extends PayloadMap<Payloads> = Record<string, unknown>>
  implements JobVerbs, AsyncDisposable
{
  readonly name: string;
  readonly #lease: EngineLease;
  readonly #ports: Ports;
  readonly #jobs: Jobs;
  readonly #lanes: Lanes;
  readonly #adder: JobAdder;
  readonly #operator: Operator;
  readonly #logger: Logger;
  readonly #events: Emitter<LocalQueueEvents>;
  readonly #codec: PayloadCodec;
  readonly #payloadBytesMax: number;
  readonly #results: ResultWaits;
  readonly #schedulers: JobSchedulers;
  /** What `addAndWait` adds to the options of a job whose queue says nothing about it. */
  readonly #waited: JobOptions;
  #closing: Promise<void> | undefined;
  #warnedCode: string | undefined;
  #warnedAtMs = 0;

  /**
   * @param lease the share in an engine, which {@link QueueCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `unknown_option`, `invalid_option`; the lease is then the caller's to release.
   */
  constructor(name: string, lease: EngineLease, options: QueueOptions<Payloads> = {}) {
    assertQueueName(name);
    checkQueueOptions(options);
    const { ports } = lease.engine;
    this.name = name;
    this.#lease = lease;
    this.#ports = ports;
    this.#logger = checkedLogger(options.logger, ports.logger);
    this.#codec = new PayloadCodec(options.codec);
    this.#payloadBytesMax = options.defaultJobOptions?.sizeLimit ?? PAYLOAD_BYTES_MAX_DEFAULT;
    this.#events = new Emitter(EVENT_NAMES, (error) => this.#warn("A listener of the queue threw", error));
    this.#jobs = new Jobs(lease.engine);
    this.#operator = new Operator(lease.engine, this.#jobs, name);
    this.#lanes = new Lanes(lease.engine);
    this.#waited = options.defaultJobOptions?.keepResult === undefined ? { keepResult: RESULT_KEPT_MS_DEFAULT } : {};
    this.#results = new ResultWaits({ engine: lease.engine, jobs: this.#jobs, queue: name });
    this.#adder = new JobAdder({
      queue: name,
      engine: lease.engine,
      jobs: this.#jobs,
      verbs: this,
      options,
      codec: this.#codec,
      onError: (error) => this.#report(error),
    });
    this.#schedulers = new JobSchedulers({
      engine: lease.engine,
      queue: name,
      adder: this.#adder,
      codec: this.#codec,
      payloadBytesMax: this.#payloadBytesMax,
    });
    const keeping = checkedEventsOption(options.events);
    if (keeping !== undefined) setEventKeeping(this.#limitsPlace, keeping).catch((error) => this.#report(error));
  }

  /** The low-level verbs on the same engine. */
  get jobs(): Jobs {
    return this.#jobs;
  }

  /**
   * Adds a job.
   *
   * Resolves once the job is stored, or with `outcome` `duplicate` when a job of its id lives already. Always await it:
   * a rejection by the server is also told to `error`, and one by a check ends the process when nobody handles it.
   *
   * @throws EchoMQError for bad input (`invalid_name`, `invalid_payload`, `payload_too_large`, `invalid_option`,
   *   `unknown_option`, `invalid_id`, `kind`), `overloaded`, `closed`, and what the server or the way to it causes;
   *   such an error carries `details.id`. A repetition with it stores no second job while the first one lives; one that
   *   was stored after all, and is completed by then, would run again.
   */
  add<Name extends keyof Payloads & string>(
    name: Name,
    data: Payloads[Name],
    options?: JobOptions,
  ): Promise<AddedJob<Payloads[Name], Name>> {
    if (this.#closing !== undefined) return Promise.reject(this.#closedError());
    return this.#adder.add(name, data, options) as Promise<AddedJob<Payloads[Name], Name>>;
  }

  /**
   * Adds many jobs, in the order given.
   *
   * All are checked before the first is sent, and one bad item refuses the whole with `invalid_bulk`, its place in
   * `details.index` and its fault as `cause`. The acts that follow are atomic one by one, not together: when the way to
   * the server is lost in between, the error's `details.ids` hold the ids of all items in order, and `details.failed`
   * the places of those that are not known to be stored. Repeat these with their ids: none of them is stored twice
   * while it lives. The others are stored, may be over by now, and would run again.
   */
  async addBulk(items: readonly BulkItem<Payloads>[]): Promise<AddedJobOf<Payloads>[]> {
    this.#assertOpen();
    if (!Array.isArray(items))
      throw new EchoMQError("invalid_option", "addBulk takes an array of { name, data, opts }");
    const jobs = await this.#adder.addAll(items as readonly UncheckedItem[]);
    return jobs as AddedJobOf<Payloads>[];
  }

  /**
   * The id of the job that holds a deduplication id; `undefined` when nobody does, or only a window outlasts its job.
   *
   * @throws EchoMQError `invalid_deduplication` for what can be no deduplication id.
   */
  async getDeduplicationJobId(deduplicationId: string): Promise<string | undefined> {
    this.#assertOpen();
    const id = await this.#jobs.getNamed(this.name, dedupName(deduplicationId));
    if (id === undefined || (await this.#jobs.getState(this.name, id)) === "absent") return undefined;
    return id;
  }

  /**
   * Frees a deduplication id: the next job of it is admitted, and the one that held it stays as it is. Whether anybody
   * held it.
   *
   * @throws EchoMQError `invalid_deduplication` for what can be no deduplication id.
   */
  async removeDeduplicationKey(deduplicationId: string): Promise<boolean> {
    this.#assertOpen();
    return await this.#jobs.freeName(this.name, dedupName(deduplicationId));
  }

  /** Reads one job; `undefined` when it does not exist, for instance because it is completed. */
  async getJob(id: string): Promise<StoredJobOf<Payloads> | undefined> {
    this.#assertOpen();
    const own = await this.#idOf(id);
    const row = await this.#jobs.getRow(this.name, own);
    if (row === undefined) return undefined;
    return (await storedJob(this.#pageSource(), own, row)) as unknown as StoredJobOf<Payloads>;
  }

  /**
   * Counts by the words `pending lanes active schedule awaiting dead completed failed`; without words, all of them.
   * `lanes` are the jobs that wait in lanes, which `pending` does not count; `awaiting` those that wait for children.
   *
   * @throws EchoMQError `unknown_state` with the word to use.
   */
  async getJobCounts<Word extends CountWord = CountWord>(...words: readonly Word[]): Promise<Record<Word, number>> {
    this.#assertOpen();
    return await this.#jobs.getCounts(
      this.name,
      words.length === 0 ? (COUNT_WORDS as readonly CountWord[] as Word[]) : words,
    );
  }

  /**
   * A page of jobs of one or more of the states `pending active scheduled awaiting_children dead completed`.
   *
   * The states make one list in the order given; `start` and `end` are places in it, both inclusive, at most 1000
   * apart. Within a state the newest come first, or with `ascending` those that come first run first.
   */
  async getJobs(
    states: ListedState | readonly ListedState[],
    start = 0,
    end?: number,
    ascending = false,
  ): Promise<StoredJobOf<Payloads>[]> {
    this.#assertOpen();
    assertBoolean(ascending, "ascending");
    const list = Array.isArray(states) ? (states as readonly ListedState[]) : [states as ListedState];
    const page = await readJobPage(this.#pageSource(), { states: list, start, end, ascending });
    return page as unknown as StoredJobOf<Payloads>[];
  }

  /**
   * A page of ids of one state, and the cursor of the next page.
   *
   * Unlike places, a cursor stays right while jobs come and go: whoever reads page after page meets each job that stays
   * where it is exactly once. Active jobs move whenever their lease is renewed, so they may come twice.
   *
   * @throws EchoMQError `unknown_state`, `invalid_option` (limit, cursor, from), `invalid_lane`.
   */
  async listIds(state: ListedState, options: PageOptions = {}): Promise<IdPage> {
    this.#assertOpen();
    return await this.#operator.listIds(state, options);
  }

  /** {@link QueueCore.listIds} with the jobs themselves; those that go while the page is read are left out. */
  async listJobs(
    state: ListedState,
    options: PageOptions = {},
  ): Promise<{ readonly jobs: StoredJobOf<Payloads>[]; readonly cursor: string | undefined }> {
    const { ids, cursor } = await this.listIds(state, options);
    const jobs = await readJobs(this.#pageSource(), ids);
    return { jobs: jobs as unknown as StoredJobOf<Payloads>[], cursor };
  }

  /** How many jobs wait: flat pending ones, those of lanes, and scheduled ones. */
  async count(): Promise<number> {
    const { pending, lanes, schedule } = await this.getJobCounts("pending", "lanes", "schedule");
    return pending + lanes + schedule;
  }

  /**
   * The age in ms of the job that waits longest, flat or in a lane, counted from its adding by the server's clock;
   * `undefined` when none waits. The first 64 priorities of each place are looked at.
   */
  async oldestPendingAge(options: { readonly lane?: string } = {}): Promise<number | undefined> {
    this.#assertOpen();
    return await this.#operator.oldestPendingAge(options);
  }

  /**
   * How many jobs were completed and how many died in each of the last `minutes` (1 to 240, default 60), oldest first;
   * the last is the minute that runs.
   */
  async throughput(options: { readonly minutes?: number } = {}): Promise<MinuteCount[]> {
    this.#assertOpen();
    return await this.#operator.throughput(options);
  }

  /**
   * The names of all queues of the server, in order of their bytes.
   *
   * They are read from a list to which each queue adds its name when a job is first added. With `scan`, or where that
   * list is empty, all keys of the server are looked through for queues that other clients made.
   */
  async queues(options: { readonly scan?: boolean } = {}): Promise<string[]> {
    this.#assertOpen();
    return await this.#operator.queues(options);
  }

  /** Where a job is; `absent` once it is completed or removed. */
  async getState(id: string): Promise<StateAnswer> {
    this.#assertOpen();
    return await this.#jobs.getState(this.name, await this.#idOf(id));
  }

  /**
   * Why a job does not run, or that it does: as `reasons` for programs and as `text` for people. Only reads.
   *
   * @throws EchoMQError `invalid_id` for a malformed id.
   */
  async explain(id: string): Promise<Explanation> {
    this.#assertOpen();
    const own = await this.#idOf(id);
    return await explainJob({ engine: this.#lease.engine, keys: new QueueKeys(this.name) }, own);
  }

  /**
   * The workers that ask for work of this queue, the one that asked last first, 1000 at most. One that was killed stays
   * listed until others have not heard of it for ten beats.
   */
  async workers(): Promise<WorkerInfo[]> {
    this.#assertOpen();
    return await readWorkers({ engine: this.#lease.engine, keys: new QueueKeys(this.name) });
  }

  /**
   * Pauses one worker, by its `id` in {@link QueueCore.workers}: it takes no further jobs and gives back what has not
   * begun; what runs goes on. It hears of it at once, or within two beats (five, while all its slots are taken) where
   * messages do not reach it. The word is kept while the worker is listed, through outages of up to an hour, and ends
   * with the worker. `unchanged`: it was paused already; `gone`: no such worker is listed.
   */
  async pauseWorker(id: string): Promise<"ok" | "unchanged" | "gone"> {
    this.#assertOpen();
    assertWorkerId(id);
    return await this.#jobs.pauseWorker(this.name, id, true);
  }

  /** Lets a worker take jobs again that {@link QueueCore.pauseWorker} has paused. */
  async resumeWorker(id: string): Promise<"ok" | "unchanged" | "gone"> {
    this.#assertOpen();
    assertWorkerId(id);
    return await this.#jobs.pauseWorker(this.name, id, false);
  }

  /**
   * Cancels a job, from any process. One that waits or is scheduled is `removed`. One that is active is `marked`: the
   * signal of its handler is aborted at once, or at the next renewal of its lease (a third of it) where messages do not
   * reach its worker; when the handler throws, or the worker's `stopGrace` is over, the job is dead, with the reason as
   * its error, and is not tried again. A handler that returns all the same has completed it. `gone`: there is no such
   * job, or it is over.
   *
   * @param reason told to the handler and kept with the job; text of 4096 bytes at most. Default: none.
   * @throws EchoMQError `invalid_option` for another reason, `invalid_id`.
   */
  async cancel(id: string, reason = ""): Promise<"marked" | "removed" | "gone"> {
    this.#assertOpen();
    assertReason(reason);
    return await this.#jobs.cancel(this.name, await this.#idOf(id), reason);
  }

  /** Removes a job from wherever it is; a locked one stays. */
  async remove(id: string): Promise<"ok" | "gone" | "locked"> {
    this.#assertOpen();
    return await this.#jobs.removeJob(this.name, await this.#idOf(id));
  }

  /** Gives a dead job a fresh budget of attempts and lets it wait again. */
  async retry(id: string): Promise<"ok" | "gone" | "not_dead"> {
    this.#assertOpen();
    return await this.#jobs.reprocessJob(this.name, await this.#idOf(id));
  }

  /** Lets a scheduled job run now. */
  async promote(id: string): Promise<"ok" | "gone" | "not_scheduled"> {
    this.#assertOpen();
    return await this.#jobs.release(this.name, await this.#idOf(id));
  }

  /**
   * Lets every job wait again that is dead now, each with a fresh budget of attempts; answers how many. A hundred jobs
   * an act; workers go on meanwhile. No more are retried than were dead at the beginning.
   */
  async retryDead(options: SliceOptions = {}): Promise<number> {
    this.#assertOpen();
    return await this.#operator.retryDead(options);
  }

  /**
   * Gives a scheduled job another due time, `delay` from now.
   *
   * @throws EchoMQError `invalid_option` for what is no duration.
   */
  async changeDelay(id: string, delay: Duration): Promise<"ok" | "gone" | "not_scheduled"> {
    this.#assertOpen();
    return await this.#jobs.changeDelay(this.name, await this.#idOf(id), durationMs(delay, "delay"));
  }

  /**
   * Changes the priority (0, first, to 2097152) of a job that waits, flat or in its lane, or is scheduled.
   *
   * @throws EchoMQError `invalid_option` for another priority.
   */
  async changePriority(id: string, priority: number): Promise<"ok" | "gone" | "not_waiting"> {
    this.#assertOpen();
    assertWhole(priority, "priority", { min: 0, max: PRIORITY_MAX });
    return await this.#jobs.changePriority(this.name, await this.#idOf(id), priority);
  }

  /**
   * Removes what waits now: flat jobs, with `lanes` also those of lanes, with `schedule` also scheduled ones. Answers
   * how many went. Active, dead and completed jobs, pauses and limits stay.
   */
  async drain(options: DrainOptions = {}): Promise<number> {
    this.#assertOpen();
    return await this.#operator.drain(options);
  }

  /**
   * Removes the jobs of one state that have been there for longer than `olderThan`, up to `limit`; answers how many
   * went. Locked jobs stay.
   *
   * @throws EchoMQError `unknown_state`, `invalid_option`, `invalid_lane`, before anything is removed.
   */
  async clean(options: CleanOptions): Promise<number> {
    this.#assertOpen();
    return await this.#operator.clean(options);
  }

  /**
   * Takes away the queue with everything that belongs to it: no key of it is left.
   *
   * The queue must be paused and must not run a job; with `force` it is paused here, and active jobs go too: their
   * handlers learn that their lease is lost. What producers add meanwhile goes or stays, so stop them first. When the
   * connection fails in the middle, the queue is still paused: call it again.
   *
   * @throws EchoMQError `not_paused` or `jobs_active`; nothing is changed then.
   */
  async obliterate(options: ObliterateOptions = {}): Promise<void> {
    this.#assertOpen();
    await this.#operator.obliterate(options);
    this.#adder.forgetName();
  }

  /**
   * Replaces the data of a job, in any state; a handler that runs keeps those it was given.
   *
   * @throws EchoMQError `invalid_payload` or `payload_too_large`, and nothing is changed.
   */
  async updateData(id: string, data: unknown): Promise<"ok" | "gone"> {
    this.#assertOpen();
    const payload = arrayOf(await this.#codec.encode(data, this.#payloadBytesMax));
    return unfenced(await this.#jobs.updateData(this.name, await this.#idOf(id), payload));
  }

  /**
   * Stores and publishes the progress of a job: any value that JSON can hold.
   *
   * @throws EchoMQError `invalid_payload` or `payload_too_large`, and nothing is changed.
   */
  async updateProgress(id: string, progress: unknown): Promise<"ok" | "gone"> {
    this.#assertOpen();
    const bytes = arrayOf(encodePayload(progress, this.#payloadBytesMax));
    return unfenced(await this.#jobs.updateProgress(this.name, await this.#idOf(id), bytes));
  }

  /**
   * Appends a log line to a job and keeps the newest `keep` (1 to 1,000,000, default 1000); answers how many are kept.
   *
   * @throws EchoMQError `invalid_option` for another `keep`.
   */
  async log(id: string, line: string, keep = KEEP_LOGS_DEFAULT): Promise<number | "gone"> {
    this.#assertOpen();
    assertWhole(keep, "keep", { min: 1, max: KEEP_LOGS_MAX });
    const kept = await this.#jobs.addLog(this.name, await this.#idOf(id), line, keep);
    return typeof kept === "number" ? kept : unfenced(kept);
  }

  /** The log lines of a job, oldest first. */
  async getLogs(id: string): Promise<string[] | "gone"> {
    this.#assertOpen();
    const lines = await this.#jobs.getLogs(this.name, await this.#idOf(id));
    return lines === "gone" ? lines : lines.map((line) => textOf(bytesFrom(line)));
  }

  /**
   * Waits for a job to end and resolves to what its handler returned: see {@link Job.result}.
   *
   * @throws EchoMQError `invalid_id`, `invalid_option`, `job_failed`, `job_removed`, `result_timeout`,
   *   `result_too_large`, `overloaded`, `closed`.
   */
  async result<Result = unknown>(id: string, options?: ResultOptions): Promise<Result> {
    this.#assertOpen();
    const timeoutMs = resultTimeoutMs(options);
    const own = await this.#idOf(id);
    return (await resultValue(id, await this.#results.wait(own, timeoutMs), this.#pageSource())) as Result;
  }

  /**
   * Adds a job and resolves to what its handler returned.
   *
   * Safe however quick the job is: its outcome is left for a minute, or as long as `opts.keepResult` says. Of a
   * duplicate, the job that lives is waited for. When the wait ends, the job goes on.
   *
   * @param options.timeout how long to wait, default one minute; {@link JobOptions} stand in `opts`.
   * @throws EchoMQError what `add` and {@link QueueCore.result} throw; `details.id` names the job.
   */
  async addAndWait<Result = unknown, Name extends keyof Payloads & string = keyof Payloads & string>(
    name: Name,
    data: Payloads[Name],
    options: AddAndWaitOptions = {},
  ): Promise<Result> {
    assertKnownOptions(options, ADD_AND_WAIT_TABLE);
    const timeoutMs = checkedTimeoutMs(options.timeout);
    const job = await this.add(name, data, { ...this.#waited, ...options.opts });
    return await this.result<Result>(job.existing?.id ?? job.id, { timeout: timeoutMs });
  }

  /**
   * Sets how many jobs of the queue may be active at once (`concurrency`), how many may start in a time (`rate`), and
   * how many of a job name (`names`), over all workers, from the next claim on. What is not named stays; `null` takes a
   * limit away. A job that is held back keeps its place and spends no attempt, and workers neither poll nor oversleep.
   *
   * @throws EchoMQError `invalid_limit`, `invalid_rate`, `invalid_lane`, `unknown_option`, `invalid_option`, `full`.
   * @example
   * await queue.setLimits({ concurrency: 10, rate: { max: 100, duration: "1s" } });
   */
  async setLimits(change: LimitsChange): Promise<void> {
    this.#assertOpen();
    await setQueueLimits(this.#limitsPlace, change);
  }

  /** The limits of the queue that hold now. Those of its lanes are read by lane. */
  async limits(): Promise<QueueLimits> {
    this.#assertOpen();
    return await readQueueLimits(this.#limitsPlace);
  }

  /**
   * Sets what the queue keeps of completed jobs where neither the job nor its queue's `defaultJobOptions` nor the
   * worker says it, from the next completion on; `null` takes that away, and then none is kept. What is kept already
   * goes ten by each completion where the number is now smaller, or by `clean`; an age is that of jobs that complete
   * from now on.
   *
   * @throws EchoMQError `invalid_option`, `unknown_option`, `shared_mode`.
   * @example
   * await queue.setRetention({ removeOnComplete: { count: 1000, age: "1d" } });
   */
  async setRetention(change: RetentionChange): Promise<void> {
    this.#assertOpen();
    await setQueueRetention(this.#limitsPlace, change);
  }

  /**
   * Keeps what happens in the queue in its stream `events`, within bounds, so that a reader who comes late loses
   * nothing: `new EventStream(queue, "events")`, or a `StreamConsumer` for each who must not miss any. `null` keeps no
   * more; what is kept stays until it is trimmed.
   *
   * @throws EchoMQError `invalid_option`, `unknown_option`, `shared_mode`.
   * @example
   * await queue.keepEvents({ maxBytes: 10_000_000, maxAge: "7d" });
   */
  async keepEvents(keeping: EventKeeping | null): Promise<void> {
    this.#assertOpen();
    await setEventKeeping(this.#limitsPlace, keeping);
  }

  /** How much the queue keeps of its events; `undefined` when it keeps none. */
  async keptEvents(): Promise<EventKeeping | undefined> {
    this.#assertOpen();
    return await readEventKeeping(this.#limitsPlace);
  }

  /** What the queue says that is kept of completed jobs; see {@link setRetention}. */
  async retention(): Promise<QueueRetention> {
    this.#assertOpen();
    return await readQueueRetention(this.#limitsPlace);
  }

  /**
   * Makes a scheduler, or gives the one of that id this content: each of its slots becomes one job, made by whichever
   * worker is there, by the server's clock. The same content changes nothing, so a program may say at each start what
   * it wants; another one takes effect at the very next slot.
   *
   * @param id 1 to 256 bytes; the name of the scheduler, not of its jobs.
   * @param repeat when it occurs: `every` or `pattern`, with `tz`, `startDate`, `endDate`, `limit` and others.
   * @param template what its jobs are: `name` (default: the id), `data`, `opts` as in `add`.
   * @throws EchoMQError `invalid_name`, `invalid_schedule`, `invalid_pattern`, `invalid_time_zone`, `end_before_start`,
   *   `never_occurs`, `invalid_option`, `unknown_option`, `invalid_payload`, `payload_too_large`, `shared_mode`,
   *   `full`, `closed`; nothing is written then.
   * @example
   * await queue.upsertJobScheduler("report", { pattern: "0 6 * * 1-5", tz: "Europe/Berlin" }, { data: { kind: "daily" }
   * });
   */
  async upsertJobScheduler<Name extends keyof Payloads & string>(
    id: string,
    repeat: RepeatOptions,
    template?: SchedulerTemplate<Name, Payloads[Name]>,
  ): Promise<JobScheduler> {
    this.#assertOpen();
    return await this.#schedulers.upsert(id, repeat, template);
  }

  /** Reads one scheduler; `undefined` when there is none. */
  async getJobScheduler(id: string): Promise<JobScheduler | undefined> {
    this.#assertOpen();
    return await this.#schedulers.get(id);
  }

  /**
   * A page of schedulers, in the order of their next slots; those that have ended come last. One whose slot is fired
   * while the pages are read may come twice.
   *
   * @throws EchoMQError `invalid_option` for a limit out of range or a cursor that is none.
   */
  async getJobSchedulers(options: SchedulerPageOptions = {}): Promise<SchedulerPage> {
    this.#assertOpen();
    return await this.#schedulers.list(options);
  }

  /** Takes a scheduler away; jobs that it has made stay. Whether there was one. */
  async removeJobScheduler(id: string): Promise<boolean> {
    this.#assertOpen();
    return await this.#schedulers.removeJobScheduler(id);
  }

  /** Makes a job of a scheduler now; its next slot stays, and `limit` does not count it. `overlap` holds for it too. */
  async runJobScheduler(id: string): Promise<RunNowResult> {
    this.#assertOpen();
    return await this.#schedulers.runJobScheduler(id);
  }

  /** The next slots of a scheduler, `count` (1 to 1000, default 10) at most; none once it has ended or is gone. */
  async previewJobScheduler(id: string, count?: number): Promise<Date[]> {
    this.#assertOpen();
    return await this.#schedulers.previewJobScheduler(id, count);
  }

  /** Leaves out the next slot of a scheduler; answers it, `undefined` when there is none. */
  async skipJobScheduler(id: string): Promise<Date | undefined> {
    this.#assertOpen();
    return await this.#schedulers.skipJobScheduler(id);
  }

  /** Pauses the queue everywhere: no job starts after this resolves, until it is resumed. */
  async pause(): Promise<void> {
    this.#assertOpen();
    await this.#jobs.pause(this.name);
  }

  /** Resumes the queue. */
  async resume(): Promise<void> {
    this.#assertOpen();
    await this.#jobs.resume(this.name);
  }

  /** Whether the queue is paused, here or by anybody else. */
  async isPaused(): Promise<boolean> {
    this.#assertOpen();
    return await this.#jobs.isPaused(this.name);
  }

  /**
   * Goes through all keys of the queue and says what is wrong, with the key and the mend; with `repair` it puts it
   * right.
   *
   * Workers may go on: what is told was so at one instant, and a repair looks again in its own act. It takes a while
   * for a large queue, and never asks for more than a thousand members at once.
   *
   * @throws EchoMQError `unknown_option` or `invalid_option`, and nothing is looked at.
   * @example
   * const { isClean, findings } = await queue.doctor();
   * for (const { code, key, detail, mend } of findings) console.log(code, key, detail, mend);
   */
  async doctor(options: DoctorOptions = {}): Promise<DoctorReport> {
    this.#assertOpen();
    return await inspectQueue(this.#lease.engine, this.name, inspectOptions(options));
  }

  /**
   * A lane of this queue, to set and to look at. Nothing is asked or made by this call.
   *
   * @throws EchoMQError `invalid_lane` for a name that no lane can have.
   */
  lane(name: string): Lane {
    assertLane(name);
    const { engine } = this.#lease;
    return new Lane(name, { engine, lanes: this.#lanes, queue: this.name, assertOpen: () => this.#assertOpen() });
  }

  /**
   * A page of the lanes that have work or settings: first those whose jobs may start, in the order of their turns. Go
   * on with the cursor that it answers until there is none. A page may be short, even empty, before the end.
   *
   * @throws EchoMQError `invalid_option` for a limit out of range or a cursor that is none.
   */
  async lanes(options: LanePageOptions = {}): Promise<LanePage> {
    this.#assertOpen();
    const { engine } = this.#lease;
    return await readLanePage({ engine, lanes: this.#lanes, queue: this.name }, options);
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#lease.engine.ready();
  }

  /**
   * Listens to an event. What a listener throws, or rejects with, is logged.
   *
   * @throws EchoMQError `unknown_option` for an event that there is not, `invalid_option` for no function.
   */
  on<Name extends keyof LocalQueueEvents>(name: Name, listener: (...args: LocalQueueEvents[Name]) => unknown): this {
    this.#events.on(name, listener);
    return this;
  }

  /** {@link QueueCore.on}, for the next event of that name only. */
  once<Name extends keyof LocalQueueEvents>(name: Name, listener: (...args: LocalQueueEvents[Name]) => unknown): this {
    this.#events.once(name, listener);
    return this;
  }

  /** Ends what {@link QueueCore.on} began; a listener that is not there is none to end. */
  off<Name extends keyof LocalQueueEvents>(name: Name, listener: (...args: LocalQueueEvents[Name]) => unknown): this {
    this.#events.off(name, listener);
    return this;
  }

  /**
   * Closes the queue: refuses new calls, waits for adds that are on their way, gives the connection back.
   *
   * Ends within a second or two of the timeout, whatever the server does.
   *
   * @param options.timeout how long to wait for them, default 5 s; afterwards they end as the connection lets them.
   * @throws EchoMQError `unknown_option` or `invalid_option`, and nothing is closed.
   */
  close(options: { readonly timeout?: Duration } = {}): Promise<void> {
    assertKnownOptions(options, { owner: "close", known: ["timeout"] });
    const timeoutMs = durationMs(options.timeout ?? CLOSE_TIMEOUT_MS_DEFAULT, "timeout");
    this.#closing ??= this.#close(timeoutMs);
    return this.#closing;
  }

  /** {@link QueueCore.close} at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    await this.#within(this.#adder.drained(), timeoutMs);
    this.#results.close();
    // Giving the node number back is a courtesy, which a server that has frozen does not answer.
    await this.#within(this.#adder.release(), RELEASE_MS_MAX);
    try {
      await this.#lease.release();
    } finally {
      this.#events.emit("closed");
    }
  }

  /** Resolves with the end of a promise, or after so many ms. */
  async #within(promise: Promise<void>, ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#ports.clock.after(ms, resolve);
      const end = () => {
        timer.cancel();
        resolve();
      };
      promise.then(end, end);
    });
  }

  /** What jobs are read from, and how their payloads are. */
  #pageSource(): PageSource {
    const { name: queue } = this;
    return { jobs: this.#jobs, queue, verbs: this, codec: this.#codec, payloadBytesMax: this.#payloadBytesMax };
  }

  /** The id of a job that is named by it or by its alias. */
  #idOf(id: string): string | Promise<string> {
    return findId(this.#jobs, this.name, id);
  }

  get #limitsPlace(): LimitsPlace {
    return { engine: this.#lease.engine, jobs: this.#jobs, lanes: this.#lanes, queue: this.name };
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw this.#closedError();
  }

  #closedError(): EchoMQError {
    return new EchoMQError("closed", `The queue ${this.name} was closed: create a new one`);
  }

  #report(error: unknown): void {
    if (!this.#events.emit("error", error)) this.#warn("The server did not take an act of the queue", error);
  }

  /** One line a code and ten seconds, so that an outage does not flood the log. */
  #warn(message: string, error: unknown): void {
    const code = isEchoMQError(error) ? error.code : "none";
    const nowMs = this.#ports.clock.now();
    if (code === this.#warnedCode && Math.abs(nowMs - this.#warnedAtMs) < WARN_EVERY_MS) return;
    this.#warnedCode = code;
    this.#warnedAtMs = nowMs;
    const text = causeText(error);
    this.#logger.warn(`${message}: ${text}`, { queue: this.name, code });
  }
}

/** An answer of a verb that was called without a token and therefore cannot be stale. */
function unfenced<Answer extends string>(answer: Answer): Exclude<Answer, "stale"> {
  if (answer !== "stale") return answer as Exclude<Answer, "stale">;
  throw new EchoMQError("internal", "The server compared a token that was not sent");
}
