/**
 * The journals of a store in their order: the one that is written to, those before it that are not on the device yet,
 * the last place that certainly is, and, while none can be written to, where a new one goes on from.
 */

import { createJournalFile, type JournalFile, type JournalFolder, type JournalPlace } from "./journal-file.ts";
import { HEADER_BYTES } from "./record-format.ts";

/** One round of making safe. */
export interface SyncRound {
  readonly files: readonly JournalFile[];
  /** Up to where the last of the files has been written. */
  readonly place: JournalPlace;
  /** The last record that was written then. */
  readonly record: number;
  /** The same place in what was ever written, counted from the first byte. */
  readonly passed: number;
}

/** How far was written when a round begins. */
export type SyncReach = Pick<SyncRound, "record" | "passed"> & {
  /** Where the current file ends. */
  readonly end: number;
};

export class JournalSequence {
  readonly #folder: JournalFolder;
  #current: JournalFile | undefined;
  /** Journals that were gone on from and are not on the device yet. */
  #older: JournalFile[] = [];
  #durable: JournalPlace;
  #goOnFrom: JournalPlace | undefined;
  /** The highest number that a file of the folder has. */
  #highest: number;

  /** @param end - Where the current journal ends; all before is on the device. */
  constructor(folder: JournalFolder, current: JournalFile, { end, highest }: { end: number; highest: number }) {
    this.#folder = folder;
    this.#current = current;
    this.#durable = { number: current.number, offset: end };
    this.#highest = highest;
  }

  /** The file that is written to; `undefined` while there is none that can be. */
  get current(): JournalFile | undefined {
    return this.#current;
  }

  /** The last place that is certainly on the device. */
  get durable(): JournalPlace {
    return this.#durable;
  }

  /** Where a new file goes on from, when there is none to write to. */
  get goOnFrom(): JournalPlace | undefined {
    return this.#goOnFrom;
  }

  /** Whether a new file goes on from the last safe place: what was written behind it goes into the new one. */
  get goesOnFromDurable(): boolean {
    return this.#goOnFrom === this.#durable;
  }

  /** Whether a file before the current one is not safe yet. */
  get hasOlder(): boolean {
    return this.#older.length > 0;
  }

  /** How far the current file is on the device; `undefined` while its beginning is not. */
  get durableOffset(): number | undefined {
    return this.#durable.number === this.#current?.number ? this.#durable.offset : undefined;
  }

  /** Makes the next file, with its header. Throws what the layer throws. */
  create(): JournalFile {
    return createJournalFile(this.#folder, ++this.#highest);
  }

  /** Goes on in another file from the end of the current one. */
  switchTo(next: JournalFile): void {
    if (this.#current !== undefined) this.#older.push(this.#current);
    this.#current = next;
  }

  /** Begins to write to a file where there was none. */
  begin(current: JournalFile): void {
    this.#current = current;
    this.#goOnFrom = undefined;
  }

  /** Leaves the current file, which is good up to a place. */
  leaveAt(offset: number): void {
    const current = this.#current as JournalFile;
    this.#older.push(current);
    this.#current = undefined;
    this.#goOnFrom = { number: current.number, offset };
  }

  /** Gives every open file up: a new one goes on from the last safe place, or from where the current one ends. */
  giveUp(from: "durable" | "end", end: number): void {
    const place = { number: this.#current?.number ?? this.#durable.number, offset: end };
    this.close();
    this.#current = undefined;
    this.#goOnFrom = from === "durable" ? this.#durable : place;
  }

  /** Takes what is not safe out of the files, as far as they let it be done. */
  cutAtDurable(): void {
    for (const each of [...this.#older, this.#current]) {
      if (each === undefined) continue;
      try {
        each.file.truncate(each.number === this.#durable.number ? this.#durable.offset : HEADER_BYTES);
      } catch {
        // The device is refusing just now; the new file is what counts.
      }
    }
  }

  /** What has to be made safe now. */
  round({ end, record, passed }: SyncReach): SyncRound {
    const current = this.#current;
    const place = current === undefined ? (this.#goOnFrom ?? this.#durable) : { number: current.number, offset: end };
    const files = current === undefined ? this.#older.slice() : [...this.#older, current];
    return { files, place, record, passed };
  }

  /** Whether the files of a round have not been given up since it began. */
  isOf({ files }: SyncRound): boolean {
    const last = files.at(-1);
    return last !== undefined && (last === this.#current || this.#older.includes(last));
  }

  /** Counts a round as safe. @param switchedAt - How much had passed where the current file begins. */
  settle({ files, place, passed }: SyncRound, switchedAt: number): void {
    for (const each of files) {
      if (each === this.#current || !this.#older.includes(each)) continue;
      // A file that was gone on from while it was made safe may have got more since.
      if (each.number === place.number && this.#current !== undefined && passed < switchedAt) continue;
      this.#older = this.#older.filter((other) => other !== each);
      each.file.close();
    }
    this.#durable = place;
  }

  /** Counts the current file as safe up to a place. */
  settleCurrent(offset: number): void {
    this.#durable = { number: (this.#current as JournalFile).number, offset };
  }

  /** Closes every file. */
  close(): void {
    for (const { file } of this.#older.splice(0)) file.close();
    this.#current?.file.close();
  }
}
