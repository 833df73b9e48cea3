/**
 * A set of byte strings, in the order in which the server answers its members: integers alone in rising order, others
 * in the order in which they were added, and in no order once the server keeps them in a table.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { COMPACT_BYTES_MAX, COMPACT_ENTRIES_MAX, Value } from "./value.ts";
import { type Whole, wholeOf } from "./whole.ts";

type SetEncoding = "intset" | "listpack" | "hashtable";

/** Up to so many integers alone the server keeps sorted. */
const INTEGERS_MAX = 512;

export class SetValue extends Value {
  readonly #members: Set<Bytes>;
  #encoding: SetEncoding = "intset";

  /** An empty set; `expected` is how many members will be added at once, which decides the first form. */
  constructor(expected = 1, members: Iterable<Bytes> = []) {
    super();
    this.#members = new Set(members);
    if (expected > INTEGERS_MAX) this.#encoding = "hashtable";
  }

  get type(): "set" {
    return "set";
  }

  get encoding(): SetEncoding {
    return this.#encoding;
  }

  get size(): number {
    return this.#members.size;
  }

  copy(): SetValue {
    const made = new SetValue(1, this.list());
    made.#encoding = this.#encoding;
    return made;
  }

  has(member: Bytes): boolean {
    return this.#members.has(member);
  }

  /** Adds a member; tells whether it is new. */
  add(member: Bytes): boolean {
    const size = this.#members.size;
    this.#members.add(member);
    if (this.#members.size === size) return false;
    if (this.#encoding !== "hashtable") this.#widen(member);
    return true;
  }

  /** Takes a member out; tells whether it was there. */
  delete(member: Bytes): boolean {
    return this.#members.delete(member);
  }

  /** The members, as a fresh array. */
  list(): Bytes[] {
    return this.#encoding === "intset" ? sorted(this.#members) : [...this.#members];
  }

  /** The members in the order in which they were added. */
  values(): IterableIterator<Bytes> {
    return this.#members.values();
  }

  #widen(member: Bytes): void {
    const { size } = this.#members;
    if (this.#encoding === "intset") {
      if (wholeOf(member) !== undefined) {
        if (size > INTEGERS_MAX) this.#encoding = "hashtable";
        return;
      }
      this.#sort(member);
    }
    const isCompact = size <= COMPACT_ENTRIES_MAX && member.length <= COMPACT_BYTES_MAX;
    this.#encoding = isCompact ? "listpack" : "hashtable";
  }

  /** The integers that were alone come in their order, and then the member that is none. */
  #sort(last: Bytes): void {
    this.#members.delete(last);
    const integers = sorted(this.#members);
    this.#members.clear();
    for (const integer of integers) this.#members.add(integer);
    this.#members.add(last);
  }
}

function sorted(integers: Iterable<Bytes>): Bytes[] {
  return [...integers]
    .map((text) => ({ text, number: wholeOf(text) as Whole }))
    .sort((one, other) => (one.number < other.number ? -1 : 1))
    .map(({ text }) => text);
}
