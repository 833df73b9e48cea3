/**
 * What tracing sees of jobs, and the trace context that travels with them.
 *
 * Tracing is somebody else's library, so a queue and a worker know only this contract, which `echomq/opentelemetry`
 * fills. The context of the producer lies beside the options in the `opts` of the row, which no act reads: a speaker
 * that knows nothing of it passes it by. Tracing never decides about a job: what it throws costs a span, nothing else.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import type { AddedJob } from "./job.ts";
import type { Draft } from "./job-draft.ts";
import { withStoredOptions } from "./with-stored-options.ts";

/** The trace context of a producer, by the names of its headers: `traceparent`, `tracestate` and their like. */
export type TraceCarrier = Readonly<Record<string, string>>;

/** Entries of a carrier that travel with a job, at most; the first ones stay. */
const CARRIER_ENTRIES_MAX = 8;

/**
 * Characters of the names and values of a carrier together, at most; an entry that does not fit is left out. A
 * `traceparent` takes 66 and a `tracestate` 522 at most.
 */
const CARRIER_CHARS_MAX = 1024;

/** An add, a bulk of them, or a flow, that begins. */
export interface TracedAdd {
  /** That of the jobs; of a flow, that of its first job. */
  readonly queue: string;
  /** The name of the jobs; `undefined` when they have several. */
  readonly name: string | undefined;
  /** How many jobs it adds. */
  readonly count: number;
}

/** How an add ended. */
export interface TracedAddEnd {
  /** What was answered, in the order of the adds; empty after an error. */
  readonly jobs: readonly { readonly id: string; readonly outcome: string }[];
  /** Why it was rejected; `undefined` when it was not. */
  readonly error: unknown;
}

/** The span of an add. */
export interface AddSpan {
  /** What is stored with the job; `undefined` for nothing. */
  readonly carrier: TraceCarrier | undefined;
  /** Called once, when the add has its answer. */
  end(end: TracedAddEnd): void;
}

/** A handler that begins. */
export interface TracedRun {
  readonly queue: string;
  readonly worker: string;
  readonly id: string;
  readonly name: string;
  /** Which run this is, from 1 on, as the job counts them. */
  readonly attempt: number;
  /** What the producer stored; `undefined` for nothing that can be read. */
  readonly carrier: TraceCarrier | undefined;
}

/** How a handler ended. */
export interface TracedRunEnd {
  /** `put-off` by an error that is none: a delay, a rate limit, a job that is given back. */
  readonly outcome: "returned" | "threw" | "put-off";
  /** What it threw; `undefined` when it returned. */
  readonly error: unknown;
}

/** The span of a handler. */
export interface RunSpan {
  /** Calls `handler` with the span as the current one, and answers what it answers. */
  run<Result>(handler: () => Result): Result;
  /** Called once, when the handler has ended. */
  end(end: TracedRunEnd): void;
}

/** The option `telemetry` of a queue and a worker, see `openTelemetry` of `echomq/opentelemetry`. */
export interface Telemetry {
  /** An add begins that has passed its checks. `undefined` traces nothing of it. */
  beginAdd(add: TracedAdd): AddSpan | undefined;
  /** A handler begins. `undefined` traces nothing of it. */
  beginRun(run: TracedRun): RunSpan | undefined;
}

/** Throws `invalid_option` for what is no telemetry. */
export function checkedTelemetry(telemetry: Telemetry | undefined): Telemetry | undefined {
  if (telemetry === undefined) return undefined;
  const { beginAdd, beginRun } = (telemetry ?? {}) as Partial<Telemetry>;
  if (typeof beginAdd === "function" && typeof beginRun === "function") return telemetry;
  const message = `telemetry must be what openTelemetry() of echomq/opentelemetry gives, not ${quote(telemetry)}`;
  throw new EchoMQError("invalid_option", message, { details: { option: "telemetry", value: telemetry } });
}

/** What `act` answers; `undefined` when it throws, because tracing decides about no job. */
export function unlessThrown<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** The entries of a carrier that may travel; `undefined` for none. Anything may be given. */
export function boundedCarrier(carrier: unknown): TraceCarrier | undefined {
  if (typeof carrier !== "object" || carrier === null) return undefined;
  const kept: [string, string][] = [];
  let chars = 0;
  for (const [name, value] of Object.entries(carrier)) {
    if (typeof value !== "string" || name === "__proto__" || kept.length === CARRIER_ENTRIES_MAX) continue;
    const size = name.length + value.length;
    if (chars + size > CARRIER_CHARS_MAX) continue;
    chars += size;
    kept.push([name, value]);
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The span of an add of these jobs; `undefined` for none, and when tracing wants none. */
export function beginAdd(
  telemetry: Telemetry | undefined,
  queue: string,
  drafts: readonly Draft[],
): AddSpan | undefined {
  const name = drafts[0]?.name;
  if (telemetry === undefined || name === undefined) return undefined;
  const isOneName = drafts.every((draft) => draft.name === name);
  const add = { queue, name: isOneName ? name : undefined, count: drafts.length };
  return unlessThrown(() => telemetry.beginAdd(add));
}

/** A draft whose row carries a trace context beside its options; the draft itself without one. */
export function tracedDraft(draft: Draft, carrier: TraceCarrier | undefined): Draft {
  const trace = boundedCarrier(carrier);
  if (trace === undefined) return draft;
  return withStoredOptions(draft, { trace });
}

/**
 * Ends the span of an add with its answer, and answers the promise to hand out.
 *
 * @param isTold whether the error of a rejection is told elsewhere, so that nobody has to handle the promise.
 */
export function tracedAdd<Added extends AddedJob | readonly AddedJob[]>(
  span: AddSpan,
  added: Promise<Added>,
  isTold: (error: unknown) => boolean,
): Promise<Added> {
  const traced = added.then(
    (result) => {
      const jobs: readonly AddedJob[] = Array.isArray(result) ? result : [result];
      unlessThrown(() => span.end({ jobs, error: undefined }));
      return result;
    },
    (error: unknown) => {
      unlessThrown(() => span.end({ jobs: [], error }));
      throw error;
    },
  );
  added.catch((error: unknown) => {
    if (isTold(error)) traced.catch(() => {});
  });
  return traced;
}
