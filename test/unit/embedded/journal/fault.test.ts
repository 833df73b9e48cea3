/**
 * A disk refuses an operation, any one of them and some in a row: the calls that it could not take are refused with a
 * code and leave nothing, all others are there, and memory and disk never part.
 */

import { describe, it } from "vitest";
import { REFUSALS, sweepFaults } from "./fault-sweep.ts";

describe.each(["always", "everysec", "no"] as const)("with %s", (fsync) => {
  it.each(REFUSALS)(
    "%s at single operations, or at some in a row, parts nothing",
    async (_, refuse) => {
      await sweepFaults(fsync, refuse, [
        { length: 1, step: 9 },
        { length: 3, step: 4 },
        { length: 7, step: 20 },
      ]);
    },
    60_000,
  );
});
