/**
 * Runs the handler for one attempt and writes on the attempt how it is to be settled.
 *
 * What happens around the handler is decided here: the data are decoded and validated first, a time limit aborts and
 * fails the attempt, a cancel aborts it and ends its job, a lost lease makes a failure meaningless. A handler that
 * ignores either has a grace, after which its slot is taken from it. A handler costs no promise beyond its own.
 * Whatever is thrown, at any of these steps, becomes a settlement; nothing escapes.
 */

import type { Ports } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { BACKOFF_MS_DEFAULT, NAME_DEFAULT } from "../queue/defaults.ts";
import { type BatchEnd, type JobOverrides, readOverrides } from "../queue/job-options.ts";
import { type StandardSchema, validated } from "../queue/schema.ts";
import type { Telemetry, TracedRun } from "../queue/telemetry.ts";
import { isThenable } from "../queue/thenable.ts";
import type { Attempt } from "./attempt.ts";
import type { Children } from "./children.ts";
import { JobContext } from "./context.ts";
import { type HandlerTable, unknownDelayMs } from "./handler-table.ts";
import type { LookAhead } from "./look-ahead.ts";
import {
  controlOfThrown,
  encodeResult,
  retryDelayMs,
  settleCancelled,
  settleControlled,
  settleFailed,
  settlePutOff,
  settleReturned,
  termsOf,
} from "./settlement.ts";
import { tracedRun } from "./traced-run.ts";
import { WorkerJob, type WorkerVerbs } from "./worker-job.ts";
import type { WorkerSettings } from "./worker-options.ts";

/** How long a backoff function may think, in ms, before the default of one second stands in for its answer. */
export const BACKOFF_ANSWER_MS_MAX = 5000;

/** How long a callback is put off when it cannot be read how its batch ended, in ms. */
const BATCH_REREAD_MS = 1000;

const NO_OVERRIDES: JobOverrides = Object.freeze({});

/** A job that no handler is there for. */
export interface UnknownJob {
  readonly id: string;
  readonly name: string;
  /** For how long it is put off. */
  readonly delayMs: number;
}

/** What a {@link HandlerRunner} works with, and whom it tells. */
export interface HandlerRunnerOptions {
  readonly queue: string;
  readonly workerId: string;
  readonly handlers: HandlerTable;
  readonly verbs: WorkerVerbs;
  readonly settings: WorkerSettings;
  readonly ports: Ports;
  readonly lookAhead: LookAhead;
  /** The handler begins. */
  readonly onActive: (job: WorkerJob) => void;
  /** The children of the job of an attempt. */
  readonly childrenOf: (attempt: Attempt) => Children;
  /** Whether all jobs of the batch are done whose callback the job of an attempt is. */
  readonly isBatchDone: (attempt: Attempt) => Promise<boolean>;
  /** There is no handler for the job's name, and it is given back. */
  readonly onUnknown: (job: UnknownJob) => void;
  /**
   * The handler goes on although it was told to stop and had its grace: its slot is taken from it. It still runs, and
   * its writes are fenced by its token.
   */
  readonly onStuck: (attempt: Attempt, reason: EchoMQError) => void;
  /** The settlement is written on the attempt. */
  readonly onSettled: (attempt: Attempt) => void;
  /** Nothing is to be settled: the lease is over, and so is the handler, or it is about to be. */
  readonly onDropped: (attempt: Attempt) => void;
}

/** Runs the handler of a worker for one attempt after the other, and writes on each how it is to be settled. */
export class HandlerRunner {
  readonly #options: HandlerRunnerOptions;

  constructor(options: HandlerRunnerOptions) {
    this.#options = options;
  }

  /** Starts the handler of an attempt that began now. It may have ended, and be settled, when this returns. */
  start(attempt: Attempt): void {
    const { settings } = this.#options;
    const { opts } = attempt.claimed;
    const overrides = opts === "" ? NO_OVERRIDES : readOverrides(opts);
    if (overrides !== NO_OVERRIDES) attempt.terms = termsOf(overrides, settings);
    if (overrides.runsIf === undefined) this.#begin(attempt, overrides);
    else void this.#beginIf(attempt, overrides, overrides.runsIf);
  }

  /** Begins with a callback of a batch, if the batch has ended as it is for; otherwise the callback is over. */
  async #beginIf(attempt: Attempt, overrides: JobOverrides, wanted: BatchEnd): Promise<void> {
    let end: BatchEnd;
    try {
      end = (await this.#options.isBatchDone(attempt)) ? "success" : "failure";
    } catch (error) {
      if (attempt.phase !== "running") return;
      this.#options.settings.logger.warn(`job ${attempt.id}: how its batch ended could not be read`, { error });
      settlePutOff(attempt, BATCH_REREAD_MS);
      this.#end(attempt);
      return;
    }
    if (attempt.phase !== "running") return;
    if (end === wanted || attempt.stopReason !== undefined) {
      this.#begin(attempt, overrides);
      return;
    }
    settleReturned(attempt, undefined, undefined);
    this.#end(attempt);
  }

