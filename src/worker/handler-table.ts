/**
 * Which function runs a job: one for all names, or one for each name.
 *
 * A worker with one function for each name knows which jobs are its business. A job of any other name is never run,
 * failed or dropped by it: it goes back without having spent anything, for a worker that knows it. That is what keeps
 * a deploy harmless in which new jobs meet old workers. The wait grows with each time that the job came back, so that
 * one which nobody knows costs next to nothing.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { NAME_BYTES_MAX, NAME_DEFAULT } from "../queue/defaults.ts";
import type { Context } from "./context.ts";
import type { WorkerJob } from "./worker-job.ts";

/** A handler as the runner calls it. */
export type AnyHandler = (job: WorkerJob, context: Context) => unknown;

/** Names of one worker, at most. */
export const HANDLER_NAMES_MAX = 1000;

/** The wait of a job of an unknown name when it comes back for the first time, in ms; it doubles from there. */
export const UNKNOWN_DELAY_MS_MIN = 1000;

/** The longest such wait, in ms. */
export const UNKNOWN_DELAY_MS_MAX = 30_000;

const CALL_FORM = "a function (job, context) => result, or an object with one such function for each job name";

/** The function or functions of one worker. */
export class HandlerTable {
  /** The names that it knows; `undefined` when one function serves all. */
  readonly names: readonly string[] | undefined;
  readonly #all: AnyHandler | undefined;
  readonly #byName: ReadonlyMap<string, AnyHandler> = new Map();

  /** @throws EchoMQError `invalid_handler` for what is neither a function nor an object of functions by name. */
  constructor(handler: unknown) {
    if (typeof handler === "function") {
      assertRuns(handler);
      this.#all = handler as AnyHandler;
      return;
    }
    this.#byName = checkedMap(handler);
    this.names = [...this.#byName.keys()];
  }

  /** Whether there is a function for a name; the empty one stands for the default name. */
  has(name: string): boolean {
    return this.#all !== undefined || this.#byName.has(name === "" ? NAME_DEFAULT : name);
  }

  /** Calls the function for the job's name, which must be there. Throws what it throws. */
  run(job: WorkerJob, context: Context): unknown {
    const handler = this.#all ?? this.#byName.get(job.name);
    if (handler === undefined) throw new EchoMQError("internal", `There is no handler for ${quote(job.name)}`);
    return handler(job, context);
  }
}

/** How long a job of an unknown name waits, from how often it was put off before. */
export function unknownDelayMs(deferred: number): number {
  return Math.min(UNKNOWN_DELAY_MS_MIN * 2 ** Math.min(deferred, 10), UNKNOWN_DELAY_MS_MAX);
}

/** Whether it names a file, which is how other queues take a handler that runs in a process of its own. */
function namesFile(handler: unknown): boolean {
  return typeof handler === "string" || Object.prototype.toString.call(handler) === "[object URL]";
}

function checkedMap(handler: unknown): ReadonlyMap<string, AnyHandler> {
  if (namesFile(handler)) {
    throw invalid(
      `A worker needs ${CALL_FORM}, not the name of a file: import it and give what it exports, ` +
        "or let echomq work QUEUE MODULE run it in a process of its own",
    );
  }
  if (typeof handler !== "object" || handler === null || Array.isArray(handler)) {
    throw invalid(`A worker needs ${CALL_FORM}, not ${quote(handler)}`);
  }
  const entries = Object.entries(handler as Readonly<Record<string, unknown>>);
  if (entries.length === 0) throw invalid(`A worker needs ${CALL_FORM}; this object has none`);
  if (entries.length > HANDLER_NAMES_MAX) throw invalid(`A worker knows ${HANDLER_NAMES_MAX} job names at most`);
  for (const [name, value] of entries) {
    if (typeof value !== "function") throw invalid(`The handler of ${quote(name)} must be a function`, name);
    assertRuns(value, name);
    // No job can have such a name, so its handler would wait for ever.
    if (name === "" || name.length > NAME_BYTES_MAX) throw invalid(`${quote(name)} can be no job's name`, name);
  }
  return new Map(entries as [string, AnyHandler][]);
}

/** A generator only answers an object when it is called: each job would be completed without a line of it run. */
function assertRuns(handler: object, name?: string): void {
  const kind = Object.prototype.toString.call(handler).slice(8, -1);
  if (!kind.endsWith("GeneratorFunction")) return;
  const which = name === undefined ? "A handler" : `The handler of ${quote(name)}`;
  throw invalid(`${which} must be a function that runs, and a generator does not when it is called`, name);
}

function invalid(message: string, name?: string): EchoMQError {
  return new EchoMQError("invalid_handler", message, name === undefined ? {} : { details: { name } });
}
