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
import type { FileLayer } from "./file-layer.ts";
import { FolderLock } from "./folder-lock.ts";
import { type FolderContent, sortNames, storeFileName } from "./folder-name.ts";
import { Journal } from "./journal.ts";
import {
  createJournalFile,
  type JournalFile,
  type JournalPlace,
  RECORDS_AT,
  removeBefore,
  writeLink,
} from "./journal-file.ts";
import type { FsyncMode } from "./journal-start.ts";
import { Replay, type StoreTarget } from "./replay.ts";
import { type Break, damaged, type JournalEnd, readStore, type StoreReading } from "./store-reading.ts";
import { ShortWrite } from "./write-all.ts";

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
  const current = await beginWriting(options, { reading, number: highest + 1, isNew: lock.followsSilence });
  for (const name of reading.content.unfinished) layer.removeNow(`${folder}/${name}`);
  const snapshot = reading.content.snapshots.at(-1);
  if (snapshot !== undefined) await removeBefore(layer, folder, snapshot);
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
    journalBytes: reading.journalBytes + (current.journal.number === end?.number ? 0 : current.end),
    compactBytesMin: options.compactBytesMin,
  });
}

/** What there is to go on with. */
interface Beginning {
  readonly journal: JournalFile;
  readonly end: number;
  readonly isSealed: boolean;
}

/**
 * Where the next record goes: behind the last one, or into a new journal, in an empty folder or when the owner before
 * may have a write to the last one under way.
 */
async function beginWriting(
  options: StoreOptions,
  { reading, number, isNew }: { readonly reading: StoreReading; readonly number: number; readonly isNew: boolean },
): Promise<Beginning> {
  const { layer, folder } = options;
  const { last } = reading;
  if (last === undefined) {
    for (const each of sortNames(layer.list(folder)).journals)
      layer.removeNow(`${folder}/${storeFileName("journal", each)}`);
    return await beginJournal(options, number, { number: 0, offset: 0 });
  }
  const current = await goOn(options, reading, last);
  if (!isNew) return current;
  current.journal.file.close();
  return await beginJournal(options, number, { number: last.number, offset: last.end });
}

/** A new journal that goes on from a place in another one, which is on the device. */
async function beginJournal(options: StoreOptions, number: number, goOnFrom: JournalPlace): Promise<Beginning> {
  const { layer, folder } = options;
  const journal = createJournalFile(options, number);
  try {
    // A record is only ever written behind a header that is safe.
    await journal.file.sync();
    await layer.syncFolder(folder);
    writeLink(layer, journal, goOnFrom);
    await journal.file.sync();
    return { journal, end: RECORDS_AT, isSealed: false };
  } catch (error) {
    journal.file.close();
    throw error;
  }
}

/** The last journal, cut where it can no longer be followed. */
async function goOn({ layer, folder }: StoreOptions, reading: StoreReading, last: JournalEnd): Promise<Beginning> {
  const { number, salt, end, isSealed } = last;
  for (const each of reading.content.journals) {
    if (each > number) layer.removeNow(`${folder}/${storeFileName("journal", each)}`);
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
  return damaged(folder, { file, offset, what, canCut: true });
}

/** Runs `work`; what the file system refuses becomes an error that says what to do. */
async function guarded<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof ShortWrite ? error.cause : error;
    // What has no code of the system's is a fault of EchoMQ, and no advice about folders helps.
    if (isEchoMQError(error) || typeof (cause as { code?: unknown }).code !== "string") throw error;
    throw unusable(folder, cause);
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
