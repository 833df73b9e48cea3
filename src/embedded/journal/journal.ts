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
 * This file decides what happens when; the parts are the records that are not safe yet (record-buffer.ts), the answers
 * that wait (held-answers.ts), the files in their order (journal-sequence.ts), the rounds of making safe
 * (sync-rhythm.ts) and the snapshots that replace journals (compaction.ts).
 */

import type { Timer } from "../../engine/ports.ts";
import { causeText } from "../../protocol/cause-text.ts";
import type { EchoMQError } from "../../protocol/errors.ts";
import type { Argument } from "../../transition/server.ts";
import type { Answer } from "../command/command.ts";
import type { Command } from "../command/command-table.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { Compaction } from "./compaction.ts";
import { type Held, HeldAnswers } from "./held-answers.ts";
import { type JournalFile, type JournalPlace, removeJournalFile, writeLink } from "./journal-file.ts";
import { JournalSequence, type SyncRound } from "./journal-sequence.ts";
import type { JournalListener, JournalStart } from "./journal-start.ts";
import { lostFolder, notStored } from "./not-stored.ts";
import { RecordBuffer } from "./record-buffer.ts";
import { RECORD } from "./record-format.ts";
import { SyncRhythm } from "./sync-rhythm.ts";
import { ShortWrite } from "./write-all.ts";

/** Unwritten bytes with which the next act first writes what there is. */
export const UNWRITTEN_BYTES_MAX = 1 << 20;

/** Unsynced bytes with which the next act waits in place for the device. They are kept in memory. */
export const UNSYNCED_BYTES_MAX = 32 << 20;

/** Unsynced bytes with which the device is asked at once, so that no act comes to wait for it in place. */
export const UNSYNCED_BYTES_HURRIED: number = UNSYNCED_BYTES_MAX / 4;

/** Between two tries of its own to begin a new file when there is none to write to, in ms. Every write tries, too. */
const MEND_MS = 1000;

export class Journal {
  readonly #start: JournalStart;
  readonly #keyspace: Keyspace;
  readonly #buffer: RecordBuffer;
  readonly #answers: HeldAnswers;
  readonly #files: JournalSequence;
  readonly #syncs: SyncRhythm;
  readonly #compaction: Compaction;
  #listener: JournalListener | undefined;

  /** Numbers of records: the last that is written, and the last that is on the device. */
  #written = 0;
  #synced = 0;

  /** Why there is no file to write to, or was none. */
  #fault: unknown;
  #mendTimer: Timer | undefined;
  #isFlushSet = false;
  #isSealed: boolean;
  /** Being closed: nothing new is begun in the background. */
  #isEnding = false;

