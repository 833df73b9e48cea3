/**
 * Events of a queue as their readers get them, and what a message of the channel becomes.
 *
 * A message is a JSON object of texts (docs/protocol/events.md). What cannot be read is no event: anybody may publish
 * on the channel, so a reader believes nothing of it beyond its form.
 */

import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { aliasText, dedupText } from "./dedup-name.ts";

/** What every event of a job tells. */
export interface JobEvent {
  /** The minted id of the job. */
  readonly id: string;
  /** Its `jobId`, if it was added with one. */
  readonly jobId: string | undefined;
}

/** Events of a queue, from whichever process caused them, by their names. */
export interface QueueEventMap {
  /** A job was admitted: it waits, or is scheduled for later. */
  added: [
    event: JobEvent & {
      readonly state: string;
      readonly name: string;
      readonly lane: string | undefined;
    },
  ];
  /** A worker has leased a job. */
  active: [
    event: JobEvent & {
      readonly name: string;
      readonly lane: string | undefined;
      /** The worker's id; absent for a claim without a worker. */
      readonly worker: string | undefined;
    },
  ];
  /** A handler told its progress: the JSON value that it gave, or the text where it is none. */
  progress: [event: JobEvent & { readonly progress: unknown }];
  /**
   * A job is completed. `result` is there with the option `results` only, as its encoded text; one above 16 KiB is told
   * by its size in `resultBytes` alone.
   */
  completed: [
    event: JobEvent & {
      readonly attempts: number;
      readonly result: string | undefined;
      readonly resultBytes: number | undefined;
    },
  ];
  /** An attempt failed; `scheduled` or `dead` follows. `error` is cut at 1 KiB. */
  failed: [event: JobEvent & { readonly attempts: number; readonly error: string }];
  /** A job was put off, after a failure or by its handler, until the server instant `dueAt`. */
  scheduled: [event: JobEvent & { readonly dueAt: number }];
  /** A job did not begin in its time to live; `dead` follows. */
  expired: [event: JobEvent];
  /** A job is dead: no attempt is left, or it must not run again. `error` is cut at 1 KiB. */
  dead: [event: JobEvent & { readonly error: string }];
  /** The lease of a job lapsed, for the `stalled`th time; it waits again, or `dead` follows. */
  stalled: [event: JobEvent & { readonly stalled: number }];
  /** A cancel was asked for: a job that waited is gone, one that was `active` is asked to stop. */
  cancelled: [event: JobEvent & { readonly state: string; readonly reason: string }];
  /** A job was removed by hand from the state that it had. */
  removed: [event: JobEvent & { readonly state: string }];
  /** The last job that could be claimed has been. */
  drained: [];
  /** Slots of a scheduler are left out: no job is made of them. */
  skipped: [
    event: {
      readonly schedulerId: string;
      /** The last of them, in server ms. */
      readonly slotAt: number;
      readonly count: number;
      /**
       * `missed`: nobody fired in time, and the policy fires others or none. `overlap`: the job before has not ended.
       * `dedup`: its job was held back by a deduplication id. `dst`: the clocks left the local time out. `hand`: by
       * `skipNext`.
       */
      readonly why: "missed" | "overlap" | "dedup" | "dst" | "hand";
    },
  ];
  /** A job was not admitted because of the job `id`, which stands for it. */
  deduplicated: [
    event: JobEvent & {
      /** The id that the refused job would have had. */
      readonly refused: string;
      /** The deduplication id, unless it was for its `jobId`. */
      readonly deduplicationId: string | undefined;
      /** Whether the other held it back, took over its data, or has its `jobId`. */
      readonly how: "held" | "replaced" | "jobId";
    },
  ];
}

/** The name of an event. */
export type QueueEventName = keyof QueueEventMap;

/** Every event that there is. */
export const QUEUE_EVENT_NAMES = [
  "added",
  "active",
  "progress",
  "completed",
  "failed",
  "scheduled",
  "expired",
  "dead",
  "stalled",
  "cancelled",
  "removed",
  "drained",
  "skipped",
  "deduplicated",
] as const satisfies readonly QueueEventName[];

/** One event with its name. */
export type AnyQueueEvent = {
  [Name in QueueEventName]: QueueEventMap[Name] extends [event: infer Event]
    ? { readonly event: Name } & Event
    : { readonly event: Name };
}[QueueEventName];

/** Texts by name, as a message has them. */
type Texts = Readonly<Record<string, string>>;

/** The texts of a message, `undefined` for what is none. Members that are no texts are left out. */
export function readMessage(message: Bytes): Texts | undefined {
  try {
    const value: unknown = JSON.parse(textOf(message));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === "string")) as Texts;
  } catch {
    return undefined;
  }
}

/** The event of a message, `undefined` for one that is none of ours. */
export function eventOf(message: Bytes): AnyQueueEvent | undefined {
  const texts = readMessage(message);
  const name = texts?.["event"];
  if (texts === undefined || name === undefined || !isEventName(name)) return undefined;
  if (name === "drained") return { event: name };
  if (name === "skipped") return skippedEvent(texts);
  const id = texts["job"];
  if (id === undefined || id === "") return undefined;
  return { event: name, id, jobId: aliasText(bytesOf(texts["alias"] ?? "")), ...READERS[name](texts) } as AnyQueueEvent;
}

/** Whether a text is the name of an event. */
export function isEventName(name: string): name is QueueEventName {
  return (QUEUE_EVENT_NAMES as readonly string[]).includes(name);
}

const READERS: Readonly<Record<Exclude<QueueEventName, "drained" | "skipped">, (texts: Texts) => object>> = {
  added: ({ state = "pending", name = "default", lane }) => ({ state, name, lane }),
  active: ({ name = "default", lane, worker }) => ({ name, lane, worker }),
  progress: ({ progress = "" }) => ({ progress: jsonOr(progress) }),
  completed: ({ attempts, result, resultBytes }) => ({
    attempts: numberOf(attempts),
    result,
    resultBytes: resultBytes === undefined ? undefined : numberOf(resultBytes),
  }),
  failed: ({ attempts, error = "" }) => ({ attempts: numberOf(attempts), error }),
  scheduled: ({ dueAt }) => ({ dueAt: numberOf(dueAt) }),
  expired: () => ({}),
  dead: ({ error = "" }) => ({ error }),
  stalled: ({ stalled }) => ({ stalled: numberOf(stalled) }),
  cancelled: ({ state = "", reason = "" }) => ({ state, reason }),
  removed: ({ state = "" }) => ({ state }),
  deduplicated: ({ refused = "", dedup, how = "held" }) => ({
    refused,
    deduplicationId: dedup === undefined ? undefined : dedupText(bytesOf(dedup)),
    how,
  }),
};

/** Slots that were left out are the one event of no job. */
function skippedEvent({ repeat = "", slot, count, why = "missed" }: Texts): AnyQueueEvent | undefined {
  if (repeat === "") return undefined;
  const event = { event: "skipped", schedulerId: repeat, slotAt: numberOf(slot), count: numberOf(count), why };
  return event as AnyQueueEvent;
}

function numberOf(text: string | undefined): number {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : 0;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
