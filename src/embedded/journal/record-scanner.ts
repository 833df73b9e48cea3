/**
 * Walks the records of one file from its beginning, through a window of bounded size.
 *
 * The window grows only for a record that is larger than it, and only once the length of that record is believed: a
 * length beyond the end of the file is damage.
 */

import { readU32 } from "./byte-reader.ts";
import type { FileLayer, OpenFile } from "./file-layer.ts";
import {
  BODY_BYTES_MAX,
  HEAD_BYTES,
  HEADER_BYTES,
  type Header,
  isWhole,
  MARKER,
  NOT_HERE,
  readHeader,
  recordLength,
} from "./record-format.ts";

const WINDOW_BYTES = 1 << 20;

/** A record that is whole. The bytes are those of the scanner's window, good until its next step. */
export interface ScannedRecord {
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  /** Where the record ends, likewise. */
  readonly end: number;
  /** How much of the file was on the device when it was written; `undefined` when not even its beginning was. */
  readonly durable: number | undefined;
  readonly kind: number;
  readonly bytes: Uint8Array;
  /** The body behind its kind, in `bytes`. */
  readonly from: number;
  readonly to: number;
}

export class RecordScanner {
  readonly #layer: FileLayer;
  readonly #file: OpenFile;
  readonly #size: number;
  #window: Uint8Array;
  /** The place in the file of the window's first byte, and how many bytes it holds. */
  #start = 0;
  #filled = 0;
  #salt = 0;
  /** Where the next record begins. */
  offset = HEADER_BYTES;

  constructor(layer: FileLayer, file: OpenFile) {
    this.#layer = layer;
    this.#file = file;
    this.#size = file.size();
    this.#window = layer.allocate(WINDOW_BYTES);
  }

  /** Size of the file when it was opened, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Reads the header; `undefined` when there is none, and then no record can be read either. */
  async header(): Promise<Header | undefined> {
    await this.#fill(0, HEADER_BYTES);
    const header = readHeader(this.#layer, this.#window.subarray(0, Math.min(this.#filled, HEADER_BYTES)));
    this.#salt = header?.salt ?? 0;
    return header;
  }

  /** The next record; `undefined` at the end of the file, and where none is whole. `offset` tells which. */
  async next(): Promise<ScannedRecord | undefined> {
    const record = await this.#recordAt(this.offset);
    if (record !== undefined) this.offset = record.end;
    return record;
  }

  /** The first whole record that begins behind a place; `undefined` when there is none. */
  async findAfter(place: number): Promise<ScannedRecord | undefined> {
    for (let offset = place + 1; offset + HEAD_BYTES < this.#size; offset++) {
      const held = await this.#fill(offset, HEAD_BYTES);
      if (held < HEAD_BYTES) return undefined;
      const last = this.#filled - 4;
      let at = offset - this.#start;
      while (at <= last && readU32(this.#window, at) !== MARKER) at++;
      offset = this.#start + at;
      if (at > last) {
        offset--;
        continue;
      }
      const record = await this.#recordAt(offset);
      if (record === undefined) continue;
      this.offset = record.end;
      return record;
    }
    return undefined;
  }

  async #recordAt(offset: number): Promise<ScannedRecord | undefined> {
    if ((await this.#fill(offset, HEAD_BYTES)) < HEAD_BYTES) return undefined;
    const at = offset - this.#start;
    if (readU32(this.#window, at) !== MARKER) return undefined;
    const length = recordLength(this.#window, at);
    if (length <= HEAD_BYTES || length > BODY_BYTES_MAX || offset + length > this.#size) return undefined;
    if ((await this.#fill(offset, length)) < length) return undefined;
    return this.#parse(offset, offset - this.#start, length);
  }

  #parse(offset: number, at: number, length: number): ScannedRecord | undefined {
    const bytes = this.#window;
    if (!isWhole(this.#layer, bytes, { salt: this.#salt, offset, at, end: this.#filled })) return undefined;
    const unsynced = readU32(bytes, at + 12);
    const durable = unsynced === NOT_HERE ? undefined : offset - unsynced;
    const from = at + HEAD_BYTES + 1;
    return { offset, end: offset + length, durable, kind: bytes[from - 1] as number, bytes, from, to: at + length };
  }

  /** Brings `count` bytes from `offset` on into the window; answers how many of them there are. */
  async #fill(offset: number, count: number): Promise<number> {
    const have = this.#start + this.#filled - offset;
    if (offset >= this.#start && have >= count) return count;
    const kept = offset >= this.#start && have > 0 ? have : 0;
    const from = offset - this.#start;
    if (count > this.#window.length) {
      const window = this.#layer.allocate(count + WINDOW_BYTES);
      if (kept > 0) window.set(this.#window.subarray(from, from + kept));
      this.#window = window;
    } else if (kept > 0) this.#window.copyWithin(0, from, from + kept);
    this.#start = offset;
    this.#filled = kept;
    while (this.#filled < this.#window.length) {
      const read = await this.#file.read(this.#window.subarray(this.#filled), offset + this.#filled);
      if (read === 0) break;
      this.#filled += read;
    }
    return Math.min(this.#filled, count);
  }
}
