/**
 * One file of the journal: how it is made, what it begins with, and how it goes.
 *
 * It begins with a header and, once that is safe, a link: the place in another journal that it goes on from. A file
 * without a whole link holds nothing, so one whose making broke off is passed over when the store is opened.
 */

import type { Ports } from "../../engine/ports.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { FileLayer, OpenFile } from "./file-layer.ts";
import { sortNames, storeFileName } from "./folder-name.ts";
import {
  beginRecord,
  endRecord,
  FORMAT_VERSION,
  HEAD_BYTES,
  HEADER_BYTES,
  headerBytes,
  RECORD,
  recordLength,
  stampRecord,
} from "./record-format.ts";
import { writeAll } from "./write-all.ts";

/** Bytes of the first record of a journal. */
const LINK_BYTES = HEAD_BYTES + 17;

/** Where the records of a journal begin, behind its header and its link. */
export const RECORDS_AT = HEADER_BYTES + LINK_BYTES;

/** A journal that is open for writing. */
export interface JournalFile {
  readonly number: number;
  readonly salt: number;
  readonly file: OpenFile;
}

/** A place in the sequence of journals. */
export interface JournalPlace {
  readonly number: number;
  readonly offset: number;
}

/** Where journals lie, and what makes them. */
export interface JournalFolder {
  readonly layer: FileLayer;
  readonly ports: Ports;
  readonly folder: string;
}

/** Makes a journal with its header, which is not safe yet. Throws what the layer throws, and leaves nothing then. */
export function createJournalFile(place: JournalFolder, number: number): JournalFile {
  const { layer, ports, folder } = place;
  const salt = Math.floor(ports.random() * 2 ** 32);
  const file = layer.open(`${folder}/${storeFileName("journal", number)}`, "create");
  const made = { number, salt, file };
  try {
    const header = headerBytes(layer, { kind: "journal", version: FORMAT_VERSION, salt, number });
    writeAll(file, header, { from: 0, to: HEADER_BYTES, at: 0 });
    return made;
  } catch (error) {
    removeJournalFile(place, made);
    throw error;
  }
}

/** Writes the first record of a journal: the place that it goes on from. */
export function writeLink(layer: FileLayer, { salt, file }: JournalFile, { number, offset }: JournalPlace): void {
  const writer = new ByteWriter(layer);
  const start = beginRecord(writer, RECORD.link);
  writer.u64(number);
  writer.u64(offset);
  endRecord(layer, writer, start, { salt, offset: HEADER_BYTES, durable: undefined });
  writeAll(file, writer.bytes, { from: 0, to: writer.length, at: HEADER_BYTES });
}

/** Takes a journal away in which nothing was begun. */
export function removeJournalFile(
  { layer, folder }: Omit<JournalFolder, "ports">,
  { number, file }: JournalFile,
): void {
  try {
    file.close();
    layer.removeNow(`${folder}/${storeFileName("journal", number)}`);
  } catch {
    // It is passed over when the store is opened.
  }
}

/** Where records lie that are to be in another file, and where they will be there. */
export interface MovedRecords {
  readonly from: number;
  readonly to: number;
  readonly salt: number;
  readonly offset: number;
}

/** Gives the records in a span of bytes the checksums of their places in another file. */
export function restamp(layer: FileLayer, bytes: Uint8Array, { from, to, salt, offset }: MovedRecords): void {
  for (let at = from; at < to; ) {
    const end = at + recordLength(bytes, at);
    stampRecord(layer, bytes, { from: at, to: end }, { salt, offset: offset - from + at, durable: undefined });
    at = end;
  }
}

/** Removes the files that a snapshot replaces, in the background: the process would wait long for large ones. */
export async function removeBefore(layer: FileLayer, folder: string, number: number): Promise<void> {
  const { journals, snapshots } = sortNames(layer.list(folder));
  for (const each of journals) if (each < number) await layer.remove(`${folder}/${storeFileName("journal", each)}`);
  for (const each of snapshots) if (each < number) await layer.remove(`${folder}/${storeFileName("snapshot", each)}`);
}
