/// <reference lib="esnext.disposable" preserve="true" />
/**
 * What happens in a queue, told to any process that listens.
 *
 * Acts tell their events only while somebody listens (listening.ts), so watching is what makes a queue tell. Delivery
 * is that of pub/sub: what is told while a connection is away is lost, and what arrives afterwards is whole and in
 * order. So nothing that must happen may hang on an event; a result is waited for by `job.result()`.
 *
 * Invariant: listeners are called in the order of the channel, and never after `close` has resolved.
 */

import type { Engine, Subscription } from "../engine/engine.ts";
import type { Logger, Timer } from "../engine/ports.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { Emitter } from "./emitter.ts";
import type { EngineLease } from "./engine-lease.ts";
import { FOREIGN_EVENTS } from "./foreign-events.ts";
import { LISTENERS_BEAT_MS, Listening } from "./listening.ts";
import { assertBoolean, assertKnownOptions, checkedLogger, nearestName } from "./option-check.ts";
import { type AnyQueueEvent, eventOf, QUEUE_EVENT_NAMES, type QueueEventMap } from "./queue-event.ts";
import { QueueKeys } from "./verb-call.ts";

/** Options of {@link QueueEventsCore}. */
export interface QueueEventsOptions {
  /**
   * Whether `completed` carries results up to 16 KiB. Default `false`: they cost the server and every other reader too.
   */
  readonly results?: boolean;
  /** Where warnings go while nobody listens to `error`. Default: one line each on stderr. */
  readonly logger?: Logger;
}

/** Everything that one can listen to: the events of the queue, and those of the reader itself. */
export interface QueueEventsMap extends QueueEventMap {
  /** Any event of the queue, by `event.event`; called before the listeners to its own name. */
  any: [event: AnyQueueEvent];
  /** The mark of this reader cannot be written or the channel not be read; it goes on trying what may pass. */
  error: [error: unknown];
  /** The reader has been closed; nothing comes after this. */
  closed: [];
}

const NAMES = [...QUEUE_EVENT_NAMES, "any", "error", "closed"] as const satisfies readonly (keyof QueueEventsMap)[];

const TABLE = {
  owner: "QueueEvents",
  known: ["connection", "results", "logger"],
  example: "new QueueEvents(name, { connection })",
  foreign: {
    prefix: "the keyspace is the protocol, so every key begins with emq:; use another database or queue name",
    autorun: "leave it out: it listens from the start; await waitUntilReady()",
    lastEventId: "events are told once, to those who listen then",
    blockingTimeout: "leave it out: events need no blocking read",
    skipVersionCheck: "the fence of the wire is what keeps foreign versions apart",
  },
} as const;

/** What listens to one event. */
export type QueueEventListener<Name extends keyof QueueEventsMap> = (...args: QueueEventsMap[Name]) => unknown;

