/**
 * Reads the files of a store in their order, and finds where they can no longer be followed. Nothing is changed.
 *
 * The newest snapshot comes first, then the journals from its number on. Each journal names the one before it and where
 * that one ends, so what an unlucky write left behind that end, and a journal that was given up, are passed over. At
 * the first record that is not whole the reading ends. Whether that is the end of a crash or damage is told by what
 * follows: a later record that knew this place to be on the device proves damage.
 */

import { EchoMQError } from "../../protocol/errors.ts";
import { ByteReader } from "./byte-reader.ts";
import type { FileLayer, OpenFile } from "./file-layer.ts";
import { type FolderContent, sortNames, storeFileName } from "./folder-name.ts";
import { FORMAT_VERSION, HEADER_BYTES, type Header, RECORD } from "./record-format.ts";
import { RecordScanner, type ScannedRecord } from "./record-scanner.ts";

/** What records are given to. Each reads from the reader what belongs to it, up to its end. */
export interface StoreVisitor {
  onValues(reader: ByteReader): void;
  onCommands(reader: ByteReader): void;
  onClock(reader: ByteReader): void;
  /** After each record: gives others a turn when it is time for that. */
  breathe(): Promise<void>;
}

/** Where a store can no longer be followed. */
export interface Break {
  readonly file: string;
  /** Bytes from the beginning of the file; everything before is whole. */
  readonly offset: number;
  /** Bytes of the file from there on. */
  readonly bytes: number;
  /** Whole records behind it, in this file and later ones. */
  readonly lostRecords: number;
  /** Journals behind this one. */
  readonly laterFiles: readonly string[];
  /** Whether a later record shows that the place had been safe: damage, and not the end of a crash. */
  readonly isDamage: boolean;
}

/** A journal that can be written on. */
export interface JournalEnd {
  readonly number: number;
  readonly salt: number;
  /** Where the next record goes. */
  readonly end: number;
  /** Whether the last record says that the store was closed. */
  readonly isSealed: boolean;
}

export interface StoreReading {
  readonly content: FolderContent;
  /** The last journal that was read; `undefined` in an empty folder. */
  readonly last: JournalEnd | undefined;
  readonly break: Break | undefined;
  /** The files that the store consists of, the snapshot first. */
  readonly files: readonly string[];
  readonly snapshotBytes: number;
  readonly journalBytes: number;
  readonly records: number;
}

/** A journal and what its first record says. */
interface Journal {
  readonly number: number;
  readonly name: string;
  readonly file: OpenFile;
  readonly scanner: RecordScanner;
  readonly header: Header;
  readonly previous: number;
  readonly previousEnd: number;
}

/**
 * Reads the store in a folder.
 *
 * @throws EchoMQError `folder_format` for a version that this program does not read, `folder_damaged` for a snapshot
 *   that is not whole, a file that is missing, and a record that cannot be carried out.
 */
export async function readStore(layer: FileLayer, folder: string, visitor: StoreVisitor): Promise<StoreReading> {
  return await new Reading(layer, folder, visitor).run();
}

class Reading {
  readonly #layer: FileLayer;
  readonly #folder: string;
  readonly #visitor: StoreVisitor;
  readonly #reader: ByteReader;
  readonly #open: OpenFile[] = [];
  #records = 0;

  constructor(layer: FileLayer, folder: string, visitor: StoreVisitor) {
    this.#layer = layer;
    this.#folder = folder;
    this.#visitor = visitor;
    this.#reader = new ByteReader(layer);
  }

