/**
 * A hash: fields to values, in the order in which fields were first set.
 *
 * A job's row has a handful of fields and there may be a million rows, so a small hash is made for little memory: its
 * names are a list that rows share (field-names.ts), which is searched from the front, and its first values lie in the
 * object itself, as many as an ordinary job is born with. Beyond {@link FLAT_FIELDS_MAX} fields it turns into a `Map`
 * for good. A field may expire: the keyspace takes those away whose instant has passed whenever it hands the hash out.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { FieldNames, ROW_NAMES } from "./field-names.ts";
import { COMPACT_BYTES_MAX, COMPACT_ENTRIES_MAX, Value } from "./value.ts";

/** The most fields that are searched one by one; a row of the job plane has at most 22. */
export const FLAT_FIELDS_MAX = 24;

/** Values that lie in the object: `state`, `attempts`, `payload` and `name`. */
const INNER_VALUES = 4;

/** Room for values beyond those is made for so many at once. */
const OUTER_STEP = 4;

const NOTHING: (Bytes | undefined)[] = [];

/** What few hashes have. */
interface Rest {
  /** All fields, once there were many. */
  map: Map<Bytes, Bytes> | undefined;
  /** When single fields expire, in Unix ms. */
  expiries: Map<Bytes, number> | undefined;
}

export class HashValue extends Value {
  #names: FieldNames;
  #first: Bytes | undefined = undefined;
  #second: Bytes | undefined = undefined;
  #third: Bytes | undefined = undefined;
  #fourth: Bytes | undefined = undefined;
  /** The values beyond those, and room for more. */
  #outer: (Bytes | undefined)[] = NOTHING;
  #rest: Rest | undefined = undefined;

  /** A hash without fields; a job's row shares the list of its names with others. */
  constructor(isRow = false) {
    super();
    this.#names = isRow ? ROW_NAMES : new FieldNames();
  }

