/**
 * The entry point `echomq/prometheus`: what queues and workers do, as metrics of `prom-client`.
 *
 * Two sources are kept apart. What this process does (`echomq_process_…`) is counted from its own channels of
 * diagnostics, so a sum over all processes is right. What a queue holds is read from the server when somebody asks,
 * once for a scrape and within a bound, and is the same whoever asks. No label has a value that grows with the jobs.
 */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { DiagnosticsMessages } from "./node-diagnostics.ts";
import { nodePorts } from "./node-ports.ts";
import { peerPackage } from "./peer-package.ts";
import { EchoMQError } from "./protocol/errors.ts";
import { quote } from "./protocol/quote.ts";
import { assertKnownOptions, assertWhole } from "./queue/option-check.ts";
import { COUNT_WORDS, type CountWord } from "./queue/read-verbs.ts";

/** What is read of a queue for each scrape. A `Queue` has it. */
export interface MeasuredQueue {
  readonly name: string;
  getJobCounts(...words: readonly CountWord[]): Promise<Readonly<Record<CountWord, number>>>;
  oldestPendingAge(): Promise<number | undefined>;
  isPaused(): Promise<boolean>;
  workers(): Promise<readonly unknown[]>;
}

/** Options of {@link prometheusMetrics}. */
export interface PrometheusOptions {
  /** The queues whose state is read. Default none: only what this process does is counted, for all its queues. */
  readonly queues?: readonly MeasuredQueue[];
  /** Where the metrics are registered. Default: a registry of their own. */
  readonly registry?: Registry;
  /** Upper bounds of the buckets of both histograms, in seconds, ascending. Default: 5 ms to 10 min. */
  readonly buckets?: readonly number[];
  /** How long one scrape waits for the server, in ms, 1 to 60,000. Default 2000. */
  readonly timeoutMs?: number;
}

/** The metrics of a process, until they are stopped. */
export interface PrometheusMetrics {
  readonly registry: Registry;
  /** For the header of an answer that holds {@link PrometheusMetrics.text}. */
  readonly contentType: string;
  /** All metrics of the registry as text. A server that is away shows as `echomq_queue_up` 0; it rejects nothing. */
  text(): Promise<string>;
  /** Counts no more, and takes the metrics out of the registry. */
  stop(): void;
}

type Client = typeof import("prom-client");

const BUCKETS_DEFAULT = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];

const TIMEOUT_MS_DEFAULT = 2000;
const TIMEOUT_MS_MAX = 60_000;

/** The states of a job beside the words of their counts. */
const STATES = [
  ["pending", "pending"],
  ["lanes", "lanes"],
  ["active", "active"],
  ["scheduled", "schedule"],
  ["awaiting_children", "awaiting"],
  ["dead", "dead"],
] as const satisfies readonly (readonly [string, CountWord])[];

const OPTIONS_TABLE = {
  owner: "prometheusMetrics",
  known: ["queues", "registry", "buckets", "timeoutMs"],
  foreign: { register: "it is called registry", prefix: "every name begins with echomq_", timeout: "give timeoutMs" },
};

/**
 * Begins to count.
 *
 * @throws EchoMQError `missing_peer` when `prom-client` is not installed, `unknown_option`, `invalid_option`; and
 *   whatever the registry throws, for instance when it has metrics of EchoMQ already.
 * @example
 * const metrics = prometheusMetrics({ queues: [mail, reports] });
 * response.setHeader("content-type", metrics.contentType).end(await metrics.text());
 */
export function prometheusMetrics(options: PrometheusOptions = {}): PrometheusMetrics {
  assertKnownOptions(options, OPTIONS_TABLE);
  const { queues = [], buckets = BUCKETS_DEFAULT, timeoutMs = TIMEOUT_MS_DEFAULT } = options;
  assertWhole(timeoutMs, "timeoutMs", { min: 1, max: TIMEOUT_MS_MAX });
  assertBuckets(buckets);
  const client = peerPackage<Client>("prom-client", "echomq/prometheus");
  const registry = options.registry ?? new client.Registry();
  const stopCounting = countProcess(client, registry, buckets);
  if (queues.length > 0) measureQueues({ client, registry, queues, timeoutMs });
  return {
    registry,
    get contentType() {
      return registry.contentType;
    },
    text: () => registry.metrics(),
    stop: () => {
      stopCounting();
      for (const name of [...PROCESS_NAMES, ...QUEUE_NAMES]) registry.removeSingleMetric(name);
    },
  };
}

function assertBuckets(buckets: readonly number[]): void {
  const isAscending =
    Array.isArray(buckets) &&
    buckets.length > 0 &&
    buckets.every((bound, at) => Number.isFinite(bound) && bound > (buckets[at - 1] ?? 0));
  if (isAscending) return;
  const message = `buckets must be ascending numbers of seconds above 0, not ${quote(buckets)}`;
  throw new EchoMQError("invalid_option", message, { details: { option: "buckets", value: buckets } });
}

const PROCESS_NAMES = [
  "echomq_process_jobs_added_total",
  "echomq_process_jobs_completed_total",
  "echomq_process_jobs_failed_total",
  "echomq_process_leases_lost_total",
  "echomq_process_handler_seconds",
  "echomq_process_wait_seconds",
] as const;

