/**
 * The two queues of a checksum run, and what their jobs carry.
 *
 * A run is a job itself: its handler walks the folder, admits one job a file, and ends when none of them is left. So
 * with several processes exactly one walks, the others find its job there and only lend their hands; and should it be
 * killed, its lease lapses and another process walks again. Names are made from the folder, so that two folders on one
 * server never mix.
 */

import { createHash } from "node:crypto";
import type { BulkItem } from "../../queue/queue.ts";
import { FileIds } from "./file-ids.ts";
import type { SkipReason } from "./skips.ts";
import type { FoundFile } from "./walk-folder.ts";

/** Jobs of the queue of files, by name. */
export interface FileJobs {
  checksum: FileJobData;
}

/** What a file's job carries. */
export interface FileJobData {
  readonly path: string;
  /** So many attempts fail on purpose, to show retries; absent for nearly every file. */
  readonly failures?: number;
}

/** Jobs of the queue of runs, by name. */
export interface RunJobs {
  walk: { readonly folder: string };
}

/** What the walk tells about itself while it goes on. */
export interface WalkProgress {
  /** Files found so far. */
  readonly files: number;
  /** Whether `files` is final. */
  readonly isCounted: boolean;
  readonly skipped: Partial<Record<SkipReason, number>>;
}

/** Attempts of a file's job: the first and two more. */
export const ATTEMPTS = 3;

/** Wait before the second attempt, in ms; twice that before the third. */
const BACKOFF_MS = 200;

/** More failures than there are attempts. */
const ALWAYS = ATTEMPTS;

/**
 * How often the first files of a walk fail on purpose: the first once, the second until it is dead, and so on. A folder
 * of one file therefore ends without a dead job.
 */
const FAILURES: readonly number[] = [1, ALWAYS, 2, 1, 1];

/** The names of both queues of a folder, which must be given by its real path. */
export function queueNamesOf(folder: string): { readonly files: string; readonly runs: string } {
  const mark = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  return { files: `demo-${mark}`, runs: `demo-${mark}-run` };
}

/** The id of a folder's run: always the same, so that there is one run at a time. */
export function runIdOf(folder: string): string {
  return new FileIds().idOf(folder, 0);
}

/** The job of a file; `place` counts the files of the walk from 0. */
export function fileJobOf(file: FoundFile, place: number, ids: FileIds): BulkItem<FileJobs> {
  const failures = FAILURES[place];
  return {
    name: "checksum",
    data: failures === undefined ? { path: file.path } : { path: file.path, failures },
    opts: {
      id: ids.idOf(file.path, file.changedAtMs),
      attempts: ATTEMPTS,
      backoff: { type: "exponential", delay: BACKOFF_MS, cap: 2 * BACKOFF_MS },
    },
  };
}