/** A reader of the events of one queue. */
export class QueueEventsCore implements AsyncDisposable {
  readonly name: string;
  readonly #lease: EngineLease;
  readonly #engine: Engine;
  readonly #logger: Logger;
  readonly #emitter: Emitter<QueueEventsMap>;
  readonly #listening: Listening;
  readonly #ofJobs: Map<string, Set<(event: AnyQueueEvent) => unknown>> = new Map();
  readonly #ready: Promise<void>;
  readonly #stopWatching: () => void;
  #subscription: Promise<Subscription> | undefined;
  #timer: Timer | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Listens from now on; {@link QueueEventsCore.waitUntilReady} tells from when on nothing is missed.
   *
   * @param lease the share in an engine, which {@link QueueEventsCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `unknown_option`, `invalid_option`; the lease is then the caller's to release.
   */
  constructor(name: string, lease: EngineLease, options: QueueEventsOptions = {}) {
    assertQueueName(name);
    assertKnownOptions(options, TABLE);
    const { results = false } = options;
    assertBoolean(results, "results");
    const { engine } = lease;
    this.name = name;
    this.#lease = lease;
    this.#engine = engine;
    this.#logger = checkedLogger(options.logger, engine.ports.logger);
    this.#emitter = new Emitter<QueueEventsMap>(NAMES, (error) => this.#warn("A listener to events threw", error));
    this.#listening = new Listening(engine, name, results);
    this.#ready = this.#begin();
    // Whoever does not wait for it hears of the failure by `error`.
    this.#ready.catch((error: unknown) => this.#tell(error));
    this.#stopWatching = engine.onState((state) => {
      if (state === "ready") this.#renew();
    });
  }

  /**
   * Resolves once every event that happens from now on is heard.
   *
   * @throws EchoMQError `permission` for a user who may not write the key `listeners` or read the channel, and what
   *   else the server refuses for good.
   */
  async waitUntilReady(): Promise<void> {
    await this.#ready;
  }

  /**
   * Adds a listener. The same function twice is called twice.
   *
   * @throws EchoMQError `unknown_event` with the right name; `invalid_option` for what is no function.
   */
  on<Name extends keyof QueueEventsMap>(name: Name, listener: QueueEventListener<Name>): this {
    this.#emitter.on(checkedName(name), listener);
    return this;
  }

  /** Adds a listener for the next event of that name only. Throws as `on` does. */
  once<Name extends keyof QueueEventsMap>(name: Name, listener: QueueEventListener<Name>): this {
    this.#emitter.once(checkedName(name), listener);
    return this;
  }

  /** Removes one registration of a listener, the earliest; one that is not there is ignored. */
  off<Name extends keyof QueueEventsMap>(name: Name, listener: QueueEventListener<Name>): this {
    this.#emitter.off(name, listener);
    return this;
  }

  /** Calls a listener for each event of one job, by its id or its `jobId`; answers a function that ends it. */
  onJob(idOrJobId: string, listener: (event: AnyQueueEvent) => unknown): () => void {
    if (typeof listener !== "function") {
      throw new EchoMQError("invalid_option", `A listener must be a function, not ${quote(listener)}`);
    }
    const listeners = this.#ofJobs.get(idOrJobId) ?? new Set();
    this.#ofJobs.set(idOrJobId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#ofJobs.get(idOrJobId) === listeners) this.#ofJobs.delete(idOrJobId);
    };
  }

  /**
   * Listens no more. The mark is left to expire, since others may read the same queue. Calling it twice is harmless.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #begin(): Promise<void> {
    for (;;) {
      try {
        // A server that is away for longer than a call may take fails the subscription too, and no one repeats that.
        this.#subscription ??= this.#subscribe();
        await this.#subscription;
        await this.#listening.renew();
        break;
      } catch (error) {
        if (this.#closing !== undefined || !isEchoMQError(error) || !error.retryable) throw error;
        await new Promise<void>((resolve) => this.#engine.ports.clock.after(RETRY_MS, resolve, { background: true }));
        // The engine may go on for others, who would keep what this reader began.
        if (this.#closing !== undefined) throw new EchoMQError("closed", "The reader of events was closed");
      }
    }
    this.#keepRenewing();
  }

  async #subscribe(): Promise<Subscription> {
    try {
      return await this.#engine.subscribe(new QueueKeys(this.name).events, (message) => this.#hear(eventOf(message)));
    } catch (error) {
      this.#subscription = undefined;
      throw error;
    }
  }

  /** Sets the timer of the next renewal. */
  #keepRenewing(): void {
    this.#timer?.cancel();
    if (this.#closing !== undefined) return;
    const { clock } = this.#engine.ports;
    this.#timer = clock.after(LISTENERS_BEAT_MS, () => this.#renew(), { background: true });
  }

  #renew(): void {
    if (this.#closing !== undefined) return;
    this.#listening.renew().catch((error: unknown) => {
      // While the server is away, its return renews.
      if (this.#closing === undefined && !(isEchoMQError(error) && error.code === "disconnected")) this.#tell(error);
    });
    this.#keepRenewing();
  }

  #hear(event: AnyQueueEvent | undefined): void {
    if (event === undefined || this.#closing !== undefined) return;
    this.#emitter.emit("any", event);
    if (event.event === "drained") {
      this.#emitter.emit("drained");
      return;
    }
    const { event: name, ...rest } = event;
    this.#emitter.emit(name, ...([rest] as unknown as never));
    if (this.#ofJobs.size === 0 || event.event === "skipped") return;
    const names = event.jobId === undefined ? [event.id] : [event.id, event.jobId];
    for (const listener of names.flatMap((id) => [...(this.#ofJobs.get(id) ?? [])])) this.#call(listener, event);
  }

  #call(listener: (event: AnyQueueEvent) => unknown, event: AnyQueueEvent): void {
    try {
      void Promise.resolve(listener(event)).catch((error: unknown) => this.#warn("A listener to events threw", error));
    } catch (error) {
      this.#warn("A listener to events threw", error);
    }
  }

  #tell(error: unknown): void {
    if (this.#closing !== undefined) return;
    if (!this.#emitter.emit("error", error)) this.#warn("Events cannot be listened to", error);
  }

  #warn(text: string, error: unknown): void {
    this.#logger.warn(text, { queue: this.name, error });
  }

  async #close(): Promise<void> {
    this.#timer?.cancel();
    this.#stopWatching();
    // A subscription that is on its way while the server is away ends with the engine.
    void this.#subscription?.then(
      (subscription) => subscription.close(),
      () => undefined,
    );
    await this.#lease.release();
    this.#emitter.emit("closed");
  }
}

/** The pause between two attempts to write the first mark while the server is away or busy, in ms. */
const RETRY_MS = 500;

function checkedName<Name extends keyof QueueEventsMap>(name: Name): Name {
  if ((NAMES as readonly unknown[]).includes(name)) return name;
  const foreign = typeof name === "string" && Object.hasOwn(FOREIGN_EVENTS, name) ? FOREIGN_EVENTS[name] : undefined;
  const nearest = typeof name === "string" ? nearestName(name, NAMES) : undefined;
  const advice = foreign ?? (nearest === undefined ? `there are ${NAMES.join(", ")}` : `did you mean ${nearest}?`);
  throw new EchoMQError("unknown_event", `There is no event ${quote(name)}: ${advice}`, { details: { event: name } });
}
