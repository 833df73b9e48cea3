/** Random steps on the embedded engine and on the native half, every reply, message and key compared. */

import { describe, expect, it } from "vitest";
import { whyNoNative } from "../server/native-module.ts";
import { play, type RunOptions } from "./driver.ts";
import { useServerSide } from "./use-server-side.ts";

const RUNS: readonly RunOptions[] = [0, 1, 42, 312_540, 999_999].flatMap((seed): RunOptions[] => [
  { seed, steps: 1000, mode: "clean" },
  { seed, steps: 1000, mode: "foreign" },
]);

const why = whyNoNative();

describe.skipIf(why !== undefined)(
  `the embedded engine and the native half${why === undefined ? "" : ` (${why})`}`,
  () => {
    const side = useServerSide("native");
    for (const run of RUNS) {
      it(`do the same in ${run.steps} ${run.mode} steps of seed ${run.seed}`, async () => {
        expect(await play(side(), run)).toBeUndefined();
      });
    }
  },
);
