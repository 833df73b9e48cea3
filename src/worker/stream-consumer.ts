/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A reader of a stream as a member of a group: each record to one consumer, again until it is settled, never lost.
 *
 * Everything goes through one loop, which does in turn what is due: it walks what an earlier life of this consumer left
 * unsettled (once, forward, so that it ends), takes over what others have not settled for long, tries failed records
 * again, and reads new ones as far as there is room. With nothing to do it waits on the server for the next record and
 * sets one timer for the rest; it does not poll.
 *
 * What must hold: a record is acknowledged only when its handler has succeeded or it has been set aside; a failed one
 * harms no other; what is in hand is bounded (stream-hand.ts); a missing group is made again and read from
 * its start, since what is in a new stream nobody has read.
 *
 * This class sees an engine only. `StreamConsumer` of the package is this class with a connection in front of it.
 */

import type { Engine, EntryHandle } from "../engine/engine.ts";
import type { Timer } from "../engine/ports.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { backoffDelayMs } from "../queue/backoff.ts";
import { WORKER_CLOSE_MS_DEFAULT } from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { Emitter } from "../queue/emitter.ts";
import type { EngineLease } from "../queue/engine-lease.ts";
import { assertKnownOptions } from "../queue/option-check.ts";
import { type Delivery, isGroupGone, StreamGroup } from "../queue/stream-group.ts";
import { streamKey } from "../queue/streams.ts";
import type { Signal } from "./context.ts";
import { errorBytes } from "./error-text.ts";
import { type HeldRecord, StreamHand } from "./stream-hand.ts";
import { type StreamConsumerOptions, type StreamConsumerSettings, streamSettings } from "./stream-options.ts";
import { Waits } from "./waits.ts";
import { within } from "./within.ts";

/** The second argument of a handler of records. */
export interface StreamContext {
  /** Aborted when the record was taken over by a peer (`lease_lost`) or the consumer closes (`closing`). */
  readonly signal: Signal;
  readonly group: string;
  readonly consumer: string;
}

/** What is done with one record. What it answers is not kept; throwing tries the record again later. */
export type StreamHandler = (record: Delivery, context: StreamContext) => unknown;

/** What became of a record whose handler threw. */
export type FailedRecord = "retry" | "dead";

/** Everything that one can listen to. */
export interface StreamConsumerEvents {
  /** A handler has succeeded; the record is being settled. */
  completed: [record: Delivery];
  /** A handler threw, or a record was delivered too often: it is tried again later, or was set aside. */
  failed: [record: Delivery, error: unknown, outcome: FailedRecord];
  /** The server cannot be asked, or refuses; it goes on trying. */
  error: [error: unknown];
  closed: [];
}

const EVENT_NAMES = [
  "completed",
  "failed",
  "error",
  "closed",
] as const satisfies readonly (keyof StreamConsumerEvents)[];

/** First and longest rest after the server could not be asked, in ms; each is twice the one before. */
const REST_MS_MIN = 100;
const REST_MS_MAX = 5000;

/** Records of one page of a walk over what is pending, and of one renewal. */
const PAGE = 100;

/** Longest time for giving back what is left when the time to close is over, in ms. */
const LAST_MS = 1000;

/** A consumer of a group. */
export class StreamConsumerCore implements AsyncDisposable {
  readonly queueName: string;
  readonly streamName: string;
  /** The name of this consumer within its group. */
  readonly consumerName: string;
  readonly #settings: StreamConsumerSettings;
  readonly #handler: StreamHandler;
  readonly #lease: EngineLease;
  readonly #engine: Engine;
  readonly #group: StreamGroup;
  readonly #deadKey: string;
  readonly #emitter: Emitter<StreamConsumerEvents>;
  readonly #hand: StreamHand;
  readonly #entries: EntryHandle;
  readonly #waits = new Waits();
  readonly #ready: Promise<void>;
  #readyNow: () => void = () => undefined;
  /** Entries whose handlers have succeeded and that the server does not know of yet. */
  readonly #toAcknowledge = new Set<string>();
  #isAcknowledging = false;
  #loop: Promise<void> | undefined;
  #renewTimer: Timer | undefined;
  /** What the host's clock said last, and by how much it was set back in all, in ms. */
  #readAt = 0;
  #setBackMs = 0;
  #takeOverAt = 0;
  #takeOverFrom = "0-0";
  /** Whether there may be records that nobody was given. */
  #mayHaveNew = true;
  #wake: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  #isClosing = false;
  #isOver = false;

