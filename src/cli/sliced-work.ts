/**
 * Work on many jobs that goes in slices: a bar or lines tell how far it is, and Ctrl-C ends it between two slices.
 *
 * What was done stays done, so an interrupted command is given again to go on.
 */

import { watchInterrupt } from "./interrupt-watch.ts";
import { ProgressDisplay } from "./progress-display.ts";
import type { ServerCall } from "./server-command.ts";

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
  const watch = watchInterrupt(host);
  let done = 0;
  const isShown = options.json !== true && total > SHORT_JOBS;
  const progress = () => ({ share: Math.min(1, done / total), text: `${Math.min(done, total)} of ${total} jobs` });
  const display = isShown ? new ProgressDisplay(host, progress) : undefined;
  try {
    done = await work((now) => {
      done = now;
      watch.signal.throwIfAborted();
    });
    return { done, isInterrupted: false };
  } catch (error) {
    if (error !== watch.signal.reason) throw error;
    return { done, isInterrupted: true };
  } finally {
    display?.end();
    watch.end();
  }
}
