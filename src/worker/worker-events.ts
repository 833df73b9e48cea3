/**
 * What a user hands to a worker and hears from it: the shapes of handlers, and the local events.
 *
 * Types, and the list of the event names that the emitter checks listeners against; the two cannot differ.
 */

import type { Context } from "./context.ts";
import type { WorkerJob } from "./worker-job.ts";

/** A job of a queue, by the map of its names to payloads. */
export type JobOf<Payloads> = {
  [Name in keyof Payloads & string]: WorkerJob<Payloads[Name], Name>;
}[keyof Payloads & string];

/**
 * What a worker runs for each job. What it returns is the result; what it throws decides what becomes of the job (see
 * `UnrecoverableError`, `snooze` and their like), and any other error spends an attempt.
 */
export type Handler<Payloads = Record<string, unknown>, Result = unknown> = (
  job: JobOf<Payloads>,
  context: Context,
) => Result | Promise<Result>;

/**
 * One function for each name of a job. A job of a name that is not among them is given back for another worker, and
 * told once by `unknown-name`.
 */
export type Handlers<Payloads = Record<string, unknown>, Result = unknown> = {
  readonly [Name in keyof Payloads & string]?: NamedHandler<Payloads[Name], Name, Result>;
};

/**
 * One of {@link Handlers}. Written as a method: where any name goes, the compiler tells a function the one name that it
 * stands under, and only methods are then still what was asked for.
 */
type NamedHandler<Payload, Name extends string, Result> = {
  run(job: WorkerJob<Payload, Name>, context: Context): Result | Promise<Result>;
}["run"];

/**
 * Local events of a worker. `completed` and `failed` come after the server has acknowledged it. `job.name` tells which
 * data a job has; of one whose payload could not be decoded, which can only fail, they are `undefined`.
 */
export interface WorkerEvents<Payloads = Record<string, unknown>, Result = unknown> {
  /** The handler returned, and its job is completed. */
  completed: [job: JobOf<Payloads>, result: Awaited<Result>];
  /** An attempt failed: the job runs again later (`scheduled`) or not (`dead`). */
  failed: [job: JobOf<Payloads>, error: unknown, outcome: "scheduled" | "dead"];
  /** The handler of a job begins. */
  active: [job: JobOf<Payloads>];
  /** The server cannot be asked, or a background service failed. Without a listener it is logged. */
  error: [error: unknown];
  /** The worker has run out of work. */
  drained: [];
  /**
   * The lease of a job was over before its settlement; another worker may run it. `job` is absent if it had not begun.
   */
  "lease-lost": [job: JobOf<Payloads> | undefined, details: { readonly id: string; readonly why: string }];
  /**
   * A handler goes on although it was told to stop, for the reason `error`, and had its grace: its job is settled and
   * its slot free without it. Logged as well.
   */
  stuck: [job: JobOf<Payloads> | undefined, details: { readonly id: string; readonly error: Error }];
  /**
   * A job came whose name is none of the worker's handlers; it was given back and spent no attempt. Told once a name,
   * and once more without end when a thousand names were told.
   */
  "unknown-name": [details: { readonly id: string; readonly name: string }];
  /** The worker has been closed; nothing comes after this. */
  closed: [];
}

/** What listens to one event of a worker; it may be async. */
export type WorkerListener<Payloads, Result, Name extends keyof WorkerEvents> = (
  ...args: WorkerEvents<Payloads, Result>[Name]
) => unknown;

/** Every event of a worker. */
export const WORKER_EVENT_NAMES = [
  "completed",
  "failed",
  "active",
  "error",
  "drained",
  "lease-lost",
  "stuck",
  "unknown-name",
  "closed",
] as const satisfies readonly (keyof WorkerEvents)[];
