/** Flows keep their promise through storms, a few seeds at every run; the long test has many. */

import { describe, expect, it } from "vitest";
import { CALM, flowStorm } from "./flow-storm.ts";

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

describe("flows in a storm", () => {
  it.each(SEEDS)(
    "come to the ends that their children imply (seed %i)",
    async (seed) => {
      const report = await flowStorm(seed, 120);
      expect(report).toMatchObject(CALM);
      expect(report.flows).toBeGreaterThan(15);
    },
    120_000,
  );
});
