/** What a journal begins with, and whom it tells. */

import type { Ports } from "../../engine/ports.ts";
import type { Keyspace } from "../store/keyspace.ts";
import type { FileLayer } from "./file-layer.ts";
import type { FolderLock } from "./folder-lock.ts";
import type { JournalFile } from "./journal-file.ts";

/**
 * When the device has to have what was written: before the answer, at most a second later, or when the system likes.
 */
export type FsyncMode = "always" | "everysec" | "no";

/** What a journal begins with; opening a folder gives it. */
export interface JournalStart {
  readonly layer: FileLayer;
  readonly ports: Ports;
  readonly folder: string;
  readonly fsync: FsyncMode;
  readonly lock: FolderLock;
  readonly keyspace: Keyspace;
  readonly current: JournalFile;
  /** Where the next record goes; all before it is on the device. */
  readonly end: number;
  readonly isSealed: boolean;
  /** The highest number that a file of the folder has. */
  readonly highest: number;
  readonly snapshotBytes: number;
  readonly journalBytes: number;
  /** Bytes of journals below which no snapshot is written. By default `COMPACT_BYTES_MIN`. */
  readonly compactBytesMin?: number | undefined;
}

/** What an engine is told. */
export interface JournalListener {
  /** Records were stored: what acts told may go out. */
  onKept(): void;
  /** Acts were taken back. */
  onLost(): void;
}
