/**
 * The power is cut at every operation of a store on its disk, in every way that this may end (torn-disk.ts), and the
 * process is killed there: whatever was acknowledged and safe is there again, and nothing that never was.
 */

import { expect, it } from "vitest";
import { createRandom } from "../../../../src/testing/test-ports.ts";
import { breakEverywhere } from "./broken-runs.ts";
import { COURSE } from "./course.ts";

/** A snapshot is never written, or all the time. */
const NEVER = 2 ** 40;
const OFTEN = 600;

it("loses nothing that was acknowledged with always, in any of the ways that a cut may end", async () => {
  const plan = { course: COURSE, fsync: "always", compactBytesMin: NEVER, cutsMax: 60 } as const;
  const report = await breakEverywhere(plan);
  expect(report.operations).toBeGreaterThan(20);
  expect(report.images).toBeGreaterThan(100);
}, 60_000);

it.each(["always", "everysec", "no"] as const)(
  "loses nothing either while a snapshot takes the place of journals, with %s",
  async (fsync) => {
    const random = createRandom(7);
    const report = await breakEverywhere({ course: COURSE, fsync, compactBytesMin: OFTEN, cutsMax: 5, random });
    expect(report.operations).toBeGreaterThan(40);
  },
  60_000,
);

it("is what a disk that lies about its syncs cannot keep, which shows that the cuts cut", async () => {
  const course = COURSE.slice(0, 3);
  const plan = { course, fsync: "always", compactBytesMin: NEVER, cutsMax: 20, lies: true } as const;
  await expect(breakEverywhere(plan)).rejects.toThrow(/what it held after \d calls/);
});