  /**
   * Begins at once, unless `autorun` is false.
   *
   * @param lease the share in an engine, which {@link StreamConsumerCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `invalid_stream`, `invalid_name`, `invalid_handler`, `unknown_option`,
   *   `invalid_option`; the lease is then the caller's to release.
   */
  constructor(
    queueName: string,
    streamName: string,
    handler: StreamHandler,
    lease: EngineLease,
    options: StreamConsumerOptions,
  ) {
    assertQueueName(queueName);
    streamKey(queueName, streamName);
    if (typeof handler !== "function") {
      throw new EchoMQError(
        "invalid_handler",
        `The handler must be a function (record, context), not ${quote(handler)}`,
      );
    }
    const { engine } = lease;
    const settings = streamSettings(options, { queue: queueName, stream: streamName, ports: engine.ports });
    const { group, consumer, logger } = settings;
    this.queueName = queueName;
    this.streamName = streamName;
    this.consumerName = consumer;
    this.#settings = settings;
    this.#handler = handler;
    this.#lease = lease;
    this.#engine = engine;
    this.#group = new StreamGroup(engine, { queue: queueName, stream: streamName, group, consumer });
    this.#deadKey = streamKey(queueName, settings.deadStream);
    this.#emitter = new Emitter<StreamConsumerEvents>(EVENT_NAMES, (error) =>
      logger.warn("A listener of a stream consumer threw", { stream: streamName, error }),
    );
    this.#hand = new StreamHand(settings.prefetch + settings.concurrency);
    const wake = (): void => {
      this.#mayHaveNew = true;
      this.#wake?.();
    };
    this.#entries = engine.listenForEntries(streamKey(queueName, streamName), { onEntry: wake, onLost: wake });
    this.#ready = new Promise((resolve) => {
      this.#readyNow = resolve;
    });
    if (options.autorun !== false) this.run();
  }

  /** Begins, if it has not; calling it again does nothing. */
  run(): void {
    if (this.#loop !== undefined || this.#isClosing) return;
    this.#loop = this.#work();
    this.#keepRenewing();
  }

  /** Whether it reads now. */
  isRunning(): boolean {
    return this.#loop !== undefined && !this.#isClosing;
  }

  /** Resolves once the group exists, so that every record from now on is given to it; or when it is closed. */
  waitUntilReady(): Promise<void> {
    return this.#ready;
  }

  /** Resolves when nothing is in hand any more; new records may come after that. */
  idle(): Promise<void> {
    return this.#waits.until(() => this.#hand.size === 0 && !this.#mayHaveNew);
  }

  /** Adds a listener. Throws `unknown_option` for a name that there is not. */
  on<Name extends keyof StreamConsumerEvents>(
    name: Name,
    listener: (...args: StreamConsumerEvents[Name]) => unknown,
  ): this {
    this.#emitter.on(name, listener);
    return this;
  }

  /** Adds a listener for the next event of that name only. */
  once<Name extends keyof StreamConsumerEvents>(
    name: Name,
    listener: (...args: StreamConsumerEvents[Name]) => unknown,
  ): this {
    this.#emitter.once(name, listener);
    return this;
  }

  /** Removes one registration of a listener, the earliest; one that is not there is ignored. */
  off<Name extends keyof StreamConsumerEvents>(
    name: Name,
    listener: (...args: StreamConsumerEvents[Name]) => unknown,
  ): this {
    this.#emitter.off(name, listener);
    return this;
  }

  /**
   * Ends: reads no more, lets running handlers finish, and gives back what is left, which costs those records that no
   * handler has seen no delivery. Calling it twice is harmless.
   *
   * @param options.timeout how long handlers may take; default 30 s.
   */
  close(options: { readonly timeout?: Duration } = {}): Promise<void> {
    assertKnownOptions(options, { owner: "close", known: ["timeout"] });
    const timeoutMs = durationMs(options.timeout ?? WORKER_CLOSE_MS_DEFAULT, "timeout");
    this.#closing ??= this.#close(timeoutMs);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  // The loop.

  async #work(): Promise<void> {
    await this.#patiently(() => this.#group.create(this.#settings.from));
    this.#readyNow();
    await this.#walkBacklog();
    while (!this.#isClosing) await this.#patiently(() => this.#step());
  }

  /** What an earlier life of this consumer was given and has not settled. Forward only, so it ends. */
  async #walkBacklog(): Promise<void> {
    const walk: { after: string | undefined } = { after: "0" };
    while (walk.after !== undefined && !this.#isClosing) {
      const { after } = walk;
      await this.#patiently(async () => {
        if (this.#hand.room === 0) return await this.#pause();
        const page = await this.#group.backlog(after, Math.min(PAGE, this.#hand.room));
        walk.after = page.next;
        this.#take(page.deliveries);
      });
    }
  }

  /** One round: what is due, then new records, then a pause. */
  async #step(): Promise<void> {
    const now = this.#now();
    if (now >= this.#takeOverAt && this.#hand.room > 0) await this.#takeOver(now);
    await this.#retryDue();
    if (this.#mayHaveNew && this.#roomForNew() > 0) return await this.#readNew();
    await this.#pause();
  }

  #roomForNew(): number {
    const { prefetch, concurrency } = this.#settings;
    const free = prefetch + concurrency - this.#hand.runningCount - this.#hand.readyCount;
    // Half of it at a time, so that a reader at full speed does not ask for records one by one.
    return free * 2 >= prefetch || this.#hand.readyCount === 0 ? Math.min(free, this.#hand.room) : 0;
  }

  async #readNew(): Promise<void> {
    const wanted = this.#roomForNew();
    this.#mayHaveNew = false;
    let deliveries: readonly Delivery[];
    try {
      deliveries = await this.#group.readNew(wanted);
    } catch (error) {
      this.#mayHaveNew = true;
      throw error;
    }
    if (deliveries.length === wanted) this.#mayHaveNew = true;
    this.#take(deliveries);
    if (this.#mayHaveNew) return;
    this.#waits.check();
    // Whatever the group has been given lies below this; the first record above it ends the wait.
    const last = deliveries.at(-1)?.entryId ?? (await this.#group.position());
    if (last === undefined) this.#mayHaveNew = true;
    else this.#entries.arm(last);
  }

  /** One page of what others have not settled for long. The walk goes on with the next round, to its end. */
  async #takeOver(now: number): Promise<void> {
    const { idleMs } = this.#settings;
    const page = await this.#group.takeOver(idleMs, this.#takeOverFrom, Math.min(PAGE, this.#hand.room));
    this.#take(page.deliveries);
    this.#takeOverFrom = page.next ?? "0-0";
    if (page.next !== undefined) return;
    this.#takeOverAt = now + idleMs / 2;
    // Where an engine has no socket left to wait on, this look finds what has come.
    this.#mayHaveNew = true;
  }

  async #retryDue(): Promise<void> {
    const due = this.#hand.due(this.#now()).slice(0, PAGE);
    if (due.length === 0) return;
    const again = await this.#group.retake(due);
    const found = new Set(again.map(({ entryId }) => entryId));
    for (const id of due) if (!found.has(id)) this.#hand.drop(id);
    this.#take(again);
  }

  #take(deliveries: readonly Delivery[]): void {
    this.#hand.take(deliveries, this.#now());
    this.#startHandlers();
  }

  /** Waits until something ends it, or something is due. */
  async #pause(): Promise<void> {
    if (this.#isClosing) return;
    const now = this.#now();
    const takeOverAt = this.#hand.room > 0 ? this.#takeOverAt : Number.POSITIVE_INFINITY;
    const at = Math.min(takeOverAt, this.#hand.nextDueAt() ?? Number.POSITIVE_INFINITY);
    await this.#rest(Math.max(0, at - now));
  }

  async #rest(ms: number): Promise<void> {
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (Number.isFinite(ms)) timer = this.#engine.ports.clock.after(ms, resolve);
    });
    this.#wake = undefined;
    timer?.cancel();
  }

  /** Does something until it succeeds or this consumer closes, with longer and longer rests in between. */
  async #patiently(action: () => Promise<unknown>): Promise<void> {
    for (let restMs = REST_MS_MIN; !this.#isClosing; restMs = Math.min(restMs * 2, REST_MS_MAX)) {
      try {
        await action();
        return;
      } catch (error) {
        if (this.#isClosing) return;
        if (isGroupGone(error)) await this.#makeAnew();
        else this.#tellLasting(error);
        await this.#sleep(restMs);
      }
    }
  }

  /** A rest that only closing cuts short: what failed just now would fail again. */
  async #sleep(ms: number): Promise<void> {
    const untilAt = this.#now() + ms;
    while (!this.#isClosing && this.#now() < untilAt) await this.#rest(untilAt - this.#now());
  }

  /** The stream was deleted, and the group with it. What comes into a new one, nobody has read. */
  async #makeAnew(): Promise<void> {
    this.#settings.logger.warn(`The group of readers ${this.#settings.group} is gone and is made anew`, {
      queue: this.queueName,
      stream: this.streamName,
    });
    this.#mayHaveNew = true;
    await this.#group.create("start").catch((error: unknown) => this.#tell(error));
  }

  // Handlers.

  #startHandlers(): void {
    const { concurrency, maxDeliveries } = this.#settings;
    while (!this.#isClosing && this.#hand.runningCount < concurrency) {
      const held = this.#hand.next();
      if (held === undefined) return;
      const isWornOut = maxDeliveries > 0 && held.delivery.attempts > maxDeliveries;
      const end = isWornOut ? this.#bury(held, tooOften(held.delivery)) : this.#handle(held);
      void end.then(() => {
        this.#startHandlers();
        this.#waits.check();
        this.#wake?.();
      });
    }
  }

  async #handle(held: HeldRecord): Promise<void> {
    const { group, consumer, maxDeliveries, backoff } = this.#settings;
    const { delivery } = held;
    try {
      await this.#handler(delivery, { signal: held.abort.signal, group, consumer });
    } catch (error) {
      // A peer has it, or this consumer gives it back.
      if (held.abort.signal.aborted) return;
      if (maxDeliveries > 0 && delivery.attempts >= maxDeliveries) return await this.#bury(held, error);
      const delayMs = backoffDelayMs(backoff, delivery.attempts, () => this.#engine.ports.random());
      this.#hand.failed(held, this.#now() + delayMs);
      this.#emitter.emit("failed", delivery, error, "retry");
      return;
    }
    this.#hand.ended(held);
    this.#acknowledgeSoon(delivery.entryId);
    this.#emitter.emit("completed", delivery);
  }

  /** Sets a record aside. If that fails it waits like one whose handler failed, and is set aside then. */
  async #bury(held: HeldRecord, error: unknown): Promise<void> {
    const { delivery } = held;
    const { group, deadLength } = this.#settings;
    const why = [
      "dead:error",
      errorBytes(error),
      "dead:group",
      bytesOf(group),
      "dead:stream",
      bytesOf(this.streamName),
    ];
    why.push("dead:attempts", String(delivery.attempts));
    try {
      await this.#group.bury(delivery, { key: this.#deadKey, keep: deadLength, why });
    } catch (failure) {
      this.#hand.failed(held, this.#now() + REST_MS_MAX);
      this.#tellLasting(failure);
      return;
    }
    this.#hand.drop(delivery.entryId);
    this.#emitter.emit("failed", delivery, error, "dead");
  }

  // Settling.

  #acknowledgeSoon(entryId: string): void {
    this.#toAcknowledge.add(entryId);
    if (this.#isAcknowledging) return;
    this.#isAcknowledging = true;
    this.#engine.ports.soon(() => {
      void this.#acknowledgeAll().finally(() => {
        this.#isAcknowledging = false;
      });
    });
  }

  /** Tells the server until it knows; what ends meanwhile goes along. */
  async #acknowledgeAll(): Promise<void> {
    for (let restMs = REST_MS_MIN; this.#toAcknowledge.size > 0; restMs = Math.min(restMs * 2, REST_MS_MAX)) {
      const ids = [...this.#toAcknowledge].slice(0, PAGE);
      try {
        await this.#group.acknowledge(ids);
        restMs = REST_MS_MIN / 2;
        for (const id of ids) {
          this.#toAcknowledge.delete(id);
          this.#hand.drop(id);
        }
        this.#waits.check();
        this.#wake?.();
      } catch (error) {
        this.#tellLasting(error);
        if (isEchoMQError(error, "closed")) return;
        await new Promise<void>((resolve) => this.#engine.ports.clock.after(restMs, resolve));
      }
    }
  }

  // Renewing.

  #keepRenewing(): void {
    const everyMs = this.#settings.idleMs / 3;
    this.#renewTimer = this.#engine.ports.clock.after(
      everyMs,
      () => {
        void this.#renew().finally(() => {
          if (!this.#isOver) this.#keepRenewing();
        });
      },
      { background: true },
    );
  }

  async #renew(): Promise<void> {
    const since = this.#now() - this.#settings.idleMs / 6;
    const ids = this.#hand.stale(since);
    for (let at = 0; at < ids.length; at += PAGE) {
      const page = ids.slice(at, at + PAGE);
      try {
        const lost = await this.#group.renew(page);
        this.#hand.touch(page, this.#now());
        for (const id of lost) this.#lose(id);
      } catch (error) {
        // Whoever cannot renew learns by the next renewal what was lost.
        this.#tellLasting(error);
        return;
      }
    }
  }

  #lose(entryId: string): void {
    if (this.#toAcknowledge.has(entryId)) return;
    const held = this.#hand.get(entryId);
    if (held === undefined || held.stage === "ended") return;
    this.#hand.drop(entryId);
    held.abort.abort(new EchoMQError("lease_lost", `The record ${entryId} was taken over by another consumer`));
    this.#wake?.();
  }

  // The end.

  async #close(timeoutMs: number): Promise<void> {
    const { clock } = this.#engine.ports;
    const deadlineAt = this.#now() + timeoutMs;
    this.#isClosing = true;
    this.#readyNow();
    this.#wake?.();
    await this.#entries.close();
    const quiet = this.#waits.until(() => this.#hand.runningCount === 0 && this.#toAcknowledge.size === 0);
    await within(clock, quiet, timeoutMs);
    await within(clock, this.#loop ?? Promise.resolve(), Math.max(LAST_MS, deadlineAt - this.#now()));
    this.#isOver = true;
    this.#renewTimer?.cancel();
    if (this.#engine.state === "ready") await within(clock, this.#giveAllBack(), LAST_MS);
    this.#waits.end();
    await this.#lease.release();
    this.#emitter.emit("closed");
  }

  /** Lets others have what is left at once, and leaves the group if nothing is. */
  async #giveAllBack(): Promise<void> {
    const left = this.#hand.all().filter(({ delivery }) => !this.#toAcknowledge.has(delivery.entryId));
    for (const { stage, abort } of left) {
      if (stage === "running")
        abort.abort(new EchoMQError("closing", "The consumer is closing and gives the record back"));
    }
    try {
      await Promise.all(
        left.map(({ delivery, stage }) => {
          const attempts = stage === "ready" ? delivery.attempts - 1 : delivery.attempts;
          return this.#group.giveBack(delivery.entryId, this.#settings.idleMs, attempts);
        }),
      );
      await this.#group.leave();
    } catch (error) {
      this.#settings.logger.debug("Records could not be given back; they are taken over after their time", { error });
    }
  }

  /** Tells of an error unless trying again may mend it. */
  #tellLasting(error: unknown): void {
    if (!isEchoMQError(error) || !error.retryable) this.#tell(error);
  }

  #tell(error: unknown): void {
    if (this.#isClosing || this.#emitter.emit("error", error)) return;
    this.#settings.logger.warn("A stream cannot be read", { queue: this.queueName, stream: this.streamName, error });
  }

  /**
   * The host's clock as one that never goes back: every time here is kept by it, and a clock that is set back would
   * hold up retries, renewals and rests for as long as it was moved.
   */
  #now(): number {
    const readAt = this.#engine.ports.clock.now();
    this.#setBackMs += Math.max(0, this.#readAt - readAt);
    this.#readAt = readAt;
    return readAt + this.#setBackMs;
  }
}

function tooOften({ attempts }: Delivery): EchoMQError {
  return new EchoMQError("job_failed", `It was delivered ${attempts} times and never settled`);
}
