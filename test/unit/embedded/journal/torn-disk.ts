/**
 * The worst disk that still keeps its word: until a sync has ended, a power cut may leave any block of what was
 * written and not another, half of a block, any size between, and any of the names that were made, changed and removed.
 *
 * It can also break its word, as real ones do: a sync that fails and forgets what it could not write, or one that says
 * that all is well and did nothing. And it runs full, stops in the middle of a write, and refuses any operation.
 */

import { crc32 } from "node:zlib";
import type { FileLayer, OpenFile } from "../../../../src/embedded/journal/file-layer.ts";

/** Bytes that a device writes together: small, so that short records lie in several. */
export const BLOCK_BYTES = 64;

/** Takes one of `count` ways, numbered from 0. */
export type Choose = (count: number) => number;

export type DiskOperation = "create" | "write" | "truncate" | "sync" | "rename" | "remove" | "syncFolder" | "text";

/** What becomes of an operation: nothing special, an error, some bytes of a write, or a sync that lies. */
export type DiskFault = undefined | Error | number | "lie";

/** Asked before every operation that changes something. */
export type DiskPlan = (operation: DiskOperation, path: string, bytes: number) => DiskFault;

export function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: the disk said so`), { code });
}

/** A file: what the system shows, what the device has, and what may or may not have reached it since. */
interface DiskFile {
  shown: Buffer;
  device: Buffer;
  /** By block, every content that it had since the last sync. */
  readonly dirty: Map<number, Buffer[]>;
  /** Every size that it had since. */
  sizes: number[];
}

/** A change of names that the device may not know of yet. */
type NameChange =
  | { readonly does: "make"; readonly path: string; readonly file: DiskFile }
  | { readonly does: "move"; readonly path: string; readonly to: string }
  | { readonly does: "remove"; readonly path: string };

export class TornDisk {
  readonly #shown: Map<string, DiskFile>;
  readonly #device: Map<string, DiskFile>;
  #changes: NameChange[] = [];
  /** Operations that were asked for so far. */
  operations = 0;
  plan: DiskPlan = () => undefined;

  constructor(files: ReadonlyMap<string, Buffer> = new Map()) {
    this.#shown = new Map([...files].map(([path, bytes]) => [path, diskFile(bytes)]));
    this.#device = new Map(this.#shown);
  }

  /** The disk after the process was killed: the system still has everything. */
  afterKill(): TornDisk {
    return new TornDisk(new Map([...this.#shown].map(([path, { shown }]) => [path, Buffer.from(shown)])));
  }

  /** The disk after the power was cut, in one of the ways that this may end. */
  afterPowerCut(choose: Choose): TornDisk {
    const names = new Map(this.#device);
    for (const change of this.#changes) {
      if (choose(2) === 1) applyChange(names, change);
    }
    return new TornDisk(new Map([...names].map(([path, file]) => [path, survivorOf(file, choose)])));
  }

  /** A text that two disks share when they show the same. */
  get content(): string {
    const files = [...this.#shown].map(([path, { shown }]) => `${path} ${shown.length} ${crc32(shown)}`);
    return files.sort().join(", ");
  }

  /** The layer as one process sees it. */
  layer(): FileLayer {
    return {
      makeFolder: (path) => path,
      list: (folder) => [...this.#shown.keys()].map((path) => path.slice(folder.length + 1)),
      open: (path, mode) => this.#open(path, mode),
      rename: (from, to) => {
        this.#ask("rename", from);
        this.#change({ does: "move", path: from, to });
      },
      remove: async (path) => {
        await Promise.resolve();
        this.#remove(path);
      },
      removeNow: (path) => this.#remove(path),
      syncFolder: async (folder) => {
        await Promise.resolve();
        this.#syncFolder(folder);
      },
      syncFolderNow: (folder) => this.#syncFolder(folder),
      readText: (path) => this.#shown.get(path)?.shown.toString("utf8"),
      writeText: (path, text) => {
        this.#ask("text", path);
        const file = this.#get(path);
        resize(file, 0);
        writeInto(file, Buffer.from(text), 0);
      },
      allocate: (size) => Buffer.alloc(size),
      crc32: (bytes, { from, to, seed }) => crc32(bytes.subarray(from, to), seed),
      putText: (bytes, at, text) => void (bytes as Buffer).write(text, at, "latin1"),
      textAt: (bytes, from, to) => (bytes as Buffer).toString("latin1", from, to),
      process: { host: "here", pid: 1, space: "one", startedAt: "1" },
      // Whoever held a lock on this disk was ended.
      isRunning: () => false,
      uptimeMs: () => 1000,
      isOfEarlierStart: () => false,
    };
  }

  #ask(operation: DiskOperation, path: string, bytes = 0): number | "lie" {
    this.operations++;
    const fault = this.plan(operation, path, bytes);
    if (fault instanceof Error) throw fault;
    return fault ?? bytes;
  }

  #get(path: string): DiskFile {
    const file = this.#shown.get(path);
    if (file === undefined) throw diskError("ENOENT");
    return file;
  }

  #change(change: NameChange): void {
    applyChange(this.#shown, change);
    this.#changes.push(change);
  }

  #remove(path: string): void {
    if (!this.#shown.has(path)) return;
    this.#ask("remove", path);
    this.#change({ does: "remove", path });
  }

  #syncFolder(folder: string): void {
    if (this.#ask("syncFolder", folder) === "lie") return;
    for (const change of this.#changes.splice(0)) applyChange(this.#device, change);
  }

  #open(path: string, mode: "create" | "write" | "read"): OpenFile {
    if (mode === "create") {
      if (this.#shown.has(path)) throw diskError("EEXIST");
      this.#ask("create", path);
      this.#change({ does: "make", path, file: diskFile(Buffer.alloc(0)) });
    }
    const file = this.#get(path);
    const syncNow = () => this.#sync(path, file);
    return {
      size: () => file.shown.length,
      write: (source, { from, to, at }) => {
        const count = this.#ask("write", path, to - from);
        if (count === "lie") throw new Error("only a sync can lie");
        writeInto(file, Buffer.from(source.buffer, source.byteOffset + from, count), at);
        return count;
      },
      read: async (target, at) => await Promise.resolve(file.shown.copy(target, 0, at)),
      truncate: (size) => {
        this.#ask("truncate", path);
        resize(file, size);
      },
      sync: async () => {
        await Promise.resolve();
        syncNow();
      },
      syncNow,
      close: () => {},
    };
  }

  #sync(path: string, file: DiskFile): void {
    try {
      if (this.#ask("sync", path) === "lie") return;
    } catch (error) {
      // The system takes what it could not write for written; whether the device has it nobody knows.
      file.device = survivorOf(file, (count) => this.operations % count);
      file.dirty.clear();
      file.sizes = [];
      throw error;
    }
    file.device = Buffer.from(file.shown);
    file.dirty.clear();
    file.sizes = [];
  }
}

function diskFile(bytes: Buffer): DiskFile {
  return { shown: bytes, device: Buffer.from(bytes), dirty: new Map(), sizes: [] };
}

/** A change that lost what it was about, because one before it did not happen, does nothing. */
function applyChange(names: Map<string, DiskFile>, change: NameChange): void {
  if (change.does === "make") names.set(change.path, change.file);
  else if (change.does === "remove") names.delete(change.path);
  else {
    const file = names.get(change.path);
    if (file === undefined) return;
    names.delete(change.path);
    names.set(change.to, file);
  }
}

function writeInto(file: DiskFile, bytes: Buffer, at: number): void {
  const shown = Buffer.alloc(Math.max(file.shown.length, at + bytes.length));
  file.shown.copy(shown);
  bytes.copy(shown, at);
  file.shown = shown;
  file.sizes.push(shown.length);
  for (let block = Math.floor(at / BLOCK_BYTES); block * BLOCK_BYTES < at + bytes.length; block++) {
    const contents = file.dirty.get(block) ?? [];
    contents.push(blockOf(shown, block));
    file.dirty.set(block, contents);
  }
}

function resize(file: DiskFile, size: number): void {
  file.shown = Buffer.concat([file.shown], size);
  file.sizes.push(size);
}

/** A block in full length: what lies behind the end of the file is zero. */
function blockOf(bytes: Buffer, block: number): Buffer {
  return Buffer.concat([bytes.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)], BLOCK_BYTES);
}

/** What a device may have of a file. */
function survivorOf({ device, dirty, sizes }: DiskFile, choose: Choose): Buffer {
  const ways = [...new Set([device.length, ...sizes])];
  const size = ways[ways.length === 1 ? 0 : choose(ways.length)] ?? 0;
  const bytes = Buffer.concat([device], Math.max(size, device.length));
  for (const [block, contents] of dirty) {
    const at = block * BLOCK_BYTES;
    if (at >= size) continue;
    const newest = contents.at(-1) ?? Buffer.alloc(0);
    // Nothing of it, all of it, half of it, or what it held in between.
    const way = choose(contents.length + 2);
    const content = way < 2 ? newest : (contents[way - 2] ?? newest);
    const length = way === 0 ? 0 : way === 1 || way - 2 < contents.length - 1 ? BLOCK_BYTES : BLOCK_BYTES / 2;
    content.copy(bytes, at, 0, Math.min(length, size - at));
  }
  return Buffer.from(bytes.subarray(0, size));
}

/**
 * Goes through all ways of choosing, at most `limit` of them: calls `visit` with a chooser for each. Answers whether
 * that were all.
 */
export function everyWay(limit: number, visit: (choose: Choose) => void): boolean {
  const taken: number[] = [];
  for (let runs = 0; runs < limit; runs++) {
    const counts: number[] = [];
    visit((count) => {
      counts.push(count);
      return taken[counts.length - 1] ?? 0;
    });
    taken.length = Math.min(taken.length, counts.length);
    while (taken.length < counts.length) taken.push(0);
    while (taken.length > 0 && (taken.at(-1) ?? 0) + 1 >= (counts[taken.length - 1] ?? 0)) taken.pop();
    if (taken.length === 0) return true;
    taken.push((taken.pop() ?? 0) + 1);
  }
  return false;
}
