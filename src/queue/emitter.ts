/**
 * Typed local events without the trap of `error`.
 *
 * An event with no listener is no event: nothing is thrown and no process ends, which the platform's own emitter does
 * for `error`. A listener that throws harms neither the emitter nor the listeners after it; its error goes to
 * `onListenerError`.
 */

type Listener<Args extends readonly unknown[]> = (...args: Args) => void;

/** Registers listeners and calls them, in the order of registration. */
export class Emitter<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #listeners = new Map<keyof Events, Listener<never>[]>();
  readonly #onListenerError: (error: unknown) => void;

  /** @param onListenerError told of what a listener threw; it must not throw itself. */
  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  /** Adds a listener. The same function twice is called twice. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    // A new list each time, so that an event under way is not disturbed.
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  /** Adds a listener for the next event only. */
  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    const once = (...args: Events[Name]) => {
      this.off(name, once);
      listener(...args);
    };
    this.on(name, once);
  }

  /** Removes a listener that {@link Emitter.on} added, once; one that is not there is ignored. */
  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    const listeners = this.#listeners.get(name) ?? [];
    const at = listeners.indexOf(listener);
    if (at >= 0) this.#listeners.set(name, listeners.toSpliced(at, 1));
  }

  /** Whether anyone listens, for events that cost something to prepare. */
  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.length ?? 0) > 0;
  }

  /** Calls the listeners; answers whether there was one. */
  emit<Name extends keyof Events>(name: Name, ...args: Events[Name]): boolean {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined || listeners.length === 0) return false;
    for (const listener of listeners) {
      try {
        (listener as Listener<Events[Name]>)(...args);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
    return true;
  }
}
