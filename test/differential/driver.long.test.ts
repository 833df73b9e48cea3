/** Two hundred thousand random steps on the embedded engine and on Valkey by Lua. */

import { describe, expect, it } from "vitest";
import { play, type RunOptions } from "./driver.ts";
import { useServerSide } from "./use-server-side.ts";

const STEPS = 5000;
const RUNS_PER_MODE = 20;

describe("the embedded engine and Valkey by Lua, at length", () => {
  const side = useServerSide();
  for (let seed = 1; seed <= RUNS_PER_MODE; seed++) {
    for (const mode of ["clean", "foreign"] as const) {
      it(`do the same in ${STEPS} ${mode} steps of seed ${seed}`, async () => {
        const run: RunOptions = { seed, steps: STEPS, mode };
        expect(await play(side(), run)).toBeUndefined();
      });
    }
  }
});
