/**
 * Opens the store in a folder: lock, reading, and a journal to go on with.
 *
 * What a crash left at the end is cut, with one warning that names the place; damage stops the opening and changes
 * nothing. Files that an interrupted compaction left behind are removed. The last journal is made safe once, because a
 * process that was killed may have left bytes that the system had and the device had not.
 */

import type { Ports } from "../../engine/ports.ts";
import { causeText } from "../../protocol/cause-text.ts";
import { EchoMQError, isEchoMQError } from "../../protocol/errors.ts";
import type { CommandTable } from "../command/command-table.ts";
import type { Keyspace } from "../store/keyspace.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { FileLayer, OpenFile } from "./file-layer.ts";
import { FolderLock } from "./folder-lock.ts";
import { type FolderContent, sortNames, storeFileName } from "./folder-name.ts";
import { type FsyncMode, Journal, linkBytes, removeBefore } from "./journal.ts";
import { FORMAT_VERSION, HEADER_BYTES, headerBytes } from "./record-format.ts";
import {
  type Break,
  damaged,
  type JournalEnd,
  readStore,
  type StoreReading,
  type StoreVisitor,
} from "./store-reading.ts";
import { readImage } from "./value-image.ts";
import { writeAll } from "./write-all.ts";

/** How long records are carried out before others have a turn, in ms. */
const TURN_MS = 10;

/** Records between two looks at the clock. */
const RECORDS_A_LOOK = 64;

/** Bytes that are copied at a time. */
const COPY_BYTES = 1 << 20;

export interface StoreOptions {
  readonly ports: Ports;
  readonly layer: FileLayer;
  /** The folder; it is made when it is not there. */
  readonly folder: string;
  /** Default `everysec`. */
  readonly fsync?: FsyncMode;
  /** Bytes of journals below which no snapshot is written. */
  readonly compactBytesMin?: number;
}

/** What a store is read into. */
export interface StoreTarget {
  readonly keyspace: Keyspace;
  readonly table: CommandTable;
}

/**
 * @throws EchoMQError `invalid_folder`, `folder_in_use`, `folder_format` or `folder_damaged`.
 */
