/**
 * Work on many jobs that goes in slices: a bar or lines tell how far it is, and Ctrl-C ends it between two slices.
 *
 * What was done stays done, so an interrupted command is given again to go on.
 */

import type { ServerCall } from "./server-command.ts";
import { untilInterrupted } from "./until-interrupted.ts";

/** Jobs that are over before anybody would look at a bar. */
const SHORT_JOBS = 500;

/** Work that tells how far it is. */
export interface SlicedWork {
  /** About how many jobs there are. */
  readonly total: number;
  /** Does the work, calls `onProgress` between slices and lets it throw; resolves to how many jobs were done. */
  readonly work: (onProgress: (done: number) => void) => Promise<number>;
}

/** How it ended. */
export interface SlicedEnd {
  readonly done: number;
  readonly isInterrupted: boolean;
}

/** Runs the work to its end or to the first slice after Ctrl-C. Rejects with what the work rejects with. */
export async function inSlices({ context, options }: ServerCall, { total, work }: SlicedWork): Promise<SlicedEnd> {
  const { host } = context;
  const isShown = options.json !== true && total > SHORT_JOBS;
  // The last slice is told by the result alone, and is drawn as well.
  let end: number | undefined;
  const { done, result } = await untilInterrupted(host, {
    shownOn: isShown ? host : undefined,
    progress: (now) => {
      const count = Math.min(end ?? now, total);
      return { share: count / total, text: `${count} of ${total} jobs` };
    },
    work: async (onProgress) => {
      end = await work(onProgress);
      return end;
    },
  });
  return { done: result ?? done, isInterrupted: result === undefined };
}
