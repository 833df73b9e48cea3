/**
 * Long work with its progress beside it, which Ctrl-C ends at its next good place.
 *
 * The work is told of Ctrl-C by its own call that tells how far it is: that throws, and what comes out of the work then
 * is no failure.
 */

import type { Host } from "./host.ts";
import { watchInterrupt } from "./interrupt-watch.ts";
import { type Progress, ProgressDisplay } from "./progress-display.ts";

/** Work that tells how far it is. */
export interface LongWork<Result> {
  /** Where the progress is drawn; `undefined` for nowhere. */
  readonly shownOn: Host | undefined;
  /** What is drawn when so much is done. */
  readonly progress: (done: number) => Progress;
  /** Does the work, calls `onProgress` where it may end, and lets it throw. */
  readonly work: (onProgress: (done: number) => void) => Promise<Result>;
}

/** How it ended. */
export interface LongWorkEnd<Result> {
  /** How far it had come when it last told. */
  readonly done: number;
  /** What came of it; `undefined` when it was interrupted. */
  readonly result: Result | undefined;
}

/** Runs the work to its end, or to the first place after Ctrl-C. Rejects with what the work rejects with. */
export async function untilInterrupted<Result>(
  host: Host,
  { shownOn, progress, work }: LongWork<Result>,
): Promise<LongWorkEnd<Result>> {
  const watch = watchInterrupt(host);
  let done = 0;
  const display = shownOn === undefined ? undefined : new ProgressDisplay(shownOn, () => progress(done));
  try {
    const result = await work((now) => {
      done = now;
      watch.signal.throwIfAborted();
    });
    return { done, result };
  } catch (error) {
    if (error !== watch.signal.reason) throw error;
    return { done, result: undefined };
  } finally {
    display?.end();
    watch.end();
  }
}
