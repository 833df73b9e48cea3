import { test } from "vitest";
import { expectCalm } from "./expect-calm.ts";
import { storm } from "./worker-storm.ts";

const SEEDS = Array.from({ length: 400 }, (_, index) => index + 1001);

test.each(SEEDS)("whatever goes wrong, every job runs and is completed once at most (seed %i)", async (seed) => {
  expectCalm(await storm(seed, 600));
});
