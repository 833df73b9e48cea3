/**
 * The entry point `echomq`: queues and workers with a connection in front of them.
 *
 * The classes of `src/queue/` and `src/worker/` see an engine only, so that they run on any and in a browser. Here, and
 * nowhere else, a `connection` becomes one.
 */

import { connect } from "./connect.ts";
import type { ConnectionInput } from "./engine-registry.ts";
import { tellOfDrain, tellOfFlow, tellOfQueueAct, tellOfWorker, toldOfAdded } from "./node-diagnostics.ts";
import { EventStreamCore, type EventStreamOptions as EventStreamCoreOptions } from "./queue/event-stream.ts";
import type { AddedFlowJob } from "./queue/flow-landing.ts";
import type { AnyQueues } from "./queue/flow-literal.ts";
import { FlowProducerCore, type FlowProducerOptions as FlowProducerCoreOptions } from "./queue/flow-producer.ts";
import type { AddedJob } from "./queue/job.ts";
import type { JobOptions } from "./queue/job-options.ts";
import type { DrainOptions, ObliterateOptions } from "./queue/operator.ts";
import { type AddedJobOf, type BulkItem, QueueCore } from "./queue/queue.ts";
import { QueueEventsCore, type QueueEventsOptions as QueueEventsCoreOptions } from "./queue/queue-events.ts";
import type { PayloadMap, QueueOptions as QueueCoreOptions } from "./queue/queue-options.ts";
import {
  type ExportOptions as ExportCoreOptions,
  type ExportReport,
  exportChunks,
} from "./queue/transfer/export-queues.ts";
import type { ExportChunks } from "./queue/transfer/export-reader.ts";
import {
  type ImportOptions as ImportCoreOptions,
  type ImportReport,
  importChunks,
} from "./queue/transfer/import-queues.ts";
import {
  type BatchHandler,
  BatchWorkerCore,
  type BatchWorkerOptions as BatchWorkerCoreOptions,
} from "./worker/batch-worker.ts";
import { FlowPumpCore, type FlowPumpOptions as FlowPumpCoreOptions } from "./worker/flow-pump.ts";
import { SchedulerCore, type SchedulerOptions as SchedulerCoreOptions } from "./worker/scheduler.ts";
import { StreamConsumerCore, type StreamHandler } from "./worker/stream-consumer.ts";
import type { StreamConsumerOptions as StreamConsumerCoreOptions } from "./worker/stream-options.ts";
import { WorkerCore } from "./worker/worker.ts";
import type { Handler, Handlers } from "./worker/worker-events.ts";
import type { WorkerOptions as WorkerCoreOptions } from "./worker/worker-options.ts";

/** What {@link Queue} and {@link Worker} take in front of their own options. */
export interface Connected {
  /** Where the jobs are. Default: the environment's `ECHOMQ_URL`, else `memory:`. */
  readonly connection?: ConnectionInput;
}

/** Options of {@link Queue}. */
export type QueueOptions<Payloads extends PayloadMap<Payloads> = Record<string, unknown>> = QueueCoreOptions<Payloads> &
  Connected;

/** Options of {@link FlowProducer}. */
export type FlowProducerOptions = FlowProducerCoreOptions & Connected;

/** Options of {@link FlowPump}. */
export type FlowPumpOptions = FlowPumpCoreOptions & Connected;

/** Options of {@link Worker}. */
export type WorkerOptions<Payloads = Record<string, unknown>> = WorkerCoreOptions<Payloads> & Connected;

/**
 * A queue: adds jobs and looks at them.
 *
 * @example
 * const mail = new Queue<{ welcome: { to: string } }>("mail");
 * await mail.add("welcome", { to: "ada@example.com" }, { delay: "5m" });
 */
