/**
 * How a caller takes part in work that is done in slices: it is told between two of them, and may end the work there.
 *
 * One hook serves both, because a caller that shows progress is the one that knows when nobody looks any more.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";

/** How the caller of long work hears how far it is. */
export interface SliceOptions {
  /**
   * Called between two slices with how many are done so far. What it throws ends the work there: what was done stays
   * done, and the call rejects with what was thrown.
   */
  readonly onProgress?: (done: number) => void;
}

/**
 * The hook of a caller, or one that does nothing.
 *
 * @throws EchoMQError `invalid_option` for what is no function.
 */
export function progressHook({ onProgress }: SliceOptions): (done: number) => void {
  if (onProgress === undefined) return () => {};
  if (typeof onProgress === "function") return onProgress;
  throw new EchoMQError("invalid_option", `onProgress ${quote(onProgress)} must be a function`, {
    details: { option: "onProgress", value: onProgress },
  });
}
