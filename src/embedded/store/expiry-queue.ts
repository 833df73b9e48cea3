/**
 * The instants at which keys expire, and the next of them.
 *
 * The map is the truth. The heap beside it orders the instants so that one timer, set for the earliest, is enough; a
 * timer that ticked would wake a virtual clock thousands of times a simulated minute. An entry of the heap whose
 * instant is no longer the one of the map is passed over when it comes up, and the heap is rebuilt when most entries
 * are such.
 */

import type { Bytes } from "../../protocol/bytes.ts";

interface Entry {
  readonly key: Bytes;
  readonly at: number;
}

/** Stale entries that are tolerated beyond twice the number of keys, before the heap is rebuilt. */
const STALE_ENTRIES_MAX = 64;

export class ExpiryQueue {
  readonly #instants: Map<Bytes, number> = new Map();
  #heap: Entry[] = [];

  /** Number of keys that expire. */
  get size(): number {
    return this.#instants.size;
  }

  /** When a key expires in Unix milliseconds; `undefined` when it does not. */
  instantOf(key: Bytes): number | undefined {
    return this.#instants.get(key);
  }

  set(key: Bytes, at: number): void {
    this.#instants.set(key, at);
    this.#push({ key, at });
    if (this.#heap.length > 2 * this.#instants.size + STALE_ENTRIES_MAX) this.#rebuild();
  }

  delete(key: Bytes): void {
    this.#instants.delete(key);
  }

  clear(): void {
    this.#instants.clear();
    this.#heap = [];
  }

  /** The earliest instant; `undefined` when no key expires. */
  earliest(): number | undefined {
    let head = this.#heap[0];
    while (head !== undefined && this.#instants.get(head.key) !== head.at) {
      this.#pop();
      head = this.#heap[0];
    }
    return head?.at;
  }

  /** The key with the earliest instant, if that lies before `now`. It stays until it is deleted. */
  due(now: number): Bytes | undefined {
    const at = this.earliest();
    return at !== undefined && at < now ? (this.#heap[0] as Entry).key : undefined;
  }

  #rebuild(): void {
    this.#heap = [];
    for (const [key, at] of this.#instants) this.#push({ key, at });
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Entry;
      if (above.at <= entry.at) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const entry = heap.pop();
    if (entry === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] as Entry).at < (heap[child] as Entry).at) child++;
      if ((heap[child] as Entry).at >= entry.at) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = entry;
  }
}
