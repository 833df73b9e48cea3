/**
 * The journal of one store: what acts wrote, in files, and the answers that wait for that.
 *
 * A record holds the commands that one act, plain command or step of a server really ran, with its clock; running them
 * again from the same keyspace gives the same keyspace. What wrote nothing has no record. Records of one step of the
 * program are written at once when it has ended. Whoever ran then gets an answer in the order of the calls: with
 * `always` once the device has the record, else once the file has it. An answer that rests on what is not there yet
 * waits as well, so nobody is told of what may still be taken back.
 *
 * Memory and file never part. A write that fails takes back, in memory, exactly the acts that are not in the file,
 * whose callers get `not_stored`. A sync that failed is never tried again on the same file, because the system may have
 * forgotten what it could not write: a new file goes on from the last place that was certainly safe. With `always` the
 * acts behind that place are taken back; with `everysec` they have been answered, so their records are still here and
 * go into the new file; with `no` nothing was promised, and a snapshot of the memory, which is right, replaces the
 * file.
 *
 * One snapshot at a time replaces the journals before it (snapshot-run.ts): first a new journal, then the snapshot
 * beside it, and when that is safe under its name, the old files go.
 */

import type { Ports, Timer } from "../../engine/ports.ts";
import { causeText } from "../../protocol/cause-text.ts";
import { EchoMQError } from "../../protocol/errors.ts";
import type { Argument } from "../../transition/server.ts";
import type { Answer } from "../command/command.ts";
import type { Command } from "../command/command-table.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { FileLayer } from "./file-layer.ts";
import type { FolderLock } from "./folder-lock.ts";
import { storeFileName } from "./folder-name.ts";
import {
  createJournalFile,
  type JournalFile,
  type JournalPlace,
  RECORDS_AT,
  removeBefore,
  removeJournalFile,
  restamp,
  writeLink,
} from "./journal-file.ts";
import { beginRecord, endRecord, HEADER_BYTES, RECORD, recordLength } from "./record-format.ts";
import { SnapshotRun } from "./snapshot-run.ts";
import { ShortWrite, writeAll } from "./write-all.ts";

/**
 * When the device has to have what was written: before the answer, at most a second later, or when the system likes.
 */
export type FsyncMode = "always" | "everysec" | "no";

/** Unwritten bytes with which the next act first writes what there is. */
export const UNWRITTEN_BYTES_MAX = 1 << 20;

/** Unsynced bytes with which the next act waits in place for the device. They are kept in memory. */
export const UNSYNCED_BYTES_MAX = 32 << 20;

/** Bytes of journals below which no snapshot is written. Above, one is when they outgrow the last snapshot. */
export const COMPACT_BYTES_MIN = 16 << 20;

/** Between the end of one sync and the next one with `everysec`, in ms. */
const SYNC_MS = 1000;

/** Between two tries of its own to begin a new file when there is none to write to, in ms. Every write tries, too. */
const MEND_MS = 1000;

/** An answer that waits. */
interface Held {
  /** The record that has to be stored first. */
  readonly record: number;
  readonly kept: () => void;
  readonly lost: (error: EchoMQError) => void;
}

/** What a journal begins with; opening a folder gives it. */
export interface JournalStart {
  readonly layer: FileLayer;
  readonly ports: Ports;
  readonly folder: string;
  readonly fsync: FsyncMode;
  readonly lock: FolderLock;
  readonly keyspace: Keyspace;
  readonly current: JournalFile;
  /** Where the next record goes; all before it is on the device. */
  readonly end: number;
  readonly isSealed: boolean;
  /** The highest number that a file of the folder has. */
  readonly highest: number;
  readonly snapshotBytes: number;
  readonly journalBytes: number;
  /** Default {@link COMPACT_BYTES_MIN}. */
  readonly compactBytesMin?: number | undefined;
}

/** What an engine is told. */
export interface JournalListener {
  /** Records were stored: what acts told may go out. */
  onKept(): void;
  /** Acts were taken back. */
  onLost(): void;
}

