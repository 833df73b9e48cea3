/**
 * Follows a stream: reads what is there page by page, then waits on the server for what comes.
 *
 * Invariant: records come in order, each once, and none is left out that was not trimmed before it was read. At most
 * one page is held; nothing is read ahead while the reader works on it.
 */

import type { Engine } from "../engine/engine.ts";
import type { Timer } from "../engine/ports.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { entryIdOf } from "../protocol/record-id.ts";
import { assertKnownOptions, assertWhole } from "./option-check.ts";
import type { StreamRecord } from "./stream-record.ts";
import { Streams, streamKey, windowFloor } from "./streams.ts";

/** What can end a tail: the part of an `AbortSignal` that is used. */
export interface TailSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Options of `tail`. */
export interface TailOptions {
  /**
   * Where to begin: `now` (default) with the next record, `start` with the oldest, an instant, or behind the record of
   * an id: the last that was handled before.
   */
  readonly from?: "now" | "start" | Date | number | { readonly after: string };
  /** Records of one page, 1 to 1000. Default 100. */
  readonly page?: number;
  /** Ends the tail, without an error. */
  readonly signal?: TailSignal;
}

const PAGE_DEFAULT = 100;
const PAGE_MAX = 1000;

/** First and longest rest while the server cannot be asked, in ms; each is twice the one before. */
const REST_MS_MIN = 100;
const REST_MS_MAX = 5000;

/** How long a wait lasts at most, in ms: where an engine has no socket left to wait on, the next look finds it. */
const LOOK_MS = 5000;

/** Follows a stream. `closers` holds what ends it from outside for as long as it runs. */
export function tailStream(
  place: { readonly engine: Engine; readonly queue: string; readonly stream: string },
  options: TailOptions,
  closers: Set<() => void>,
): AsyncGenerator<StreamRecord, void, undefined> {
  assertKnownOptions(options, { owner: "tail", known: ["from", "page", "signal"] });
  const { from = "now", page = PAGE_DEFAULT, signal } = options;
  assertWhole(page, "page", { min: 1, max: PAGE_MAX });
  const start = startOf(from);
  const tail = new Tail(place, page);
  return follow(tail, start, signal, closers);
}

async function* follow(
  tail: Tail,
  start: Start,
  signal: TailSignal | undefined,
  closers: Set<() => void>,
): AsyncGenerator<StreamRecord, void, undefined> {
  const end = (): void => tail.end();
  closers.add(end);
  signal?.addEventListener("abort", end);
  try {
    if (signal?.aborted === true) return;
    await tail.begin(start);
    while (!tail.isOver) {
      for (const record of await tail.next()) {
        if (tail.isOver) return;
        yield record;
      }
    }
  } finally {
    closers.delete(end);
    signal?.removeEventListener("abort", end);
    await tail.close();
  }
}

/** Where reading begins: at a bound of the server's above an entry id, or behind the newest record of the moment. */
type Start = { readonly bound: string; readonly above: string } | "now";

function startOf(from: NonNullable<TailOptions["from"]>): Start {
  if (from === "now") return "now";
  if (from === "start") return { bound: "-", above: "0-0" };
  if (typeof from === "number" || from instanceof Date) {
    const bound = windowFloor(from);
    const ms = Number(bound.split("-")[0]);
    return { bound, above: ms === 0 ? "0-0" : `${ms - 1}-${Number.MAX_SAFE_INTEGER}` };
  }
  if (typeof from === "object" && from !== null && typeof from.after === "string") {
    const above = /^\d+-\d+$/.test(from.after) ? from.after : entryIdOf(from.after);
    return { bound: `(${above}`, above };
  }
  throw new EchoMQError(
    "invalid_option",
    `from must be "now", "start", an instant or { after: id }, not ${quote(from)}`,
  );
}

class Tail {
  readonly #engine: Engine;
  readonly #streams: Streams;
  readonly #place: { readonly queue: string; readonly stream: string };
  readonly #page: number;
  readonly #handle: ReturnType<Engine["listenForEntries"]>;
  #bound = "-";
  /** No entry up to this one is wanted: the one that was read last, or what lies below the bound. */
  #last = "0-0";
  isOver = false;
  /** Ends the present pause. */
  #wake: (() => void) | undefined;

  constructor(place: { readonly engine: Engine; readonly queue: string; readonly stream: string }, page: number) {
    this.#engine = place.engine;
    this.#streams = new Streams(place.engine);
    this.#place = place;
    this.#page = page;
    const wake = (): void => this.#wake?.();
    const key = streamKey(place.queue, place.stream);
    this.#handle = place.engine.listenForEntries(key, { onEntry: wake, onLost: wake });
  }

  async begin(start: Start): Promise<void> {
    if (start !== "now") {
      this.#bound = start.bound;
      this.#last = start.above;
      return;
    }
    const newest = await this.#asked(() => this.#streams.newest(this.#place.queue, this.#place.stream));
    this.#goOn(newest?.entryId ?? "0-0");
  }

  /** The next records, as soon as there are any; empty when it is over. */
  async next(): Promise<readonly StreamRecord[]> {
    for (;;) {
      const range = { from: this.#bound, count: this.#page };
      const records = await this.#asked(() => this.#streams.read(this.#place.queue, this.#place.stream, range));
      if (this.isOver || records === undefined) return [];
      const last = records.at(-1);
      if (last !== undefined) {
        this.#goOn(last.entryId);
        return records;
      }
      await this.#pause(LOOK_MS, () => this.#handle.arm(this.#last));
      this.#handle.disarm();
    }
  }

  end(): void {
    this.isOver = true;
    this.#wake?.();
  }

  async close(): Promise<void> {
    this.isOver = true;
    await this.#handle.close();
  }

  #goOn(entryId: string): void {
    this.#last = entryId;
    this.#bound = `(${entryId}`;
  }

  /** Asks until there is an answer or it is over; only an error that will stay is thrown. */
  async #asked<T>(question: () => Promise<T>): Promise<T | undefined> {
    for (let restMs = REST_MS_MIN; !this.isOver; restMs = Math.min(restMs * 2, REST_MS_MAX)) {
      try {
        return await question();
      } catch (error) {
        if (this.isOver) return undefined;
        if (!isEchoMQError(error) || !error.retryable) throw error;
        await this.#pause(restMs);
      }
    }
    return undefined;
  }

  async #pause(ms: number, begin?: () => void): Promise<void> {
    if (this.isOver) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = this.#engine.ports.clock.after(ms, resolve);
      begin?.();
    });
    this.#wake = undefined;
    timer?.cancel();
  }
}
