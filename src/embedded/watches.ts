/**
 * Keys that clients of a server watch, as `WATCH` does it: whether anything was written to them since.
 *
 * A write tells of the key, or of the value that it changes in place. So a watch remembers the value that its key held;
 * when that one is replaced, the replacement itself has been told. An act that was taken back counts as a write, which
 * costs a client one more try.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { Keyspace } from "./store/keyspace.ts";
import type { Value } from "./store/value.ts";

/** What one client watches. */
export interface Watch {
  /** Watches further keys. */
  add(keys: readonly Bytes[]): void;
  /** Number of its keys. */
  readonly size: number;
  /** Whether one of its keys was written to, or has expired, since it was added. */
  isBroken(): boolean;
  /** Watches no more. Doing so twice is harmless. */
  close(): void;
}

class KeyWatch implements Watch {
  readonly #watches: Watches;
  readonly #keys = new Map<Bytes, Value | undefined>();
  isTouched = false;

  constructor(watches: Watches) {
    this.#watches = watches;
  }

  get size(): number {
    return this.#keys.size;
  }

  add(keys: readonly Bytes[]): void {
    for (const key of keys) if (!this.#keys.has(key)) this.#keys.set(key, this.#watches.enter(this, key));
  }

  isBroken(): boolean {
    if (this.isTouched) return true;
    for (const [key, value] of this.#keys) if (this.#watches.hasChanged(key, value)) return true;
    return false;
  }

  close(): void {
    for (const [key, value] of this.#keys) this.#watches.leave(this, key, value);
    this.#keys.clear();
    this.isTouched = false;
  }
}

/** All watches of one engine. */
export class Watches {
  readonly #keyspace: Keyspace;
  /** Who watches a key, and who watches the value that it held. */
  readonly #subjects: Map<Bytes | Value, Set<KeyWatch>> = new Map();

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace;
  }

  /** A watch of no keys so far. */
  open(): Watch {
    return new KeyWatch(this);
  }

  /** Part of a watch: begins to watch a key; answers the value that it holds. */
  enter(watch: KeyWatch, key: Bytes): Value | undefined {
    const value = this.#keyspace.find(key);
    this.#add(key, watch);
    if (value !== undefined) this.#add(value, watch);
    this.#keyspace.undo.onTouch ??= (subject) => this.#touch(subject);
    return value;
  }

  /** Part of a watch: whether a key no longer holds what it held, which tells of what expired. */
  hasChanged(key: Bytes, value: Value | undefined): boolean {
    return this.#keyspace.find(key) !== value;
  }

  /** Part of a watch: watches a key no more. */
  leave(watch: KeyWatch, key: Bytes, value: Value | undefined): void {
    this.#remove(key, watch);
    if (value !== undefined) this.#remove(value, watch);
    if (this.#subjects.size === 0) this.#keyspace.undo.onTouch = undefined;
  }

  #touch(subject: Bytes | Value): void {
    for (const watch of this.#subjects.get(subject) ?? []) watch.isTouched = true;
  }

  #add(subject: Bytes | Value, watch: KeyWatch): void {
    const watches = this.#subjects.get(subject);
    if (watches === undefined) this.#subjects.set(subject, new Set([watch]));
    else watches.add(watch);
  }

  #remove(subject: Bytes | Value, watch: KeyWatch): void {
    const watches = this.#subjects.get(subject);
    if (watches?.delete(watch) && watches.size === 0) this.#subjects.delete(subject);
  }
}