export async function openStore(options: StoreOptions, target: StoreTarget): Promise<Journal> {
  const folder = prepareFolder(options.layer, options.folder);
  const { layer, ports } = options;
  const lock = await guarded(folder, async () => await FolderLock.take({ layer, folder, ports }));
  try {
    return await guarded(folder, async () => await openLocked({ ...options, folder }, lock, target));
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The one true path of a folder that is a store or can become one. @throws EchoMQError `invalid_folder` */
export function prepareFolder(layer: FileLayer, path: string): string {
  let folder: string;
  let content: FolderContent;
  try {
    folder = layer.makeFolder(path);
    content = sortNames(layer.list(folder));
  } catch (error) {
    throw unusable(path, error);
  }
  const { journals, snapshots, locks, foreign } = content;
  if (foreign.length === 0 || journals.length + snapshots.length + locks.length > 0) return folder;
  throw new EchoMQError(
    "invalid_folder",
    `${folder} is no store and holds other files (${foreign.slice(0, 3).join(", ")}): give a folder of its own, ` +
      "which need not be there yet",
    { details: { folder } },
  );
}

async function openLocked(options: StoreOptions, lock: FolderLock, target: StoreTarget): Promise<Journal> {
  const { layer, ports, folder } = options;
  const reading = await readStore(layer, folder, new Replay(target, ports));
  if (reading.break?.isDamage === true) throw damageOf(folder, reading.break);
  if (reading.break !== undefined) tellOfCut(ports, folder, reading.break);
  const highest = Math.max(0, ...reading.content.journals, ...reading.content.snapshots);
  const end = reading.last;
  const current = end === undefined ? await beginStore(options, highest + 1) : await goOn(options, reading, end);
  for (const name of reading.content.unfinished) layer.remove(`${folder}/${name}`);
  const snapshot = reading.content.snapshots.at(-1);
  if (snapshot !== undefined) removeBefore(layer, folder, snapshot);
  return new Journal({
    layer,
    ports,
    folder,
    fsync: options.fsync ?? "everysec",
    lock,
    keyspace: target.keyspace,
    current: current.journal,
    end: current.end,
    isSealed: current.isSealed,
    highest: Math.max(highest, current.journal.number),
    snapshotBytes: reading.snapshotBytes,
    journalBytes: reading.journalBytes,
    compactBytesMin: options.compactBytesMin,
  });
}

/** What there is to go on with. */
interface Beginning {
  readonly journal: { readonly number: number; readonly salt: number; readonly file: OpenFile };
  readonly end: number;
  readonly isSealed: boolean;
}

/** The first journal of a store. */
async function beginStore({ layer, ports, folder }: StoreOptions, number: number): Promise<Beginning> {
  for (const each of sortNames(layer.list(folder)).journals)
    layer.remove(`${folder}/${storeFileName("journal", each)}`);
  const salt = Math.floor(ports.random() * 2 ** 32);
  const file = layer.open(`${folder}/${storeFileName("journal", number)}`, "create");
  try {
    const header = headerBytes(layer, { kind: "journal", version: FORMAT_VERSION, salt, number });
    writeAll(file, header, { from: 0, to: HEADER_BYTES, at: 0 });
    // A record is only ever written behind a header that is safe.
    await file.sync();
    await layer.syncFolder(folder);
    const link = linkBytes(layer, salt, { number: 0, offset: 0 });
    writeAll(file, link.bytes, { from: 0, to: link.length, at: HEADER_BYTES });
    await file.sync();
    return { journal: { number, salt, file }, end: HEADER_BYTES + link.length, isSealed: false };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The last journal, cut where it can no longer be followed. */
async function goOn({ layer, folder }: StoreOptions, reading: StoreReading, last: JournalEnd): Promise<Beginning> {
  const { number, salt, end, isSealed } = last;
  for (const each of reading.content.journals) {
    if (each > number) layer.remove(`${folder}/${storeFileName("journal", each)}`);
  }
  const file = layer.open(`${folder}/${storeFileName("journal", number)}`, "write");
  try {
    if (file.size() > end) file.truncate(end);
    await file.sync();
    await layer.syncFolder(folder);
    return { journal: { number, salt, file }, end, isSealed };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Carries records out. */
class Replay implements StoreVisitor {
  readonly #target: StoreTarget;
  readonly #ports: Ports;
  #turnAt: number;
  #count = 0;

  constructor(target: StoreTarget, ports: Ports) {
    this.#target = target;
    this.#ports = ports;
    this.#turnAt = ports.clock.now();
    // Nothing expires before the clock of the snapshot is known.
    target.keyspace.now = 0;
  }

  onValues(reader: ByteReader): void {
    readImage(reader, this.#target.keyspace);
  }

  onCommands(reader: ByteReader): void {
    const { keyspace, table } = this.#target;
    keyspace.now = reader.u64();
    while (reader.hasMore) {
      keyspace.replay(reader.u8() === 0);
      const args: string[] = [];
      const count = reader.varint();
      const name = reader.text();
      for (let at = 0; at < count; at++) args.push(reader.text());
      table.run(name, args);
    }
    keyspace.replay(false);
  }

  onClock(reader: ByteReader): void {
    this.#target.keyspace.now = reader.u64();
    this.#target.keyspace.removeAllExpired();
  }

  async breathe(): Promise<void> {
    if (++this.#count % RECORDS_A_LOOK !== 0) return;
    if (Math.abs(this.#ports.clock.now() - this.#turnAt) < TURN_MS) return;
    await new Promise<void>((resolve) => this.#ports.later(resolve));
    this.#turnAt = this.#ports.clock.now();
  }
}

/** Puts the bytes of a file from a place on into another file beside it; answers its name. */
export async function keepCutBytes(
  layer: FileLayer,
  folder: string,
  found: { file: string; offset: number },
): Promise<string> {
  const name = `${found.file}-${found.offset}.cut`;
  const source = layer.open(`${folder}/${found.file}`, "read");
  layer.remove(`${folder}/${name}`);
  const target = layer.open(`${folder}/${name}`, "create");
  try {
    const buffer = layer.allocate(COPY_BYTES);
    let at = 0;
    for (;;) {
      const read = await source.read(buffer, found.offset + at);
      if (read === 0) break;
      writeAll(target, buffer, { from: 0, to: read, at });
      at += read;
    }
    await target.sync();
  } finally {
    source.close();
    target.close();
  }
  return name;
}

function tellOfCut(ports: Ports, folder: string, found: Break): void {
  ports.logger.warn(
    `${folder}/${found.file} was cut at byte ${found.offset}: the last ${found.bytes} bytes are what a crash left ` +
      "of records that were not yet safe",
    {
      code: "journal_cut",
      folder,
      file: found.file,
      offset: found.offset,
      bytes: found.bytes,
      records: found.lostRecords,
    },
  );
}

/** The error for damage that reading found. */
export function damageOf(folder: string, { file, offset, lostRecords }: Break): EchoMQError {
  const what = `a record is not whole, and ${lostRecords} whole records follow, so it had been safe`;
  return damaged(folder, { file, offset, what });
}

/** Runs `work`; what the file system refuses becomes an error that says what to do. */
async function guarded<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isEchoMQError(error) ? error : unusable(folder, error);
  }
}

function unusable(folder: string, cause: unknown): EchoMQError {
  return new EchoMQError(
    "invalid_folder",
    `${folder} cannot be used as the folder of a store (${causeText(cause)}): it must be a folder that this process ` +
      "may read and write, on a device that is not read-only",
    { cause, details: { folder } },
  );
}
