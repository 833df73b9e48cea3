/**
 * Whether a queue keeps its events in a stream: two fields of `meta` with the bounds, and the mark `listeners` without
 * an end, since acts tell nothing while nobody listens (docs/protocol/events.md).
 */

import { assertOwnWire } from "../engine/shared-mode.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { MS_MAX } from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { LISTENERS_MS } from "./listening.ts";
import { assertKnownOptions, assertWhole } from "./option-check.ts";
import type { RetentionPlace } from "./queue-retention.ts";
import { bytesReply, listOf, QueueKeys } from "./verb-call.ts";

/** The stream that keeps the events of a queue: `new EventStream(queue, EVENT_STREAM)`. */
export const EVENT_STREAM = "events";

/** How much is kept of events. */
export interface EventKeeping {
  /** About so many bytes at most, 64 KiB to 2^53 - 1. Default 10,000,000. */
  readonly maxBytes?: number;
  /** What is older goes with the next event. Default 7 days; 0 for no such bound. */
  readonly maxAge?: Duration;
}

/** Option `events` of a queue. */
export interface EventsOption extends EventKeeping {
  /** Keeps the events of the queue in a stream, from now on and until `keepEvents(null)`. */
  readonly stream: true;
}

const BYTES_DEFAULT = 10_000_000;
const BYTES_MIN = 65_536;
const AGE_MS_DEFAULT = 7 * 86_400_000;

/** The bounds as they are stored. Throws `invalid_option` or `unknown_option`. */
function boundsOf(keeping: EventKeeping): { readonly bytes: number; readonly ms: number } {
  assertKnownOptions(keeping, { owner: "keepEvents", known: ["maxBytes", "maxAge"] });
  const { maxBytes = BYTES_DEFAULT, maxAge = AGE_MS_DEFAULT } = keeping;
  assertWhole(maxBytes, "maxBytes", { min: BYTES_MIN, max: MS_MAX });
  return { bytes: maxBytes, ms: durationMs(maxAge, "maxAge") };
}

/** Checks the option `events` of a queue. Throws `invalid_option` or `unknown_option`. */
export function checkedEventsOption(events: EventsOption | undefined): EventKeeping | undefined {
  if (events === undefined) return undefined;
  assertKnownOptions(events, { owner: "events", known: ["stream", "maxBytes", "maxAge"] });
  const { stream, ...keeping } = events;
  if (stream !== true) {
    throw new EchoMQError(
      "invalid_option",
      "events keeps them with { stream: true }; leave it out, or keepEvents(null)",
    );
  }
  boundsOf(keeping);
  return keeping;
}

/** Lets the queue keep its events from now on, or with `null` no longer; what is kept stays until it is trimmed. */
export async function setEventKeeping({ engine, queue }: RetentionPlace, keeping: EventKeeping | null): Promise<void> {
  const { meta, listeners } = new QueueKeys(queue);
  if (keeping === null) {
    await engine.command(["HDEL", meta, "events_bytes", "events_ms"]);
    // Whoever listens renews it; without anybody acts are silent again.
    await engine.command(["PEXPIRE", listeners, String(LISTENERS_MS)]);
    return;
  }
  const { bytes, ms } = boundsOf(keeping);
  assertOwnWire(engine, "Keeping events in a stream");
  await engine.command(["HSET", meta, "events_bytes", String(bytes), "events_ms", String(ms)]);
  await engine.command(["SET", listeners, "0", "NX"]);
  await engine.command(["PERSIST", listeners]);
}

/** How much the queue keeps of its events; `undefined` when it keeps none. */
export async function readEventKeeping({ engine, queue }: RetentionPlace): Promise<EventKeeping | undefined> {
  const said = listOf(await engine.command(["HMGET", new QueueKeys(queue).meta, "events_bytes", "events_ms"]));
  const [bytes, ms] = said.map((field) => (field === null ? Number.NaN : Number(bytesReply(field))));
  if (bytes === undefined || !Number.isSafeInteger(bytes) || bytes < BYTES_MIN) return undefined;
  return { maxBytes: bytes, maxAge: ms !== undefined && Number.isSafeInteger(ms) ? ms : 0 };
}
