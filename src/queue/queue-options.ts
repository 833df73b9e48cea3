/**
 * The options of a queue and their check.
 */

import type { Logger } from "../engine/ports.ts";
import { NODE_MAX } from "../protocol/mint.ts";
import { PAYLOAD_BYTES_MAX } from "./defaults.ts";
import type { Duration } from "./duration.ts";
import { checkedEventsOption, type EventsOption } from "./event-keeping.ts";
import type { SharedJobOptions } from "./job-options.ts";
import { assertKnownOptions, assertWhole } from "./option-check.ts";
import type { CodecOption } from "./payload-codec.ts";
import type { StandardSchema } from "./schema.ts";
import type { Telemetry } from "./telemetry.ts";

/** Names of jobs to their payloads: the type that a queue and its workers share. */
export type PayloadMap<Payloads> = { [Name in keyof Payloads]: unknown };

/**
 * A validator from whose input a payload's type is inferred. One that takes more than the payload, such as one that
 * coerces, is as good.
 */
export type JudgingSchema<Payload> = StandardSchema<Payload, unknown> | StandardSchema;

/** Options of a queue. */
export interface QueueOptions<Payloads extends PayloadMap<Payloads> = Record<string, unknown>> {
  /** What every job of this queue has unless its `add` says otherwise. */
  readonly defaultJobOptions?: SharedJobOptions;
  /**
   * Validators by name of job, each of any library that speaks the Standard Schema. They judge and change nothing.
   * Without a map of payloads, `add` takes what they take.
   */
  readonly schemas?: { readonly [Name in keyof Payloads]?: JudgingSchema<Payloads[Name]> };
  /**
   * How data become the bytes of payloads: one of `echomq/codec` or your own, or an array whose first writes and of
   * which all read. Default JSON. The workers of the queue need the same.
   */
  readonly codec?: CodecOption;
  /**
   * The node number of the mint, 0 to 1023, which no other process may use at the same time. Default: leased from the
   * server; on the embedded engine, drawn.
   */
  readonly node?: number;
  /** Adds that wait for the server, at most; more are refused with `overloaded`. Default 100,000. */
  readonly maxPending?: number;
  /**
   * What adds that say nothing of it do when their answer was lost or the server was away or busy: `true` repeats them
   * by themselves, under the same id, for up to 30 s from the call, a duration for up to so long. Default `false`: they
   * reject, and the caller decides.
   */
  readonly retryOnDisconnect?: boolean | Duration;
  /**
   * Keeps the events of the queue in its stream `events`, within bounds: `{ stream: true, maxBytes, maxAge }`. It is
   * said to the queue itself when this is made, holds for all who use it, and until `keepEvents(null)`. Default: events
   * are told to those who listen and kept nowhere.
   */
  readonly events?: EventsOption;
  /**
   * Traces adds, and stores their trace context with the jobs: `openTelemetry()` of `echomq/opentelemetry`. Default: no
   * tracing, and nothing is stored.
   */
  readonly telemetry?: Telemetry;
  /** Where warnings go while nobody listens to `error`. Default: one line each on stderr. */
  readonly logger?: Logger;
}

const QUEUE_TABLE = {
  owner: "Queue",
  known: [
    "connection",
    "defaultJobOptions",
    "schemas",
    "codec",
    "node",
    "maxPending",
    "retryOnDisconnect",
    "telemetry",
    "events",
    "logger",
  ],
  example: "new Queue(name, { connection })",
  foreign: {
    prefix: "the keyspace is the protocol, so every key begins with emq:; use another database or queue name",
    streams: "events: { stream: true, maxBytes, maxAge } keeps them in a stream",
    skipVersionCheck: "the fence of the wire is what keeps foreign versions apart",
    limiter: "await queue.setLimits({ rate: { max, duration } })",
    settings: "attempts and backoff are defaultJobOptions here, lease and beat options of the Worker",
    redis: "it is called connection",
    blockingConnection: "leave it out: whoever waits for work gets a socket for that by itself",
    forceDisconnectOnShutdown: "leave it out: close ends within its timeout, whatever the server does",
    skipMetasUpdate: "leave it out: a queue writes no settings when it is made",
  },
} as const;

/**
 * Checks everything but the defaults of jobs, the validators and the logger, which are checked where they are used.
 *
 * @throws EchoMQError `unknown_option` or `invalid_option`.
 */
export function checkQueueOptions<Payloads extends PayloadMap<Payloads>>(options: QueueOptions<Payloads>): void {
  assertKnownOptions(options, QUEUE_TABLE);
  const { node, maxPending, defaultJobOptions } = options;
  if (node !== undefined) assertWhole(node, "node", { min: 0, max: NODE_MAX });
  if (maxPending !== undefined) assertWhole(maxPending, "maxPending", { min: 1, max: Number.MAX_SAFE_INTEGER });
  checkedEventsOption(options.events);
  const sizeLimit = defaultJobOptions?.sizeLimit;
  if (sizeLimit !== undefined) assertWhole(sizeLimit, "sizeLimit", { min: 1, max: PAYLOAD_BYTES_MAX });
}