  /**
   * A hash of the fields and values in turn that stand in `args` from `from` on, {@link FLAT_FIELDS_MAX} at most;
   * `undefined` when a field comes twice.
   */
  static of(args: readonly Argument[], from: number, isRow: boolean): HashValue | undefined {
    const hash = new HashValue(isRow);
    let names: FieldNames | undefined = hash.#names;
    for (let at = from; at < args.length; at += 2) {
      names = names.withNew(textOf(args[at] as Argument));
      if (names === undefined) return undefined;
      hash.#place((at - from) >> 1, textOf(args[at + 1] as Argument));
    }
    hash.#names = names;
    return hash;
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
    const made = new HashValue();
    const entries = this.entries();
    for (let at = 0; at < entries.length; at += 2) made.set(entries[at] as Bytes, entries[at + 1] as Bytes);
    for (const [field, at] of this.#rest?.expiries ?? []) made.setExpiry(field, at);
    return made;
  }

  /** Number of fields. */
  get size(): number {
    return this.#rest?.map?.size ?? this.#names.list.length;
  }

  /** The value of a field; `undefined` when the field is absent. */
  get(field: Bytes): Bytes | undefined {
    if (this.#rest?.map !== undefined) return this.#rest.map.get(field);
    const index = this.#names.indexOf(field);
    return index < 0 ? undefined : this.#at(index);
  }

  /** Whether any field expires. */
  get hasExpiries(): boolean {
    return this.#rest?.expiries !== undefined;
  }

  /** When a field expires, in Unix ms; `undefined` when it does not. */
  expiryOf(field: Bytes): number | undefined {
    return this.#rest?.expiries?.get(field);
  }

  /** Sets when a field that is there expires; `undefined` means never. */
  setExpiry(field: Bytes, at: number | undefined): void {
    const rest = this.#rest;
    if (at !== undefined) {
      this.#rest = rest ?? { map: undefined, expiries: undefined };
      this.#rest.expiries ??= new Map();
      this.#rest.expiries.set(field, at);
    } else if (rest?.expiries?.delete(field) === true && rest.expiries.size === 0) {
      rest.expiries = undefined;
    }
  }

  /** The fields whose instant has passed, as a fresh array. */
  passed(now: number): Bytes[] {
    const fields: Bytes[] = [];
    for (const [field, at] of this.#rest?.expiries ?? []) if (at <= now) fields.push(field);
    return fields;
  }

  /** Sets a field, which then does not expire, and answers its value from before; `undefined` when it was absent. */
  set(field: Bytes, value: Bytes): Bytes | undefined {
    if (this.#rest !== undefined) this.setExpiry(field, undefined);
    if (this.#rest?.map !== undefined) {
      const old = this.#rest.map.get(field);
      this.#rest.map.set(field, value);
      return old;
    }
    const index = this.#names.indexOf(field);
    if (index >= 0) {
      const old = this.#at(index);
      this.#place(index, value);
      return old;
    }
    const end = this.#names.list.length;
    this.#names = this.#names.with(field);
    this.#place(end, value);
    if (end >= FLAT_FIELDS_MAX) this.#spread();
    return undefined;
  }

  /** Takes a field away; tells whether it was there. */
  delete(field: Bytes): boolean {
    if (this.#rest !== undefined) this.setExpiry(field, undefined);
    if (this.#rest?.map !== undefined) return this.#rest.map.delete(field);
    const index = this.#names.indexOf(field);
    if (index < 0) return false;
    const last = this.#names.list.length - 1;
    for (let at = index; at < last; at++) this.#place(at, this.#at(at + 1));
    this.#place(last, undefined);
    this.#names = this.#names.without(index);
    return true;
  }

  /** Fields and values in turn, as a fresh array. */
  entries(): Bytes[] {
    const flat: Bytes[] = [];
    const { list } = this.#names;
    for (let at = 0; at < list.length; at++) flat.push(list[at] as Bytes, this.#at(at) as Bytes);
    for (const [field, value] of this.#rest?.map ?? []) flat.push(field, value);
    return flat;
  }

  /**
   * Fields with their values, one by one, while the hash may change: what is added comes last, what is taken away and
   * was not reached does not come. For hashes of more than {@link FLAT_FIELDS_MAX} fields only.
   */
  pairs(): IterableIterator<[Bytes, Bytes]> {
    return (this.#rest as { readonly map: Map<Bytes, Bytes> }).map.entries();
  }

  /** The value of the field at an index of the names. */
  #at(index: number): Bytes | undefined {
    switch (index) {
      case 0:
        return this.#first;
      case 1:
        return this.#second;
      case 2:
        return this.#third;
      case 3:
        return this.#fourth;
      default:
        return this.#outer[index - INNER_VALUES];
    }
  }

  #place(index: number, value: Bytes | undefined): void {
    switch (index) {
      case 0:
        this.#first = value;
        return;
      case 1:
        this.#second = value;
        return;
      case 2:
        this.#third = value;
        return;
      case 3:
        this.#fourth = value;
        return;
      default:
        if (index - INNER_VALUES >= this.#outer.length) this.#widen();
        this.#outer[index - INNER_VALUES] = value;
    }
  }

  // An array that is pushed to would keep room for sixteen and more in every row.
  #widen(): void {
    const outer = this.#outer;
    const wider = new Array<Bytes | undefined>(outer.length + OUTER_STEP).fill(undefined);
    for (let at = 0; at < outer.length; at++) wider[at] = outer[at];
    this.#outer = wider;
  }

  #spread(): void {
    const { list } = this.#names;
    const map = new Map<Bytes, Bytes>();
    for (let at = 0; at < list.length; at++) map.set(list[at] as Bytes, this.#at(at) as Bytes);
    this.#rest = { map, expiries: this.#rest?.expiries };
    this.#names = new FieldNames();
    this.#first = this.#second = this.#third = this.#fourth = undefined;
    this.#outer = NOTHING;
  }
}

function textOf(argument: Argument): Bytes {
  return typeof argument === "string" ? argument : String(argument);
}
