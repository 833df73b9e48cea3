/**
 * Reads what a {@link ByteWriter} wrote.
 *
 * Checksums have been compared before, so bytes that cannot be read mean a fault of the writer: reading past the end
 * throws a `RangeError`, and never goes on with what lies behind.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { FileLayer } from "./file-layer.ts";

const U32 = 2 ** 32;

/** Texts up to this length are shared: names of fields and states come with every row. */
const SHARED_BYTES_MAX = 12;

/** Places for shared texts, a power of two; a text takes the place of another one that falls on the same. */
const SHARED_TEXTS = 4096;

export class ByteReader {
  readonly #layer: FileLayer;
  readonly #shared: Bytes[] = new Array<Bytes>(SHARED_TEXTS).fill("");
  #bytes: Uint8Array;
  at = 0;
  end = 0;

  constructor(layer: FileLayer) {
    this.#layer = layer;
    this.#bytes = layer.allocate(0);
  }

  /** Goes to a span of bytes. */
  open(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes;
    this.at = from;
    this.end = to;
  }

  get hasMore(): boolean {
    return this.at < this.end;
  }

  u8(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  u32(): number {
    return readU32(this.#bytes, this.#take(4));
  }

  u64(): number {
    const low = this.u32();
    return low + this.u32() * U32;
  }

  f64(): number {
    scratch.setUint32(0, this.u32(), true);
    scratch.setUint32(4, this.u32(), true);
    return scratch.getFloat64(0, true);
  }

  varint(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
  }

  text(): Bytes {
    const length = this.varint();
    const from = this.#take(length);
    if (length <= SHARED_BYTES_MAX) return this.#sharedText(from, length);
    return this.#layer.textAt(this.#bytes, from, from + length);
  }

  /** A short text, without making it anew when it was the last to come to its place. */
  #sharedText(from: number, length: number): Bytes {
    const bytes = this.#bytes;
    let place = length;
    for (let at = from; at < from + length; at++) place = (Math.imul(place, 31) + (bytes[at] as number)) | 0;
    place &= SHARED_TEXTS - 1;
    const shared = this.#shared[place] as Bytes;
    if (shared.length === length && isText(bytes, from, shared)) return shared;
    const text = this.#layer.textAt(bytes, from, from + length);
    this.#shared[place] = text;
    return text;
  }

  #take(count: number): number {
    const at = this.at;
    if (at + count > this.end) throw new RangeError("a record ends before what it holds does");
    this.at = at + count;
    return at;
  }
}

function isText(bytes: Uint8Array, from: number, text: Bytes): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text.charCodeAt(at)) return false;
  return true;
}

/** The number in four bytes. */
export function readU32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  );
}

const scratch = new DataView(new ArrayBuffer(8));