export class Journal {
  readonly #start: JournalStart;
  readonly #layer: FileLayer;
  readonly #keyspace: Keyspace;
  #listener: JournalListener | undefined;

  /** Records since {@link Journal.#durable}, or since the last write with `no`. */
  readonly #writer: ByteWriter;
  /** How much of the writer has been written to the file. */
  #flushed = 0;
  /** The place in the file of the writer's first byte, and how many bytes were taken from the writer's front so far. */
  #base: number;
  #dropped = 0;
  /** Where in the writer the current file begins, counted like `#dropped`. */
  #switchedAt = 0;
  /** Where the record begins that is being written; `undefined` while none is. */
  #open: number | undefined;

  /** The file that is written to; `undefined` while there is none that can be. */
  #current: JournalFile | undefined;
  /** Journals that were gone on from and are not on the device yet. */
  #older: JournalFile[] = [];
  /** What is certainly on the device. */
  #durable: JournalPlace;
  /** Where a new file goes on from, when there is none to write to, and why. */
  #goOnFrom: JournalPlace | undefined;
  #fault: unknown;
  #mendTimer: Timer | undefined;

  /** Numbers of records: the last that was ended, written, on the device, and answered for. */
  #ended = 0;
  #written = 0;
  #synced = 0;
  #released = 0;
  /** For each record after the last released one: where its writes end in the undo log. */
  #undoEnds: number[] = [];
  #held: Held[] = [];

  #isFlushSet = false;
  #syncing: Promise<void> | undefined;
  #syncTimer: Timer | undefined;
  #isSealed: boolean;
  /** Being closed: nothing new is begun in the background; and then nothing is made safe in the background. */
  #isEnding = false;
  #isClosing = false;

  #highest: number;
  #snapshotBytes: number;
  /** Bytes of all journals since the last snapshot, the current one not counted. */
  #olderBytes: number;
  #compactAt: number;
  #snapshot: SnapshotRun | undefined;
  #compacting: Promise<void> | undefined;
  /**
   * With `no`: how often a sync failed since the last snapshot, which leaves journals that may not be on the device.
   */
  #doubts = 0;

  constructor(start: JournalStart) {
    this.#start = start;
    this.#layer = start.layer;
    this.#keyspace = start.keyspace;
    this.#writer = new ByteWriter(start.layer);
    this.#current = start.current;
    this.#base = start.end;
    this.#durable = { number: start.current.number, offset: start.end };
    this.#isSealed = start.isSealed;
    this.#highest = start.highest;
    this.#snapshotBytes = start.snapshotBytes;
    this.#olderBytes = Math.max(0, start.journalBytes - start.end);
    this.#compactAt = this.#nextCompactAt();
    this.#keyspace.undo.keep();
  }

  /** Sets who is told. */
  listen(listener: JournalListener): void {
    this.#listener = listener;
  }

  /** Whether anything that ran is not stored as the mode wants it. */
  get isPending(): boolean {
    return this.#ended > this.#released || this.#open !== undefined;
  }

