/**
 * A disk in memory, for stores under test: what the system has and what the device has are two things, and every
 * operation can be refused.
 *
 * A file's bytes are on the device after a sync of the file, its name after a sync of its folder. A power cut leaves
 * what the device has; the end of a process leaves everything.
 */

import { crc32 } from "node:zlib";
import type { FileLayer, OpenFile, ProcessFacts } from "../../../../src/embedded/journal/file-layer.ts";

/** One file: what the system has, and what the device has. */
interface Content {
  bytes: Buffer;
  durable: Buffer;
}

export type FileOperation =
  | "create"
  | "write"
  | "truncate"
  | "sync"
  | "rename"
  | "remove"
  | "removeNow"
  | "syncFolder"
  | "text";

/** What the system says when an operation fails. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: the disk said so`), { code });
}

/** Decides about an operation before it is done: an error refuses it, a number lets that many bytes be written. */
export type FaultPlan = (operation: FileOperation, path: string, bytes: number) => Error | number | undefined;

let processes = 0;

export class MemoryFiles {
  readonly #files: Map<string, Content>;
  readonly #names: Map<string, Content>;
  /** Operations that changed something so far. */
  operations = 0;
  /** Asked before every operation that changes something. */
  plan: FaultPlan = () => undefined;
  /** What a sync that is waited for in the background takes. */
  device: () => Promise<void> = () => Promise.resolve();
  /** Processes that run, by number. */
  readonly running: Set<number> = new Set();

  constructor(files: Map<string, Content> = new Map()) {
    this.#files = files;
    this.#names = new Map(files);
  }

  /** The disk after the power was cut: files that the device knows by name, with the bytes that it has. */
  afterPowerCut(): MemoryFiles {
    const kept = [...this.#names].map(([path, { durable }]): [string, Content] => {
      return [path, { bytes: Buffer.from(durable), durable: Buffer.from(durable) }];
    });
    return new MemoryFiles(new Map(kept));
  }

  /** The disk after the process ended at once: everything is there. */
  afterKill(): MemoryFiles {
    const kept = [...this.#files].map(([path, { bytes }]): [string, Content] => {
      return [path, { bytes: Buffer.from(bytes), durable: Buffer.from(bytes) }];
    });
    return new MemoryFiles(new Map(kept));
  }

  /** The names in the folder, sorted. */
  names(): string[] {
    return [...this.#files.keys()].map((path) => path.slice(path.lastIndexOf("/") + 1)).sort();
  }

  /** The bytes of a file, to read and to change. */
  bytes(name: string): Buffer {
    const content = [...this.#files].find(([path]) => path.endsWith(`/${name}`))?.[1];
    if (content === undefined) throw new Error(`there is no file ${name}`);
    return content.bytes;
  }

  /** Puts other bytes into a file, on the device as well. */
  put(path: string, bytes: Uint8Array): void {
    this.#files.set(path, { bytes: Buffer.from(bytes), durable: Buffer.from(bytes) });
    this.#names.set(path, this.#files.get(path) as Content);
  }

  /** How long the machine has run, of which a file that is written over tells. */
  uptimeMs = 1000;

  /** The layer as one process sees it. */
  layer(facts: Partial<ProcessFacts> = {}): FileLayer {
    const own = { host: "here", pid: ++processes, space: "one", startedAt: "1", ...facts };
    this.running.add(own.pid);
    return {
      makeFolder: (path) => path,
      list: (folder) =>
        [...this.#files.keys()]
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1)),
      open: (path, mode) => this.#open(path, mode),
      rename: (from, to) => {
        this.#ask("rename", from);
        this.#files.set(to, this.#get(from));
        this.#files.delete(from);
      },
      remove: async (path) => {
        await Promise.resolve();
        this.#remove(path, "remove");
      },
      removeNow: (path) => this.#remove(path, "removeNow"),
      syncFolder: async (folder) => {
        await Promise.resolve();
        this.#syncFolder(folder);
      },
      syncFolderNow: (folder) => this.#syncFolder(folder),
      readText: (path) => this.#files.get(path)?.bytes.toString("utf8"),
      writeText: (path, text) => {
        this.#ask("text", path);
        this.#get(path).bytes = Buffer.from(text);
      },
      allocate: (size) => Buffer.alloc(size),
      crc32: (bytes, { from, to, seed }) => crc32(bytes.subarray(from, to), seed),
      putText: (bytes, at, text) => void (bytes as Buffer).write(text, at, "latin1"),
      textAt: (bytes, from, to) => (bytes as Buffer).toString("latin1", from, to),
      process: own,
      isRunning: (other) => (other.space === own.space ? this.running.has(other.pid) : undefined),
      uptimeMs: () => this.uptimeMs,
      isOfEarlierStart: (other, seen) => other.space !== own.space && seen.uptimeMs > this.uptimeMs,
    };
  }

  #ask(operation: FileOperation, path: string, bytes = 0): number {
    this.operations++;
    const answer = this.plan(operation, path, bytes);
    if (answer instanceof Error) throw answer;
    return answer ?? bytes;
  }

  #get(path: string): Content {
    const content = this.#files.get(path);
    if (content === undefined) throw systemError("ENOENT");
    return content;
  }

  #remove(path: string, operation: FileOperation): void {
    this.#ask(operation, path);
    this.#files.delete(path);
  }

  #syncFolder(folder: string): void {
    this.#ask("syncFolder", folder);
    for (const path of this.#names.keys()) {
      if (path.startsWith(`${folder}/`) && !this.#files.has(path)) this.#names.delete(path);
    }
    for (const [path, content] of this.#files) if (path.startsWith(`${folder}/`)) this.#names.set(path, content);
  }

  #open(path: string, mode: "create" | "write" | "read"): OpenFile {
    if (mode === "create") {
      if (this.#files.has(path)) throw systemError("EEXIST");
      this.#ask("create", path);
      this.#files.set(path, { bytes: Buffer.alloc(0), durable: Buffer.alloc(0) });
    }
    const content = this.#get(path);
    const sync = (bytes: Buffer) => {
      this.#ask("sync", path);
      content.durable = Buffer.from(bytes);
    };
    return {
      size: () => content.bytes.length,
      write: (source, { from, to, at }) => {
        const count = this.#ask("write", path, to - from);
        const bytes = Buffer.alloc(Math.max(content.bytes.length, at + count));
        content.bytes.copy(bytes);
        Buffer.from(source.buffer, source.byteOffset + from, count).copy(bytes, at);
        content.bytes = bytes;
        return count;
      },
      read: async (target, at) => await Promise.resolve(content.bytes.copy(target, 0, at)),
      truncate: (size) => {
        this.#ask("truncate", path);
        content.bytes = Buffer.from(content.bytes.subarray(0, size));
      },
      sync: async () => {
        // What is written meanwhile is not made safe.
        const bytes = Buffer.from(content.bytes);
        await this.device();
        sync(bytes);
      },
      syncNow: () => sync(content.bytes),
      close: () => {},
    };
  }
}
