/** Many storms over flows, each longer than those of every run. */

import { expect, test } from "vitest";
import { CALM, flowStorm } from "./flow-storm.ts";

const SEEDS = Array.from({ length: 300 }, (_, index) => index + 1001);

test.each(SEEDS)(
  "whatever goes wrong, flows come to the ends that their children imply (seed %i)",
  async (seed) => {
    expect(await flowStorm(seed, 300)).toMatchObject(CALM);
  },
  120_000,
);
