/**
 * Waiting with a deadline: for what may never come, such as the answer of a server that has gone, or a user's function.
 *
 * The wait keeps the process alive, since somebody is about to act on its end; whatever is waited for goes on
 * unwatched.
 */

import type { Clock } from "../engine/ports.ts";

/**
 * Resolves to whether `promise` ended, resolved or rejected, within `ms`; less than 0 counts as 0. Never rejects.
 */
export function within(clock: Clock, promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.after(Math.max(0, ms), () => resolve(false));
    const finish = () => {
      timer.cancel();
      resolve(true);
    };
    promise.then(finish, finish);
  });
}
