/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A stream of records beside a queue: appended in order, read again and again, by instant or by group.
 *
 * A job is work that is done once; a record is a fact that many may read. A stream belongs to a queue so that both lie
 * in one slot; it needs no worker and no job. This class writes and reads; `StreamConsumer` reads as a member of a
 * group, with retries.
 *
 * This class sees an engine only. `EventStream` of the package is this class with a connection in front of it.
 */

import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { textOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { NODE_MAX } from "../protocol/mint.ts";
import { type Duration, durationMs } from "./duration.ts";
import type { EngineLease } from "./engine-lease.ts";
import { type MintSource, openMint } from "./mint-source.ts";
import { assertKnownOptions, assertWhole, checkedLogger } from "./option-check.ts";
import { type GroupState, groupStates } from "./stream-group.ts";
import { fieldBytes, type RecordFields, type StreamRecord } from "./stream-record.ts";
import { type TailOptions, tailStream } from "./stream-tail.ts";
import { type ReadRange, Streams, streamKey, type TrimWindow } from "./streams.ts";

/** Options of {@link EventStreamCore}. */
export interface EventStreamOptions {
  /** About so many of the newest records stay; older ones go while new ones are appended. Default: all stay. */
  readonly maxLength?: number;
  /** Records of about this age and older go while new ones are appended. Default: all stay. */
  readonly maxAge?: Duration;
  /**
   * The number in this writer's ids, 0 to 1023, which no other process may use at the same time. Default: one that is
   * leased from the server.
   */
  readonly node?: number;
  /** Where warnings go. Default: one line each on stderr. */
  readonly logger?: Logger;
}

/** What became of one record of a batch. */
export type AppendVerdict =
  | { readonly id: string; readonly error?: never }
  | { readonly error: EchoMQError; readonly id?: never };

const TABLE = {
  owner: "EventStream",
  known: ["connection", "maxLength", "maxAge", "node", "logger"],
  example: 'new EventStream("orders", "paid", { connection })',
} as const;

/** Records between two trims of a stream that has a bound: often enough to stay near it, seldom enough to be free. */
const TRIM_EVERY = 100;

/**
 * How often one record is appended under a new id when another writer was ahead, and the first pause between, in ms.
 */
const APPEND_TRIES_MAX = 6;
const APPEND_PAUSE_MS = 1;

/** Records of one batch, at most. */
export const APPEND_BATCH_MAX = 10_000;

/** One stream of one queue. */
export class EventStreamCore implements AsyncDisposable {
  readonly queueName: string;
  readonly name: string;
  readonly #lease: EngineLease;
  readonly #engine: Engine;
  readonly #streams: Streams;
  readonly #mint: MintSource;
  readonly #logger: Logger;
  readonly #maxLength: number | undefined;
  readonly #maxAgeMs: number | undefined;
  readonly #closers = new Set<() => void>();
  #sinceTrim = 0;
  #closing: Promise<void> | undefined;

  /**
   * Opens nothing by itself: a stream comes to be with its first record.
   *
   * @param lease the share in an engine, which {@link EventStreamCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `invalid_stream`, `unknown_option`, `invalid_option`; the lease is then the
   *   caller's to release.
   */
  constructor(queueName: string, name: string, lease: EngineLease, options: EventStreamOptions = {}) {
    assertQueueName(queueName);
    streamKey(queueName, name);
    assertKnownOptions(options, TABLE);
    const { maxLength, maxAge, node } = options;
    if (maxLength !== undefined) assertWhole(maxLength, "maxLength", { min: 1, max: Number.MAX_SAFE_INTEGER });
    if (node !== undefined) assertWhole(node, "node", { min: 0, max: NODE_MAX });
    this.queueName = queueName;
    this.name = name;
    this.#lease = lease;
    this.#engine = lease.engine;
    this.#maxLength = maxLength;
    this.#maxAgeMs = maxAge === undefined ? undefined : durationMs(maxAge, "maxAge");
    this.#logger = checkedLogger(options.logger, this.#engine.ports.logger);
    this.#streams = new Streams(this.#engine);
    this.#mint = openMint(this.#engine, node, (error) => this.#warn("The number of this writer cannot be kept", error));
  }

  /**
   * Appends one record and answers its id.
   *
   * Records of one writer stand in the order of the calls. Where another writer of the same stream is ahead by its
   * clock, the record is minted anew a moment later.
   *
   * @throws EchoMQError `invalid_record` before anything is sent; `nonmonotonic` when the other writer stays ahead;
   *   `closed`, and what keeps the server from being asked.
   */
  async append(fields: RecordFields): Promise<string> {
    fieldBytes(fields);
    const { clock } = this.#engine.ports;
    for (let tries = 1; ; tries++) {
      const id = await this.#nextId();
      if ((await this.#streams.append(this.queueName, this.name, { id, fields })) === "appended") {
        this.#appended(1);
        return id;
      }
      if (tries === APPEND_TRIES_MAX) throw this.#behind(id);
      await new Promise<void>((resolve) => clock.after(APPEND_PAUSE_MS * 2 ** (tries - 1), resolve));
    }
  }

  /**
   * Appends records in their order with one journey, each judged alone: the answer has a verdict for each.
   *
   * @throws EchoMQError `invalid_record` for any of them, with `details.index`, before anything is sent;
   *   `invalid_option` for more than {@link APPEND_BATCH_MAX}.
   */
  async appendBatch(records: readonly RecordFields[]): Promise<AppendVerdict[]> {
    assertBatch(records);
    const drafts: { id: string; fields: RecordFields }[] = [];
    for (const fields of records) drafts.push({ id: await this.#nextId(), fields });
    const outcomes = await this.#streams.appendMany(this.queueName, this.name, drafts);
    this.#appended(outcomes.filter((outcome) => outcome === "appended").length);
    return drafts.map(({ id }, at) => {
      const outcome = outcomes[at];
      if (outcome === "appended") return { id };
      return { error: outcome === undefined || outcome === "nonmonotonic" ? this.#behind(id) : outcome };
    });
  }

  /** The records of a range, in order. Throws `invalid_option` for a bad count, and as the server refuses a bound. */
  read(range: ReadRange = {}): Promise<StreamRecord[]> {
    assertKnownOptions(range, { owner: "read", known: ["from", "to", "count"] });
    return this.#streams.read(this.queueName, this.name, range);
  }

  /**
   * The records that were minted from one instant to another, both included.
   *
   * @throws EchoMQError `invalid_window` for an end before its beginning.
   */
  readWindow(
    from: Date | number,
    to: Date | number,
    options: { readonly count?: number } = {},
  ): Promise<StreamRecord[]> {
    assertKnownOptions(options, { owner: "readWindow", known: ["count"] });
    return this.#streams.readWindow(this.queueName, this.name, { ...options, from, to });
  }

  /** The records that were minted at an instant or later. */
  readSince(from: Date | number, options: { readonly count?: number } = {}): Promise<StreamRecord[]> {
    assertKnownOptions(options, { owner: "readSince", known: ["count"] });
    return this.#streams.readSince(this.queueName, this.name, from, options.count);
  }

  /**
   * Every record from a place on, and then each as it comes: for `for await`. It waits on the server and does not poll,
   * goes on by itself after an outage, and ends with {@link EventStreamCore.close}, with the `signal`, or by leaving
   * the loop. Records that are trimmed before they were read are passed over.
   */
  tail(options: TailOptions = {}): AsyncGenerator<StreamRecord, void, undefined> {
    return tailStream({ engine: this.#engine, queue: this.queueName, stream: this.name }, options, this.#closers);
  }

  /** The newest record; `undefined` when there is none. */
  newest(): Promise<StreamRecord | undefined> {
    return this.#streams.newest(this.queueName, this.name);
  }

  /** How many records there are. */
  length(): Promise<number> {
    return this.#streams.length(this.queueName, this.name);
  }

  /**
   * Takes old records out and answers how many: all but the newest `maxLength`, or those minted before `from`. With
   * `approximate` perhaps fewer, by whole nodes of the server, which costs it far less.
   */
  trim(window: TrimWindow, options: { readonly approximate?: boolean } = {}): Promise<number> {
    assertKnownOptions(options, { owner: "trim", known: ["approximate"] });
    return this.#streams.trim(this.queueName, this.name, window, options);
  }

  /** The groups that read the stream, with how far each is; empty for a stream that is not there. */
  async groups(): Promise<GroupState[]> {
    const states = await groupStates(this.#engine, streamKey(this.queueName, this.name)).catch((error: unknown) => {
      if (isEchoMQError(error, "refused") && error.message.includes("no such key")) return [];
      throw error;
    });
    return states.map(({ name, ...state }) => ({ group: textOf(name), ...state }));
  }

  /** The newest record that is archived elsewhere, as it was noted. */
  archived(): Promise<string | undefined> {
    return this.#streams.getArchived(this.queueName, this.name);
  }

  /** Notes the newest record that is archived elsewhere; `undefined` forgets it. */
  async setArchived(id: string | undefined): Promise<void> {
    if (id === undefined) await this.#streams.clearArchived(this.queueName, this.name);
    else await this.#streams.putArchived(this.queueName, this.name, id);
  }

  /** Deletes all records, groups and the mark of what was archived; answers whether there was anything. */
  remove(): Promise<boolean> {
    return this.#streams.remove(this.queueName, this.name);
  }

  /** Ends every `tail` and gives the connection back. Calling it twice is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    for (const end of this.#closers) end();
    await this.#mint.release();
    await this.#lease.release();
  }

  async #nextId(): Promise<string> {
    for (;;) {
      if (this.#closing !== undefined) throw new EchoMQError("closed", "The stream was closed.");
      const id = this.#mint.tryMint("EVT");
      if (id !== undefined) return id;
      await this.#mint.whenReady();
    }
  }

  #behind(id: string): EchoMQError {
    const text = `The stream ${this.name} has a record above ${id}: another writer's clock is ahead`;
    return new EchoMQError("nonmonotonic", text, { details: { id } });
  }

  /** Keeps the stream near its bounds, beside whoever appends. */
  #appended(count: number): void {
    if (this.#maxLength === undefined && this.#maxAgeMs === undefined) return;
    this.#sinceTrim += count;
    if (this.#sinceTrim < TRIM_EVERY) return;
    this.#sinceTrim = 0;
    this.#trimToBounds().catch((error: unknown) => {
      if (this.#closing === undefined) this.#warn(`The stream ${this.name} could not be trimmed`, error);
    });
  }

  async #trimToBounds(): Promise<void> {
    if (this.#maxLength !== undefined) await this.trim({ maxLength: this.#maxLength }, { approximate: true });
    if (this.#maxAgeMs === undefined) return;
    const from = Math.max(0, this.#engine.ports.clock.now() - this.#maxAgeMs);
    await this.trim({ from }, { approximate: true });
  }

  #warn(text: string, error: unknown): void {
    this.#logger.warn(text, { queue: this.queueName, stream: this.name, error });
  }
}

function assertBatch(records: readonly RecordFields[]): void {
  const isList: boolean = Array.isArray(records);
  if (!isList || records.length > APPEND_BATCH_MAX) {
    throw new EchoMQError("invalid_option", `A batch is a list of at most ${APPEND_BATCH_MAX} records`);
  }
  for (const [index, fields] of records.entries()) {
    try {
      fieldBytes(fields);
    } catch (cause) {
      if (!isEchoMQError(cause)) throw cause;
      throw new EchoMQError(cause.code, `Record ${index} of the batch: ${cause.message}`, {
        cause,
        details: { index },
      });
    }
  }
}
