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

import type { Logger, Ports } from "../engine/ports.ts";
import { arrayOf, type Bytes, bytesFrom, bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import type { StateAnswer } from "../protocol/registry.generated.ts";
import { Admission, type WaitingAdd } from "./admission.ts";
import type { AdmitBytesRow, AdmitOutcome } from "./admit-rows.ts";
import { encodePayload } from "./codec.ts";
import {
  CLOSE_TIMEOUT_MS_DEFAULT,
  KEEP_LOGS_DEFAULT,
  KEEP_LOGS_MAX,
  NAME_DEFAULT,
  PAYLOAD_BYTES_MAX,
  PAYLOAD_BYTES_MAX_DEFAULT,
  PENDING_ADDS_MAX_DEFAULT,
} from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { Emitter } from "./emitter.ts";
import type { EngineLease } from "./engine-lease.ts";
import { AddedJob, type JobVerbs, StoredJob } from "./job.ts";
import { assertJobId, type JobOptions, type JobPlan, JobPlanner, type SharedJobOptions } from "./job-options.ts";
import { readJobPage } from "./job-page.ts";
import { Jobs } from "./jobs.ts";
import { type MintSource, openMint } from "./mint-source.ts";
import { assertKnownOptions, assertName, assertWhole } from "./option-check.ts";
import { COUNT_WORDS, type CountWord, type ListedState } from "./read-verbs.ts";
import { isStandardSchema, type StandardSchema, validated } from "./schema.ts";

/** Names of jobs to their payloads: the type that a queue and its workers share. */
export type PayloadMap<Payloads> = { [Name in keyof Payloads]: unknown };

/** Options of a queue. */
export interface QueueOptions<Payloads extends PayloadMap<Payloads> = Record<string, unknown>> {
  /** What every job of this queue has unless its `add` says otherwise. */
  readonly defaultJobOptions?: SharedJobOptions;
  /** Validators by name of job, each of any library that speaks the Standard Schema. They judge and change nothing. */
  readonly schemas?: { readonly [Name in keyof Payloads]?: StandardSchema };
  /**
   * The node number of the mint, 0 to 1023, which no other process may use at the same time. Default: leased from the
   * server; on the embedded engine, drawn.
   */
  readonly node?: number;
  /** Adds that wait for the server, at most; more are refused with `overloaded`. Default 100,000. */
  readonly maxPending?: number;
  /** Where warnings go while nobody listens to `error`. Default: one line each on stderr. */
  readonly logger?: Logger;
}

/** One item of {@link QueueCore.addBulk}. */
export type BulkItem<Payloads extends PayloadMap<Payloads>> = {
  readonly [Name in keyof Payloads & string]: {
    readonly name: Name;
    readonly data: Payloads[Name];
    readonly opts?: JobOptions;
  };
}[keyof Payloads & string];

/** Local events of a queue. */
export interface QueueEvents {
  /** The server could not be asked or refused to work; adds that were waiting for it have been rejected. */
  error: [error: unknown];
  closed: [];
}

const QUEUE_TABLE = {
  owner: "Queue",
  known: ["connection", "defaultJobOptions", "schemas", "node", "maxPending", "logger"],
  foreign: {
    prefix: "the keyspace is the protocol, so every key begins with emq:; use another database or queue name",
    streams: "events need no stream here",
    skipVersionCheck: "the fence of the wire is what keeps foreign versions apart",
    telemetry: "it is not available yet",
  },
} as const;

const BULK_TABLE = { owner: "an item of addBulk", known: ["name", "data", "opts"], foreign: { options: "use opts" } };

/** Scheduled jobs that one `promote` moves at most: the one that was meant comes first. */
const PROMOTE_BATCH = 100;

/** How often a mint is asked again after it said that it is ready. */
const MINT_TRIES_MAX = 3;

/** At least so long lies between two warnings of one code, in ms. */
const WARN_EVERY_MS = 10_000;

/** A checked job that waits for its id and its act. */
interface Draft {
  readonly name: string;
  readonly data: unknown;
  readonly plan: JobPlan;
  readonly payload: Bytes;
}

/** The producer's half of a queue on an engine. */
export class QueueCore<Payloads extends PayloadMap<Payloads> = Record<string, unknown>>
  implements JobVerbs, AsyncDisposable
{
  readonly name: string;
  readonly #lease: EngineLease;
  readonly #ports: Ports;
  readonly #jobs: Jobs;
  readonly #admission: Admission;
  readonly #mint: MintSource;
  readonly #planner: JobPlanner;
  readonly #schemas: Readonly<Record<string, StandardSchema | undefined>> | undefined;
  readonly #logger: Logger;
  readonly #events: Emitter<QueueEvents>;
  readonly #payloadBytesMax: number;
  readonly #pendingMax: number;
  /** The name that was checked last: most queues have few names. */
  #checkedName = "";
  #checkedNameBytes: Bytes = "";
  /** Adds that wait for a node number. */
  #mintingCount = 0;
  readonly #mintingEnded: (() => void)[] = [];
  #isRegistered = false;
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
    this.#planner = new JobPlanner(options.defaultJobOptions);
    this.#schemas = options.schemas;
    this.#logger = options.logger ?? ports.logger;
    this.#payloadBytesMax = options.defaultJobOptions?.sizeLimit ?? PAYLOAD_BYTES_MAX_DEFAULT;
    this.#pendingMax = options.maxPending ?? PENDING_ADDS_MAX_DEFAULT;
    this.#events = new Emitter((error) => this.#warn("A listener of the queue threw", error));
    this.#jobs = new Jobs(lease.engine);
    const onError = (error: unknown) => this.#report(error);
    this.#admission = new Admission({ jobs: this.#jobs, queue: name, ports, pendingMax: this.#pendingMax, onError });
    this.#mint = openMint(lease.engine, options.node, onError);
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
   *   `unknown_option`, `invalid_id`, `kind`), `overloaded`, `closed`, and what the server or the way to it causes; such
   *   an error carries `details.id`, so that the same add can be repeated safely.
   */
  add<Name extends keyof Payloads & string>(
    name: Name,
    data: Payloads[Name],
    options?: JobOptions,
  ): Promise<AddedJob<Payloads[Name], Name>> {
    return this.#add(name, data, options) as Promise<AddedJob<Payloads[Name], Name>>;
  }

  /**
   * Adds many jobs, in the order given.
   *
   * All are checked before the first is sent, and one bad item refuses the whole with `invalid_bulk`, its place in
   * `details.index` and its fault as `cause`. The acts that follow are atomic one by one, not together: when the way to
   * the server is lost in between, the error's `details.ids` hold the ids in order, and a repetition with them stores
   * each job once.
   */
  async addBulk(items: readonly BulkItem<Payloads>[]): Promise<AddedJob<Payloads[keyof Payloads & string]>[]> {
    this.#assertOpen();
    if (!Array.isArray(items))
      throw new EchoMQError("invalid_option", "addBulk takes an array of { name, data, opts }");
    this.#admission.assertRoom(items.length);
    const drafts: Draft[] = [];
    for (const [index, item] of items.entries()) drafts.push(await this.#bulkDraft(item, index));
    const ids: string[] = [];
    for (const draft of drafts) ids.push(draft.plan.id ?? this.#mint.tryMint("JOB") ?? (await this.#mintLater()));
    const jobs = await this.#admitAll(drafts, ids);
    return jobs as AddedJob<Payloads[keyof Payloads & string]>[];
  }

  /** Reads one job; `undefined` when it does not exist, for instance because it is completed. */
  async getJob(id: string): Promise<StoredJob<Payloads[keyof Payloads & string]> | undefined> {
    this.#assertOpen();
    const row = await this.#jobs.getRow(this.name, id);
    return row === undefined ? undefined : new StoredJob(this, id, row);
  }

  /**
   * Counts by the words `pending active schedule dead completed failed`; without words, all of them.
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
   * A page of jobs of one or more of the states `pending active scheduled dead`.
   *
   * The states make one list in the order given; `start` and `end` are places in it, both inclusive, at most 1000 apart.
   * Within a state the newest come first, or with `ascending` those that come first run first.
   */
  async getJobs(
    states: ListedState | readonly ListedState[],
    start = 0,
    end?: number,
    ascending = false,
  ): Promise<StoredJob<Payloads[keyof Payloads & string]>[]> {
    this.#assertOpen();
    const list = typeof states === "string" ? [states] : states;
    const page = await readJobPage(
      { jobs: this.#jobs, queue: this.name, verbs: this },
      { states: list, start, end, ascending },
    );
    return page as StoredJob<Payloads[keyof Payloads & string]>[];
  }

  /** How many jobs wait: flat pending ones and scheduled ones. */
  async count(): Promise<number> {
    const { pending, schedule } = await this.getJobCounts("pending", "schedule");
    return pending + schedule;
  }

  /** Where a job is; `absent` once it is completed or removed. */
  async getState(id: string): Promise<StateAnswer> {
    this.#assertOpen();
    return await this.#jobs.getState(this.name, id);
  }

  /** Removes a job from wherever it is; a locked one stays. */
  async remove(id: string): Promise<"ok" | "gone" | "locked"> {
    this.#assertOpen();
    return await this.#jobs.removeJob(this.name, id);
  }

  /** Gives a dead job a fresh budget of attempts and lets it wait again. */
  async retry(id: string): Promise<"ok" | "gone" | "not_dead"> {
    this.#assertOpen();
    return await this.#jobs.reprocessJob(this.name, id);
  }

  /**
   * Lets a scheduled job run now.
   *
   * Two steps, each whole by itself: its due time becomes 0, if it still is scheduled, and what is due is moved. Between
   * the two the job is merely due, and whoever looks at the schedule next moves it.
   */
  async promote(id: string): Promise<"ok" | "gone" | "not_scheduled"> {
    this.#assertOpen();
    assertJobId(id);
    if (!(await this.#jobs.makeDue(this.name, id))) {
      return (await this.#jobs.getState(this.name, id)) === "absent" ? "gone" : "not_scheduled";
    }
    await this.#jobs.promote(this.name, PROMOTE_BATCH);
    return "ok";
  }

  /** Replaces the data of a job, in any state. */
  async updateData(id: string, data: unknown): Promise<"ok" | "gone"> {
    this.#assertOpen();
    const payload = arrayOf(encodePayload(data, this.#payloadBytesMax));
    return unfenced(await this.#jobs.updateData(this.name, id, payload));
  }

  /** Stores and publishes the progress of a job: any value that JSON can hold. */
  async updateProgress(id: string, progress: unknown): Promise<"ok" | "gone"> {
    this.#assertOpen();
    const bytes = arrayOf(encodePayload(progress, this.#payloadBytesMax));
    return unfenced(await this.#jobs.updateProgress(this.name, id, bytes));
  }

  /** Appends a log line to a job and keeps the newest `keep` (default 1000); answers how many are kept. */
  async log(id: string, line: string, keep = KEEP_LOGS_DEFAULT): Promise<number | "gone"> {
    this.#assertOpen();
    assertWhole(keep, "keep", { min: 1, max: KEEP_LOGS_MAX });
    const kept = await this.#jobs.addLog(this.name, id, line, keep);
    return typeof kept === "number" ? kept : unfenced(kept);
  }

  /** The log lines of a job, oldest first. */
  async getLogs(id: string): Promise<string[] | "gone"> {
    this.#assertOpen();
    const lines = await this.#jobs.getLogs(this.name, id);
    return lines === "gone" ? lines : lines.map((line) => textOf(bytesFrom(line)));
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

  async isPaused(): Promise<boolean> {
    this.#assertOpen();
    return await this.#jobs.isPaused(this.name);
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#lease.engine.ready();
  }

  on<Name extends keyof QueueEvents>(name: Name, listener: (...args: QueueEvents[Name]) => void): this {
    this.#events.on(name, listener);
    return this;
  }

  once<Name extends keyof QueueEvents>(name: Name, listener: (...args: QueueEvents[Name]) => void): this {
    this.#events.once(name, listener);
    return this;
  }

  off<Name extends keyof QueueEvents>(name: Name, listener: (...args: QueueEvents[Name]) => void): this {
    this.#events.off(name, listener);
    return this;
  }

  /**
   * Closes the queue: refuses new calls, waits for adds that are on their way, gives the connection back.
   *
   * @param options.timeout how long to wait for them, default 5 s; afterwards they end as the connection lets them.
   */
  close(options: { readonly timeout?: Duration } = {}): Promise<void> {
    this.#closing ??= this.#close(durationMs(options.timeout ?? CLOSE_TIMEOUT_MS_DEFAULT, "timeout"));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#ports.clock.after(timeoutMs, resolve);
      void this.#drained().then(() => {
        timer.cancel();
        resolve();
      });
    });
    await this.#mint.release();
    await this.#lease.release();
    this.#events.emit("closed");
  }

  /** Resolves when every add that was accepted has its answer. */
  async #drained(): Promise<void> {
    if (this.#mintingCount > 0) await new Promise<void>((resolve) => this.#mintingEnded.push(resolve));
    await this.#admission.idle();
  }

  /** Not `async`, because this is the hot path: one promise an add, and none between the check and the batch. */
  #add(name: string, data: unknown, options: JobOptions | undefined): Promise<AddedJob> {
    try {
      this.#assertOpen();
      this.#admission.assertRoom(this.#mintingCount + 1);
      const schema = this.#schemas?.[name];
      if (schema !== undefined) return this.#addValidated(schema, name, data, options);
      const draft = this.#draft(name, data, options);
      const id = draft.plan.id ?? this.#mint.tryMint("JOB");
      return id === undefined ? this.#addLater(draft) : this.#admit(draft, id);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #addValidated(
    schema: StandardSchema,
    name: string,
    data: unknown,
    options: JobOptions | undefined,
  ): Promise<AddedJob> {
    const draft = this.#draft(name, data, options);
    await validated(schema, data);
    const id = draft.plan.id ?? this.#mint.tryMint("JOB") ?? (await this.#mintLater());
    this.#admission.assertRoom(1);
    return await this.#admit(draft, id);
  }

  async #addLater(draft: Draft): Promise<AddedJob> {
    return await this.#admit(draft, await this.#mintLater());
  }

  /** Checks and encodes a job. Writes nothing. */
  #draft(name: string, data: unknown, options: JobOptions | undefined): Draft {
    if (name !== this.#checkedName || name === "") {
      assertName(name, "job name", { mayBeEmpty: true });
      this.#checkedName = name;
      this.#checkedNameBytes = name === NAME_DEFAULT ? "" : bytesOf(name);
    }
    const plan = this.#planner.plan(options);
    return { name: name === "" ? NAME_DEFAULT : name, data, plan, payload: encodePayload(data, plan.payloadBytesMax) };
  }

  async #bulkDraft(item: BulkItem<Payloads>, index: number): Promise<Draft> {
    try {
      if (item === undefined) throw new EchoMQError("invalid_option", "An item of addBulk must be an object");
      assertKnownOptions(item, BULK_TABLE);
      const schema = this.#schemas?.[item.name];
      const draft = this.#draft(item.name, item.data, item.opts);
      if (schema !== undefined) await validated(schema, item.data);
      return draft;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new EchoMQError("invalid_bulk", `Item ${index} is bad and nothing was stored: ${why}`, {
        cause,
        details: { index },
      });
    }
  }

  /** An id, once a node number is held. */
  async #mintLater(): Promise<string> {
    this.#mintingCount++;
    try {
      for (let tries = 0; tries < MINT_TRIES_MAX; tries++) {
        await this.#mint.whenReady();
        const id = this.#mint.tryMint("JOB");
        if (id !== undefined) return id;
      }
      throw new EchoMQError("timeout", "No id could be minted: the clock of this machine keeps running away");
    } finally {
      this.#mintingCount--;
      if (this.#mintingCount === 0) this.#ports.soon(() => this.#endMinting());
    }
  }

  /** Tells `close` that no add waits for an id any more; those that had one are with the admission by now. */
  #endMinting(): void {
    if (this.#mintingCount > 0) return;
    for (const end of this.#mintingEnded.splice(0)) end();
  }

  #row({ name, plan, payload }: Draft, id: string): AdmitBytesRow {
    const { shape, namedShape, values } = plan;
    if (name === NAME_DEFAULT) return { id, payload, shape, values };
    const nameBytes = name === this.#checkedName ? this.#checkedNameBytes : bytesOf(name);
    return { id, payload, shape: namedShape, values: values.length === 0 ? [nameBytes] : [nameBytes, ...values] };
  }

  #admit(draft: Draft, id: string): Promise<AddedJob> {
    this.#register();
    const add = new SingleAdd(this, draft, this.#row(draft, id));
    this.#admission.push(add);
    return add.promise;
  }

  /** Admits the jobs of a bulk; rejects with the first failure once all have their answer. */
  async #admitAll(drafts: readonly Draft[], ids: readonly string[]): Promise<AddedJob[]> {
    // Room was there before the drafts were checked; what came in between may have taken it.
    this.#admission.assertRoom(drafts.length);
    if (drafts.length > 0) this.#register();
    const adds = drafts.map((draft, at) => {
      const add = new SingleAdd(this, draft, this.#row(draft, ids[at] ?? ""));
      this.#admission.push(add);
      return add.promise;
    });
    const results = await Promise.allSettled(adds);
    const failed = results.findIndex((result) => result.status === "rejected");
    if (failed >= 0) throw bulkFailure((results[failed] as PromiseRejectedResult).reason, failed, ids);
    return results.map((result) => (result as PromiseFulfilledResult<AddedJob>).value);
  }

  /** Writes the queue's name to the list of queues, once and beside the way: it is a convenience for operators. */
  #register(): void {
    if (this.#isRegistered) return;
    this.#isRegistered = true;
    this.#lease.engine.command(["SADD", "{emq}:queues", bytesOf(this.name)]).catch((error: unknown) => {
      this.#isRegistered = false;
      this.#logger.debug("The queue's name could not be written to {emq}:queues", { queue: this.name, error });
    });
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    throw new EchoMQError("closed", `The queue ${this.name} was closed: create a new one`);
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
    const text = error instanceof Error ? error.message : String(error);
    this.#logger.warn(`${message}: ${text}`, { queue: this.name, code });
  }
}

function ignore(): void {}

/** One add and the promise of its caller. */
class SingleAdd implements WaitingAdd {
  readonly row: AdmitBytesRow;
  readonly promise: Promise<AddedJob>;
  readonly #verbs: JobVerbs;
  readonly #draft: Draft;
  #resolve: (job: AddedJob) => void = ignore;
  #reject: (error: unknown) => void = ignore;

  constructor(verbs: JobVerbs, draft: Draft, row: AdmitBytesRow) {
    this.row = row;
    this.#verbs = verbs;
    this.#draft = draft;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(outcome: AdmitOutcome): void {
    const { name, data } = this.#draft;
    this.#resolve(new AddedJob(this.#verbs, { id: this.row.id, name, data, duplicateOf: outcome.state }));
  }

  fail(error: unknown): void {
    // A caller that does not wait must not end its process because a server went away; it is told by `error`.
    this.promise.catch(ignore);
    this.#reject(error);
  }
}

function checkQueueOptions<Payloads extends PayloadMap<Payloads>>(options: QueueOptions<Payloads>): void {
  assertKnownOptions(options, QUEUE_TABLE);
  const { node, maxPending, schemas, defaultJobOptions } = options;
  if (node !== undefined) assertWhole(node, "node", { min: 0, max: 1023 });
  if (maxPending !== undefined) assertWhole(maxPending, "maxPending", { min: 1, max: Number.MAX_SAFE_INTEGER });
  const sizeLimit = defaultJobOptions?.sizeLimit;
  if (sizeLimit !== undefined) assertWhole(sizeLimit, "sizeLimit", { min: 1, max: PAYLOAD_BYTES_MAX });
  for (const [name, schema] of Object.entries(schemas ?? {})) {
    if (schema !== undefined && !isStandardSchema(schema)) {
      throw new EchoMQError("invalid_option", `schemas.${name} is no Standard Schema: it has no ~standard.validate`);
    }
  }
}

/** An answer of a verb that was called without a token and therefore cannot be stale. */
function unfenced<Answer extends string>(answer: Answer): Exclude<Answer, "stale"> {
  if (answer !== "stale") return answer as Exclude<Answer, "stale">;
  throw new EchoMQError("internal", "The server compared a token that was not sent");
}

function bulkFailure(reason: unknown, index: number, ids: readonly string[]): unknown {
  if (!isEchoMQError(reason)) return reason;
  return new EchoMQError(reason.code, `Item ${index} of the bulk was not stored: ${reason.message}`, {
    cause: reason,
    details: { ...reason.details, index, ids },
  });
}
