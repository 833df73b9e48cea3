import { expect, test } from "vitest";
import { expectCalm } from "./expect-calm.ts";
import { storm } from "./worker-storm.ts";

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

test.each(SEEDS)("whatever goes wrong, every job runs and is completed once at most (seed %i)", async (seed) => {
  const report = await storm(seed, 250);
  expect(report.jobs).toBeGreaterThan(150);
  expectCalm(report);
});
