/**
 * A queue in an array that wraps around, so that taking from the front copies nothing.
 *
 * It doubles when it is full. Its users bound it: what a worker holds is at most its concurrency, its look-ahead and
 * one reply more.
 */

const CAPACITY_FIRST = 64;

/** First in, first out, in constant time. */
export class Ring<T> {
  #items: (T | undefined)[] = new Array<T | undefined>(CAPACITY_FIRST).fill(undefined);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds to the back. */
  push(item: T): void {
    if (this.#length === this.#items.length) this.#grow();
    // The capacity is a power of two, so the mask is the remainder.
    this.#items[(this.#head + this.#length) & (this.#items.length - 1)] = item;
    this.#length += 1;
  }

  /** Takes from the front; `undefined` when it is empty. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.#length -= 1;
    return item;
  }

  /** The front, left where it is. */
  peek(): T | undefined {
    return this.#length === 0 ? undefined : this.#items[this.#head];
  }

  #grow(): void {
    const larger = new Array<T | undefined>(this.#items.length * 2).fill(undefined);
    for (let at = 0; at < this.#length; at++) {
      larger[at] = this.#items[(this.#head + at) & (this.#items.length - 1)];
    }
    this.#items = larger;
    this.#head = 0;
  }
}
