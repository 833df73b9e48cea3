/**
 * Runs a handler inside a span.
 *
 * The span ends with the handler, not with its settlement, so it measures the work. What the handler returns or throws
 * goes through as it is, and what tracing throws changes nothing: then the handler runs without a span.
 */

import { type RunSpan, type TracedRunEnd, unlessThrown } from "../queue/telemetry.ts";
import { isThenable } from "../queue/thenable.ts";
import { controlOfThrown } from "./settlement.ts";

/** Answers what `handler` answers, and throws what it throws. It is called exactly once. */
export function tracedRun(begin: () => RunSpan | undefined, handler: () => unknown): unknown {
  const span = unlessThrown(begin);
  if (span === undefined) return handler();
  const end = (how: TracedRunEnd) => unlessThrown(() => span.end(how));
  const threw = (error: unknown) => {
    const { kind = "unrecoverable" } = controlOfThrown(error) ?? {};
    return end({ outcome: kind === "unrecoverable" ? "threw" : "put-off", error });
  };
  const returned = () => end({ outcome: "returned", error: undefined });
  let result: unknown;
  let hasBegun = false;
  const begun = () => {
    hasBegun = true;
    return handler();
  };
  try {
    result = span.run(begun);
    // A promise stays itself; what only looks like one is followed by the platform, once for all who want to know.
    if (isThenable(result) && !(result instanceof Promise)) result = Promise.resolve(result);
  } catch (error) {
    threw(error);
    if (!hasBegun) return handler();
    throw error;
  }
  if (result instanceof Promise) result.then(returned, threw);
  else returned();
  return result;
}
