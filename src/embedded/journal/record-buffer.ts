/**
 * The records that are not safe in a file yet: since the last place that the device certainly has, or, where nothing is
 * promised of the device, since the last write. The front of them may have been written.
 *
 * They stay here until they are safe, so that another file can take them when the one that has them is given up. There
 * may be many megabytes of them, which no buffer that grows by copying should hold: whoever runs then would wait for
 * the copy. So what has been written is set aside when it is a megabyte, as it is, and the next records begin a new
 * buffer.
 *
 *     aside      aside      writer ────────────────┐
 *     [written)  [written)  [written | not yet | open record)
 */

import type { Argument } from "../../transition/server.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { FileLayer } from "./file-layer.ts";
import { type JournalFile, RECORDS_AT, restamp } from "./journal-file.ts";
import { beginRecord, endRecord, RECORD, recordLength } from "./record-format.ts";
import { writeAll } from "./write-all.ts";

/** When a command ran, and whether an act ran it. */
export interface Ran {
  readonly now: number;
  readonly isInAct: boolean;
}

/** What a record is stamped with beside its place. */
export interface Stamp {
  readonly salt: number;
  /** How much of the file is on the device; `undefined` while its beginning is not. */
  readonly durable: number | undefined;
}

/** Written bytes with which a buffer is set aside. */
const ASIDE_BYTES = 1 << 20;

export class RecordBuffer {
  readonly #layer: FileLayer;
  readonly #asideBytes: number;
  /** Written records before those of the writer, whole, oldest first, and how many bytes they are. */
  readonly #aside: Uint8Array[] = [];
  #asideLength = 0;
  readonly #writer: ByteWriter;
  /** How much of the writer has been written to the file. */
  #flushed = 0;
  /** The place in the file of the writer's first byte, and how many bytes were taken from the front of all so far. */
  #base: number;
  #dropped = 0;
  /** Where among all bytes the current file begins, counted like `#dropped`. */
  #switchedAt = 0;
  /** Where the record begins that is being written; `undefined` while none is. */
  #open: number | undefined;

  /** @param end - Where the next record goes in the file. */
  constructor(layer: FileLayer, end: number, asideBytes: number = ASIDE_BYTES) {
    this.#layer = layer;
    this.#asideBytes = asideBytes;
    this.#writer = new ByteWriter(layer);
    this.#base = end;
  }

  /** Bytes that the file does not have. */
  get unwritten(): number {
    return this.#writer.length - this.#flushed;
  }

  /** Bytes that the file has, and maybe not the device. */
  get unsynced(): number {
    return this.#asideLength + this.#flushed;
  }

  /** Where the file ends. */
  get end(): number {
    return this.#base + this.#flushed;
  }

  /** How many bytes were ever written, to this file and to those before. */
  get passed(): number {
    return this.#dropped + this.unsynced;
  }

  /** The same where the current file begins. */
  get switchedAt(): number {
    return this.#switchedAt;
  }

  /** Whether a record is being written. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Writes a command into the record that is open, or begins one. */
  add(name: string, args: readonly Argument[], { now, isInAct }: Ran): void {
    const writer = this.#writer;
    if (this.#open === undefined) {
      this.#open = beginRecord(writer, RECORD.commands);
      writer.u64(now);
    }
    const bar = name.indexOf("|");
    writer.u8(isInAct ? 0 : 1);
    writer.varint(args.length);
    writer.text(bar < 0 ? name : name.slice(0, bar));
    for (const argument of args) writer.text(typeof argument === "string" ? argument : String(argument));
  }

