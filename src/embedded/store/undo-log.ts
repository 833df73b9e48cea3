/**
 * Takes back the writes of an act that cannot be finished.
 *
 * Whoever writes while an act runs first records how to take that write back; `rollBack` replays the records from the
 * last to the first. Between acts nothing is recorded, since a single command judges everything before its first write.
 * What happens to a value that was created in this act needs no record either: its creation is taken back as a whole.
 *
 * A store in files keeps the records of acts that have ended until what they wrote is in a file (`keep`), and records
 * what happens between acts as well; so it can go back to any act of which that is not so.
 *
 * Records lie flat in one array that is used again, four slots each, because a batch makes hundreds of them:
 *
 *     [ kind, key or value, a, b ]
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { HashValue } from "./hash-value.ts";
import type { ListValue } from "./list-value.ts";
import type { SetValue } from "./set-value.ts";
import type { SortedSetValue } from "./sorted-set-value.ts";
import type { StreamEntry, StreamMark, StreamValue } from "./stream-value.ts";
import type { Value } from "./value.ts";

const SLOTS_A_RECORD = 4;

/** Records beyond which the array is dropped after an act, so that one large act does not keep its texts alive. */
const RECORDS_KEPT_MAX = 4096;

const KEY = 0;
const EXPIRY = 1;
const FIELD = 2;
const SCORE = 3;
const MEMBER = 4;
const LIST_INSERT = 5;
const LIST_REMOVE = 6;
const LIST_ASSIGN = 7;
const STREAM_APPEND = 8;
const STREAM_REMOVE = 9;
const FIELD_EXPIRY = 10;
const ACTION = 11;

type Slot =
  | Value
  | Bytes
  | number
  | readonly Bytes[]
  | StreamMark
  | readonly StreamEntry[]
  | (() => unknown)
  | undefined;

/** What the log needs to take back the creation, replacement or removal of a key. */
export interface KeyRestorer {
  /** Stores a value under a key, or nothing when it is `undefined`, without a record. */
  restoreKey(key: Bytes, value: Value | undefined): void;
  /** Sets the instant at which a key expires, or none, without a record. */
  restoreExpiry(key: Bytes, at: number | undefined): void;
}

/** Who has to know what an element of a large value was, because it writes that value in slices. */
export interface ElementKeeper {
  /**
   * A field, or a member of a set or a sorted set, is about to change for which the value holds `old`: a field's text,
   * a member itself or its score; `undefined` when it is absent.
   */
  keep(value: Value, element: Bytes, old: Bytes | number | undefined): void;
}

export class UndoLog {
  #slots: Slot[] = [];
  #top = 0;
  #recording = false;
  /** Values with this serial or a later one were created in the act. */
  #bornFrom = 0;
  /** Whether records outlive their act. */
  #isKeeping = false;
  /** Where the records of the act begin, and how many of its slots are no writes of its own. */
  #base = 0;
  #quietSlots = 0;
  /** Slots that were let go so far. */
  #released = 0;

  /** How many writes there have been, recorded or not: whether a command wrote is told by it. */
  writes = 0;
  /** Whether any field of a hash has ever been given an expiry. */
  hasFieldExpiries = false;

  /** Told of each key and value before it is written to, in acts and between them. Set while somebody watches keys. */
  onTouch: ((subject: Bytes | Value) => void) | undefined;

  /** Told before each change of one element, in acts and between them. Set while large values are being written. */
  keeper: ElementKeeper | undefined;

  /** Whether the act has written anything so far. */
  get hasRecords(): boolean {
    return this.#top - this.#base > this.#quietSlots;
  }

  /** Keeps records from now on until they are released, and records what happens between acts. */
  keep(): void {
    this.#isKeeping = true;
    this.#endAct();
  }

  /** The place of the next record, counted from the first that was ever kept. */
  get position(): number {
    return this.#released + this.#top;
  }

  /** The place of the first record that is kept, likewise. */
  get released(): number {
    return this.#released;
  }

