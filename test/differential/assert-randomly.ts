/**
 * Random values into a comparison of two sides, for a time at most.
 */

import fc from "fast-check";

/** A slow machine compares fewer values. */
const TIME_MS_MAX = 30_000;

/** Fails with the shortest value for which `compare` rejects. No comparison goes on when it has ended. */
export async function assertRandomly<Value>(
  values: fc.Arbitrary<Value>,
  runs: number,
  compare: (value: Value) => Promise<void>,
): Promise<void> {
  let last = Promise.resolve();
  const property = fc.asyncProperty(values, (value) => {
    last = compare(value);
    return last;
  });
  try {
    await fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: TIME_MS_MAX });
  } finally {
    // The comparison at which time was over goes on by itself, and would meet the next test at the servers.
    await last.catch(() => {});
  }
}
