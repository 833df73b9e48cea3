/**
 * What a program's own queues and workers do, on the channels of `node:diagnostics_channel`.
 *
 * Monitoring subscribes to channels without touching the code that uses the queue, and a channel without a subscriber
 * costs one comparison. The module is reached through the global object, so that this file also loads in a browser,
 * where nothing is told.
 */

import type { Engine, EngineState } from "./engine/engine.ts";
import type { Clock } from "./engine/ports.ts";
import { isEchoMQError } from "./protocol/errors.ts";
import type { AddedJob } from "./queue/job.ts";
import type { WorkerCore } from "./worker/worker.ts";

/** The channels and what their messages hold. Names and members are stable; members may be added. */
export interface DiagnosticsMessages {
  /** A job was added by this process. `outcome` is that of `add`. */
  "emq:job:add": { readonly queue: string; readonly id: string; readonly name: string; readonly outcome: string };
  /**
   * A handler begins. `waitMs` is what lies between the instant at which the job could run, which is its minting by the
   * clock of who added it and the `delay` that was asked for, and its first run, by ours. `undefined` for each later
   * run.
   */
  "emq:job:start": JobMessage & { readonly waitMs: number | undefined };
  /** A job is completed, and the server has acknowledged it. `durationMs` counts from the beginning of its handler. */
  "emq:job:complete": JobMessage & { readonly durationMs: number };
  /** An attempt failed, and the server has acknowledged it. */
  "emq:job:fail": JobMessage & {
    readonly durationMs: number;
    readonly error: unknown;
    readonly outcome: "scheduled" | "dead";
  };
  /** The lease of a job was over before its settlement. */
  "emq:job:lost": { readonly queue: string; readonly id: string; readonly worker: string; readonly why: string };
  /** A worker was made. */
  "emq:worker:start": { readonly queue: string; readonly worker: string };
  /** A worker has been closed. */
  "emq:worker:stop": { readonly queue: string; readonly worker: string };
  /** A queue was made. */
  "emq:queue:open": { readonly queue: string };
  /** A queue has been closed. */
  "emq:queue:close": { readonly queue: string };
  /** This process has paused a queue, and the server has acknowledged it. */
  "emq:queue:pause": { readonly queue: string };
  /** This process lets a queue run again, and the server has acknowledged it. */
  "emq:queue:resume": { readonly queue: string };
  /** This process took the waiting jobs of a queue away, `removed` in number. */
  "emq:queue:drain": { readonly queue: string; readonly removed: number };
  /** This process took a queue away with all that it had. */
  "emq:queue:obliterate": { readonly queue: string };
  /** A server can be asked: for the first time, or again. */
  "emq:connection:up": ConnectionMessage;
  /** A server cannot be asked any more, or never will be; `error` is why, where that is known. */
  "emq:connection:down": ConnectionMessage & { readonly error: unknown };
  /** A connection was closed by this process: nothing follows. */
  "emq:connection:close": ConnectionMessage;
}

/** A connection of this process. Queues and workers that share one are told of once. */
interface ConnectionMessage {
  /** Counted from 1 in the order in which this process made them. */
  readonly connection: number;
  readonly kind: "embedded" | "valkey";
}

/** A job in a worker of this process. */
interface JobMessage {
  readonly queue: string;
  readonly id: string;
  readonly name: string;
  readonly worker: string;
}

/** One channel, as Node.js has it. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

/** Parts of the platform that a browser lacks. */
interface Platform {
  readonly process?: {
    getBuiltinModule?(name: string): { channel?(name: string): Channel } | undefined;
  };
}

const channelOf = (globalThis as Platform).process?.getBuiltinModule?.("node:diagnostics_channel")?.channel;

const silent: Channel = { hasSubscribers: false, publish() {} };

function channel(name: keyof DiagnosticsMessages): Channel {
  return channelOf?.(name) ?? silent;
}

const channels = {
  add: channel("emq:job:add"),
  start: channel("emq:job:start"),
  complete: channel("emq:job:complete"),
  fail: channel("emq:job:fail"),
  lost: channel("emq:job:lost"),
  workerStart: channel("emq:worker:start"),
  workerStop: channel("emq:worker:stop"),
  queueOpen: channel("emq:queue:open"),
  queueClose: channel("emq:queue:close"),
  queuePause: channel("emq:queue:pause"),
  queueResume: channel("emq:queue:resume"),
  queueDrain: channel("emq:queue:drain"),
  queueObliterate: channel("emq:queue:obliterate"),
  connectionUp: channel("emq:connection:up"),
  connectionDown: channel("emq:connection:down"),
  connectionClose: channel("emq:connection:close"),
};

