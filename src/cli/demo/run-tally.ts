/**
 * What one process has done in a run, as its worker's events tell.
 *
 * Only counts and the largest files are kept, so the memory does not grow with the folder.
 */

import type { FileResult } from "./checksum-file.ts";
import { Skips } from "./skips.ts";

/** A file with its checksum. */
export interface SummedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A job that will not be tried again. */
export interface DeadFile {
  readonly path: string;
  readonly error: string;
}

/** Largest files that the summary shows. */
export const LARGEST_MAX = 10;

/** Dead jobs that the summary names; the rest is counted. */
export const DEAD_NAMED_MAX = 10;

/** What one process has done. Written by the listeners of its worker, read by display and summary. */
export class RunTally {
  readonly skips = new Skips();
  /** Jobs that ended well. */
  completed = 0;
  /** Failures after which a job was tried again. */
  retries = 0;
  dead = 0;
  /** Bytes that were read. */
  bytes = 0;
  readonly #largest: SummedFile[] = [];
  readonly #deadFiles: DeadFile[] = [];

  /** Jobs that are over, one way or the other. */
  get done(): number {
    return this.completed + this.dead;
  }

  /** The largest files so far, largest first. */
  get largest(): readonly SummedFile[] {
    return this.#largest;
  }

  /** The first dead jobs, in the order of their end. */
  get deadFiles(): readonly DeadFile[] {
    return this.#deadFiles;
  }

  addCompleted(path: string, result: FileResult): void {
    this.completed++;
    if ("skipped" in result) return this.skips.add(result.skipped);
    this.bytes += result.bytes;
    this.#addLargest({ path, bytes: result.bytes, sha256: result.sha256 });
  }

  addDead(file: DeadFile): void {
    this.dead++;
    if (this.#deadFiles.length < DEAD_NAMED_MAX) this.#deadFiles.push(file);
  }

  #addLargest(file: SummedFile): void {
    const smallest = this.#largest[LARGEST_MAX - 1];
    if (smallest !== undefined && smallest.bytes >= file.bytes) return;
    const at = this.#largest.findIndex((other) => other.bytes < file.bytes);
    this.#largest.splice(at < 0 ? this.#largest.length : at, 0, file);
    this.#largest.length = Math.min(this.#largest.length, LARGEST_MAX);
  }
}