/** Counts what this process does, from its channels; the function that is returned ends it. */
function countProcess(client: Client, registry: Registry, bounds: readonly number[]): () => void {
  const registers = [registry];
  const buckets = [...bounds];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> =>
    new client.Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[]): Histogram<Label> =>
    new client.Histogram({ name, help, labelNames, buckets, registers });
  const [addedName, completedName, failedName, lostName, handlerName, waitName] = PROCESS_NAMES;
  const added = counter(addedName, "Adds of this process, by outcome.", ["queue", "outcome"]);
  const completed = counter(completedName, "Jobs that this process completed.", ["queue"]);
  const failed = counter(failedName, "Attempts that failed here, by what became of the job.", ["queue", "outcome"]);
  const lost = counter(lostName, "Leases of this process that were over before their settlement.", ["queue"]);
  const handler = histogram(handlerName, "From the start of a handler to its acknowledged end.", ["queue", "outcome"]);
  const wait = histogram(waitName, "From the minting of a job to its first start, any delay included.", ["queue"]);
  return listenTo({
    "emq:job:add": ({ queue, outcome }) => added.inc({ queue, outcome }),
    "emq:job:start": ({ queue, waitMs }) => {
      if (waitMs !== undefined) wait.observe({ queue }, waitMs / 1000);
    },
    "emq:job:complete": ({ queue, durationMs }) => {
      completed.inc({ queue });
      handler.observe({ queue, outcome: "completed" }, durationMs / 1000);
    },
    "emq:job:fail": ({ queue, durationMs, outcome }) => {
      failed.inc({ queue, outcome });
      handler.observe({ queue, outcome: "failed" }, durationMs / 1000);
    },
    "emq:job:lost": ({ queue }) => lost.inc({ queue }),
  });
}

type Listeners = {
  readonly [Name in keyof DiagnosticsMessages]?: (message: DiagnosticsMessages[Name]) => void;
};

function listenTo(listeners: Listeners): () => void {
  const entries = Object.entries(listeners) as [string, (message: unknown) => void][];
  for (const [name, listener] of entries) subscribe(name, listener);
  return () => {
    for (const [name, listener] of entries) unsubscribe(name, listener);
  };
}

const QUEUE_NAMES = [
  "echomq_queue_up",
  "echomq_queue_jobs",
  "echomq_queue_oldest_pending_seconds",
  "echomq_queue_paused",
  "echomq_queue_workers",
  "echomq_queue_jobs_completed",
  "echomq_queue_jobs_died",
] as const;

/** What one scrape found of a queue; `undefined` when the server did not answer in time. */
interface QueueReading {
  readonly queue: string;
  readonly found:
    | {
        readonly counts: Readonly<Record<CountWord, number>>;
        readonly oldestMs: number | undefined;
        readonly isPaused: boolean;
        readonly workerCount: number;
      }
    | undefined;
}

interface Measuring {
  readonly client: Client;
  readonly registry: Registry;
  readonly queues: readonly MeasuredQueue[];
  readonly timeoutMs: number;
}

function measureQueues({ client, registry, queues, timeoutMs }: Measuring): void {
  // The metrics of one scrape are collected at once, and share what is read for the first of them.
  let reading: Promise<readonly QueueReading[]> | undefined;
  const read = () => {
    reading ??= Promise.all(queues.map((queue) => readQueue(queue, timeoutMs))).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  type Fill = (gauge: Gauge, reading: QueueReading) => void;
  const gauge = (name: string, help: string, fill: Fill): void => {
    const labelNames = name === "echomq_queue_jobs" ? ["queue", "state"] : ["queue"];
    const made: Gauge = new client.Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        const readings = await read();
        made.reset();
        for (const one of readings) fill(made, one);
      },
    });
  };
  const [up, jobs, oldest, paused, workers, completed, died] = QUEUE_NAMES;
  gauge(up, "Whether the server told of the queue in time.", (made, { queue, found }) =>
    made.set({ queue }, found === undefined ? 0 : 1),
  );
  gauge(jobs, "Jobs by state; lanes are those that wait in lanes.", (made, { queue, found }) => {
    if (found !== undefined) for (const [state, word] of STATES) made.set({ queue, state }, found.counts[word]);
  });
  const single = (name: string, help: string, valueOf: (found: NonNullable<QueueReading["found"]>) => number) =>
    gauge(name, help, (made, { queue, found }) => {
      if (found !== undefined) made.set({ queue }, valueOf(found));
    });
  single(oldest, "Age of the job that waits longest; 0 when none waits.", ({ oldestMs }) => (oldestMs ?? 0) / 1000);
  single(paused, "Whether the queue is paused.", ({ isPaused }) => (isPaused ? 1 : 0));
  single(workers, "Workers that ask for work.", ({ workerCount }) => workerCount);
  single(completed, "Jobs that were completed, by anybody.", ({ counts }) => counts.completed);
  single(died, "Jobs that died, by anybody.", ({ counts }) => counts.failed);
}

async function readQueue(queue: MeasuredQueue, timeoutMs: number): Promise<QueueReading> {
  let giveUp = () => {};
  const late = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  const timer = nodePorts().clock.after(timeoutMs, giveUp);
  const found = (async () => {
    const [counts, oldestMs, isPaused, workers] = await Promise.all([
      queue.getJobCounts(...COUNT_WORDS),
      queue.oldestPendingAge(),
      queue.isPaused(),
      queue.workers(),
    ]);
    return { counts, oldestMs, isPaused, workerCount: workers.length };
  })().catch(() => undefined);
  try {
    return { queue: queue.name, found: await Promise.race([found, late]) };
  } finally {
    timer.cancel();
  }
}
