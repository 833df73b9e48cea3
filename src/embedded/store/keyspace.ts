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
import { KeyMap, PARTS } from "./key-map.ts";
import { KeyScanner } from "./key-scanner.ts";
import { ListValue } from "./list-value.ts";
import { MemberScans } from "./member-scans.ts";
import { SetValue } from "./set-value.ts";
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
  /** A stream, or one of its groups, is no longer there; without a key, nothing is. */
  onStreamLoss?(key: Bytes | undefined): void;
  /** A key was created, or got a value of perhaps another type, outside of any act. */
  onForeignWrite(key: Bytes, value: Value): void;
  /** The earliest instant at which a key expires may have changed. */
  onExpiryChange(): void;
}

/** Who writes down every value as it is at one moment, while acts go on (journal/snapshot-run.ts). */
export interface ValueSaver {
  /** The number of the snapshot; a value that has it in `savedIn` is not asked for. */
  readonly number: number;
  /** A value is about to be looked at, and perhaps changed. */
  save(key: Bytes, value: Value): void;
  /** Every key is about to go. */
  abandon(): void;
}

/** Key lengths that are told apart; longer keys share the places of shorter ones. */
const LENGTHS = 1024;

export class Keyspace {
  #values = new KeyMap<Value>();
  #vacancies = new Vacancies();
  /**
   * Number of keys by their length. Acts ask for the rare side keys of every job that ends (logs, lock, result), and
   * nothing else has keys of that length: such a look-up ends here, before the key is even put together and hashed.
   */
  #lengths = new Uint32Array(LENGTHS);
  #expiries = new ExpiryQueue();
  #scanner = new KeyScanner(this.#values);
  readonly #watcher: KeyspaceWatcher;
  #serial = 0;
  #inAct = false;

  /** Unix milliseconds by which expiry is judged. Written by the engine before each act and command. */
  now = 0;
  /** Every command records its writes here. */
  readonly undo = new UndoLog();
  /** Scans of collections that have not come to their end. */
  readonly memberScans = new MemberScans();
  /** Set while a snapshot is being written. */
  saver: ValueSaver | undefined = undefined;

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

  /** The serial of the newest key. */
  get lastSerial(): number {
    return this.#serial;
  }

  /** Starts an act. */
  begin(): void {
    this.#inAct = true;
    this.undo.begin(this.#serial + 1);
  }

  /** Whether an act runs, and not a plain command. */
  get isInAct(): boolean {
    return this.#inAct;
  }

  /** Marks what follows as part of an act that is carried out again, or as a plain command. */
  replay(isAct: boolean): void {
    this.#inAct = isAct;
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

  /** Takes back every write from a position of the undo log on. */
  rollBackTo(position: number): void {
    this.#inAct = false;
    this.undo.rollBackTo(this, position);
  }

  /** The value of a key; `undefined` when there is none. */
  find(key: Bytes): Value | undefined {
    if (this.#lengths[key.length % LENGTHS] === 0) return undefined;
    const value = this.#values.get(key);
    if (value === undefined || value === VACANT) return undefined;
    if (value.expiring && this.#hasExpired(key)) return undefined;
    if (this.saver !== undefined && value.savedIn !== this.saver.number) this.saver.save(key, value);
    return value;
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
    this.#dropPassed(value);
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
    value.savedIn = old.savedIn;
    if (old.expiring && !keepExpiry) this.setExpiry(key, undefined);
    this.#values.set(key, value);
    if (old instanceof StreamValue) this.#watcher.onStreamLoss?.(key);
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

  /** Moves the value of a key that is there, with its expiry, under another name, whatever that held before. */
  rename(from: Bytes, to: Bytes): void {
    const value = this.find(from) as Value;
    const expiresAt = this.#expiries.instantOf(from);
    this.remove(to);
    this.remove(from);
    // The value gets the serial of its new place and is older than that says.
    this.undo.moves();
    value.expiring = false;
    this.create(to, value);
    if (expiresAt !== undefined) this.setExpiry(to, expiresAt);
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

  /** Tells that a stream lost a group. */
  lostGroup(key: Bytes): void {
    this.#watcher.onStreamLoss?.(key);
  }

  /** Takes out every key. Not for use in an act, which could not be told from one that wrote nothing. */
  clear(): void {
    this.saver?.abandon();
    const before = [this.#values, this.#vacancies, this.#lengths, this.#expiries, this.#scanner] as const;
    this.undo.cleared(() => {
      [this.#values, this.#vacancies, this.#lengths, this.#expiries, this.#scanner] = before;
      this.#watcher.onExpiryChange();
    });
    this.#values = new KeyMap();
    this.#vacancies = new Vacancies();
    this.#lengths = new Uint32Array(LENGTHS);
    this.#expiries = new ExpiryQueue();
    this.#scanner = new KeyScanner(this.#values);
    this.#watcher.onExpiryChange();
    this.#watcher.onStreamLoss?.(undefined);
  }

  /** Every key and value of one part of the map, 0 to {@link PARTS} - 1; the keyspace may be changed on the way. */
  *entriesOf(part: number): Generator<[Bytes, Value]> {
    for (const entry of this.#values.entriesOf(part)) {
      if (entry[1] !== VACANT && !(entry[1].expiring && this.#isPast(entry[0]))) yield entry;
    }
  }

  /** Every key with its value, those that have expired left out. Do not change the keyspace on the way. */
  *entries(): Generator<[Bytes, Value]> {
    for (let part = 0; part < PARTS; part++) {
      for (const entry of this.#values.entriesOf(part)) {
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
      this.#dropExpired(key);
    }
  }

  /** Takes out all that has expired: before the clock is set back, or it would come to life again. */
  removeAllExpired(): void {
    this.removeExpired(Number.POSITIVE_INFINITY);
    if (!this.undo.hasFieldExpiries) return;
    for (const [key, value] of this.entries()) if (value instanceof HashValue && value.hasExpiries) this.hash(key);
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
    this.#dropExpired(key);
    return true;
  }

  #dropExpired(key: Bytes): void {
    const value = this.#values.get(key) as Value;
    this.undo.expired(key, value, this.#expiries.instantOf(key));
    this.#drop(key, value);
  }

  /** Takes the fields away whose instant has passed. */
  #dropPassed(hash: HashValue): void {
    for (const field of hash.passed(this.now)) {
      this.undo.field(hash, field, hash.get(field));
      hash.delete(field);
    }
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
    value.savedIn = this.saver?.number ?? 0;
    this.#values.set(key, value);
    this.#lengths[key.length % LENGTHS] = (this.#lengths[key.length % LENGTHS] ?? 0) + 1;
  }

  #drop(key: Bytes, value: Value): void {
    if (value.expiring) this.#expiries.delete(key);
    if (value instanceof StreamValue) this.#watcher.onStreamLoss?.(key);
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
