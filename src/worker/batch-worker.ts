/**
 * A worker whose handler gets many jobs at once: for what is cheaper together, such as one insert of a thousand rows.
 *
 * It is a worker in everything else: each member has its own lease, attempts, verdict and end, so one that fails never
 * sinks the others. What waits for its batch is leased and renewed, and given back without an attempt at the close.
 *
 * This class sees an engine only. `BatchWorker` of the package is this class with a connection in front of it.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { CONCURRENCY_MAX } from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import type { EngineLease } from "../queue/engine-lease.ts";
import { assertBoolean, assertKnownOptions, assertWhole } from "../queue/option-check.ts";
import { type BatchContext, BatchGatherer, type BatchReport, type BatchVerdicts } from "./batch-gatherer.ts";
import { WorkerCore } from "./worker.ts";
import type { Handler, JobOf } from "./worker-events.ts";
import type { WorkerOptions } from "./worker-options.ts";

/**
 * Handles a batch of one to `maxSize` jobs, in the order in which they were claimed.
 *
 * It answers nothing when all members are completed, or a `Map` with a verdict for each by its id: `"ok"`,
 * `{ result }`, `{ error }` (tried again, or dead after its last attempt) or `{ delay }` (again later, without an
 * attempt). A member that is not in the map is tried again with the error `missing verdict`. What it throws is the
 * error of every member.
 */
export type BatchHandler<Payloads = Record<string, unknown>, Result = unknown> = (
  jobs: readonly JobOf<Payloads>[],
  context: BatchContext,
) => BatchVerdicts<Result> | undefined | void | Promise<BatchVerdicts<Result> | undefined | void>;

/** Options of {@link BatchWorkerCore}: those of a worker, and when a batch begins. */
export interface BatchWorkerOptions<Payloads = Record<string, unknown>>
  extends Omit<WorkerOptions<Payloads>, "timeout" | "timeouts" | "lookAhead" | "concurrency"> {
  /** Members with which a batch begins although more would fit, 1 to `maxSize`. Default 1. */
  readonly minSize?: number;
  /** Members of a batch at most, 1 to 1000. Default 100. */
  readonly maxSize?: number;
  /** How long the first member waits for others before the batch begins with what there is. Default 1 s. */
  readonly timeout?: Duration;
  /** Batches that run at once, 1 to 100. Default 1. */
  readonly concurrency?: number;
  /** Whether all members of a batch are of one lane (or all of none). Default false. */
  readonly oneLane?: boolean;
  /** Told how each batch ended, once all of its members have. What it throws is logged. Default: nobody is told. */
  readonly onBatch?: (report: BatchReport) => unknown;
}

const SIZE_MAX = 1000;
const SIZE_DEFAULT = 100;
const BATCHES_MAX = 100;
const TIMEOUT_MS_DEFAULT = 1000;

/** The batch half of the options, checked. */
interface BatchSettings {
  readonly minSize: number;
  readonly maxSize: number;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly oneLane: boolean;
  readonly onBatch: ((report: BatchReport) => unknown) | undefined;
}

/** A worker of batches on an engine. */
export class BatchWorkerCore<Payloads = Record<string, unknown>, Result = unknown> extends WorkerCore<
  Payloads,
  Result
> {
  readonly #gatherer: BatchGatherer;

  /**
   * @param lease the share in an engine, which {@link WorkerCore.close} releases.
   * @throws EchoMQError as a worker does, and `invalid_option` for sizes that do not fit together; the lease is then
   *   the caller's to release.
   */
  constructor(
    name: string,
    handler: BatchHandler<Payloads, Result>,
    lease: EngineLease,
    options: BatchWorkerOptions<Payloads> = {},
  ) {
    if (typeof handler !== "function") {
      throw new EchoMQError("invalid_handler", `The handler must be a function (jobs, context), not ${quote(handler)}`);
    }
    const { batch, worker } = split(options);
    const { ports } = lease.engine;
    const logger = worker.logger ?? ports.logger;
    const gatherer = new BatchGatherer({
      ports,
      handler: handler as never,
      minSize: batch.minSize,
      maxSize: batch.maxSize,
      timeoutMs: batch.timeoutMs,
      concurrency: batch.concurrency,
      byLane: batch.oneLane,
      onReport: (report) => {
        if (batch.onBatch !== undefined)
          void tellOf(batch.onBatch, report, (error) =>
            logger.error(`A batch worker of ${name}: onBatch threw`, { error }),
          );
      },
    });
    const one = ((job, context) => gatherer.add(job, context)) as Handler<Payloads, Result>;
    super(name, one, lease, worker);
    this.#gatherer = gatherer;
    this.on("completed", (job) => gatherer.settled(job as never, "completed"));
    this.on("failed", (job, _error, outcome) =>
      gatherer.settled(job as never, outcome === "dead" ? "dead" : "retried"),
    );
    this.on("lease-lost", (job) => {
      if (job !== undefined) gatherer.settled(job, "retried");
    });
  }

  /** As of a worker; members that wait for their batch are given back at once, without an attempt. */
  override close(options: { readonly timeout?: Duration } = {}): Promise<void> {
    const closed = super.close(options);
    this.#gatherer.close();
    return closed;
  }
}

function split<Payloads>(options: BatchWorkerOptions<Payloads>): {
  readonly batch: BatchSettings;
  readonly worker: WorkerOptions<Payloads>;
} {
  // Only what a worker of batches does not have is refused here; the worker looks at the rest.
  assertKnownOptions(options, {
    owner: "BatchWorker",
    known: Object.keys(options ?? {}).filter(isKnown),
    foreign: FOREIGN,
  });
  const { minSize = 1, maxSize = SIZE_DEFAULT, timeout, concurrency = 1, oneLane = false, onBatch, ...rest } = options;
  assertWhole(maxSize, "maxSize", { min: 1, max: SIZE_MAX });
  assertWhole(minSize, "minSize", { min: 1, max: maxSize });
  assertWhole(concurrency, "concurrency", {
    min: 1,
    max: Math.min(BATCHES_MAX, Math.floor(CONCURRENCY_MAX / maxSize)),
  });
  assertBoolean(oneLane, "oneLane");
  const timeoutMs = durationMs(timeout ?? TIMEOUT_MS_DEFAULT, "timeout");
  assertWhole(timeoutMs, "timeout", { min: 1, max: 2 ** 31 - 1 });
  if (onBatch !== undefined && typeof onBatch !== "function") {
    throw new EchoMQError("invalid_option", `onBatch must be a function, not ${quote(onBatch)}`);
  }
  return {
    batch: { minSize, maxSize, timeoutMs, concurrency, oneLane, onBatch },
    // A batch that waits is all the looking ahead that there is: more would only be leased for longer.
    worker: { ...rest, concurrency: maxSize * concurrency, lookAhead: 0 },
  };
}

/** Options of a worker, and of other queues, that a worker of batches does not have. */
const FOREIGN: Readonly<Record<string, string>> = {
  timeouts: "timeout is how long a batch waits to be full; a handler limits itself",
  lookAhead: "jobs are claimed for the batches that run and the one that gathers",
  size: "it is called maxSize",
  batch: "write its members themselves: minSize, maxSize and timeout",
  batchSize: "it is called maxSize",
};

function isKnown(name: string): boolean {
  return !Object.hasOwn(FOREIGN, name);
}

async function tellOf(
  listener: (report: BatchReport) => unknown,
  report: BatchReport,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    await listener(report);
  } catch (error) {
    onError(error);
  }
}
