/**
 * Clients of a server that wait at keys, as `BLPOP` and `XREAD` with `BLOCK` make them.
 *
 * Whoever waits is tried again once one of its keys got an item or an entry, the longest-waiting first. As in the
 * server, that happens after the act or command that added it, so the act itself still finds what it added.
 */

import type { Bytes } from "../protocol/bytes.ts";

/** One who waits. */
export interface KeyWait {
  /** Waits no longer. Doing so twice is harmless. */
  close(): void;
}

/** A place in the queues of several keys. */
interface Place {
  readonly keys: readonly Bytes[];
  readonly attempt: () => boolean;
}

export class KeyWaits {
  /** Places by key, the longest-waiting first. A key without any has no entry. */
  readonly #places: Map<Bytes, Set<Place>> = new Map();
  /** Keys with a place that got something since they were last looked at. */
  readonly #grown: Set<Bytes> = new Set();

  /** @param attempt tries once more; true when it got what it waited for, which ends the wait. */
  wait(keys: readonly Bytes[], attempt: () => boolean): KeyWait {
    const place: Place = { keys, attempt };
    for (const key of keys) {
      const others = this.#places.get(key);
      if (others === undefined) this.#places.set(key, new Set([place]));
      else others.add(place);
    }
    return { close: () => this.#leave(place) };
  }

  /** A key got an item or an entry, or went; it is looked at when the act has ended. */
  onChange(key: Bytes): void {
    if (this.#places.size > 0 && this.#places.has(key)) this.#grown.add(key);
  }

  /** After an act: lets those try who wait. What one of them adds to another key is looked at as well. */
  serve(): void {
    if (this.#grown.size === 0) return;
    for (const key of this.#grown) {
      this.#grown.delete(key);
      for (const place of this.#places.get(key) ?? []) if (place.attempt()) this.#leave(place);
    }
  }

  /** Whether anything got more that nobody has looked at. */
  get hasGrown(): boolean {
    return this.#grown.size > 0;
  }

  /** Ends all waiting; nobody is tried any more. */
  close(): void {
    this.#places.clear();
    this.#grown.clear();
  }

  #leave(place: Place): void {
    for (const key of place.keys) {
      const others = this.#places.get(key);
      if (others?.delete(place) && others.size === 0) this.#places.delete(key);
    }
  }
}
