/** The figures of the bench: what is a median, what a ratio, and how both are shown. */

import { describe, expect, it } from "vitest";
import { machineOf, rowResult, shown, spread, tableOf } from "../../../bench/report.mjs";

const versions = { echomq: "0.1.0", bullmq: "6.7.0", beeQueue: "2.0.0", valkey: "8.0.1", rounds: 3 };
const machine = machineOf({ ...versions, isQuick: false, isBusy: false, load: 0.1 });
const speed = { name: "add", title: "add", unit: "jobs/s", isMoreBetter: true };
const time = { name: "latency", title: "latency", unit: "ms", isMoreBetter: false };

const runsOf = (figure: string, values: readonly number[]): Record<string, number>[] =>
  values.map((value) => ({ [figure]: value }));

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

describe("a row", () => {
  const ofBoth = (row: typeof speed, figure: string, ours: number[], peer: number[]) =>
    rowResult(row, { lua: runsOf(figure, ours), bullmq: runsOf(figure, peer) }).figures[0];

  it("compares medians", () => {
    expect(ofBoth(speed, "perSecond", [180, 9000, 12], [100, 50, 60])).toMatchObject({ median: 180, ratio: 3 });
    expect(ofBoth(time, "p99", [0.6], [1])).toMatchObject({ ratio: 0.6 });
  });

  it("gives no ratio where there is no peer, and no figure where no run has one", () => {
    const { figures } = rowResult(speed, { lua: [{ perSecond: 5 }], embedded: [] });
    expect(figures).toEqual([{ column: "lua", figure: "perSecond", runs: 1, median: 5, min: 5, max: 5 }]);
  });
});

describe("the table", () => {
  const row = rowResult(speed, { lua: runsOf("perSecond", [180, 9000, 12]), bullmq: runsOf("perSecond", [60]) });

  it("shows the spread, the ratio and the verdict", () => {
    const target = { rows: ["add"], columns: ["lua"], least: 3, of: "bullmq" };
    expect(tableOf(machine, [row], [], [target])).toMatch(
      /add +lua +jobs\/s +180 \(12\.0 to 9,000\) +3\.00 x +at least 3 x bullmq: met\nadd +bullmq +jobs\/s +60\.0/,
    );
  });

  it("names everything that the figures depend on", () => {
    const text = tableOf(machine, [row], ["native is left out: it was not built"]);
    for (const word of ["0.1.0", "6.7.0", "2.0.0", "8.0.1", process.versions.node, "3 rounds", "cores", "left out"]) {
      expect(text).toContain(word);
    }
    expect(text).not.toContain("busy");
  });

  it("owns up to a busy machine and to a quick run", () => {
    const text = tableOf(machineOf({ ...versions, isQuick: true, isBusy: true, load: 7.5 }), [row]);
    expect(text).toContain("busy with other work (load 7.5)");
    expect(text).toContain("quick run");
  });
});

it.each([
  [1234.5, "1,235"],
  [99.96, "100.0"],
  [12.34, "12.3"],
  [0.1234, "0.12"],
])("%d is shown as %s", (value, text) => {
  expect(shown(value)).toBe(text);
});
