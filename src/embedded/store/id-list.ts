/**
 * Things with a stream id, in the order of their ids.
 *
 * What a stream lives on takes a constant number of steps: adding behind the last, and taking the first. A look-up is a
 * binary search. Adding or taking out in the middle moves what lies behind, which only a stream does whose entries are
 * deleted one by one, or whose pending entries are acknowledged out of order.
 */

import { compareIds, type StreamId } from "./stream-id.ts";

/** Taken from the front before their room is given back, so that moving the rest pays. */
const GAP_MIN = 64;

export class IdList<T extends { readonly id: StreamId }> {
  #items: T[] = [];
  /** Where the first item lies; what is before it was taken. */
  #from = 0;

  get length(): number {
    return this.#items.length - this.#from;
  }

  /** The item at an index from 0; `undefined` outside. */
  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#from + index];
  }

  get last(): T | undefined {
    return this.at(this.length - 1);
  }

  /** The index of the first item that is not below `id`; the length when all are. */
  seek(id: StreamId): number {
    let low = this.#from;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds((this.#items[middle] as T).id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low - this.#from;
  }

  /** The item with exactly this id. */
  get(id: StreamId): T | undefined {
    const item = this.at(this.seek(id));
    return item !== undefined && compareIds(item.id, id) === 0 ? item : undefined;
  }

  /** Adds an item whose id is not there. */
  add(item: T): void {
    const last = this.last;
    if (last === undefined || compareIds(last.id, item.id) < 0) this.#items.push(item);
    else this.#items.splice(this.#from + this.seek(item.id), 0, item);
  }

  /** Takes out the item with this id; `undefined` when there is none. */
  remove(id: StreamId): T | undefined {
    const index = this.seek(id);
    const item = this.at(index);
    if (item === undefined || compareIds(item.id, id) !== 0) return undefined;
    if (index === 0) this.dropFirst(1);
    else this.#items.splice(this.#from + index, 1);
    return item;
  }

  /** Takes out the first `count` items, which are there. */
  dropFirst(count: number): void {
    // The places are emptied at once, or what was taken would stay in memory until they are given back.
    for (let at = this.#from; at < this.#from + count; at++) this.#items[at] = undefined as unknown as T;
    this.#from += count;
    if (this.#from < GAP_MIN || this.#from * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#from);
    this.#from = 0;
  }

  /** Takes out the last item. */
  dropLast(): void {
    if (this.length > 0) this.#items.pop();
  }

  /** The items from an index on, as long as `most` and the end allow. */
  slice(index: number, most: number): T[] {
    return this.#items.slice(this.#from + index, this.#from + Math.min(index + most, this.length));
  }
}
