/**
 * When a snapshot replaces the journals before it, and how: first a new journal, then the snapshot beside it, and when
 * that is safe under its name, the old files go. One at a time.
 */

import { causeText } from "../../protocol/cause-text.ts";
import { storeFileName } from "./folder-name.ts";
import { type JournalFile, removeBefore, removeJournalFile } from "./journal-file.ts";
import type { JournalStart } from "./journal-start.ts";
import { SnapshotRun } from "./snapshot-run.ts";

/** Bytes of journals below which no snapshot is written. Above, one is when they outgrow the last snapshot. */
export const COMPACT_BYTES_MIN = 16 << 20;

/** What a compaction needs of its journal. */
export interface CompactedJournal {
  /** Where the current file ends, or the last one that could be written to. */
  readonly end: () => number;
  /** Whether there is a file that can be written to. */
  readonly isWritable: () => boolean;
  /** The last record that was ended. */
  readonly ended: () => number;
  readonly create: () => JournalFile;
  /** Goes on in another file, which has its header; false when that cannot be done now. */
  readonly switchTo: (next: JournalFile) => boolean;
  /** Resolves when the device has a file's beginning and a record. Rejects when that cannot be. */
  readonly whenSynced: (file: JournalFile, record: number) => Promise<void>;
  /** @throws EchoMQError `folder_in_use` when another process has the folder. */
  readonly assertHeld: () => void;
  /** Has {@link Compaction.hurry} called in a while. */
  readonly again: () => void;
}

export class Compaction {
  readonly #start: JournalStart;
  readonly #journal: CompactedJournal;
  #snapshotBytes: number;
  /** Bytes of all journals since the last snapshot, the current one not counted. */
  #olderBytes: number;
  /** Bytes of journals with which the next snapshot is due. */
  #dueAt: number;
  #snapshot: SnapshotRun | undefined;
  #running: Promise<void> | undefined;
  #isEnding = false;
  /**
   * With `no`: how often a sync failed since the last snapshot, which leaves journals that may not be on the device.
   */
  #doubts = 0;

  constructor(start: JournalStart, journal: CompactedJournal) {
    this.#start = start;
    this.#journal = journal;
    this.#snapshotBytes = start.snapshotBytes;
    this.#olderBytes = Math.max(0, start.journalBytes - start.end);
    this.#dueAt = this.#nextDueAt();
  }

  /** Whether only a snapshot can make safe what was answered for. */
  get isDoubtful(): boolean {
    return this.#doubts > 0;
  }

  /** Counts the bytes of a journal that was gone on from. */
  countOlder(bytes: number): void {
    this.#olderBytes += bytes;
  }

  /** Counts a sync that failed, after which only a snapshot is known to be safe. */
  doubt(): void {
    this.#doubts++;
    this.#dueAt = 0;
  }

  /** A snapshot that is being written shows what was taken back, or goes on from a file that was given up. */
  abandon(): void {
    this.#snapshot?.abandon();
  }

  /** Begins a snapshot in the background when one is due. */
  consider(): void {
    if (this.#olderBytes + this.#journal.end() < this.#dueAt || this.#running !== undefined || this.#isEnding) return;
    if (!this.#journal.isWritable()) return;
    this.#running = new Promise<void>((resolve) => this.#start.ports.later(resolve))
      .then(async () => await this.#run())
      .catch((error: unknown) => this.#onFailed(error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Begins one that is needed because a sync failed. */
  hurry(): void {
    if (this.#doubts === 0) return;
    this.#dueAt = 0;
    this.consider();
  }

  /** Begins no more. The one that runs is given up. */
  stop(): void {
    this.#isEnding = true;
    this.abandon();
  }

  /** Resolves when none runs any more, and nothing rests on one that could be written. */
  async end(): Promise<void> {
    await this.#running;
    if (this.#doubts > 0) await this.#run().catch((error: unknown) => this.#onFailed(error));
  }

  #nextDueAt(): number {
    return Math.max(this.#start.compactBytesMin ?? COMPACT_BYTES_MIN, this.#snapshotBytes);
  }

  #onFailed(error: unknown): void {
    const { ports, folder } = this.#start;
    // Tried again when the journals have grown by as much once more.
    this.#dueAt = this.#olderBytes + this.#journal.end() + this.#nextDueAt();
    if (this.#isEnding) return;
    if (this.#doubts > 0) this.#journal.again();
    const cause = causeText(error);
    ports.logger.warn("The journals of a folder could not be replaced by a snapshot; they go on growing", {
      folder,
      cause,
    });
  }

  async #run(): Promise<void> {
    const { folder, layer } = this.#start;
    const doubts = this.#doubts;
    this.#journal.assertHeld();
    const next = await this.#makeNext();
    const run = this.#begin(next);
    await this.#write(run, next);
    await layer.syncFolder(folder);
    this.#snapshotBytes = run.bytes;
    this.#olderBytes = 0;
    if (this.#doubts === doubts) this.#doubts = 0;
    this.#dueAt = this.#nextDueAt();
    this.#journal.assertHeld();
    await removeBefore(layer, folder, next.number);
  }

  /** Makes the journal that the snapshot will stand beside, safe with its header. */
  async #makeNext(): Promise<JournalFile> {
    const { layer, folder } = this.#start;
    const next = this.#journal.create();
    try {
      await next.file.sync();
      await layer.syncFolder(folder);
      return next;
    } catch (error) {
      removeJournalFile(this.#start, next);
      throw error;
    }
  }

  /** Goes on in a new journal and begins a snapshot of the same moment: nothing may run between the two. */
  #begin(next: JournalFile): SnapshotRun {
    const { layer, ports, keyspace, folder } = this.#start;
    let isTaken = false;
    try {
      isTaken = this.#journal.switchTo(next);
    } finally {
      if (!isTaken) removeJournalFile(this.#start, next);
    }
    if (!isTaken) throw new Error("the current journal could not be ended");
    const path = `${folder}/${storeFileName("snapshot", next.number)}.new`;
    this.#snapshot = new SnapshotRun({ layer, ports, keyspace, number: next.number, path });
    return this.#snapshot;
  }

  /** Writes a snapshot, and gives it its name once it is safe and still true. */
  async #write(run: SnapshotRun, next: JournalFile): Promise<void> {
    const { layer, folder } = this.#start;
    const path = `${folder}/${storeFileName("snapshot", next.number)}`;
    const record = this.#journal.ended();
    try {
      await run.write();
      await this.#journal.whenSynced(next, record);
      if (!run.isGood) throw run.failure ?? new Error("what it was to show was taken back");
      run.close();
      this.#journal.assertHeld();
      layer.rename(`${path}.new`, path);
    } catch (error) {
      run.discard();
      throw error;
    } finally {
      this.#snapshot = undefined;
    }
  }
}
