/** The figures of the bench: what is a median, what a ratio, and how both are shown. */

import { describe, expect, it } from "vitest";
import { machineOf, rowResult, spread, tableOf } from "../../../bench/report.mjs";

describe("spread", () => {
  it.each([
    [[5], { runs: 1, median: 5, min: 5, max: 5 }],
    [[30, 1, 20], { runs: 3, median: 20, min: 1, max: 30 }],
    [[4, 100, 2, 3], { runs: 4, median: 3.5, min: 2, max: 100 }],
    [[9, 10, 100], { runs: 3, median: 10, min: 9, max: 100 }],
  ])("of %j", (values, expected) => {
    expect(spread(values)).toEqual(expected);
  });

  it("leaves the runs in their order", () => {
    const values = [3, 1, 2];
    spread(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe("the table", () => {
  const row = { name: "add", target: 3 };
  const runs = { bullmq: [100, 50, 60], embedded: [1000, 1000, 1000] };
  const machine = machineOf({ echomq: "0.1.0", bullmq: "6.7.0", valkey: "8.0.1", rounds: 3 });

  it("compares medians, and says whether the target is met", () => {
    const met = rowResult(row, { ...runs, echomq: [180, 9000, 12] });
    expect(met.ratio).toBe(3);
    const below = rowResult(row, { ...runs, echomq: [179, 9000, 12] });
    const lines = tableOf(machine, [met, below]).split("\n");
    expect(lines[6]).toMatch(/^add +180 \(12 to 9,000\) +60 \(50 to 100\) +3\.0 x +3\.0 x +met +1,000/);
    expect(lines[7]).toMatch(/ 3\.0 x +3\.0 x +below /);
  });

  it("names everything that the figures depend on", () => {
    const text = tableOf(machine, [rowResult(row, { ...runs, echomq: [180] })]);
    for (const word of ["0.1.0", "6.7.0", "8.0.1", process.versions.node, "3 rounds", "cores"]) {
      expect(text).toContain(word);
    }
  });
});