  constructor(start: JournalStart) {
    const { layer, ports, keyspace, current, end, highest } = start;
    this.#start = start;
    this.#keyspace = keyspace;
    this.#buffer = new RecordBuffer(layer, end);
    this.#answers = new HeldAnswers(keyspace);
    this.#files = new JournalSequence(start, current, { end, highest });
    this.#isSealed = start.isSealed;
    this.#syncs = new SyncRhythm({
      clock: ports.clock,
      round: async () => await this.#sync(),
      isAnything: () => this.#files.current !== undefined || this.#files.hasOlder,
      isDue: () => start.fsync === "always" && this.#synced < this.#written,
    });
    this.#compaction = new Compaction(start, {
      end: () => this.#buffer.end,
      isWritable: () => this.#files.current !== undefined,
      ended: () => this.#answers.ended,
      create: () => this.#files.create(),
      switchTo: (next) => this.#switchTo(next),
      whenSynced: async (file, record) => await this.#whenSynced(file, record),
      assertHeld: () => this.#assertHeld(),
      again: () => this.#setMendTimer(),
    });
  }

  /** Sets who is told. */
  listen(listener: JournalListener): void {
    this.#listener = listener;
  }

  /** Whether anything that ran is not stored as the mode wants it. */
  get isPending(): boolean {
    return this.#answers.isPending || this.#buffer.isOpen;
  }

  /** Before anything runs: makes room when much is waiting. Answers that are held may be given meanwhile. */
  makeRoom(): void {
    if (this.#buffer.unwritten > UNWRITTEN_BYTES_MAX) this.#flush();
    if (this.#buffer.unsynced > UNSYNCED_BYTES_MAX) this.#syncInPlace();
  }

  /** Runs a command that may write, and records it if it did. */
  run(command: Command, args: readonly Argument[]): Answer {
    const { undo } = this.#keyspace;
    const before = undo.writes;
    const position = undo.position;
    try {
      const answer = command.run(this.#keyspace, args);
      if (undo.writes !== before) this.#buffer.add(command.name, args, this.#keyspace);
      return answer;
    } catch (error) {
      // An act is taken back as a whole; a plain command that was refused half-way, here.
      if (!this.#keyspace.isInAct && undo.position > position) this.#keyspace.rollBackTo(position);
      throw error;
    }
  }

  /** A place to go back to in what is being recorded. */
  mark(): number {
    return this.#buffer.mark();
  }

  /** Forgets what was recorded since a mark. */
  rewind(mark: number): void {
    this.#buffer.rewind(mark);
  }

  /** Ends what ran: its commands become one record, which is written when the step of the program has ended. */
  end(): void {
    if (this.#buffer.isOpen) {
      this.#buffer.seal(this.#stamp());
      this.#answers.count();
      this.#setFlush();
    } else if (!this.isPending) {
      const { undo } = this.#keyspace;
      undo.release(undo.position);
    }
  }

  /** Records that the clock is about to be set back, and that all is gone which has expired by it. */
  setBack(): void {
    this.#buffer.addRecord(RECORD.clock, this.#stamp(), this.#keyspace.now);
    this.#answers.count();
    this.#setFlush();
  }

  /** Calls `kept` once all that ran so far is stored, or `lost` when it was taken back. For while something pends. */
  hold(kept: () => void, lost: (error: EchoMQError) => void): void {
    // What runs right now counts as well.
    const record = this.#answers.ended + (this.#buffer.isOpen ? 1 : 0);
    this.#answers.hold({ record, kept, lost });
  }

  /**
   * Makes everything safe and gives the folder up.
   *
   * @throws EchoMQError `not_stored` when the device did not take what was answered for.
   */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#syncs.cancel();
    this.#mendTimer?.cancel();
    this.#compaction.stop();
    this.#flush();
    await this.#compaction.end();
    await this.#syncs.end();
    // What has another owner now is not written any more, not even to end it well.
    if (this.#start.lock.isHeld()) await this.#finish();
    const fault = this.#fault;
    const isUnsafe = this.#synced < this.#written || this.#buffer.unsynced > 0 || this.#compaction.isDoubtful;
    this.#files.close();
    this.#start.lock.release();
    if (fault !== undefined && isUnsafe) throw notStored(this.#start.folder, fault);
  }

  // Writing.

  #stamp(): { readonly salt: number; readonly durable: number | undefined } {
    return { salt: this.#files.current?.salt ?? 0, durable: this.#files.durableOffset };
  }

  #setFlush(): void {
    if (this.#isFlushSet) return;
    this.#isFlushSet = true;
    this.#start.ports.soon(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushSet = false;
    if (this.#buffer.unwritten === 0 || this.#buffer.isOpen) return;
    if (!this.#start.lock.isHeld()) {
      this.#loseAfter(this.#written, lostFolder(this.#start.folder));
      return;
    }
    if (this.#files.current === undefined && !this.#mend()) {
      this.#loseAfter(this.#written, notStored(this.#start.folder, this.#fault));
      return;
    }
    const fault = this.#write();
    const lost = this.#takeBackAfter(this.#written);
    if (this.#start.fsync === "always") this.#syncs.now();
    else this.#onWritten();
    for (const held of lost) held.lost(notStored(this.#start.folder, fault));
    this.#compaction.consider();
  }

  /** Writes what the file does not have; what it could not write, and is not whole, is cut off. */
  #write(): unknown {
    const current = this.#files.current as JournalFile;
    this.#isSealed = false;
    try {
      this.#buffer.writeTo(current);
      this.#written = this.#answers.ended;
      return undefined;
    } catch (error) {
      this.#written += this.#buffer.keepWhole(error instanceof ShortWrite ? error.written : 0);
      this.#fault = error instanceof ShortWrite ? error.cause : error;
    }
    try {
      current.file.truncate(this.#buffer.end);
    } catch {
      // What lies behind the last whole record stays there; the next file says that it does not count.
      this.#files.leaveAt(this.#buffer.end);
    }
    return this.#fault;
  }

  /** Without `always`: what is in the file is answered. */
  #onWritten(): void {
    if (this.#start.fsync === "no") this.#buffer.dropUntil(this.#buffer.passed);
    else {
      if (this.#buffer.unsynced > UNSYNCED_BYTES_HURRIED) this.#syncs.now();
      this.#syncs.soon();
    }
    this.#release(this.#written);
  }

  // Answering.

  #release(record: number): void {
    if (this.#answers.release(record)) this.#listener?.onKept();
  }

  /** Takes back everything after a record, and tells those who wait for it. */
  #loseAfter(record: number, error: EchoMQError): void {
    for (const held of this.#takeBackAfter(record)) held.lost(error);
  }

  #takeBackAfter(record: number): Held[] {
    if (record >= this.#answers.ended) return [];
    this.#compaction.abandon();
    const lost = this.#answers.takeBackAfter(record);
    this.#buffer.dropUnwritten();
    this.#listener?.onLost();
    return lost;
  }

  // Making safe.

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
    return this.#files.round({ end: this.#buffer.end, record: this.#written, passed: this.#buffer.passed });
  }

  #isCurrent(round: SyncRound): boolean {
    return round.record >= this.#synced && this.#files.isOf(round);
  }

  #onSynced(round: SyncRound): void {
    this.#files.settle(round, this.#buffer.switchedAt);
    this.#synced = round.record;
    this.#buffer.dropUntil(round.passed);
    if (this.#start.fsync === "always") this.#release(round.record);
  }

  #onSyncFailed(error: unknown): void {
    const { fsync, ports, folder, lock } = this.#start;
    this.#fault = error;
    this.#compaction.abandon();
    ports.logger.error("A journal could not be made safe; a new one goes on from the last safe place", {
      code: "not_stored",
      folder,
      cause: causeText(error),
    });
    let lost: Held[] = [];
    if (fsync === "always") {
      // What is in the files behind the safe place does not count: the new file will say so, and a cut says so now.
      if (lock.isHeld()) this.#files.cutAtDurable();
      lost = this.#takeBackAfter(this.#synced);
      this.#written = this.#synced;
      this.#buffer.dropAll();
    }
    this.#files.giveUp(fsync === "no" ? "end" : "durable", this.#buffer.end);
    this.#mend();
    if (fsync === "no") this.#compaction.doubt();
    for (const held of lost) held.lost(notStored(folder, error));
    this.#compaction.consider();
  }

  /** Begins a new file when there is none to write to; false when that cannot be done now. */
  #mend(): boolean {
    const { layer, folder, lock } = this.#start;
    const { goOnFrom } = this.#files;
    if (this.#files.current !== undefined || goOnFrom === undefined) return this.#files.current !== undefined;
    if (!lock.isHeld()) return false;
    // What was written and is not known to be safe goes into the new file, unless it goes on from behind it.
    const carried = this.#files.goesOnFromDurable ? "all" : "nothing";
    let current: JournalFile | undefined;
    try {
      current = this.#makeFile(goOnFrom);
      this.#buffer.carryInto(current, carried);
      current.file.syncNow();
      layer.syncFolderNow(folder);
    } catch (error) {
      this.#fault = error instanceof ShortWrite ? error.cause : error;
      if (current !== undefined) removeJournalFile(this.#start, current);
      this.#setMendTimer();
      return false;
    }
    this.#compaction.countOlder(goOnFrom.offset);
    this.#files.begin(current);
    this.#buffer.switchFile(carried);
    if (this.#files.hasOlder) return true;
    this.#synced = this.#written;
    this.#files.settleCurrent(this.#buffer.end);
    this.#buffer.dropUntil(this.#buffer.passed);
    return true;
  }

  /** Tries again without a call: until then the files may hold what was taken back. */
  #setMendTimer(): void {
    if (this.#mendTimer !== undefined || this.#isEnding) return;
    const mend = () => {
      this.#mendTimer = undefined;
      this.#mend();
      this.#compaction.hurry();
    };
    this.#mendTimer = this.#start.ports.clock.after(MEND_MS, mend, { background: true });
  }

  /** Makes a journal with its header and its first record. */
  #makeFile(goOnFrom: JournalPlace): JournalFile {
    const current = this.#files.create();
    try {
      writeLink(this.#start.layer, current, goOnFrom);
      return current;
    } catch (error) {
      removeJournalFile(this.#start, current);
      throw error;
    }
  }

  async #finish(): Promise<void> {
    // The second round is for what the first one had to put into a new file.
    for (let round = 0; round < 2; round++) {
      if (this.#files.current === undefined) this.#mend();
      if (this.#files.current === undefined || this.#isSealed) return;
      await this.#sync();
      if (this.#synced < this.#written || this.#files.durableOffset === undefined) continue;
      this.#writeSeal();
      return;
    }
  }

  /** The last record of a store that is closed: it shows that all before it is safe. */
  #writeSeal(): void {
    this.#buffer.addRecord(RECORD.seal, this.#stamp());
    this.#answers.count();
    if (this.#write() !== undefined) {
      // Without it the store opens as after a crash, and nothing is missing.
      this.#takeBackAfter(this.#written);
      return;
    }
    this.#isSealed = true;
    this.#syncInPlace();
  }

  // For a snapshot.

  /** Before files are made, named and removed that another owner of the folder would take for its own. */
  #assertHeld(): void {
    if (!this.#start.lock.isHeld()) throw lostFolder(this.#start.folder);
  }

  /** Goes on in another journal, which has its header. */
  #switchTo(next: JournalFile): boolean {
    this.#flush();
    const { current } = this.#files;
    if (current === undefined || !this.#start.lock.isHeld()) return false;
    const offset = this.#buffer.end;
    writeLink(this.#start.layer, next, { number: current.number, offset });
    this.#files.switchTo(next);
    this.#compaction.countOlder(offset);
    this.#buffer.switchFile("nothing");
    this.#isSealed = false;
    return true;
  }

  /** Resolves when the device has a file's beginning and a record. Rejects when that cannot be. */
  async #whenSynced(file: JournalFile, record: number): Promise<void> {
    while (this.#files.durable.number !== file.number || this.#synced < record) {
      if (this.#files.current !== file) throw new Error("another journal was begun meanwhile");
      this.#syncs.now();
      await this.#syncs.running;
    }
  }
}