  #begin(attempt: Attempt, overrides: JobOverrides): void {
    const { claimed } = attempt;
    if (!this.#options.handlers.has(claimed.name)) {
      this.#putOff(attempt);
      return;
    }
    const { codec, resultBytesMax } = this.#options.settings;
    let data: unknown;
    try {
      data = codec.decode(claimed.bytes, resultBytesMax);
    } catch (error) {
      this.#undecoded(attempt, error, overrides);
      return;
    }
    if (codec.isPlain || !isThenable(data)) this.#decoded(attempt, data, overrides);
    else {
      data.then(
        (value) => this.#decoded(attempt, value, overrides),
        (error: unknown) => this.#undecoded(attempt, error, overrides),
      );
    }
  }

  /** Tells the handler to stop, because its job was cancelled. One that has not begun does not begin. */
  cancel(attempt: Attempt, reason: EchoMQError): void {
    if (attempt.stopReason !== undefined) return;
    if (attempt.phase === "running") this.#graceFor(attempt);
    attempt.stop(reason);
  }

  /**
   * The job of an attempt rests until its children have ended: its slot is free at once, and however its handler ends
   * means nothing.
   */
  park(attempt: Attempt): void {
    if (attempt.phase !== "running") return;
    this.#clear(attempt);
    this.#options.onDropped(attempt);
  }

  /** Nobody here knows the name: another worker may, so the job waits a while and has spent nothing. */
  #putOff(attempt: Attempt): void {
    const { claimed } = attempt;
    const delayMs = unknownDelayMs(claimed.deferred);
    settlePutOff(attempt, delayMs);
    this.#options.onUnknown({ id: claimed.id, name: claimed.name === "" ? NAME_DEFAULT : claimed.name, delayMs });
    this.#options.onSettled(attempt);
  }

  /** There are no data to run a handler with: a fault of the attempt, which an operator can see and repair. */
  #undecoded(attempt: Attempt, error: unknown, overrides: JobOverrides): void {
    attempt.job = new WorkerJob(this.#options.verbs, attempt.claimed, undefined, overrides);
    this.#threw(attempt, error);
  }

  #decoded(attempt: Attempt, data: unknown, overrides: JobOverrides): void {
    if (attempt.phase !== "running") return;
    const job = new WorkerJob(this.#options.verbs, attempt.claimed, data, overrides);
    attempt.job = job;
    const schema = this.#options.settings.schemas?.[job.name];
    if (schema !== undefined) void this.#validateAndRun(attempt, schema, overrides);
    else this.#run(attempt, job, overrides);
  }

  async #validateAndRun(attempt: Attempt, schema: StandardSchema, overrides: JobOverrides): Promise<void> {
    let data: unknown;
    try {
      data = await validated(schema, attempt.job?.data);
    } catch (error) {
      this.#threw(attempt, error);
      return;
    }
    if (attempt.phase !== "running") return;
    attempt.job = new WorkerJob(this.#options.verbs, attempt.claimed, data, overrides);
    this.#run(attempt, attempt.job, overrides);
  }

  #run(attempt: Attempt, job: WorkerJob, overrides: JobOverrides): void {
    // A job that was cancelled while it waited in the buffer need not begin.
    if (attempt.stopReason !== undefined) {
      this.#threw(attempt, attempt.stopReason);
      return;
    }
    const context = new JobContext(job, attempt, this.#options.childrenOf);
    attempt.context = context;
    const { timeoutMs: ofAll, timeoutsMs: ofNames } = this.#options.settings;
    const timeoutMs = overrides.timeoutMs ?? ofNames?.get(job.name) ?? ofAll;
    if (timeoutMs > 0) this.#limit(attempt, timeoutMs);
    this.#options.onActive(job);
    let result: unknown;
    let ending: Promise<unknown> | undefined;
    try {
      const { telemetry } = this.#options.settings;
      result =
        telemetry === undefined
          ? this.#options.handlers.run(job, context)
          : this.#runTraced(telemetry, { job, context, overrides });
      // A promise stays itself; what only looks like one is followed by the platform, which no trick of it can break.
      if (isThenable(result)) ending = Promise.resolve(result);
    } catch (error) {
      this.#threw(attempt, error);
      return;
    }
    if (ending === undefined) this.#returned(attempt, result);
    else this.#follow(attempt, ending);
  }

  /** Apart from {@link HandlerRunner.#run}, so that a run keeps no more than the attempt for its end. */
  #follow(attempt: Attempt, ending: Promise<unknown>): void {
    ending.then(
      (value) => this.#returned(attempt, value),
      (error) => this.#threw(attempt, error),
    );
  }

  #runTraced(
    telemetry: Telemetry,
    run: { readonly job: WorkerJob; readonly context: JobContext; readonly overrides: JobOverrides },
  ): unknown {
    const { job, context, overrides } = run;
    return tracedRun(
      () => telemetry.beginRun(this.#traceOf(job, overrides)),
      () => this.#options.handlers.run(job, context),
    );
  }

  #traceOf(job: WorkerJob, { trace }: JobOverrides): TracedRun {
    const { queue, workerId: worker } = this.#options;
    return { queue, worker, id: job.id, name: job.name, attempt: job.attempt, carrier: trace };
  }

  #limit(attempt: Attempt, timeoutMs: number): void {
    const { clock } = this.#options.ports;
    attempt.timer = clock.after(timeoutMs, () => {
      const error = new EchoMQError("job_timeout", `The handler ran longer than its timeout of ${timeoutMs} ms`, {
        details: { timeoutMs },
      });
      this.#graceFor(attempt);
      attempt.stop(error);
    });
  }

  /** Lets the handler go on for the grace in place of its time limit. */
  #graceFor(attempt: Attempt): void {
    const { ports, settings } = this.#options;
    attempt.timer?.cancel();
    attempt.timer = ports.clock.after(settings.stopGraceMs, () => this.#takeSlot(attempt));
  }

  /** The handler ignored that it was told to stop: the attempt ends without it. */
  #takeSlot(attempt: Attempt): void {
    const { stopReason } = attempt;
    if (attempt.phase !== "running" || stopReason === undefined) return;
    this.#options.onStuck(attempt, stopReason);
    this.#threw(attempt, stopReason);
  }

  #returned(attempt: Attempt, value: unknown): void {
    if (attempt.phase !== "running") return;
    if (attempt.stopReason?.code === "job_timeout") {
      this.#threw(attempt, attempt.stopReason);
      return;
    }
    if (value === undefined) {
      this.#settleReturned(attempt, value, undefined);
      return;
    }
    let bytes: Bytes | Promise<Bytes>;
    try {
      bytes = encodeResult(value, this.#options.settings);
    } catch (error) {
      this.#threw(attempt, error);
      return;
    }
    if (typeof bytes === "string") this.#settleReturned(attempt, value, bytes);
    else {
      bytes.then(
        (encoded) => this.#settleReturned(attempt, value, encoded),
        (error: unknown) => this.#threw(attempt, error),
      );
    }
  }

  #settleReturned(attempt: Attempt, value: unknown, bytes: Bytes | undefined): void {
    // A codec takes time, in which a close may have taken the job.
    if (attempt.phase !== "running") return;
    settleReturned(attempt, value, bytes);
    this.#end(attempt);
  }

  #threw(attempt: Attempt, thrown: unknown): void {
    // After a close or a grace that took the job from it, a handler may end as it likes.
    if (attempt.phase !== "running") return;
    if (attempt.isLost) {
      this.#clear(attempt);
      this.#options.onDropped(attempt);
      return;
    }
    const { stopReason } = attempt;
    if (stopReason?.code === "cancelled") {
      settleCancelled(attempt, stopReason);
      this.#end(attempt);
      return;
    }
    const timedOut = stopReason?.code === "job_timeout";
    const control = timedOut ? undefined : controlOfThrown(thrown);
    if (control !== undefined) {
      settleControlled(attempt, thrown, control);
      this.#end(attempt);
      return;
    }
    this.#fail(attempt, timedOut ? stopReason : thrown);
  }

  #fail(attempt: Attempt, error: unknown): void {
    const { settings, ports } = this.#options;
    const overrides = attempt.claimed.opts === "" ? NO_OVERRIDES : readOverrides(attempt.claimed.opts);
    const attempts = overrides.attempts ?? settings.attempts;
    const delay = retryDelayMs(attempt, error, {
      overrides,
      settings,
      random: () => ports.random(),
      onBadAnswer: (fault) => settings.logger.error(`job ${attempt.id}: its backoff function failed`, { error: fault }),
    });
    const finish = (delayMs: number) => {
      if (attempt.phase !== "running") return;
      settleFailed(attempt, error, { delayMs, attempts });
      this.#end(attempt);
    };
    if (typeof delay === "number") {
      finish(delay);
      return;
    }
    // The handler has ended and so has its time limit; what still takes time is the answer.
    attempt.timer?.cancel();
    attempt.timer = ports.clock.after(BACKOFF_ANSWER_MS_MAX, () => {
      settings.logger.error(`job ${attempt.id}: its backoff function did not answer in ${BACKOFF_ANSWER_MS_MAX} ms`);
      finish(BACKOFF_MS_DEFAULT);
    });
    void delay.then(finish);
  }

  #end(attempt: Attempt): void {
    this.#clear(attempt);
    this.#options.onSettled(attempt);
  }

  #clear(attempt: Attempt): void {
    attempt.timer?.cancel();
    attempt.timer = undefined;
    this.#options.lookAhead.note(this.#options.ports.clock.now() - attempt.startedAt);
  }
}
