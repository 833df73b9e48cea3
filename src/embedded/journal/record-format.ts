/**
 * The layout of a store's files: a header, then records with a checksum each.
 *
 * To change anything here: raise {@link FORMAT_VERSION} first; keep the reader of the old version beside the new one
 * for as long as docs/internals/file-format.md promises; never give a number of {@link RECORD} another meaning; write
 * the new layout into that page, and add a folder of the old version to the tests that open it.
 *
 *     file      header, record, record, …
 *     header    "echomq" 0 kind, u32 version, u32 salt, u64 number, u32 0, u32 CRC of what comes before
 *     record    e3 4d 51 version, u32 CRC, u32 bytes of the body, u32 unsynced, body
 *     body      u8 kind, then what the kind has
 *
 * A record's checksum begins with the file's salt and the record's place, so bytes that look like a record, in a
 * payload or left over from another file, are none. `unsynced` says how far before this record the file was known to
 * be on the device when the record was written, {@link NOT_HERE} for not even its beginning: by it a reader tells the
 * end of a crash, where anything may be missing, from damage to what had been safe.
 */

import { readU32 } from "./byte-reader.ts";
import { type ByteWriter, putU32 } from "./byte-writer.ts";
import type { FileLayer } from "./file-layer.ts";

/** The version of the layout that this program reads and writes. */
export const FORMAT_VERSION = 1;

export const HEADER_BYTES = 32;

/** What stands before a record's body. */
export const HEAD_BYTES = 16;

/** The largest number in `unsynced`: the device was not known to hold the file's beginning, or it is too far away. */
export const NOT_HERE = 0xffff_ffff;

/** The first four bytes of every record, as one number. */
export const MARKER = (0x51_4d_e3 | (FORMAT_VERSION << 24)) >>> 0;

/** The largest body; a longer one is no length but damage. */
export const BODY_BYTES_MAX = 0x7fff_ffff;

/** What a record can be. */
export const RECORD = {
  /** The first of a journal: u64 number of the journal before, 0 for none, and u64 where that one ends. */
  link: 1,
  /**
   * u64 clock, then commands to its end: u8 1 for a plain one and 0 for one of an act, varint count, name, arguments.
   */
  commands: 2,
  /** u64 clock: the clock was set back from here, and all that had expired by now is gone. */
  clock: 3,
  /** The store was closed. */
  seal: 4,
  /** Parts of values to its end; see value-image.ts. */
  values: 5,
  /** The last of a snapshot: u64 count of keys, u64 clock. */
  end: 6,
} as const;

/** Kinds of files. */
export type FileKind = "journal" | "snapshot";

const MAGIC = [0x65, 0x63, 0x68, 0x6f, 0x6d, 0x71, 0x00];
const KIND_LETTERS = { journal: 0x6a, snapshot: 0x73 } as const;
const HEADER_SUMMED = HEADER_BYTES - 4;

/** What a header tells. */
export interface Header {
  readonly kind: FileKind;
  readonly version: number;
  readonly salt: number;
  /** The number in the file's name. */
  readonly number: number;
}

/** The bytes of a header. */
export function headerBytes(layer: FileLayer, { kind, version, salt, number }: Header): Uint8Array {
  const bytes = layer.allocate(HEADER_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  for (let at = 0; at < MAGIC.length; at++) bytes[at] = MAGIC[at] as number;
  bytes[MAGIC.length] = KIND_LETTERS[kind];
  view.setUint32(8, version, true);
  view.setUint32(12, salt, true);
  view.setUint32(16, number >>> 0, true);
  view.setUint32(20, Math.floor(number / 2 ** 32), true);
  view.setUint32(24, 0, true);
  view.setUint32(HEADER_SUMMED, layer.crc32(bytes, { from: 0, to: HEADER_SUMMED, seed: 0 }), true);
  return bytes;
}

/** What a header's bytes tell; `undefined` when they are none. */
export function readHeader(layer: FileLayer, bytes: Uint8Array): Header | undefined {
  if (bytes.length < HEADER_BYTES || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined;
  const sum = layer.crc32(bytes, { from: 0, to: HEADER_SUMMED, seed: 0 });
  if (readU32(bytes, HEADER_SUMMED) !== sum) return undefined;
  const letter = bytes[MAGIC.length];
  const kind = letter === KIND_LETTERS.journal ? "journal" : "snapshot";
  if (letter !== KIND_LETTERS[kind]) return undefined;
  const number = readU32(bytes, 16) + readU32(bytes, 20) * 2 ** 32;
  return { kind, version: readU32(bytes, 8), salt: readU32(bytes, 12), number };
}

/** Where a record goes, and what is known there. */
export interface RecordPlace {
  readonly salt: number;
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  /** How much of the file is known to be on the device; `undefined` while its beginning is not. */
  readonly durable: number | undefined;
}

/** Begins a record; answers where. Its body follows. */
export function beginRecord(writer: ByteWriter, kind: number): number {
  const start = writer.length;
  writer.u32(MARKER);
  writer.u32(0);
  writer.u32(0);
  writer.u32(0);
  writer.u8(kind);
  return start;
}

/** Ends a record that was begun at `start`. */
export function endRecord(layer: FileLayer, writer: ByteWriter, start: number, place: RecordPlace): void {
  stampRecord(layer, writer.bytes, { from: start, to: writer.length }, place);
}

/** Writes the length and the checksum of a record into its head, or those of another place over them. */
export function stampRecord(
  layer: FileLayer,
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
  place: RecordPlace,
): void {
  const unsynced = place.durable === undefined ? NOT_HERE : place.offset - place.durable;
  putU32(bytes, from + 8, to - from - HEAD_BYTES);
  putU32(bytes, from + 12, Math.min(unsynced, NOT_HERE));
  putU32(bytes, from + 4, layer.crc32(bytes, { from: from + 8, to, seed: seedOf(place) }));
}

/** The length of the record at a place of bytes that hold one whole. */
export function recordLength(bytes: Uint8Array, at: number): number {
  return HEAD_BYTES + readU32(bytes, at + 8);
}

/** Whether a record begins at a place of bytes, is there as a whole and has its checksum. */
export function isWhole(layer: FileLayer, bytes: Uint8Array, span: RecordSpan): boolean {
  const { at, end } = span;
  if (at + HEAD_BYTES >= end || readU32(bytes, at) !== MARKER) return false;
  const length = recordLength(bytes, at);
  if (at + length > end) return false;
  const sum = layer.crc32(bytes, { from: at + 8, to: at + length, seed: seedOf(span) });
  return sum === readU32(bytes, at + 4);
}

/** Where a record is looked for. */
export interface RecordSpan {
  readonly salt: number;
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  /** The same place in the bytes that were read, and where these end. */
  readonly at: number;
  readonly end: number;
}

function seedOf({ salt, offset }: { readonly salt: number; readonly offset: number }): number {
  return (salt + offset) >>> 0;
}
