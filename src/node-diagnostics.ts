/**
 * What a program's own queues and workers do, on the channels of `node:diagnostics_channel`.
 *
 * Monitoring subscribes to channels without touching the code that uses the queue, and a channel without a subscriber
 * costs one comparison. The module is reached through the global object, so that this file also loads in a browser,
 * where nothing is told.
 */

import type { Clock } from "./engine/ports.ts";
import { isEchoMQError } from "./protocol/errors.ts";
import type { AddedJob } from "./queue/job.ts";
import type { WorkerCore } from "./worker/worker.ts";

/** The channels and what their messages hold. Names and members are stable; members may be added. */
export interface DiagnosticsMessages {
  /** A job was added by this process. `outcome` is that of `add`. */
  "emq:job:add": { readonly queue: string; readonly id: string; readonly name: string; readonly outcome: string };
  /** A handler begins. */
  "emq:job:start": JobMessage;
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
};

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
    if (channels.start.hasSubscribers) channels.start.publish(messageOf(job));
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
