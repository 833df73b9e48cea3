/**
 * The keyspace: keys to values of the six Valkey types, with expiry by the millisecond.
 *
 * Invariants: no aggregate that is empty is stored, but for a stream; a key whose instant has passed is never seen,
 * whether or not it was already taken out; a value is only ever replaced, so that serials rise in the own order of each
 * part of the map, which `SCAN` relies on.
 *
 * Everything is synchronous. The engine sets `now` once an act or command and brackets an act by `begin` and `commit`
 * or `rollBack`; commands read and write in between.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { wrongType } from "./command-error.ts";
import { ExpiryQueue } from "./expiry-queue.ts";
import { HashValue } from "./hash-value.ts";
import { KeyScanner } from "./key-scanner.ts";
import { ListValue } from "./list-value.ts";
import { SetValue } from "./set-value.ts";
import { SHARDS, ShardedMap } from "./sharded-map.ts";
import { SortedSetValue } from "./sorted-set-value.ts";
import { StreamValue } from "./stream-value.ts";
import { StringValue } from "./string-value.ts";
import { UndoLog } from "./undo-log.ts";
import { VACANT, Vacancies } from "./vacancies.ts";
import type { Value } from "./value.ts";

/** Told about what happens to keys. */
export interface KeyspaceWatcher {
  /** A list got an item at either end. */
  onPush(key: Bytes, list: ListValue): void;
  /** A stream got an entry. */
  onAppend(key: Bytes): void;
  /** A key was created, or got a value of perhaps another type, outside of any act. */
  onForeignWrite(key: Bytes, value: Value): void;
  /** The earliest instant at which a key expires may have changed. */
  onExpiryChange(): void;
}

/** Key lengths that are told apart; longer keys share the places of shorter ones. */
const LENGTHS = 1024;

export class Keyspace {
  readonly #values = new ShardedMap<Value>(0);
  readonly #vacancies = new Vacancies();
  /**
   * Number of keys by their length. Acts ask for the rare side keys of every job that ends (logs, lock, result), and
   * nothing else has keys of that length: such a look-up ends here, before the key is even put together and hashed.
   */
  readonly #lengths = new Uint32Array(LENGTHS);
  readonly #expiries = new ExpiryQueue();
  readonly #scanner = new KeyScanner(this.#values);
  readonly #watcher: KeyspaceWatcher;
  #serial = 0;
  #inAct = false;

  /** Unix milliseconds by which expiry is judged. Written by the engine before each act and command. */
  now = 0;
  /** Every command records its writes here. */
  readonly undo = new UndoLog();

  constructor(watcher: KeyspaceWatcher) {
    this.#watcher = watcher;
  }

  /** Number of keys, those included that have expired and not been looked at since. */
  get size(): number {
    return this.#values.size - this.#vacancies.size;
  }

  /** Number of keys that expire. */
  get expiringCount(): number {
    return this.#expiries.size;
  }

