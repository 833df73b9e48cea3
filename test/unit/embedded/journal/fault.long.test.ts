/**
 * As fault.test.ts and power-cut.test.ts, at every single operation, for rows of any length, and in all of the ways
 * that a cut may end.
 */

import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/testing/test-ports.ts";
import { breakEverywhere } from "./broken-runs.ts";
import { COURSE } from "./course.ts";
import { REFUSALS, sweepFaults } from "./fault-sweep.ts";

describe.each(["always", "everysec", "no"] as const)("with %s", (fsync) => {
  it.each(REFUSALS)(
    "%s at any operation, or at some in a row, parts nothing",
    async (_, refuse) => {
      const rows = [1, 2, 3, 7, 20].map((length) => ({ length, step: length < 4 ? 1 : 2 }));
      await sweepFaults(fsync, refuse, rows);
    },
    600_000,
  );

  it("loses nothing in cuts at random while snapshots are written", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const random = createRandom(seed);
      const course = [...COURSE, ...COURSE.slice(2)];
      const report = await breakEverywhere({ course, fsync, compactBytesMin: 300 * seed, cutsMax: 20, random });
      expect(report.operations, `seed ${seed}`).toBeGreaterThan(30);
    }
  }, 600_000);
});

it("loses nothing with always in any way that a cut may end, all of them gone through", async () => {
  // A job is added; it is claimed beside another write. More blocks would have more ways than can be gone through.
  const course = [COURSE[0], COURSE[2]].filter((step) => step !== undefined);
  const plan = { course, fsync: "always", compactBytesMin: 2 ** 40, cutsMax: 20_000 } as const;
  expect((await breakEverywhere(plan)).isExhaustive).toBe(true);
}, 1_200_000);
