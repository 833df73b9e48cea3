/**
 * The options of a reader of a group, checked once, with every duration in ms.
 */

import type { Logger, Ports } from "../engine/ports.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { type CheckedBackoff, checkedBackoff, type JobBackoff } from "../queue/backoff.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { assertKnownOptions, assertName, assertWhole, checkedLogger } from "../queue/option-check.ts";
import { streamKey } from "../queue/streams.ts";

/** Options of {@link StreamConsumerCore}. `group` and `from` have no default. */
export interface StreamConsumerOptions {
  /** The group. Each group gets every record; within a group each record goes to one consumer. */
  readonly group: string;
  /**
   * Where a group begins that does not exist yet: `start` with the oldest record, `end` with the next one. An existing
   * group goes on where it was.
   */
  readonly from: "start" | "end";
  /**
   * The name of this consumer, which no other may have at the same time. One that comes back by the same name gets its
   * unsettled records first. Default: a name that is new with each start.
   */
  readonly consumer?: string;
  /** Handlers that run at the same time, 1 to 1000. Default 1, which keeps the order of records that succeed. */
  readonly concurrency?: number;
  /** Records that lie ready beside those, 1 to 1000. Default 100. Never more are read than fit. */
  readonly prefetch?: number;
  /**
   * After so long without a sign of its holder a record is taken over by another consumer, 1 s to 24 days. Default 30
   * s. A consumer that lives renews what it has in hand, however long its handlers take.
   */
  readonly idle?: Duration;
  /** How long a record waits after a failure, as for a worker. Default fixed 1 s. */
  readonly backoff?: JobBackoff;
  /** Deliveries after which a record is set aside in the dead stream, 1 to 1,000,000; 0 for never. Default 10. */
  readonly maxDeliveries?: number;
  /** The stream, of the same queue, that gets records which were set aside. Default: the stream's name with `.dead`. */
  readonly deadStream?: string;
  /** About so many records stay in the dead stream, 1 or more. Default 10,000. */
  readonly deadLength?: number;
  /** Whether it begins by itself. Default true; otherwise call `run`. */
  readonly autorun?: boolean;
  /** Where warnings go. Default: one line each on stderr. */
  readonly logger?: Logger;
}

const CONCURRENCY_MAX = 1000;
const PREFETCH_DEFAULT = 100;
const PREFETCH_MAX = 1000;
const IDLE_MS_DEFAULT = 30_000;
const IDLE_MS_MIN = 1000;
const IDLE_MS_MAX = 2 ** 31 - 1;
const DELIVERIES_DEFAULT = 10;
const DELIVERIES_MAX = 1_000_000;
const DEAD_LENGTH_DEFAULT = 10_000;

const TABLE = {
  owner: "StreamConsumer",
  known: [
    "connection",
    "group",
    "from",
    "consumer",
    "concurrency",
    "prefetch",
    "idle",
    "backoff",
    "maxDeliveries",
    "deadStream",
    "deadLength",
    "autorun",
    "logger",
  ],
  example: 'new StreamConsumer("orders", "paid", handler, { group: "mailer", from: "start" })',
} as const;

/** What was given, with every default in place. */
export interface StreamConsumerSettings {
  readonly group: string;
  readonly from: "start" | "end";
  readonly consumer: string;
  readonly concurrency: number;
  readonly prefetch: number;
  readonly idleMs: number;
  readonly backoff: CheckedBackoff;
  /** 0 for never. */
  readonly maxDeliveries: number;
  readonly deadStream: string;
  readonly deadLength: number;
  readonly logger: Logger;
}

/**
 * Checks the options.
 *
 * @throws EchoMQError `unknown_option`, `invalid_option`, `invalid_name`, `invalid_stream`.
 */
export function streamSettings(
  options: StreamConsumerOptions,
  { queue, stream, ports }: { readonly queue: string; readonly stream: string; readonly ports: Ports },
): StreamConsumerSettings {
  assertKnownOptions(options, TABLE);
  const { group, from, concurrency = 1, prefetch = PREFETCH_DEFAULT } = options ?? {};
  if (from !== "start" && from !== "end") {
    throw new EchoMQError(
      "invalid_option",
      `from must say where a new group begins, "start" or "end", not ${quote(from)}`,
    );
  }
  assertName(group, "group of readers", { mayBeEmpty: false });
  const name = options.consumer ?? `${ports.processName}:${Math.floor(ports.random() * 2 ** 32).toString(36)}`;
  assertName(name, "consumer", { mayBeEmpty: false });
  assertWhole(concurrency, "concurrency", { min: 1, max: CONCURRENCY_MAX });
  assertWhole(prefetch, "prefetch", { min: 1, max: PREFETCH_MAX });
  const idleMs = durationMs(options.idle ?? IDLE_MS_DEFAULT, "idle");
  assertWhole(idleMs, "idle", { min: IDLE_MS_MIN, max: IDLE_MS_MAX });
  const {
    maxDeliveries = DELIVERIES_DEFAULT,
    deadLength = DEAD_LENGTH_DEFAULT,
    deadStream = `${stream}.dead`,
  } = options;
  assertWhole(maxDeliveries, "maxDeliveries", { min: 0, max: DELIVERIES_MAX });
  assertWhole(deadLength, "deadLength", { min: 1, max: Number.MAX_SAFE_INTEGER });
  streamKey(queue, deadStream);
  if (deadStream === stream) {
    throw new EchoMQError("invalid_option", "deadStream must be another stream than the one that is read");
  }
  return {
    group,
    from,
    consumer: name,
    concurrency,
    prefetch,
    idleMs,
    backoff: checkedBackoff(options.backoff ?? "1s"),
    maxDeliveries,
    deadStream,
    deadLength,
    logger: checkedLogger(options.logger, ports.logger),
  };
}