  /** Writes a record of its own, with a clock or with nothing in it. */
  addRecord(kind: number, stamp: Stamp, clock?: number): void {
    const start = beginRecord(this.#writer, kind);
    if (clock !== undefined) this.#writer.u64(clock);
    this.#stamp(start, stamp);
  }

  /** A place to go back to in the record that is open. */
  mark(): number {
    return this.#open === undefined ? -1 : this.#writer.length;
  }

  /** Forgets what was recorded since a mark. */
  rewind(mark: number): void {
    if (this.#open === undefined) return;
    this.#writer.length = mark < 0 ? this.#open : mark;
    if (mark < 0) this.#open = undefined;
  }

  /** Ends the record that is open. */
  seal(stamp: Stamp): void {
    this.#stamp(this.#open as number, stamp);
    this.#open = undefined;
  }

  /** Writes what the file does not have. @throws ShortWrite, and nothing counts as written yet. */
  writeTo({ file }: JournalFile): void {
    const from = this.#flushed;
    const to = this.#writer.length;
    writeAll(file, this.#writer.bytes, { from, to, at: this.#base + from });
    this.#flushed = to;
    if (to >= this.#asideBytes) this.#setAside();
  }

  /** Counts as written what is whole of a number of bytes that a write got into the file; answers how many records. */
  keepWhole(bytes: number): number {
    const end = this.#flushed + bytes;
    for (let records = 0; ; records++) {
      if (this.#flushed >= this.#writer.length) return records;
      const next = this.#flushed + recordLength(this.#writer.bytes, this.#flushed);
      if (next > end) return records;
      this.#flushed = next;
    }
  }

  /** Forgets what the file does not have. */
  dropUnwritten(): void {
    this.#writer.length = Math.min(this.#writer.length, this.#flushed);
  }

  /** Forgets all there is: the file does not count behind the place where the first of it lies. */
  dropAll(): void {
    this.#base -= this.#asideLength;
    this.#aside.length = 0;
    this.#asideLength = 0;
    this.#flushed = 0;
    this.#writer.length = 0;
  }

  /** Forgets what is safe: all that had been written when so many bytes had passed. */
  dropUntil(passed: number): void {
    if (passed > this.#dropped) this.#drop(passed - this.#dropped);
  }

  /**
   * Writes into another file what had been written, as far as that goes into it: all of it, or, when the file goes on
   * from behind it, nothing. What is not written yet is made to follow.
   */
  carryInto({ salt, file }: JournalFile, carried: "all" | "nothing"): void {
    const isAll = carried === "all";
    let offset = RECORDS_AT;
    const carry = (bytes: Uint8Array, from: number, written: number, to: number) => {
      restamp(this.#layer, bytes, { from, to, salt, offset });
      writeAll(file, bytes, { from, to: written, at: offset });
      offset += written - from;
    };
    if (isAll) for (const bytes of this.#aside) carry(bytes, 0, bytes.length, bytes.length);
    const { bytes, length } = this.#writer;
    carry(bytes, isAll ? 0 : this.#flushed, this.#flushed, length);
  }

  /** Goes on in another file, which has what was carried into it. */
  switchFile(carried: "all" | "nothing"): void {
    const isAll = carried === "all";
    this.#base = RECORDS_AT + (isAll ? this.#asideLength : -this.#flushed);
    this.#switchedAt = isAll ? this.#dropped : this.passed;
  }

  /** Keeps what the writer holds, all of which is written, where it is. */
  #setAside(): void {
    const bytes = this.#writer.take();
    this.#aside.push(bytes);
    this.#asideLength += bytes.length;
    this.#base += bytes.length;
    this.#flushed = 0;
  }

  #stamp(start: number, stamp: Stamp): void {
    endRecord(this.#layer, this.#writer, start, { ...stamp, offset: this.#base + start });
  }

  #drop(count: number): void {
    let left = count;
    for (let first = this.#aside[0]; first !== undefined && left > 0; first = this.#aside[0]) {
      const length = Math.min(first.length, left);
      if (length === first.length) this.#aside.shift();
      else this.#aside[0] = first.subarray(length);
      this.#asideLength -= length;
      left -= length;
    }
    if (left > 0) this.#writer.dropFirst(left);
    this.#flushed -= left;
    this.#base += left;
    this.#dropped += count;
  }
}
