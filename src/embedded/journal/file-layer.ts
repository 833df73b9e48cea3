/**
 * The files that a journal lives on, as a port: a test puts a layer in their place that loses, tears and refuses.
 *
 * Writing is done at once and not in the background: the bytes go to the system's cache, which takes microseconds, and
 * an act that has been answered is then safe from the end of the process. Only what waits for the device (`sync`) is a
 * promise. Whatever fails throws what the system gave, with its `code` (`ENOSPC`, `EIO`, `EROFS`).
 */

/** A file that is open. Positions are bytes from its beginning. */
export interface OpenFile {
  /** Its size in bytes. */
  size(): number;
  /** Writes `bytes` from `from` to `to` at a position; answers how many were written, which may be fewer. */
  write(bytes: Uint8Array, span: { readonly from: number; readonly to: number; readonly at: number }): number;
  /** Reads into the whole of `target`; answers how many bytes there were, 0 at the end. */
  read(target: Uint8Array, at: number): Promise<number>;
  /** Cuts the file to a size. */
  truncate(size: number): void;
  /** Resolves when all that was written before this call is on the device. */
  sync(): Promise<void>;
  /** The same, waiting in place. */
  syncNow(): void;
  close(): void;
}

/** What tells one start of a process from all others. */
export interface ProcessFacts {
  readonly host: string;
  readonly pid: number;
  /** The start of the machine and the table of process numbers that `pid` belongs to; empty where nobody knows. */
  readonly space: string;
  /** When the process began, in a unit of the system's own; empty where nobody knows. */
  readonly startedAt: string;
}

/** Files, folders, and the few things about bytes and processes that a platform does better than a program. */
export interface FileLayer {
  /** Makes a folder, and those above it, unless it is there. Answers its one true path. */
  makeFolder(path: string): string;
  /** The names in a folder, in no order. */
  list(folder: string): string[];
  /** Opens a file: `create` makes one that must not be there, `write` and `read` take one that is. */
  open(path: string, mode: "create" | "write" | "read"): OpenFile;
  rename(from: string, to: string): void;
  /** Removes a file, which takes milliseconds for a large one; one that is not there is as good. */
  remove(path: string): Promise<void>;
  /** The same, waiting in place. */
  removeNow(path: string): void;
  /** Resolves when names that were made, changed and removed in a folder are on the device. */
  syncFolder(folder: string): Promise<void>;
  syncFolderNow(folder: string): void;
  /** The whole of a small file; `undefined` when it is not there. */
  readText(path: string): string | undefined;
  /** Writes a small file over what it holds, in place: who reads it meanwhile finds no fewer bytes than the shorter. */
  writeText(path: string, text: string): void;

  /** Bytes to read into and write from, of undefined content. */
  allocate(size: number): Uint8Array;
  /** CRC-32 (ISO-HDLC) of the bytes from `from` to `to`, begun with `seed`. */
  crc32(bytes: Uint8Array, span: { readonly from: number; readonly to: number; readonly seed: number }): number;
  /** Puts the characters of a byte string into bytes that {@link FileLayer.allocate} gave. */
  putText(bytes: Uint8Array, at: number, text: string): void;
  /** The byte string of a span of such bytes. */
  textAt(bytes: Uint8Array, from: number, to: number): string;

  /** This process. */
  readonly process: ProcessFacts;
  /**
   * Whether a process of the same {@link ProcessFacts.space} runs: `undefined` when that cannot be told, because the
   * space is another or unknown.
   */
  isRunning(facts: ProcessFacts): boolean | undefined;
  /** How long the kernel of this machine has run, in ms: it only rises until the machine is started anew. */
  uptimeMs(): number;
  /**
   * Whether a process that wrote into a folder when its machine had run for a time is certainly of an earlier start of
   * the machine, and so dead. False where that cannot be told.
   */
  isOfEarlierStart(facts: ProcessFacts, seen: { readonly folder: string; readonly uptimeMs: number }): boolean;
}