  async run(): Promise<StoreReading> {
    const content = sortNames(this.#layer.list(this.#folder));
    try {
      const snapshot = content.snapshots.at(-1);
      const snapshotBytes = snapshot === undefined ? 0 : await this.#readSnapshot(snapshot);
      const { chain, unstarted } = await this.#findChain(content, snapshot);
      let last: JournalEnd | undefined;
      let found: Break | undefined;
      let journalBytes = 0;
      for (const [index, journal] of chain.entries()) {
        const read = await this.#readJournal(journal, chain[index + 1]?.previousEnd);
        last = read.end;
        journalBytes += last.end;
        if (read.isWhole) continue;
        found = await this.#judge(journal, last.end, [...chain.slice(index + 1), ...unstarted]);
        break;
      }
      found ??= await this.#judgeUnstarted(unstarted);
      const files = chain.map(({ name }) => name);
      if (snapshot !== undefined) files.unshift(storeFileName("snapshot", snapshot));
      return { content, last, break: found, files, snapshotBytes, journalBytes, records: this.#records };
    } finally {
      for (const file of this.#open) file.close();
    }
  }

  async #readSnapshot(number: number): Promise<number> {
    const name = storeFileName("snapshot", number);
    const scanner = this.#scan(name);
    const header = await scanner.header();
    if (header === undefined) throw damaged(this.#folder, { file: name, offset: 0, what: "its header is not whole" });
    this.#assertVersion(name, header);
    let hasEnded = false;
    for (let record = await scanner.next(); record !== undefined; record = await scanner.next()) {
      if (record.kind === RECORD.end) hasEnded = true;
      await this.#visit(name, record);
    }
    if (!hasEnded || scanner.offset !== scanner.size) {
      throw damaged(this.#folder, {
        file: name,
        offset: scanner.offset,
        what: "a record of the snapshot is not whole",
      });
    }
    return scanner.size;
  }

  /** The journals that follow one another up to the newest, and newer ones in which nothing was begun. */
  async #findChain(
    content: FolderContent,
    snapshot: number | undefined,
  ): Promise<{ chain: Journal[]; unstarted: Journal[] }> {
    const journals: Map<number, Journal> = new Map();
    const unstarted: Journal[] = [];
    for (const number of content.journals) {
      if (snapshot !== undefined && number < snapshot) continue;
      const journal = await this.#openJournal(number);
      if (journal !== undefined) journals.set(number, journal);
    }
    const chain: Journal[] = [];
    let next = [...journals.values()].reverse().find(({ previousEnd }) => previousEnd >= 0);
    for (const journal of journals.values())
      if (next === undefined || journal.number > next.number) unstarted.push(journal);
    while (next !== undefined) {
      chain.unshift(next);
      if (next.number === snapshot || (next.previous === 0 && snapshot === undefined)) break;
      const { name, previous }: Journal = next;
      next = journals.get(previous);
      if (next === undefined) {
        throw this.#unfound(content, { number: previous, what: `the journal that ${name} goes on from` });
      }
    }
    if (snapshot !== undefined && chain.length === 0) {
      throw this.#unfound(content, { number: snapshot, what: "the journal that begins at the snapshot" });
    }
    return { chain, unstarted };
  }

  /** The error for a journal that has to be there: it is not, or its link cannot be read. */
  #unfound({ journals }: FolderContent, { number, what }: { readonly number: number; readonly what: string }): Error {
    const isThere = journals.includes(number);
    return damaged(this.#folder, {
      file: storeFileName("journal", number),
      offset: isThere ? HEADER_BYTES : 0,
      what: isThere ? `the first record of ${what} is not whole` : `${what} is missing`,
    });
  }

  /** Opens a journal and reads its first record; `undefined` for one that was never begun. */
  async #openJournal(number: number): Promise<Journal | undefined> {
    const name = storeFileName("journal", number);
    const scanner = this.#scan(name);
    const header = await scanner.header();
    if (header === undefined) {
      // A header is on the device before the first record is written, so a file without one was never begun.
      if (scanner.size <= HEADER_BYTES) return undefined;
      throw damaged(this.#folder, { file: name, offset: 0, what: "its header is not whole" });
    }
    this.#assertVersion(name, header);
    const file = this.#open.at(-1) as OpenFile;
    const link = await scanner.next();
    if (link === undefined) return { number, name, file, scanner, header, previous: 0, previousEnd: -1 };
    this.#reader.open(link.bytes, link.from, link.to);
    const previous = this.#reader.u64();
    return { number, name, file, scanner, header, previous, previousEnd: this.#reader.u64() };
  }

  /** Reads a journal up to `end`, or to the end of the file. */
  async #readJournal(journal: Journal, end: number | undefined): Promise<{ end: JournalEnd; isWhole: boolean }> {
    const { scanner, name } = journal;
    let isSealed = false;
    const until = end ?? scanner.size;
    while (scanner.offset < until) {
      const record = await scanner.next();
      if (record === undefined) break;
      isSealed = record.kind === RECORD.seal;
      await this.#visit(name, record);
    }
    const read = { number: journal.number, salt: journal.header.salt, end: scanner.offset, isSealed };
    return { end: read, isWhole: scanner.offset >= until };
  }

  async #visit(file: string, record: ScannedRecord): Promise<void> {
    this.#records++;
    const reader = this.#reader;
    reader.open(record.bytes, record.from, record.to);
    try {
      if (record.kind === RECORD.values) while (reader.hasMore) this.#visitor.onValues(reader);
      else if (record.kind === RECORD.commands) this.#visitor.onCommands(reader);
      else if (record.kind === RECORD.clock) this.#visitor.onClock(reader);
      else if (record.kind === RECORD.end) {
        reader.u64();
        this.#visitor.onClock(reader);
      }
    } catch (error) {
      throw damaged(this.#folder, {
        file,
        offset: record.offset,
        what: "a whole record cannot be carried out",
        cause: error,
      });
    }
    await this.#visitor.breathe();
  }

  /** A journal that looks as if nothing had been begun in it, because its link is gone, and holds records. */
  async #judgeUnstarted(unstarted: readonly Journal[]): Promise<Break | undefined> {
    for (const [index, journal] of unstarted.entries()) {
      const found = await this.#judge(journal, HEADER_BYTES, unstarted.slice(index + 1));
      if (found.lostRecords > 0) return found;
    }
    return undefined;
  }

  /** What stands behind the first record of a journal that is not whole. */
  async #judge(journal: Journal, offset: number, later: readonly Journal[]): Promise<Break> {
    let lostRecords = 0;
    let isDamage = false;
    const { scanner } = journal;
    for (let place = offset; ; ) {
      const record = await scanner.findAfter(place);
      if (record === undefined) break;
      lostRecords++;
      if (record.durable !== undefined && record.durable > offset) isDamage = true;
      place = record.end - 1;
    }
    for (const { scanner: other } of later) {
      for (let place = HEADER_BYTES - 1; ; ) {
        const record = await other.findAfter(place);
        if (record === undefined) break;
        if (record.kind !== RECORD.link) lostRecords++;
        // That much of a later file was on the device, and the files before it are made safe first.
        if (record.durable !== undefined) isDamage = true;
        place = record.end - 1;
      }
    }
    const laterFiles = later.map(({ name }) => name);
    return { file: journal.name, offset, bytes: scanner.size - offset, lostRecords, laterFiles, isDamage };
  }

  #scan(name: string): RecordScanner {
    const file = this.#layer.open(`${this.#folder}/${name}`, "read");
    this.#open.push(file);
    return new RecordScanner(this.#layer, file);
  }

  #assertVersion(name: string, { version }: Header): void {
    if (version === FORMAT_VERSION) return;
    throw new EchoMQError(
      "folder_format",
      `${this.#folder}/${name} has format ${version} and this program reads format ${FORMAT_VERSION}: ` +
        "open the folder with the version of EchoMQ that wrote it",
      { details: { folder: this.#folder, file: name, version } },
    );
  }
}

/** What is wrong with a store. */
export interface Damage {
  readonly file: string;
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  readonly what: string;
  readonly cause?: unknown;
  /** Whether what lies before can be used without what lies behind. */
  readonly canCut?: boolean;
}

/** The error for a store that cannot be opened as it is. */
export function damaged(folder: string, { file, offset, what, cause, canCut }: Damage): EchoMQError {
  return new EchoMQError(
    "folder_damaged",
    `${folder}/${file} is damaged at byte ${offset}: ${what}. Nothing was changed. ` +
      `Look at it with echomq file check ${folder}; ` +
      (canCut === true
        ? `take back a copy, or cut it there with echomq file repair ${folder}`
        : "cutting does not mend it: take back a copy"),
    { details: { folder, file, offset }, ...(cause === undefined ? {} : { cause }) },
  );
}
