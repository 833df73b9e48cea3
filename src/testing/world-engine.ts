/**
 * The engine of a test world: the embedded engine, with the world's faults on the way to it and its book beside it.
 *
 * It changes nothing about what acts do. An act that meets no fault runs in the step in which it is called, as in the
 * embedded engine.
 */

import { EmbeddedEngine } from "../embedded/embedded-engine.ts";
import type {
  Engine,
  EngineState,
  EntryHandle,
  EntryListener,
  Reply,
  Subscription,
  WakeHandle,
  WakeListener,
} from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import { Faults } from "./faults.ts";
import { JobBook } from "./job-book.ts";
import type { TestPorts } from "./test-ports.ts";

export interface WorldEngineOptions {
  readonly ports: TestPorts;
  /** Called with each act or command. */
  readonly onCall: () => void;
  /** Asked when an act has added jobs; the act's answer waits for it. */
  readonly afterAdding: () => Promise<void> | undefined;
}

export class WorldEngine implements Engine {
  readonly kind = "embedded";
  readonly ports: TestPorts;
  /** Where no fault comes in between, and nothing is written down. */
  readonly store: EmbeddedEngine;
  readonly faults: Faults;
  readonly book: JobBook;
  readonly #options: WorldEngineOptions;
  readonly #listeners = new Set<(state: EngineState) => void>();
  readonly #wakeListeners = new Set<WakeListener>();
  readonly #entryListeners = new Set<EntryListener>();

  constructor(options: WorldEngineOptions) {
    this.#options = options;
    this.ports = options.ports;
    this.store = new EmbeddedEngine({ ports: options.ports });
    this.book = new JobBook(this.store);
    this.faults = new Faults(options.ports.clock, (state) => this.#tell(state));
    this.store.onState((state) => this.#tell(state));
  }

  get wireVersion(): string {
    return this.store.wireVersion;
  }

  get state(): EngineState {
    return this.faults.isAway && this.store.state === "ready" ? "down" : this.store.state;
  }

  async ready(): Promise<void> {
    await this.store.ready();
    if (!this.faults.isAway) return;
    await new Promise<void>((resolve) => {
      const stop = this.onState((state) => {
        if (state === "down") return;
        stop();
        resolve();
      });
    });
    await this.store.ready();
  }

  act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Promise<Reply> {
    this.#options.onCall();
    this.book.noteAsked(verb, keys, args);
    const fault = this.faults.next(verb);
    if (fault?.when === "before") return Promise.reject(fault.error);
    if (this.faults.isAway) return this.faults.back().then(() => this.#act(verb, keys, args));
    const reply = this.#act(verb, keys, args);
    if (fault === undefined) return reply;
    const lose = (): never => {
      throw fault.error;
    };
    return reply.then(lose, lose);
  }

  command(parts: readonly Bytes[]): Promise<Reply> {
    this.#options.onCall();
    if (this.faults.isAway) return this.faults.back().then(() => this.store.command(parts));
    return this.store.command(parts);
  }

  listenForWake(key: Bytes, listener: WakeListener): WakeHandle {
    this.#wakeListeners.add(listener);
    const handle = this.store.listenForWake(key, listener);
    const close = (): Promise<void> => {
      this.#wakeListeners.delete(listener);
      return handle.close();
    };
    return { arm: handle.arm, disarm: handle.disarm, close };
  }

  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle {
    this.#entryListeners.add(listener);
    const handle = this.store.listenForEntries(key, listener);
    const close = (): Promise<void> => {
      this.#entryListeners.delete(listener);
      return handle.close();
    };
    return { arm: handle.arm, disarm: handle.disarm, close };
  }

  subscribe(channel: Bytes, onMessage: (payload: Bytes) => void): Promise<Subscription> {
    return this.store.subscribe(channel, onMessage);
  }

  onState(listener: (state: EngineState) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Promise<Reply> {
    const reply = this.store.act(verb, keys, args);
    this.book.noteDone(verb, keys, args, reply);
    if (!this.book.isAdding(verb)) return reply;
    const after = this.#options.afterAdding();
    return after === undefined ? reply : reply.then((answer) => after.then(() => answer));
  }

  /** A lost connection takes the places at wake lists and streams with it, which their listeners have to hear. */
  #tell(state: EngineState): void {
    for (const listener of this.#listeners) listener(state);
    if (state !== "down") return;
    for (const listener of this.#wakeListeners) listener.onLost();
    for (const listener of this.#entryListeners) listener.onLost();
  }
}
