/**
 * Places in the keyspace's map that are kept for keys which come and go.
 *
 * `active`, `wake` and their like vanish when empty and are back with the next act. A `Map` marks the slot of a
 * deleted key and leaves it in the chain of its bucket until the whole table is rebuilt, so in a table of a million
 * rows one such key would soon be looked up through a hundred thousand dead slots. A key that was removed therefore
 * keeps its slot, under this mark, until {@link PLACES_MAX} other keys were removed after it. Rows of jobs come once
 * and go once; they get no place.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { isRowKey } from "./row-key.ts";
import { StringValue } from "./string-value.ts";

/** What the map holds for a key that was removed and keeps its slot. */
export const VACANT = new StringValue("");

/** Enough for the keys of some forty queues; beyond that dead slots spread over many buckets. */
const PLACES_MAX = 512;

export class Vacancies {
  /** The serials of the keys that hold a place, the longest-held first. */
  readonly #serials: Map<Bytes, number> = new Map();

  /** Number of keys that hold a place. */
  get size(): number {
    return this.#serials.size;
  }

  /** Whether a key that is removed should hold its place. */
  suits(key: Bytes): boolean {
    return !isRowKey(key);
  }

  /** Gives a key a place; answers the key that has to leave its own, if any. */
  add(key: Bytes, serial: number): Bytes | undefined {
    this.#serials.set(key, serial);
    if (this.#serials.size <= PLACES_MAX) return undefined;
    for (const oldest of this.#serials.keys()) {
      this.#serials.delete(oldest);
      return oldest;
    }
    return undefined;
  }

  /** Takes a key's place away and answers its serial, which a value that is stored there must have. */
  take(key: Bytes): number {
    const serial = this.#serials.get(key) ?? 0;
    this.#serials.delete(key);
    return serial;
  }

  clear(): void {
    this.#serials.clear();
  }
}