  /** Lets go of the records before a position: their writes stand. */
  release(position: number): void {
    const count = position - this.#released;
    if (count <= 0) return;
    this.#released = position;
    const rest = this.#top - count;
    if (this.#top > RECORDS_KEPT_MAX * SLOTS_A_RECORD) this.#slots = this.#slots.slice(count, this.#top);
    else if (rest > 0) this.#slots.copyWithin(0, count, this.#top);
    this.#top = rest;
    this.#base = Math.max(0, this.#base - count);
  }

  /** Takes back every write from a position on. */
  rollBackTo(keys: KeyRestorer, position: number): void {
    this.#unwind(keys, position - this.#released);
    this.#endAct();
  }

  /** Starts recording; `nextSerial` is the serial of the next value that is created. */
  begin(nextSerial: number): void {
    this.#recording = true;
    this.#bornFrom = nextSerial;
    this.#base = this.#top;
    this.#quietSlots = 0;
  }

  /** Stops recording and forgets, or keeps what was recorded: the writes stand. */
  commit(): void {
    if (!this.#isKeeping) {
      if (this.#top > RECORDS_KEPT_MAX * SLOTS_A_RECORD) this.#slots = [];
      this.#top = 0;
    }
    this.#endAct();
  }

  /** Takes back every write since `begin`, and stops recording. */
  rollBack(keys: KeyRestorer): void {
    this.#unwind(keys, this.#base);
    this.#endAct();
  }

  /** Before a value that is older than the act gets a serial of this act: from here on every value counts as older. */
  moves(): void {
    this.#bornFrom = Number.POSITIVE_INFINITY;
  }

  /** Before a key gets another value, or its first (`old` is `undefined`), or is removed. */
  key(key: Bytes, old: Value | undefined): void {
    this.writes++;
    this.onTouch?.(key);
    if (this.#recording) this.#record(KEY, key, old, undefined);
  }

  /** Before the expiry of a key changes; `undefined` is none. */
  expiry(key: Bytes, old: number | undefined): void {
    this.writes++;
    this.onTouch?.(key);
    if (this.#recording) this.#record(EXPIRY, key, old, undefined);
  }

  /** Before a key is taken out because its instant `at` has passed, which is no write of anybody. */
  expired(key: Bytes, old: Value, at: number | undefined): void {
    if (!this.#isKeeping || !this.#recording) return;
    this.#record(EXPIRY, key, at, undefined);
    this.#record(KEY, key, old, undefined);
    this.#quietSlots += 2 * SLOTS_A_RECORD;
  }

  /** Before a field is set or taken away; `undefined` means that it is absent. */
  field(hash: HashValue, field: Bytes, old: Bytes | undefined): void {
    this.keeper?.keep(hash, field, old);
    if (!this.#concerns(hash)) return;
    // Setting the field again takes its expiry away, so that one is recorded first and comes back last.
    if (hash.hasExpiries) this.#record(FIELD_EXPIRY, hash, field, hash.expiryOf(field));
    this.#record(FIELD, hash, field, old);
  }

  /** Before the expiry of a field that is there changes; `undefined` is none. */
  fieldExpiry(hash: HashValue, field: Bytes, old: number | undefined): void {
    this.hasFieldExpiries = true;
    this.keeper?.keep(hash, field, hash.get(field));
    if (this.#concerns(hash)) this.#record(FIELD_EXPIRY, hash, field, old);
  }

  /** Before something in `value` changes that no other record describes; `takeBack` undoes it. */
  change(value: Value, takeBack: () => unknown): void {
    if (this.#concerns(value)) this.#record(ACTION, takeBack, undefined, undefined);
  }

  /** Before every key is taken out at once. */
  cleared(restore: () => void): void {
    this.writes++;
    if (this.#recording) this.#record(ACTION, restore, undefined, undefined);
  }

  /** Before a member is added, moved or taken out; `undefined` means that it is absent. */
  score(set: SortedSetValue, member: Bytes, old: number | undefined): void {
    this.keeper?.keep(set, member, old);
    if (this.#concerns(set)) this.#record(SCORE, set, member, old);
  }

  /** Before a member is added to a set (`had` 0) or taken out (`had` 1). */
  member(set: SetValue, member: Bytes, had: 0 | 1): void {
    this.keeper?.keep(set, member, had === 1 ? member : undefined);
    if (this.#concerns(set)) this.#record(MEMBER, set, member, had);
  }

  /** When an item was put at `index`. */
  inserted(list: ListValue, index: number): void {
    if (this.#concerns(list)) this.#record(LIST_REMOVE, list, index, undefined);
  }

  /** When `item` was taken out at `index`. */
  removed(list: ListValue, index: number, item: Bytes): void {
    if (this.#concerns(list)) this.#record(LIST_INSERT, list, index, item);
  }

  /** Before a list is rewritten as a whole. */
  rewritten(list: ListValue): void {
    if (this.#concerns(list)) this.#record(LIST_ASSIGN, list, list.slice(0, list.length - 1), undefined);
  }

  /** Before an entry is added to a stream. */
  appending(stream: StreamValue): void {
    if (this.#concerns(stream)) this.#record(STREAM_APPEND, stream, stream.mark, undefined);
  }

  /** Before entries are taken out of a stream. */
  removing(stream: StreamValue, entries: readonly StreamEntry[]): void {
    if (this.#concerns(stream)) this.#record(STREAM_REMOVE, stream, stream.mark, entries);
  }

  #concerns(value: Value): boolean {
    this.writes++;
    this.onTouch?.(value);
    return this.#recording && value.serial < this.#bornFrom;
  }

  /** Between acts nothing is recorded, or everything is, whenever its value was created. */
  #endAct(): void {
    this.#recording = this.#isKeeping;
    this.#bornFrom = Number.POSITIVE_INFINITY;
    this.#base = this.#top;
    this.#quietSlots = 0;
  }

  #unwind(keys: KeyRestorer, to: number): void {
    this.#recording = false;
    while (this.#top > to) {
      this.#top -= SLOTS_A_RECORD;
      this.#takeBack(keys, this.#top);
    }
    this.#slots.length = Math.min(this.#slots.length, this.#top);
  }

  #record(kind: number, subject: Slot, a: Slot, b: Slot): void {
    const slots = this.#slots;
    let top = this.#top;
    slots[top++] = kind;
    slots[top++] = subject;
    slots[top++] = a;
    slots[top++] = b;
    this.#top = top;
  }

  #takeBack(keys: KeyRestorer, at: number): void {
    const subject = this.#slots[at + 1];
    const a = this.#slots[at + 2];
    const b = this.#slots[at + 3];
    switch (this.#slots[at]) {
      case KEY:
        keys.restoreKey(subject as Bytes, a as Value | undefined);
        return;
      case EXPIRY:
        keys.restoreExpiry(subject as Bytes, a as number | undefined);
        return;
      case FIELD:
        restoreField(subject as HashValue, a as Bytes, b as Bytes | undefined);
        return;
      case SCORE:
        restoreScore(subject as SortedSetValue, a as Bytes, b as number | undefined);
        return;
      case MEMBER:
        if (b === 1) (subject as SetValue).add(a as Bytes);
        else (subject as SetValue).delete(a as Bytes);
        return;
      case LIST_INSERT:
        (subject as ListValue).insertAt(a as number, b as Bytes);
        return;
      case LIST_REMOVE:
        (subject as ListValue).removeAt(a as number);
        return;
      case STREAM_APPEND:
        (subject as StreamValue).entries.dropLast();
        (subject as StreamValue).restoreMark(a as StreamMark);
        return;
      case STREAM_REMOVE:
        for (const entry of b as readonly StreamEntry[]) (subject as StreamValue).entries.add(entry);
        (subject as StreamValue).restoreMark(a as StreamMark);
        return;
      case FIELD_EXPIRY:
        restoreFieldExpiry(subject as HashValue, a as Bytes, b as number | undefined);
        return;
      case ACTION:
        (subject as () => unknown)();
        return;
      default:
        (subject as ListValue).assign(a as readonly Bytes[]);
    }
  }
}

function restoreField(hash: HashValue, field: Bytes, old: Bytes | undefined): void {
  if (old === undefined) hash.delete(field);
  else hash.set(field, old);
}

// The record of the field itself is taken back first; where that took the field away, there is nothing to expire.
function restoreFieldExpiry(hash: HashValue, field: Bytes, old: number | undefined): void {
  if (hash.get(field) !== undefined) hash.setExpiry(field, old);
}

function restoreScore(set: SortedSetValue, member: Bytes, old: number | undefined): void {
  const score = set.scoreOf(member);
  if (old === undefined) {
    if (score !== undefined) set.remove(member, score);
  } else if (score === undefined) set.add(member, old);
  else if (score !== old) set.move(member, score, old);
}
