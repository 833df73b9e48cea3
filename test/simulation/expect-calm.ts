/** What a storm must leave behind, whatever its seed. */

import { expect } from "vitest";
import type { StormReport } from "./worker-storm.ts";

export function expectCalm(report: StormReport): void {
  expect(report.counts).toMatchObject({ pending: 0, active: 0, schedule: 0 });
  expect((report.counts["completed"] ?? 0) + (report.counts["dead"] ?? 0)).toBe(report.jobs);
  expect(report.neverRun).toEqual([]);
  expect(report.outOfOrder).toEqual([]);
  expect(report.completedTwice).toEqual([]);
  expect(report.violations).toEqual([]);
  expect(report.timers).toBe(0);
}
