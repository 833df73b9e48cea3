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

/** How many different texts are shared. */
const SHARED_TEXTS_MAX = 4096;

export class ByteReader {
  readonly #layer: FileLayer;
  readonly #shared: Map<Bytes, Bytes> = new Map();
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
    const text = this.#layer.textAt(this.#bytes, from, from + length);
    if (length > SHARED_BYTES_MAX) return text;
    const shared = this.#shared.get(text);
    if (shared !== undefined) return shared;
    if (this.#shared.size < SHARED_TEXTS_MAX) this.#shared.set(text, text);
    return text;
  }

  #take(count: number): number {
    const at = this.at;
    if (at + count > this.end) throw new RangeError("a record ends before what it holds does");
    this.at = at + count;
    return at;
  }
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
