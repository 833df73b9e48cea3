/**
 * A hash: fields to values, in the order in which fields were first set.
 *
 * A job's row has a handful of fields and there may be a million rows, so a small hash is one flat array that is
 * searched from the front: less memory than a `Map`, and quicker, because field names are mostly the same string
 * objects. Beyond {@link FLAT_FIELDS_MAX} fields it turns into a `Map` for good. A field may expire: the keyspace takes
 * those away whose instant has passed whenever it hands the hash out.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { COMPACT_BYTES_MAX, COMPACT_ENTRIES_MAX, Value } from "./value.ts";

/** The most fields that are searched one by one; a row of the job plane has at most 22. */
const FLAT_FIELDS_MAX = 24;

export class HashValue extends Value {
  /** Field, value, field, value …; empty once `#map` exists. */
  #pairs: Bytes[];
  #map: Map<Bytes, Bytes> | undefined = undefined;
  /** When single fields expire, in Unix ms; `undefined` while none does, which is nearly always. */
  #expiries: Map<Bytes, number> | undefined = undefined;

  /** A hash of these fields and values in turn, no field twice; the array is the hash's own from now on. */
  constructor(pairs: Bytes[] = []) {
    super();
    this.#pairs = pairs;
    if (pairs.length > 2 * FLAT_FIELDS_MAX) this.#spread();
  }

  get type(): "hash" {
    return "hash";
  }

  /** As if it had been made of what it holds now: the server keeps the larger form of a hash that was larger once. */
  get encoding(): "listpack" | "hashtable" {
    if (this.size > COMPACT_ENTRIES_MAX) return "hashtable";
    return this.entries().some((text) => text.length > COMPACT_BYTES_MAX) ? "hashtable" : "listpack";
  }

  copy(): HashValue {
    const made = new HashValue(this.entries());
    if (this.#expiries !== undefined) made.#expiries = new Map(this.#expiries);
    return made;
  }

  /** Number of fields. */
  get size(): number {
    return this.#map === undefined ? this.#pairs.length >> 1 : this.#map.size;
  }

  /** The value of a field; `undefined` when the field is absent. */
  get(field: Bytes): Bytes | undefined {
    if (this.#map !== undefined) return this.#map.get(field);
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at] === field) return pairs[at + 1];
    }
    return undefined;
  }

  /** Whether any field expires. */
  get hasExpiries(): boolean {
    return this.#expiries !== undefined;
  }

  /** When a field expires, in Unix ms; `undefined` when it does not. */
  expiryOf(field: Bytes): number | undefined {
    return this.#expiries?.get(field);
  }

  /** Sets when a field that is there expires; `undefined` means never. */
  setExpiry(field: Bytes, at: number | undefined): void {
    if (at !== undefined) {
      this.#expiries ??= new Map();
      this.#expiries.set(field, at);
    } else if (this.#expiries?.delete(field) === true && this.#expiries.size === 0) {
      this.#expiries = undefined;
    }
  }

  /** The fields whose instant has passed, as a fresh array. */
  passed(now: number): Bytes[] {
    const fields: Bytes[] = [];
    for (const [field, at] of this.#expiries ?? []) if (at <= now) fields.push(field);
    return fields;
  }

  /** Sets a field, which then does not expire, and answers its value from before; `undefined` when it was absent. */
  set(field: Bytes, value: Bytes): Bytes | undefined {
    if (this.#expiries !== undefined) this.setExpiry(field, undefined);
    if (this.#map !== undefined) {
      const old = this.#map.get(field);
      this.#map.set(field, value);
      return old;
    }
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at] === field) {
        const old = pairs[at + 1];
        pairs[at + 1] = value;
        return old;
      }
    }
    pairs.push(field, value);
    if (pairs.length > 2 * FLAT_FIELDS_MAX) this.#spread();
    return undefined;
  }

  /** Takes a field away; tells whether it was there. */
  delete(field: Bytes): boolean {
    if (this.#expiries !== undefined) this.setExpiry(field, undefined);
    if (this.#map !== undefined) return this.#map.delete(field);
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at] === field) {
        pairs.splice(at, 2);
        return true;
      }
    }
    return false;
  }

  /** Fields and values in turn, as a fresh array. */
  entries(): Bytes[] {
    if (this.#map === undefined) return this.#pairs.slice();
    const flat: Bytes[] = [];
    for (const [field, value] of this.#map) flat.push(field, value);
    return flat;
  }

  /**
   * Fields with their values, one by one, while the hash may change: what is added comes last, what is taken away and
   * was not reached does not come. For hashes of more than {@link FLAT_FIELDS_MAX} fields only.
   */
  pairs(): IterableIterator<[Bytes, Bytes]> {
    return (this.#map as Map<Bytes, Bytes>).entries();
  }

  #spread(): void {
    const map = new Map<Bytes, Bytes>();
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) map.set(pairs[at] as Bytes, pairs[at + 1] as Bytes);
    this.#map = map;
    this.#pairs = [];
  }
}