  /** Starts an act. */
  begin(): void {
    this.#inAct = true;
    this.undo.begin(this.#serial + 1);
  }

  /** Ends an act whose writes stand. */
  commit(): void {
    this.#inAct = false;
    this.undo.commit();
  }

  /** Ends an act and takes back all its writes. */
  rollBack(): void {
    this.#inAct = false;
    this.undo.rollBack(this);
  }

  /** The value of a key; `undefined` when there is none. */
  find(key: Bytes): Value | undefined {
    if (this.#lengths[key.length % LENGTHS] === 0) return undefined;
    const value = this.#values.get(key);
    if (value === undefined || value === VACANT) return undefined;
    if (!value.expiring) return value;
    return this.#hasExpired(key) ? undefined : value;
  }

  /** The string of a key. @throws CommandError when it is of another type. */
  string(key: Bytes): StringValue | undefined {
    const value = this.find(key);
    if (value === undefined || value instanceof StringValue) return value;
    throw wrongType();
  }

  /** The hash of a key. @throws CommandError when it is of another type. */
  hash(key: Bytes): HashValue | undefined {
    const value = this.find(key);
    if (value === undefined) return value;
    if (!(value instanceof HashValue)) throw wrongType();
    if (!value.hasExpiries) return value;
    value.dropPassed(this.now);
    if (value.size > 0) return value;
    this.remove(key);
    return undefined;
  }

  /** The list of a key. @throws CommandError when it is of another type. */
  list(key: Bytes): ListValue | undefined {
    const value = this.find(key);
    if (value === undefined || value instanceof ListValue) return value;
    throw wrongType();
  }

  /** The set of a key. @throws CommandError when it is of another type. */
  set(key: Bytes): SetValue | undefined {
    const value = this.find(key);
    if (value === undefined || value instanceof SetValue) return value;
    throw wrongType();
  }

  /** The sorted set of a key. @throws CommandError when it is of another type. */
  sortedSet(key: Bytes): SortedSetValue | undefined {
    const value = this.find(key);
    if (value === undefined || value instanceof SortedSetValue) return value;
    throw wrongType();
  }

  /** The stream of a key. @throws CommandError when it is of another type. */
  stream(key: Bytes): StreamValue | undefined {
    const value = this.find(key);
    if (value === undefined || value instanceof StreamValue) return value;
    throw wrongType();
  }

  /** Stores a value under a key that was just looked for and is not there. */
  create<V extends Value>(key: Bytes, value: V): V {
    this.undo.key(key, undefined);
    this.#enter(key, value);
    if (!this.#inAct) this.#watcher.onForeignWrite(key, value);
    return value;
  }

  /** Stores a value, whatever the key held before. The key expires no more, unless `keepExpiry` is set. */
  put<V extends Value>(key: Bytes, value: V, keepExpiry = false): V {
    const old = this.find(key);
    if (old === undefined) return this.create(key, value);
    this.undo.key(key, old);
    value.serial = old.serial;
    if (old.expiring && !keepExpiry) this.setExpiry(key, undefined);
    this.#values.set(key, value);
    value.expiring = this.#expiries.instantOf(key) !== undefined;
    if (!this.#inAct) this.#watcher.onForeignWrite(key, value);
    return value;
  }

  /** Takes a key out; tells whether it was there. */
  remove(key: Bytes): boolean {
    const value = this.find(key);
    if (value === undefined) return false;
    if (value.expiring) this.undo.expiry(key, this.#expiries.instantOf(key));
    this.undo.key(key, value);
    this.#drop(key, value);
    return true;
  }

  /** When a key that is there expires, in Unix milliseconds; `undefined` when it does not. */
  expiryOf(key: Bytes): number | undefined {
    return this.#expiries.instantOf(key);
  }

  /** Sets when a key that is there expires; `undefined` means never. */
  setExpiry(key: Bytes, at: number | undefined): void {
    this.undo.expiry(key, this.#expiries.instantOf(key));
    this.restoreExpiry(key, at);
  }

  /** Tells that a list got an item. */
  pushed(key: Bytes, list: ListValue): void {
    this.#watcher.onPush(key, list);
  }

  /** Tells that a stream got an entry. */
  appended(key: Bytes): void {
    this.#watcher.onAppend(key);
  }

  /** Takes out every key. Not for use in an act: it is not recorded. */
  clear(): void {
    this.#values.clear();
    this.#vacancies.clear();
    this.#lengths.fill(0);
    this.#expiries.clear();
    this.#watcher.onExpiryChange();
  }

  /** Every key with its value, those that have expired left out. Do not change the keyspace on the way. */
  *entries(): Generator<[Bytes, Value]> {
    for (let shard = 0; shard < SHARDS; shard++) {
      for (const entry of this.#values.entriesOf(shard)) {
        if (entry[1] !== VACANT && !(entry[1].expiring && this.#isPast(entry[0]))) yield entry;
      }
    }
  }

  /** One step of a scan; see {@link KeyScanner}. Do not change the keyspace in `visit`. */
  scan(cursor: number, count: number, visit: (key: Bytes, value: Value) => void): number {
    return this.#scanner.scan({ cursor, count, newest: this.#serial }, (key, value) => {
      if (value !== VACANT && !(value.expiring && this.#isPast(key))) visit(key, value);
    });
  }

  /** When the next key expires in Unix milliseconds; `undefined` when none does. */
  nextExpiry(): number | undefined {
    return this.#expiries.earliest();
  }

  /** Takes out at most `limit` keys that have expired. */
  removeExpired(limit: number): void {
    for (let removed = 0; removed < limit; removed++) {
      const key = this.#expiries.due(this.now);
      if (key === undefined) return;
      this.#drop(key, this.#values.get(key) as Value);
    }
  }

  /** For the undo log: stores or removes a value without a record. */
  restoreKey(key: Bytes, value: Value | undefined): void {
    const present = this.find(key);
    if (value === undefined) {
      if (present !== undefined) this.#drop(key, present);
      return;
    }
    // A key that was taken out may come back at another place of the map, and its serial has to follow.
    if (present === undefined) this.#enter(key, value);
    else this.#values.set(key, value);
    value.expiring = this.#expiries.instantOf(key) !== undefined;
  }

  /** For the undo log: sets an expiry without a record. */
  restoreExpiry(key: Bytes, at: number | undefined): void {
    if (at === undefined) this.#expiries.delete(key);
    else this.#expiries.set(key, at);
    const value = this.#values.get(key);
    if (value !== undefined && value !== VACANT) value.expiring = at !== undefined;
    this.#watcher.onExpiryChange();
  }

  #hasExpired(key: Bytes): boolean {
    if (!this.#isPast(key)) return false;
    this.#drop(key, this.#values.get(key) as Value);
    return true;
  }

  // A key lives through the very millisecond at which it expires, as in the server.
  #isPast(key: Bytes): boolean {
    const at = this.#expiries.instantOf(key);
    return at !== undefined && at < this.now;
  }

  /** Stores a value where there is none. Its serial is a new one, or that of the place which the key holds. */
  #enter(key: Bytes, value: Value): void {
    const isVacant = this.#vacancies.suits(key) && this.#values.get(key) === VACANT;
    value.serial = isVacant ? this.#vacancies.take(key) : ++this.#serial;
    this.#values.set(key, value);
    this.#lengths[key.length % LENGTHS] = (this.#lengths[key.length % LENGTHS] ?? 0) + 1;
  }

  #drop(key: Bytes, value: Value): void {
    if (value.expiring) this.#expiries.delete(key);
    this.#lengths[key.length % LENGTHS] = (this.#lengths[key.length % LENGTHS] ?? 0) - 1;
    if (!this.#vacancies.suits(key)) {
      this.#values.delete(key);
      return;
    }
    this.#values.set(key, VACANT);
    const leaving = this.#vacancies.add(key, value.serial);
    if (leaving !== undefined) this.#values.delete(leaving);
  }
}
