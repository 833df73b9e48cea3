/**
 * Where a checksum run stands, and how that is told in one line.
 */

import type { Progress } from "../progress-display.ts";

/** Where a run stands. */
export interface RunProgress {
  /** Files found so far; it grows while the folder is walked. */
  readonly files: number;
  /** Whether the walk has ended, so that `files` is final. */
  readonly isCounted: boolean;
  readonly done: number;
  readonly perSecond: number;
  readonly retries: number;
  readonly dead: number;
}

/** The run for a display: its bar grows against the files that are known. */
export function shownProgress(progress: RunProgress): Progress {
  const { done, files, isCounted, perSecond, retries, dead } = progress;
  const rate = Math.round(perSecond);
  return {
    share: files === 0 ? 0 : Math.min(1, done / files),
    text: `${done} of ${files}${isCounted ? "" : " or more"} files, ${rate}/s, retries ${retries}, dead ${dead}`,
  };
}
