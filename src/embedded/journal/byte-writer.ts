/**
 * Bytes that grow at the end and are taken away from the front.
 *
 * Numbers are little-endian. Lengths and counts are varints: seven bits a byte, the lowest first, the high bit set on
 * all but the last.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { FileLayer } from "./file-layer.ts";

const SIZE_MIN = 1 << 16;

/** A buffer that is larger than this is given back when it is empty. */
const SIZE_KEPT_MAX = 1 << 20;

/** Texts up to this length are copied by a loop, which is quicker than asking the platform. */
const LOOPED_MAX = 40;

const U32 = 2 ** 32;

export class ByteWriter {
  readonly #layer: FileLayer;
  bytes: Uint8Array;
  length = 0;

  constructor(layer: FileLayer) {
    this.#layer = layer;
    this.bytes = layer.allocate(SIZE_MIN);
  }

  u8(value: number): void {
    if (this.length + 1 > this.bytes.length) this.#grow(1);
    this.bytes[this.length++] = value;
  }

  u32(value: number): void {
    if (this.length + 4 > this.bytes.length) this.#grow(4);
    putU32(this.bytes, this.length, value);
    this.length += 4;
  }

  /** A whole number from 0 to 2^53. */
  u64(value: number): void {
    this.u32(value % U32);
    this.u32(Math.floor(value / U32));
  }

  f64(value: number): void {
    scratch.setFloat64(0, value, true);
    this.u32(scratch.getUint32(0, true));
    this.u32(scratch.getUint32(4, true));
  }

  /** A whole number from 0 to 2^53. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.u8(rest);
  }

  /** A text behind its length. */
  text(text: Bytes): void {
    const length = text.length;
    this.varint(length);
    if (this.length + length > this.bytes.length) this.#grow(length);
    if (length > LOOPED_MAX) this.#layer.putText(this.bytes, this.length, text);
    else for (let at = 0; at < length; at++) this.bytes[this.length + at] = text.charCodeAt(at);
    this.length += length;
  }

  /** Bytes of another buffer. */
  copy(source: Uint8Array, from: number, to: number): void {
    if (this.length + to - from > this.bytes.length) this.#grow(to - from);
    this.bytes.set(source.subarray(from, to), this.length);
    this.length += to - from;
  }

  /** Takes away the first bytes. */
  dropFirst(count: number): void {
    if (count === this.length) {
      this.length = 0;
      if (this.bytes.length > SIZE_KEPT_MAX) this.bytes = this.#layer.allocate(SIZE_MIN);
      return;
    }
    this.bytes.copyWithin(0, count, this.length);
    this.length -= count;
  }

  /** Gives all bytes away, and begins anew with none. */
  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = this.#layer.allocate(SIZE_MIN);
    this.length = 0;
    return taken;
  }

  #grow(by: number): void {
    let size = this.bytes.length * 2;
    while (size < this.length + by) size *= 2;
    const bytes = this.#layer.allocate(size);
    bytes.set(this.bytes.subarray(0, this.length));
    this.bytes = bytes;
  }
}

/** Writes over four bytes. */
export function putU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

const scratch = new DataView(new ArrayBuffer(8));