  /** Before anything runs: makes room when much is waiting. Answers that are held may be given meanwhile. */
  makeRoom(): void {
    if (this.#writer.length - this.#flushed > UNWRITTEN_BYTES_MAX) this.#flush();
    if (this.#flushed > UNSYNCED_BYTES_MAX) this.#syncInPlace();
  }

  /** Runs a command that may write, and records it if it did. */
  run(command: Command, args: readonly Argument[]): Answer {
    const { undo } = this.#keyspace;
    const before = undo.writes;
    const position = undo.position;
    try {
      const answer = command.run(this.#keyspace, args);
      if (undo.writes !== before) this.#record(command.name, args);
      return answer;
    } catch (error) {
      // An act is taken back as a whole; a plain command that was refused half-way, here.
      if (!this.#keyspace.isInAct && undo.position > position) this.#keyspace.rollBackTo(position);
      throw error;
    }
  }

  /** A place to go back to in what is being recorded. */
  mark(): number {
    return this.#open === undefined ? -1 : this.#writer.length;
  }

  /** Forgets what was recorded since a mark. */
  rewind(mark: number): void {
    if (this.#open === undefined) return;
    this.#writer.length = mark < 0 ? this.#open : mark;
    if (mark < 0) this.#open = undefined;
  }

  /** Ends what ran: its commands become one record, which is written when the step of the program has ended. */
  end(): void {
    const start = this.#open;
    const { undo } = this.#keyspace;
    if (start === undefined) {
      if (!this.isPending) undo.release(undo.position);
      return;
    }
    this.#open = undefined;
    this.#seal(start);
    this.#setFlush();
  }

  /** Records that the clock is about to be set back, and that all is gone which has expired by it. */
  setBack(): void {
    const start = beginRecord(this.#writer, RECORD.clock);
    this.#writer.u64(this.#keyspace.now);
    this.#seal(start);
    this.#setFlush();
  }

  /** Calls `kept` once all that ran so far is stored, or `lost` when it was taken back. For while something pends. */
  hold(kept: () => void, lost: (error: EchoMQError) => void): void {
    // What runs right now counts as well.
    const record = this.#open === undefined ? this.#ended : this.#ended + 1;
    this.#held.push({ record, kept, lost });
  }

  /**
   * Makes everything safe and gives the folder up.
   *
   * @throws EchoMQError `not_stored` when the device did not take what was answered for.
   */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#syncTimer?.cancel();
    this.#mendTimer?.cancel();
    this.#snapshot?.abandon();
    this.#flush();
    await this.#compacting;
    if (this.#doubts > 0) await this.#compact().catch((error: unknown) => this.#onCompactionFailed(error));
    this.#isClosing = true;
    await this.#syncing;
    // What has another owner now is not written any more, not even to end it well.
    if (this.#start.lock.isHeld()) await this.#finish();
    const fault = this.#fault;
    const isUnsafe = this.#synced < this.#written || this.#flushed > 0 || this.#doubts > 0;
    for (const { file } of this.#older) file.close();
    this.#current?.file.close();
    this.#start.lock.release();
    if (fault !== undefined && isUnsafe) throw notStored(this.#start.folder, fault);
  }

  // Recording.

  #record(name: string, args: readonly Argument[]): void {
    const writer = this.#writer;
    if (this.#open === undefined) {
      this.#open = beginRecord(writer, RECORD.commands);
      writer.u64(this.#keyspace.now);
    }
    const bar = name.indexOf("|");
    writer.u8(this.#keyspace.isInAct ? 0 : 1);
    writer.varint(args.length);
    writer.text(bar < 0 ? name : name.slice(0, bar));
    for (const argument of args) writer.text(typeof argument === "string" ? argument : String(argument));
  }

  #seal(start: number): void {
    this.#stamp(start);
    this.#ended++;
    this.#undoEnds.push(this.#keyspace.undo.position);
  }

  #stamp(start: number): void {
    const current = this.#current;
    const isHere = current !== undefined && this.#durable.number === current.number;
    endRecord(this.#layer, this.#writer, start, {
      salt: current?.salt ?? 0,
      offset: this.#base + start,
      durable: isHere ? this.#durable.offset : undefined,
    });
  }

  // Writing.

  #setFlush(): void {
    if (this.#isFlushSet) return;
    this.#isFlushSet = true;
    this.#start.ports.soon(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushSet = false;
    if (this.#flushed === this.#writer.length || this.#open !== undefined) return;
    if (!this.#start.lock.isHeld()) {
      this.#loseAfter(this.#written, lostFolder(this.#start.folder));
      return;
    }
    if (this.#current === undefined && !this.#mend()) {
      this.#loseAfter(this.#written, notStored(this.#start.folder, this.#fault));
      return;
    }
    const fault = this.#write();
    const lost = this.#takeBackAfter(this.#written);
    if (this.#start.fsync === "always") this.#setSync();
    else this.#onWritten();
    for (const held of lost) held.lost(notStored(this.#start.folder, fault));
    this.#considerCompaction();
  }

  /** Writes what the writer holds and the file does not; what it could not write, and is not whole, is cut off. */
  #write(): unknown {
    const { number, file } = this.#current as JournalFile;
    const from = this.#flushed;
    const to = this.#writer.length;
    this.#isSealed = false;
    try {
      writeAll(file, this.#writer.bytes, { from, to, at: this.#base + from });
      this.#flushed = to;
      this.#written = this.#ended;
      return undefined;
    } catch (error) {
      const written = error instanceof ShortWrite ? error.written : 0;
      this.#keepWhole(from + written);
      this.#fault = error instanceof ShortWrite ? error.cause : error;
    }
    const offset = this.#base + this.#flushed;
    try {
      file.truncate(offset);
    } catch {
      // What lies behind the last whole record stays there; the next file says that it does not count.
      this.#older.push(this.#current as JournalFile);
      this.#current = undefined;
      this.#goOnFrom = { number, offset };
    }
    return this.#fault;
  }

  /** Counts the records that are whole up to a place of the writer as written. */
  #keepWhole(end: number): void {
    for (;;) {
      const next = this.#flushed + recordLength(this.#writer.bytes, this.#flushed);
      if (this.#flushed >= this.#writer.length || next > end) return;
      this.#flushed = next;
      this.#written++;
    }
  }

  /** Without `always`: what is in the file is answered. */
  #onWritten(): void {
    if (this.#start.fsync === "no") this.#drop(this.#flushed);
    else this.#setSyncTimer();
    this.#release(this.#written);
  }

  /** Takes bytes from the writer's front. */
  #drop(count: number): void {
    this.#writer.dropFirst(count);
    this.#flushed -= count;
    this.#base += count;
    this.#dropped += count;
  }

  // Answering.

  #release(record: number): void {
    const count = record - this.#released;
    if (count <= 0) return;
    this.#keyspace.undo.release(this.#undoEnds[count - 1] as number);
    this.#undoEnds.splice(0, count);
    this.#released = record;
    let given = 0;
    while (given < this.#held.length && (this.#held[given] as Held).record <= record) given++;
    for (const held of this.#held.splice(0, given)) held.kept();
    this.#listener?.onKept();
  }

  /** Takes back everything after a record, and tells those who wait for it. */
  #loseAfter(record: number, error: EchoMQError): void {
    for (const held of this.#takeBackAfter(record)) held.lost(error);
  }

  #takeBackAfter(record: number): Held[] {
    if (record >= this.#ended) return [];
    this.#snapshot?.abandon();
    const kept = record - this.#released;
    const { undo } = this.#keyspace;
    const position = kept > 0 ? (this.#undoEnds[kept - 1] as number) : undo.released;
    this.#keyspace.rollBackTo(position);
    this.#undoEnds.length = kept;
    this.#ended = record;
    this.#writer.length = Math.min(this.#writer.length, this.#flushed);
    this.#listener?.onLost();
    const at = this.#held.findIndex((held) => held.record > record);
    return at < 0 ? [] : this.#held.splice(at);
  }

  // Making safe.

  #setSyncTimer(): void {
    if (this.#syncTimer !== undefined || this.#isClosing) return;
    this.#syncTimer = this.#start.ports.clock.after(SYNC_MS, () => this.#onSyncTimer(), { background: true });
  }

  #onSyncTimer(): void {
    this.#syncTimer = undefined;
    this.#setSync();
  }

  #setSync(): void {
    if (this.#syncing !== undefined || this.#isClosing) return;
    if (this.#current === undefined && this.#older.length === 0) return;
    this.#syncing = this.#sync().finally(() => {
      this.#syncing = undefined;
      if (this.#start.fsync === "always" && this.#synced < this.#written) this.#setSync();
    });
  }

  /** One round: whatever was written when it began is on the device when it ends, or a new file is begun. */
  async #sync(): Promise<void> {
    const round = this.#nextRound();
    try {
      for (const { file } of round.files) await file.sync();
    } catch (error) {
      // Files that were given up meanwhile have been dealt with.
      if (this.#isCurrent(round)) this.#onSyncFailed(error);
      return;
    }
    if (this.#isCurrent(round)) this.#onSynced(round);
  }

  #syncInPlace(): void {
    const round = this.#nextRound();
    try {
      for (const { file } of round.files) file.syncNow();
    } catch (error) {
      this.#onSyncFailed(error);
      return;
    }
    this.#onSynced(round);
  }

  #nextRound(): SyncRound {
    const current = this.#current;
    const place =
      current === undefined
        ? (this.#goOnFrom ?? this.#durable)
        : { number: current.number, offset: this.#base + this.#flushed };
    const files = current === undefined ? this.#older.slice() : [...this.#older, current];
    return { files, place, record: this.#written, bytes: this.#dropped + this.#flushed };
  }

  #isCurrent({ files, record }: SyncRound): boolean {
    const last = files.at(-1);
    if (last === undefined || record < this.#synced) return false;
    return last === this.#current || this.#older.includes(last);
  }

  #onSynced({ files, place, record, bytes }: SyncRound): void {
    for (const each of files) {
      if (each === this.#current || !this.#older.includes(each)) continue;
      // A file that was gone on from while it was made safe may have got more since.
      if (each.number === place.number && this.#current !== undefined && bytes < this.#switchedAt) continue;
      this.#older = this.#older.filter((other) => other !== each);
      each.file.close();
    }
    this.#synced = record;
    this.#durable = place;
    if (bytes > this.#dropped) this.#drop(bytes - this.#dropped);
    if (this.#start.fsync === "always") this.#release(record);
  }

  #onSyncFailed(error: unknown): void {
    const { fsync, ports, folder } = this.#start;
    this.#fault = error;
    this.#snapshot?.abandon();
    ports.logger.error("A journal could not be made safe; a new one goes on from the last safe place", {
      code: "not_stored",
      folder,
      cause: causeText(error),
    });
    let lost: Held[] = [];
    if (fsync === "always") {
      // What is in the files behind the safe place does not count: the new file will say so, and a cut says so now.
      this.#cutAtDurable();
      lost = this.#takeBackAfter(this.#synced);
      this.#written = this.#synced;
      this.#flushed = 0;
      this.#writer.length = 0;
    }
    const end = { number: this.#current?.number ?? this.#durable.number, offset: this.#base + this.#flushed };
    if (this.#current !== undefined) this.#current.file.close();
    for (const { file } of this.#older.splice(0)) file.close();
    this.#current = undefined;
    this.#goOnFrom = fsync === "no" ? end : this.#durable;
    this.#mend();
    if (fsync === "no") {
      this.#doubts++;
      this.#compactAt = 0;
    }
    for (const held of lost) held.lost(notStored(folder, error));
    this.#considerCompaction();
  }

  /** Takes what is not safe out of the files, as far as they let it be done. */
  #cutAtDurable(): void {
    if (!this.#start.lock.isHeld()) return;
    for (const each of [...this.#older, this.#current]) {
      if (each === undefined) continue;
      try {
        each.file.truncate(each.number === this.#durable.number ? this.#durable.offset : HEADER_BYTES);
      } catch {
        // The device is refusing just now; the new file is what counts.
      }
    }
  }

  /** Begins a new file when there is none to write to; false when that cannot be done now. */
  #mend(): boolean {
    const goOnFrom = this.#goOnFrom;
    if (this.#current !== undefined || goOnFrom === undefined) return this.#current !== undefined;
    if (!this.#start.lock.isHeld()) return false;
    // What was written and is not known to be safe goes into the new file, unless it goes on from behind it.
    const from = goOnFrom === this.#durable ? 0 : this.#flushed;
    let current: JournalFile | undefined;
    try {
      current = this.#makeFile(goOnFrom);
      this.#carry(current, from);
      current.file.syncNow();
      this.#layer.syncFolderNow(this.#start.folder);
    } catch (error) {
      this.#fault = error instanceof ShortWrite ? error.cause : error;
      if (current !== undefined) removeJournalFile(this.#start, current);
      this.#setMendTimer();
      return false;
    }
    this.#olderBytes += goOnFrom.offset;
    this.#current = current;
    this.#goOnFrom = undefined;
    this.#base = RECORDS_AT - from;
    this.#switchedAt = this.#dropped + from;
    if (this.#older.length > 0) return true;
    this.#synced = this.#written;
    this.#durable = { number: current.number, offset: this.#base + this.#flushed };
    this.#drop(this.#flushed);
    return true;
  }

  /** Tries again without a call: until then the files may hold what was taken back. */
  #setMendTimer(): void {
    if (this.#mendTimer !== undefined || this.#isEnding) return;
    const mend = () => {
      this.#mendTimer = undefined;
      this.#mend();
      if (this.#doubts === 0) return;
      this.#compactAt = 0;
      this.#considerCompaction();
    };
    this.#mendTimer = this.#start.ports.clock.after(MEND_MS, mend, { background: true });
  }

  /** Makes a journal with its header and its first record. */
  #makeFile(goOnFrom: JournalPlace): JournalFile {
    const current = this.#createFile();
    try {
      writeLink(this.#layer, current, goOnFrom);
      return current;
    } catch (error) {
      removeJournalFile(this.#start, current);
      throw error;
    }
  }

  #createFile(): JournalFile {
    return createJournalFile(this.#start, ++this.#highest);
  }

  /** Gives the records of the writer from a place on their places in another file, and writes those that had been. */
  #carry({ salt, file }: JournalFile, from: number): void {
    restamp(this.#layer, this.#writer, { from, salt });
    writeAll(file, this.#writer.bytes, { from, to: this.#flushed, at: RECORDS_AT });
  }

  async #finish(): Promise<void> {
    // The second round is for what the first one had to put into a new file.
    for (let round = 0; round < 2; round++) {
      if (this.#current === undefined) {
        this.#mend();
      }
      if (this.#current === undefined || this.#isSealed) return;
      await this.#sync();
      if (this.#synced < this.#written || this.#durable.number !== (this.#current as JournalFile | undefined)?.number)
        continue;
      this.#writeSeal();
      return;
    }
  }

  /** The last record of a store that is closed: it shows that all before it is safe. */
  #writeSeal(): void {
    this.#seal(beginRecord(this.#writer, RECORD.seal));
    if (this.#write() !== undefined) {
      // Without it the store opens as after a crash, and nothing is missing.
      this.#takeBackAfter(this.#written);
      return;
    }
    this.#isSealed = true;
    this.#syncInPlace();
  }

  // Compaction.

  #nextCompactAt(): number {
    return Math.max(this.#start.compactBytesMin ?? COMPACT_BYTES_MIN, this.#snapshotBytes);
  }

  #considerCompaction(): void {
    const bytes = this.#olderBytes + this.#base + this.#flushed;
    if (bytes < this.#compactAt || this.#compacting !== undefined || this.#isEnding) return;
    if (this.#current === undefined) return;
    this.#compacting = new Promise<void>((resolve) => this.#start.ports.later(resolve))
      .then(async () => await this.#compact())
      .catch((error: unknown) => this.#onCompactionFailed(error))
      .finally(() => {
        this.#compacting = undefined;
      });
  }

  #onCompactionFailed(error: unknown): void {
    const { ports, folder } = this.#start;
    // Tried again when the journals have grown by as much once more.
    this.#compactAt = this.#olderBytes + this.#base + this.#flushed + this.#nextCompactAt();
    if (this.#isEnding) return;
    if (this.#doubts > 0) this.#setMendTimer();
    const cause = causeText(error);
    ports.logger.warn("The journals of a folder could not be replaced by a snapshot; they go on growing", {
      folder,
      cause,
    });
  }

  async #compact(): Promise<void> {
    const { folder, ports } = this.#start;
    const doubts = this.#doubts;
    this.#assertHeld();
    const next = this.#createFile();
    let isTaken = false;
    try {
      await next.file.sync();
      await this.#layer.syncFolder(folder);
      isTaken = this.#switchTo(next);
    } finally {
      if (!isTaken) removeJournalFile(this.#start, next);
    }
    if (!isTaken) throw new Error("the current journal could not be ended");
    const path = `${folder}/${storeFileName("snapshot", next.number)}`;
    const run = new SnapshotRun({
      layer: this.#layer,
      ports,
      keyspace: this.#keyspace,
      number: next.number,
      path: `${path}.new`,
    });
    this.#snapshot = run;
    const record = this.#ended;
    try {
      await run.write();
      await this.#whenSynced(next, record);
      if (!run.isGood) throw run.failure ?? new Error("what it was to show was taken back");
      run.close();
      this.#assertHeld();
      this.#layer.rename(`${path}.new`, path);
    } catch (error) {
      run.discard();
      throw error;
    } finally {
      this.#snapshot = undefined;
    }
    await this.#layer.syncFolder(folder);
    this.#snapshotBytes = run.bytes;
    this.#olderBytes = 0;
    if (this.#doubts === doubts) this.#doubts = 0;
    this.#compactAt = this.#nextCompactAt();
    this.#assertHeld();
    removeBefore(this.#layer, folder, next.number);
  }

  /** Before files are made, named and removed that another owner of the folder would take for its own. */
  #assertHeld(): void {
    if (!this.#start.lock.isHeld()) throw lostFolder(this.#start.folder);
  }

  /** Goes on in another journal, which has its header. */
  #switchTo(next: JournalFile): boolean {
    this.#flush();
    const current = this.#current;
    if (current === undefined || this.#isClosing || !this.#start.lock.isHeld()) return false;
    const offset = this.#base + this.#flushed;
    writeLink(this.#layer, next, { number: current.number, offset });
    this.#older.push(current);
    this.#olderBytes += offset;
    this.#current = next;
    this.#base = RECORDS_AT - this.#flushed;
    this.#switchedAt = this.#dropped + this.#flushed;
    this.#isSealed = false;
    return true;
  }

  /** Resolves when the device has a file's beginning and a record. Rejects when that cannot be. */
  async #whenSynced(current: JournalFile, record: number): Promise<void> {
    while (this.#durable.number !== current.number || this.#synced < record) {
      if (this.#current !== current || this.#isClosing) throw new Error("another journal was begun meanwhile");
      if (this.#syncing === undefined) this.#setSync();
      await this.#syncing;
    }
  }
}

/** One round of making safe. */
interface SyncRound {
  readonly files: readonly JournalFile[];
  /** Up to where the last of the files has been written. */
  readonly place: JournalPlace;
  readonly record: number;
  /** The same place in the writer, counted from the first byte that it ever held. */
  readonly bytes: number;
}

function notStored(folder: string, cause: unknown): EchoMQError {
  return new EchoMQError(
    "not_stored",
    `${folder} did not take what was written (${causeText(cause)}), so the call was taken back: ` +
      "make room or mend the device, then call again; nothing needs to be opened anew",
    { cause, details: { folder } },
  );
}

function lostFolder(folder: string): EchoMQError {
  return new EchoMQError(
    "folder_in_use",
    `${folder} was removed, or another process has taken it while this one was held up, so nothing is written any more: ` +
      "close this one and open the folder again",
    { details: { folder } },
  );
}
