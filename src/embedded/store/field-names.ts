/**
 * The names of a hash's fields, in the order in which they came.
 *
 * A million jobs have the same few lists of names, so rows share them: the lists form a tree, in which each has one
 * name more than the one above. That spares a row a word a field, and the texts of the names when rows are read from a
 * file. The tree keeps its lists for good and has room for {@link SHARED_LISTS_MAX}; what anybody writes beyond, names
 * that are long, and all hashes that are no rows, have a list of their own.
 *
 *     state ─ attempts ─ payload ┬ name ─ owner …
 *                                └ owner …
 */

import type { Bytes } from "../../protocol/bytes.ts";

/** Far more than the acts of the wire can make of the fields of a row. */
const SHARED_LISTS_MAX = 2048;

/** Longer than any name of the wire: what is kept for good is small as well as little. */
const SHARED_NAME_BYTES_MAX = 64;

let sharedLists = 1;

export class FieldNames {
  readonly list: Bytes[];
  readonly #parent: FieldNames | undefined;
  readonly #isShared: boolean;
  /** The lists with one name more, by that name. */
  #longer: Map<Bytes, FieldNames> | undefined = undefined;
  /** The last of them that was asked for: rows come in runs of one kind. */
  #lastName: Bytes | undefined = undefined;
  #last: FieldNames | undefined = undefined;

  /** A list for one hash, or with `isShared` one of the tree. */
  constructor(list: Bytes[] = [], isShared = false, parent?: FieldNames) {
    this.list = list;
    this.#isShared = isShared;
    this.#parent = parent;
  }

  /** Where a name stands; -1 when it does not. */
  indexOf(name: Bytes): number {
    const list = this.list;
    for (let at = 0; at < list.length; at++) if (list[at] === name) return at;
    return -1;
  }

  /** The list with a name more, which it does not have. A list of one hash is the same one. */
  with(name: Bytes): FieldNames {
    if (!this.#isShared) {
      this.list.push(name);
      return this;
    }
    if (name === this.#lastName) return this.#last as FieldNames;
    const longer = this.#longer?.get(name) ?? this.#makeLonger(name);
    if (!longer.#isShared) return longer;
    this.#lastName = name;
    this.#last = longer;
    return longer;
  }

  /** The list with a name more; `undefined` when it has that name already. */
  withNew(name: Bytes): FieldNames | undefined {
    // A list that is there has no name twice.
    if (name === this.#lastName) return this.#last;
    return this.indexOf(name) < 0 ? this.with(name) : undefined;
  }

  /** The list without the name at an index. A list of one hash is the same one. */
  without(index: number): FieldNames {
    if (!this.#isShared) {
      this.list.splice(index, 1);
      return this;
    }
    const parent = this.#parent;
    if (parent !== undefined && index === parent.list.length) return parent;
    let names = ROW_NAMES;
    for (let at = 0; at < this.list.length; at++) if (at !== index) names = names.with(this.list[at] as Bytes);
    return names;
  }

  #makeLonger(name: Bytes): FieldNames {
    const isShared = sharedLists < SHARED_LISTS_MAX && name.length <= SHARED_NAME_BYTES_MAX;
    const longer = new FieldNames([...this.list, name], isShared, isShared ? this : undefined);
    if (!isShared) return longer;
    sharedLists++;
    this.#longer ??= new Map();
    this.#longer.set(name, longer);
    return longer;
  }
}

/** The list without names that rows begin with. */
export const ROW_NAMES: FieldNames = new FieldNames([], true);