export class Queue<Payloads extends PayloadMap<Payloads> = Record<string, unknown>> extends QueueCore<Payloads> {
  /** @throws EchoMQError `invalid_queue`, `invalid_connection`, `unknown_option`, `invalid_option`, `unsupported`. */
  constructor(name: string, options: QueueOptions<Payloads> = {}) {
    const lease = connect(options?.connection);
    try {
      super(name, lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
    tellOfQueueAct(name, "open");
    this.on("closed", () => tellOfQueueAct(name, "close"));
  }

  override async pause(): Promise<void> {
    await super.pause();
    tellOfQueueAct(this.name, "pause");
  }

  override async resume(): Promise<void> {
    await super.resume();
    tellOfQueueAct(this.name, "resume");
  }

  override async drain(options: DrainOptions = {}): Promise<number> {
    const removed = await super.drain(options);
    tellOfDrain(this.name, removed);
    return removed;
  }

  override async obliterate(options: ObliterateOptions = {}): Promise<void> {
    await super.obliterate(options);
    tellOfQueueAct(this.name, "obliterate");
  }

  override add<Name extends keyof Payloads & string>(
    name: Name,
    data: Payloads[Name],
    options?: JobOptions,
  ): Promise<AddedJob<Payloads[Name], Name>> {
    return toldOfAdded(this.name, super.add(name, data, options));
  }

  override addBulk(items: readonly BulkItem<Payloads>[]): Promise<AddedJobOf<Payloads>[]> {
    return toldOfAdded(this.name, super.addBulk(items));
  }
}

/** Options of {@link QueueEvents}. */
export type QueueEventsOptions = QueueEventsCoreOptions & Connected;

/**
 * The events of a queue, from whichever process causes them.
 *
 * @example
 * const events = new QueueEvents("mail");
 * events.on("completed", ({ id }) => console.log(`${id} is done`));
 * await events.waitUntilReady();
 */
export class QueueEvents extends QueueEventsCore {
  /** @throws EchoMQError `invalid_queue`, `invalid_connection`, `unknown_option`, `invalid_option`, `unsupported`. */
  constructor(name: string, options: QueueEventsOptions = {}) {
    const lease = connect(options?.connection);
    try {
      super(name, lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
  }
}

/** Options of {@link EventStream}. */
export type EventStreamOptions = EventStreamCoreOptions & Connected;

/**
 * A stream of records beside a queue: append, read by instant, follow.
 *
 * @example
 * const paid = new EventStream("orders", "paid", { maxLength: 100_000 });
 * const id = await paid.append({ order: "4711", amount: "12.50" });
 * for await (const record of paid.tail({ from: "start" })) console.log(record.id, record.fields);
 */
export class EventStream extends EventStreamCore {
  /**
   * @throws EchoMQError `invalid_queue`, `invalid_stream`, `invalid_connection`, `unknown_option`, `invalid_option`,
   *   `unsupported`.
   */
  constructor(queueName: string, name: string, options: EventStreamOptions = {}) {
    const lease = connect(options?.connection);
    try {
      super(queueName, name, lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
  }
}

/** Options of {@link StreamConsumer}. */
export type StreamConsumerOptions = StreamConsumerCoreOptions & Connected;

/**
 * A reader of a stream as a member of a group: every group gets each record, one consumer of it at a time, again until
 * it succeeds.
 *
 * @example
 * const mailer = new StreamConsumer("orders", "paid", ({ fields }) => sendReceipt(fields.order), {
 *   group: "mailer",
 *   from: "start",
 * });
 */
export class StreamConsumer extends StreamConsumerCore {
  /**
   * @throws EchoMQError `invalid_queue`, `invalid_stream`, `invalid_name`, `invalid_handler`, `invalid_connection`,
   *   `unknown_option`, `invalid_option`, `unsupported`.
   */
  constructor(queueName: string, streamName: string, handler: StreamHandler, options: StreamConsumerOptions) {
    const lease = connect(options?.connection);
    try {
      super(queueName, streamName, handler, lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
  }
}

/**
 * A worker: runs a handler for each job of a queue.
 *
 * @example
 * const worker = new Worker("mail", async (job, { signal }) => send(job.data, signal), { concurrency: 50 });
 * @example
 * const worker = new Worker("mail", { welcome: async (job) => greet(job.data), digest: async (job) => sum(job.data) });
 */
export class Worker<Payloads = Record<string, unknown>, Result = unknown> extends WorkerCore<Payloads, Result> {
  /**
   * @throws EchoMQError `invalid_queue`, `invalid_handler`, `invalid_connection`, `unknown_option`, `invalid_option`,
   *   `unsupported`.
   */
  constructor(
    name: string,
    handler: Handler<Payloads, Result> | Handlers<NoInfer<Payloads>, Result>,
    options: WorkerOptions<Payloads> = {},
  ) {
    const lease = connect(options?.connection);
    try {
      super(name, handler, lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
    tellOfWorker(this, lease.engine.ports.clock);
  }

  protected override tellAdded(jobs: readonly AddedFlowJob[]): void {
    tellOfFlow(jobs);
  }
}

/**
 * A flow producer: adds jobs that wait for other jobs, in one queue or across several.
 *
 * @example
 * const flows = new FlowProducer();
 * await flows.add({
 *   name: "report",
 *   queueName: "reports",
 *   children: [{ name: "fetch", queueName: "files", data: { path: "may.csv" } }],
 * });
 */
export class FlowProducer<Queues = AnyQueues> extends FlowProducerCore<Queues> {
  /** @throws EchoMQError `invalid_connection`, `unknown_option`, `invalid_option`, `unsupported`. */
  constructor(options: FlowProducerOptions = {}) {
    const lease = connect(options?.connection);
    try {
      super(lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
  }

  protected override tellAdded(jobs: readonly AddedFlowJob[]): void {
    tellOfFlow(jobs);
  }
}

/**
 * A flow pump: tells parents in other queues of the ends of their children, where no worker of this package runs those.
 *
 * @example
 * const pump = new FlowPump(["files", "images"], { connection: "valkey://localhost:6379" });
 */
export class FlowPump extends FlowPumpCore {
  /** @throws EchoMQError `invalid_queue`, `invalid_connection`, `unknown_option`, `invalid_option`, `unsupported`. */
  constructor(queueNames: readonly string[], options: FlowPumpOptions = {}) {
    const lease = connect(options?.connection);
    try {
      super(queueNames, lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
  }
}

/** Options of {@link BatchWorker}. */
export type BatchWorkerOptions<Payloads = Record<string, unknown>> = BatchWorkerCoreOptions<Payloads> & Connected;

/**
 * A worker whose handler gets many jobs at once, and answers for each.
 *
 * @example
 * const writer = new BatchWorker("readings", async (jobs) => insertMany(jobs.map((job) => job.data)), {
 *   minSize: 100,
 *   maxSize: 1000,
 *   timeout: "2s",
 * });
 */
export class BatchWorker<Payloads = Record<string, unknown>, Result = unknown> extends BatchWorkerCore<
  Payloads,
  Result
> {
  /**
   * @throws EchoMQError `invalid_queue`, `invalid_handler`, `invalid_connection`, `unknown_option`, `invalid_option`,
   *   `unsupported`.
   */
  constructor(name: string, handler: BatchHandler<Payloads, Result>, options: BatchWorkerOptions<Payloads> = {}) {
    const lease = connect(options?.connection);
    try {
      super(name, handler, lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
    tellOfWorker(this, lease.engine.ports.clock);
  }
}

/** Options of {@link Scheduler}. */
export type SchedulerOptions = SchedulerCoreOptions & Connected;

/**
 * Fires the schedulers of queues where no worker of this package does.
 *
 * @example
 * const scheduler = new Scheduler(["mail", "reports"], { connection: "valkey://localhost:6379" });
 */
export class Scheduler extends SchedulerCore {
  /** @throws EchoMQError `invalid_queue`, `invalid_connection`, `unknown_option`, `invalid_option`, `unsupported`. */
  constructor(queueNames: readonly string[], options: SchedulerOptions = {}) {
    const lease = connect(options?.connection);
    try {
      super(queueNames, lease, options);
    } catch (error) {
      void lease.release();
      throw error;
    }
  }
}

/** Options of {@link exportQueues}. */
export type ExportOptions = ExportCoreOptions & Connected;

/** Options of {@link importQueues}. */
export type ImportOptions = ImportCoreOptions & Connected;

/**
 * Queues as a stream of bytes: JSON documents, one a line, that {@link importQueues} takes in on any engine. Nothing is
 * written. Without `running`, queues that change meanwhile are refused; pause them first.
 *
 * @example
 * await pipeline(exportQueues({ queues: ["mail"] }), createWriteStream("mail.ndjson"));
 *
 * @throws EchoMQError `queue_changed`, `queue_unsound`, `invalid_queue`, `invalid_connection`, `unknown_option`,
 *   `invalid_option`.
 */
export async function* exportQueues(options: ExportOptions = {}): AsyncGenerator<Uint8Array, ExportReport, undefined> {
  const lease = connect(options?.connection);
  try {
    return yield* exportChunks(lease.engine, options);
  } finally {
    await lease.release();
  }
}

/**
 * Takes the queues of an export in; none of them may have anything in it. `source` is chunks of bytes or text, or
 * better a function that gives them: it is called twice, and nothing is written of an export that is cut or damaged.
 * After an error in the middle the queues stay paused, and the same import goes on.
 *
 * @example
 * await importQueues(() => createReadStream("mail.ndjson"), { connection: "valkey://localhost:6379" });
 *
 * @throws EchoMQError `bad_export`, `queue_not_empty`, `queue_unsound`, `invalid_queue`, `invalid_connection`,
 *   `unknown_option`, `invalid_option`.
 */
export async function importQueues(
  source: ExportChunks | (() => ExportChunks),
  options: ImportOptions = {},
): Promise<ImportReport> {
  const lease = connect(options?.connection);
  try {
    return await importChunks(lease.engine, source, options);
  } finally {
    await lease.release();
  }
}

/**
 * Copies queues from one connection to another, as an export that is imported at once.
 *
 * @throws EchoMQError what {@link exportQueues} and {@link importQueues} throw.
 */
export async function copyQueues(
  from: ConnectionInput,
  to: ConnectionInput,
  options: Omit<ExportCoreOptions, "onProgress"> & Pick<ImportCoreOptions, "onProgress"> = {},
): Promise<ImportReport> {
  const { onProgress, ...rest } = options;
  const chunks = exportQueues({ ...rest, connection: from });
  return await importQueues(chunks, { connection: to, ...(onProgress === undefined ? {} : { onProgress }) });
}

export { type Closable, type CloseOnSignalOptions, closeOnSignal } from "./close-on-signal.ts";
export { connect } from "./connect.ts";
export { type DoctorReport, type InspectOptions, inspectQueue } from "./doctor/doctor.ts";
export {
  FINDINGS,
  type Finding,
  type FindingCode,
  type FindingMeaning,
  type FindingOutcome,
} from "./doctor/finding.ts";
export type { Engine, EngineState } from "./engine/engine.ts";
export type { Clock, Logger, Ports, Timer } from "./engine/ports.ts";
export type { ConnectionInput, ConnectionOptions, EngineOptions } from "./engine-registry.ts";
export type { FileConnectionOptions } from "./file-connection.ts";
export type { DiagnosticsMessages } from "./node-diagnostics.ts";
export type { ErrorCode } from "./protocol/error-codes.generated.ts";
export { EchoMQError, isEchoMQError } from "./protocol/errors.ts";
export { createMinter, type Minter } from "./protocol/mint.ts";
export type { StateAnswer } from "./protocol/registry.generated.ts";
export type { AdmitOutcome } from "./queue/admit-rows.ts";
export type { Backoff, BackoffFunction, BackoffPolicy, JobBackoff } from "./queue/backoff.ts";
export type {
  DebounceOptions,
  DeduplicationOptions,
  DedupPolicy,
  SamenessOptions,
} from "./queue/dedup-options.ts";
export type { DoctorOptions } from "./queue/doctor-options.ts";
export type { Duration } from "./queue/duration.ts";
export type { EngineLease } from "./queue/engine-lease.ts";
export type { EventKeeping, EventsOption } from "./queue/event-keeping.ts";
export type { AppendVerdict } from "./queue/event-stream.ts";
export type { Explanation, Reason } from "./queue/explain.ts";
export type {
  AnyQueues,
  BatchCallback,
  ChildPolicy,
  FlowBatch,
  FlowDependency,
  FlowGraph,
  FlowJob,
  FlowJobOptions,
  FlowNodeLiteral,
} from "./queue/flow-literal.ts";
export type { AddedBatch, AddedFlow, AddedGraph, FlowPlace, FlowQueueOptions } from "./queue/flow-producer.ts";
export type { FlowProgress } from "./queue/flow-progress.ts";
export type { FlowRemoval } from "./queue/flow-removal.ts";
export type { FlowTree, FlowTreeOptions } from "./queue/flow-tree.ts";
export {
  type ChildOutcome,
  type Delivered,
  type Expected,
  Flows,
  type KnownChild,
  type ParentLink,
  type Parked,
} from "./queue/flows.ts";
export type { IdPage } from "./queue/id-page.ts";
export { AddedJob, type AddOutcome, type ExistingJob, Job, StoredJob } from "./queue/job.ts";
export type { JobOptions, SharedJobOptions } from "./queue/job-options.ts";
export {
  JobScheduler,
  type JobSchedulerFacts,
  type RunNowResult,
  type SkippedSlots,
  type UpsertOutcome,
} from "./queue/job-scheduler.ts";
export { type SchedulerPage, type SchedulerPageOptions, scheduleSlots } from "./queue/job-schedulers.ts";
export {
  type AdmitRow,
  type ClaimedJob,
  type DedupMode,
  type DedupRequest,
  Jobs,
  type KeepRequest,
  type TurnRequest,
} from "./queue/jobs.ts";
export type { Lane } from "./queue/lane.ts";
export type { LanePage, LanePageOptions } from "./queue/lane-page.ts";
export { type LaneClaimedJob, type LaneCounts, Lanes, type RingPart } from "./queue/lanes.ts";
export type { LimitsChange, QueueLimits } from "./queue/limits.ts";
export type {
  CleanOptions,
  DrainOptions,
  MinuteCount,
  ObliterateOptions,
  PageOptions,
} from "./queue/operator.ts";
export type { CleanedState } from "./queue/operator-verbs.ts";
export type { Codec, CodecOption, Layer, LayerContext, LayeredBytes } from "./queue/payload-codec.ts";
export type { AddAndWaitOptions, AddedJobOf, BulkItem, LocalQueueEvents, StoredJobOf } from "./queue/queue.ts";
export type { AnyQueueEvent, JobEvent, QueueEventMap, QueueEventName } from "./queue/queue-event.ts";
export type { QueueEventListener, QueueEventsMap } from "./queue/queue-events.ts";
export type { QueueRetention, RetentionChange } from "./queue/queue-retention.ts";
export type { Rate, RateWay } from "./queue/rate.ts";
export type { CountWord, ListedState } from "./queue/read-verbs.ts";
export type { DstRule } from "./queue/recurrence.ts";
export {
  type DueRepeat,
  type DueRepeats,
  type Firing,
  type FiringOutcome,
  type FiringPlan,
  type RepeatContent,
  type RepeatSet,
  Repeats,
  type Skipped,
} from "./queue/repeats.ts";
export type { ResultOptions } from "./queue/result-value.ts";
export type { Keep, Retention, TermsSource } from "./queue/retention.ts";
export type { WorkerInfo } from "./queue/roster.ts";
export type {
  Instant,
  MissedPolicy,
  OverlapPolicy,
  RepeatOptions,
  SchedulerJobOptions,
  SchedulerTemplate,
} from "./queue/scheduler-options.ts";
export type { SchemaIssue, SchemaResult, StandardSchema } from "./queue/schema.ts";
export type { SliceOptions } from "./queue/slice-options.ts";
export {
  type Delivery,
  type DeliveryPage,
  type GroupPlace,
  type GroupState,
  StreamGroup,
} from "./queue/stream-group.ts";
export type { RecordFields, StreamRecord } from "./queue/stream-record.ts";
export type { TailOptions, TailSignal } from "./queue/stream-tail.ts";
export { type AppendOutcome, type ReadRange, type RecordDraft, Streams, type TrimWindow } from "./queue/streams.ts";
export type { Telemetry } from "./queue/telemetry.ts";
export type { ExportedQueue, ExportReport } from "./queue/transfer/export-queues.ts";
export type { ExportChunks } from "./queue/transfer/export-reader.ts";
export type { ImportedQueue, ImportReport } from "./queue/transfer/import-queues.ts";
export type { Presence, Settlement, TurnJob, TurnReply } from "./queue/turn-call.ts";
export type { BatchContext, BatchReport, BatchVerdict, BatchVerdicts } from "./worker/batch-gatherer.ts";
export type { BatchHandler } from "./worker/batch-worker.ts";
export type { ChildFailure, ChildName, ChildResult, Children, WaitOptions } from "./worker/children.ts";
export type { Context } from "./worker/context.ts";
export {
  DelayedError,
  GiveBackError,
  RateLimitError,
  snooze,
  UnrecoverableError,
} from "./worker/control-error.ts";
export type { PoisonHook } from "./worker/poison-teller.ts";
export type {
  FailedRecord,
  StreamConsumerEvents,
  StreamContext,
  StreamHandler,
} from "./worker/stream-consumer.ts";
export type { Handler, Handlers, JobOf, WorkerEvents, WorkerListener } from "./worker/worker-events.ts";
export type { NotConsuming, WorkerHealth } from "./worker/worker-health.ts";
export { WorkerJob } from "./worker/worker-job.ts";
export type { WorkerState } from "./worker/worker-state.ts";
