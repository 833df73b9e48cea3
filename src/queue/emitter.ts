/**
 * Typed local events without the trap of `error`.
 *
 * An event with no listener is no event: nothing is thrown and no process ends, which the platform's own emitter does
 * for `error`. A listener that throws harms neither the emitter nor the listeners after it, and one that rejects does
 * not end the process; the error goes to `onListenerError`. Whoever listens to an event that will never come has
 * misspelt it, so that is refused.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { nearestName } from "./option-check.ts";
import { isThenable } from "./thenable.ts";

/** What a listener answers is not used, but it may be async. */
type Listener<Args extends readonly unknown[]> = (...args: Args) => unknown;

/**
 * Events of other queues' emitters, and of the other one of this package, with what to do instead. One table serves
 * both, because an event that an emitter has is never looked up here.
 */
const FOREIGN: Readonly<Record<string, string>> = {
  completed: "the Worker tells it in its own process, QueueEvents in every other; job.result() waits for one job",
  failed: "the Worker tells it in its own process, QueueEvents in every other; job.result() waits for one job",
  active: "the Worker tells it in its own process, QueueEvents in every other",
  drained: "the Worker tells it in its own process, QueueEvents in every other",
  progress: "QueueEvents tells it, and queue.getJob(id) has it",
  stalled: "QueueEvents tells it, job.crashes counts it, and onPoison of the Worker is told of a job that died of it",
  dead: "the Worker tells it as failed with the outcome dead, QueueEvents as dead",
  added: "what add resolves to says it, and QueueEvents",
  waiting: "what add resolves to says it, and added of QueueEvents",
  delayed: "what add resolves to says it, and added of QueueEvents",
  duplicated: "outcome and existing of what add resolves to say it",
  deduplicated: "outcome and existing of what add resolves to say it",
  removed: "what remove resolves to says it, and QueueEvents",
  cleaned: "what clean resolves to says it, and removed of QueueEvents",
  paused: "pause has resolved by then",
  resumed: "resume has resolved by then",
  ready: "calls wait for the connection by themselves; worker.health() tells of it",
  closing: "listen to closed",
};

/** A listener and how it was registered. */
interface Entry {
  readonly listener: Listener<never>;
  /** Whether it is for the next event only. */
  readonly isOnce: boolean;
}

/** Registers listeners and calls them, in the order of registration. */
export class Emitter<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #listeners = new Map<keyof Events, Entry[]>();
  readonly #names: readonly (keyof Events & string)[];
  readonly #onListenerError: (error: unknown) => void;

  /**
   * @param names every event that there is.
   * @param onListenerError told of what a listener threw or rejected with; it must not throw itself.
   */
  constructor(names: readonly (keyof Events & string)[], onListenerError: (error: unknown) => void) {
    this.#names = names;
    this.#onListenerError = onListenerError;
  }

  /**
   * Adds a listener. The same function twice is called twice.
   *
   * @throws EchoMQError `unknown_option` for an event that there is not; `invalid_option` for what is no function.
   */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#add(name, listener, false);
  }

  /** Adds a listener for the next event only; {@link Emitter.off} takes it back before that. Throws as `on` does. */
  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#add(name, listener, true);
  }

  /** Removes one registration of a listener, the earliest; one that is not there is ignored. */
  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#remove(name, (entry) => entry.listener === listener);
  }

  /** Whether anyone listens, for events that cost something to prepare. */
  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.length ?? 0) > 0;
  }

  /** Calls the listeners; answers whether there was one. */
  emit<Name extends keyof Events>(name: Name, ...args: Events[Name]): boolean {
    const entries = this.#listeners.get(name);
    if (entries === undefined || entries.length === 0) return false;
    for (const entry of entries) {
      const { listener, isOnce } = entry;
      // A listener before it may have caused the event once more, and that was its one call.
      if (isOnce && !this.#remove(name, (other) => other === entry)) continue;
      try {
        const answer = (listener as Listener<Events[Name]>)(...args);
        if (isThenable(answer)) Promise.resolve(answer).catch(this.#onListenerError);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
    return true;
  }

  #add<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>, isOnce: boolean): void {
    this.#assertListener(name, listener);
    // A new list each time, so that an event under way is not disturbed.
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), { listener, isOnce }]);
  }

  /** Takes out the first entry that is meant; answers whether there was one. */
  #remove(name: keyof Events, isMeant: (entry: Entry) => boolean): boolean {
    const entries = this.#listeners.get(name) ?? [];
    const at = entries.findIndex(isMeant);
    if (at >= 0) this.#listeners.set(name, entries.toSpliced(at, 1));
    return at >= 0;
  }

  #assertListener(name: unknown, listener: unknown): void {
    if (!(this.#names as readonly unknown[]).includes(name)) {
      throw new EchoMQError("unknown_option", `There is no event ${quote(name)} here: ${this.#adviceFor(name)}`);
    }
    if (typeof listener === "function") return;
    throw new EchoMQError("invalid_option", `A listener must be a function, not ${quote(listener)}`);
  }

  #adviceFor(name: unknown): string {
    if (typeof name === "string") {
      const reason = Object.hasOwn(FOREIGN, name) ? FOREIGN[name] : undefined;
      if (reason !== undefined) return reason;
      const nearest = nearestName(name, this.#names);
      if (nearest !== undefined) return `did you mean ${nearest}?`;
    }
    return `there are ${this.#names.join(", ")}`;
  }
}
