/**
 * A list as a ring buffer: constant time at both ends and for an index, linear for a search.
 *
 * Slots outside the list hold the empty text, so that nothing that was removed is kept alive. The buffer's length is a
 * power of two, which makes the step round its end one `&`.
 *
 *     slots   [ c d . . . . a b ]      start 6, length 4: a b c d
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { Value } from "./value.ts";

const SLOTS_MIN = 8;

/** The size of the server's compact form of a list, and what an entry takes in it beside its text, about. */
const COMPACT_LIST_BYTES_MAX = 8192;
const ENTRY_BYTES = 2;

export class ListValue extends Value {
  #slots: Bytes[] = new Array<Bytes>(SLOTS_MIN).fill("");
  #start = 0;
  #length = 0;

  get type(): "list" {
    return "list";
  }

  /** As if it had been made of what it holds now: the server changes the form of a list that shrinks only later. */
  get encoding(): "listpack" | "quicklist" {
    let bytes = 0;
    for (let index = 0; index < this.#length && bytes <= COMPACT_LIST_BYTES_MAX; index++) {
      bytes += (this.at(index) as Bytes).length + ENTRY_BYTES;
    }
    return bytes > COMPACT_LIST_BYTES_MAX ? "quicklist" : "listpack";
  }

  copy(): ListValue {
    const made = new ListValue();
    made.assign(this.slice(0, this.#length - 1));
    return made;
  }

  get length(): number {
    return this.#length;
  }

  /** The item at `index`, counted from the head; `undefined` outside the list. Negative indexes are outside. */
  at(index: number): Bytes | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    return this.#slots[(this.#start + index) & (this.#slots.length - 1)];
  }

  /** Replaces the item at an index inside the list. */
  setAt(index: number, item: Bytes): void {
    this.#slots[(this.#start + index) & (this.#slots.length - 1)] = item;
  }

  pushHead(item: Bytes): void {
    if (this.#length === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#start = (this.#start - 1) & (this.#slots.length - 1);
    this.#slots[this.#start] = item;
    this.#length++;
  }

  pushTail(item: Bytes): void {
    if (this.#length === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#slots[(this.#start + this.#length) & (this.#slots.length - 1)] = item;
    this.#length++;
  }

  /** Takes the head of a list that is not empty. */
  popHead(): Bytes {
    const item = this.#slots[this.#start] as Bytes;
    this.#slots[this.#start] = "";
    this.#start = (this.#start + 1) & (this.#slots.length - 1);
    this.#length--;
    this.#shrink();
    return item;
  }

  /** Takes the tail of a list that is not empty. */
  popTail(): Bytes {
    const slot = (this.#start + this.#length - 1) & (this.#slots.length - 1);
    const item = this.#slots[slot] as Bytes;
    this.#slots[slot] = "";
    this.#length--;
    this.#shrink();
    return item;
  }

  /** The index of the first item equal to `item` at or after `from`; -1 when there is none. */
  indexOf(item: Bytes, from = 0): number {
    for (let index = from; index < this.#length; index++) {
      if (this.at(index) === item) return index;
    }
    return -1;
  }

  /** The indexes of the first `most` items equal to `item`, or of the last, from the lowest to the highest. */
  indexesOf(item: Bytes, most: number, fromTail: boolean): number[] {
    const found: number[] = [];
    for (let look = 0; look < this.#length && found.length < most; look++) {
      const index = fromTail ? this.#length - 1 - look : look;
      if (this.at(index) === item) found.push(index);
    }
    return fromTail ? found.reverse() : found;
  }

  /** Takes out the item at an index inside the list, moving the shorter side. */
  removeAt(index: number): void {
    if (index < this.#length >> 1) {
      for (let to = index; to > 0; to--) this.setAt(to, this.at(to - 1) as Bytes);
      this.popHead();
    } else {
      for (let to = index; to < this.#length - 1; to++) this.setAt(to, this.at(to + 1) as Bytes);
      this.popTail();
    }
  }

  /** Takes out the items at some indexes, the lowest first, moving what lies before the last or behind the first. */
  removeAll(indexes: readonly number[]): void {
    const first = indexes[0] ?? 0;
    const last = indexes.at(-1) ?? -1;
    if (last < this.#length - 1 - first) this.#closeFromHead(indexes, last);
    else this.#closeFromTail(indexes, first);
  }

  /** Puts an item before the one at `index`; `index` may be the list's length. */
  insertAt(index: number, item: Bytes): void {
    if (index < this.#length >> 1) {
      this.pushHead(item);
      for (let to = 0; to < index; to++) this.setAt(to, this.at(to + 1) as Bytes);
    } else {
      this.pushTail(item);
      for (let to = this.#length - 1; to > index; to--) this.setAt(to, this.at(to - 1) as Bytes);
    }
    this.setAt(index, item);
  }

  /** Replaces all items. */
  assign(items: readonly Bytes[]): void {
    let slots = SLOTS_MIN;
    while (slots < items.length) slots *= 2;
    this.#slots = new Array<Bytes>(slots).fill("");
    this.#start = 0;
    this.#length = items.length;
    for (let index = 0; index < items.length; index++) this.#slots[index] = items[index] as Bytes;
  }

  /** The items from `first` to `last`, both inside the list, as a fresh array. */
  slice(first: number, last: number): Bytes[] {
    if (first > last) return [];
    const mask = this.#slots.length - 1;
    const from = (this.#start + first) & mask;
    const to = (this.#start + last) & mask;
    if (from <= to) return this.#slots.slice(from, to + 1);
    return this.#slots.slice(from).concat(this.#slots.slice(0, to + 1));
  }

  #closeFromHead(indexes: readonly number[], last: number): void {
    let left = indexes.length - 1;
    let to = last;
    for (let from = last; from >= 0; from--) {
      if (from === indexes[left]) left--;
      else this.setAt(to--, this.at(from) as Bytes);
    }
    for (let count = indexes.length; count > 0; count--) this.popHead();
  }

  #closeFromTail(indexes: readonly number[], first: number): void {
    let taken = 0;
    let to = first;
    for (let from = first; from < this.#length; from++) {
      if (from === indexes[taken]) taken++;
      else this.setAt(to++, this.at(from) as Bytes);
    }
    for (let count = indexes.length; count > 0; count--) this.popTail();
  }

  // A quarter full and not half full, or a list that swings around a border would be copied at every step.
  #shrink(): void {
    const slots = this.#slots.length;
    if (slots > SLOTS_MIN && this.#length < slots >> 2) this.#resize(slots >> 1);
  }

  #resize(slots: number): void {
    const items = new Array<Bytes>(slots).fill("");
    for (let index = 0; index < this.#length; index++) items[index] = this.at(index) as Bytes;
    this.#slots = items;
    this.#start = 0;
  }
}