/** The engines that are told of, by number. Written by {@link tellOfConnection} only. */
const connections = { count: 0, numbers: new WeakMap<Engine, number>() };

/** Tells of the connection of an engine from now on; telling twice is telling once. */
export function tellOfConnection(engine: Engine): void {
  if (connections.numbers.has(engine)) return;
  const connection = ++connections.count;
  connections.numbers.set(engine, connection);
  const { kind } = engine;
  const tell = (state: EngineState) => {
    const { connectionUp: up, connectionDown: down, connectionClose: close } = channels;
    if (state === "ready" && up.hasSubscribers) up.publish({ connection, kind });
    if (state === "down" && down.hasSubscribers) down.publish({ connection, kind, error: engine.whyDown });
    if (state === "closed" && close.hasSubscribers) close.publish({ connection, kind });
  };
  if (engine.state === "ready") tell("ready");
  engine.onState(tell);
}

/** What a queue can be told to do that monitoring wants to know. */
type QueueAct = "open" | "close" | "pause" | "resume" | "obliterate";

const QUEUE_CHANNELS = {
  open: channels.queueOpen,
  close: channels.queueClose,
  pause: channels.queuePause,
  resume: channels.queueResume,
  obliterate: channels.queueObliterate,
} as const satisfies Readonly<Record<QueueAct, Channel>>;

/** Tells of something that was done to a queue. */
export function tellOfQueueAct(queue: string, act: QueueAct): void {
  const told = QUEUE_CHANNELS[act];
  if (told.hasSubscribers) told.publish({ queue });
}

/** Tells how many waiting jobs went. */
export function tellOfDrain(queue: string, removed: number): void {
  if (channels.queueDrain.hasSubscribers) channels.queueDrain.publish({ queue, removed });
}

/** What was promised, after it has been told; the same promise while nobody listens. */
export function toldOfAdded<Added extends AddedJob<unknown, string> | readonly AddedJob<unknown, string>[]>(
  queue: string,
  added: Promise<Added>,
): Promise<Added> {
  if (!channels.add.hasSubscribers) return added;
  const told = added.then((result) => {
    const jobs: readonly AddedJob<unknown, string>[] = Array.isArray(result) ? result : [result];
    for (const { id, name, outcome } of jobs) channels.add.publish({ queue, id, name, outcome });
    return result;
  });
  // A rejection that nobody handles ends the process, as it would without us; but not one that `error` tells of.
  added.catch((error: unknown) => {
    const isTold = isEchoMQError(error) && ("id" in error.details || "ids" in error.details);
    if (isTold) told.catch(() => {});
  });
  return told;
}

/** Tells of the jobs of a flow that was added. */
export function tellOfFlow(jobs: readonly DiagnosticsMessages["emq:job:add"][]): void {
  if (!channels.add.hasSubscribers) return;
  for (const { queue, id, name, outcome } of jobs) channels.add.publish({ queue, id, name, outcome });
}

/** Tells of a worker and of its jobs from now on. */
export function tellOfWorker<Payloads, Result>(worker: WorkerCore<Payloads, Result>, clock: Clock): void {
  const { name: queue, id } = worker;
  // By the job itself, so that what is forgotten elsewhere is forgotten here.
  const startedAt = new WeakMap<object, number>();
  const messageOf = (job: { readonly id: string; readonly name: string }) => ({
    queue,
    id: job.id,
    name: job.name,
    worker: id,
  });
  const durationMs = (job: object) => Math.max(0, clock.now() - (startedAt.get(job) ?? clock.now()));
  if (channels.workerStart.hasSubscribers) channels.workerStart.publish({ queue, worker: id });
  worker.on("active", (job) => {
    if (channels.complete.hasSubscribers || channels.fail.hasSubscribers) startedAt.set(job, clock.now());
    if (!channels.start.hasSubscribers) return;
    const waitMs = job.token === 1 ? Math.max(0, clock.now() - job.createdAt.getTime() - job.delayMs) : undefined;
    channels.start.publish({ ...messageOf(job), waitMs });
  });
  worker.on("completed", (job) => {
    if (!channels.complete.hasSubscribers) return;
    channels.complete.publish({ ...messageOf(job), durationMs: durationMs(job) });
  });
  worker.on("failed", (job, error, outcome) => {
    if (!channels.fail.hasSubscribers) return;
    channels.fail.publish({ ...messageOf(job), durationMs: durationMs(job), error, outcome });
  });
  worker.on("lease-lost", (_, details) => {
    if (!channels.lost.hasSubscribers) return;
    channels.lost.publish({ queue, id: details.id, worker: id, why: details.why });
  });
  worker.on("closed", () => {
    if (channels.workerStop.hasSubscribers) channels.workerStop.publish({ queue, worker: id });
  });
}
