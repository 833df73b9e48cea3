/**
 * Clients of a server that wait at keys, as `BLPOP` and `XREAD` with `BLOCK` make them.
 *
 * Whoever waits is tried again once one of its keys got an item or an entry, the longest-waiting first; who reads for a
 * group, also once its stream or a group of it is gone, to be told so. As in the server, that happens after the act or
 * command that did it, so the act itself still finds what it added; and who tried in vain stands behind the others.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { Keyspace } from "./store/keyspace.ts";

/** What somebody waits for. */
export interface KeyWaitOptions {
  readonly keys: readonly Bytes[];
  /** A value of another type is waited out. */
  readonly type: "list" | "stream";
  /** Whether it is tried as well when a stream that was there no longer is, or is no stream. */
  readonly minds: boolean;
  /** Tries once more; true when it got what it waited for, or an error, which ends the wait. */
  readonly attempt: () => boolean;
}

/** One who waits. */
export interface KeyWait {
  /** Waits no longer. Doing so twice is harmless. */
  close(): void;
}

export class KeyWaits {
  readonly #keyspace: Keyspace;
  /** Places by key, the longest-waiting first. A key without any has no entry. */
  readonly #places: Map<Bytes, Set<KeyWaitOptions>> = new Map();
  /** Keys with a place that changed since they were last looked at. */
  readonly #changed: Set<Bytes> = new Set();

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace;
  }

  wait(place: KeyWaitOptions): KeyWait {
    for (const key of place.keys) {
      const others = this.#places.get(key);
      if (others === undefined) this.#places.set(key, new Set([place]));
      else others.add(place);
    }
    return { close: () => this.#leave(place) };
  }

  /** A key got an item or an entry; it is looked at when the act has ended. */
  onChange(key: Bytes): void {
    if (this.#places.size > 0 && this.#places.has(key)) this.#changed.add(key);
  }

  /** A stream or a group of it is gone, or with `undefined` every key. */
  onStreamLoss(key: Bytes | undefined): void {
    if (key !== undefined) this.onChange(key);
    else this.lookAgain();
  }

  /** Any key may have changed: acts were taken back, so lists may hold again what was taken from them. */
  lookAgain(): void {
    for (const key of this.#places.keys()) this.#changed.add(key);
  }

  /** After an act: lets those try who wait. What one of them adds to another key is looked at as well. */
  serve(): void {
    if (this.#changed.size === 0) return;
    for (const key of this.#changed) {
      this.#changed.delete(key);
      this.#serveAt(key);
    }
  }

  /** Whether anything changed that nobody has looked at. */
  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** Ends all waiting; nobody is tried any more. */
  close(): void {
    this.#places.clear();
    this.#changed.clear();
  }

  #serveAt(key: Bytes): void {
    const places = this.#places.get(key);
    if (places === undefined) return;
    // Those who tried in vain come again at the end, and are not tried twice.
    let left = places.size;
    for (const place of places) {
      if (left-- === 0) return;
      if (!place.minds && this.#keyspace.find(key)?.type !== place.type) continue;
      if (place.attempt()) this.#leave(place);
      else this.#moveBack(place);
    }
  }

  #moveBack(place: KeyWaitOptions): void {
    for (const key of place.keys) {
      const others = this.#places.get(key);
      if (others?.delete(place)) others.add(place);
    }
  }

  #leave(place: KeyWaitOptions): void {
    for (const key of place.keys) {
      const others = this.#places.get(key);
      if (others?.delete(place) && others.size === 0) this.#places.delete(key);
    }
  }
}
