/** What the figures of the bench are to reach: whom a target speaks of, and when it is met. */

import { describe, expect, it } from "vitest";
import { COLUMNS } from "../../../bench/columns.mjs";
import { rowResult } from "../../../bench/report.mjs";
import { ROWS } from "../../../bench/rows.mjs";
import { AHEAD, aheadOf, checksOf, TARGETS } from "../../../bench/targets.mjs";

const speedRow = { name: "add", title: "add", unit: "jobs/s", isMoreBetter: true };
const timeRow = { name: "delayed", title: "delayed", unit: "ms", isMoreBetter: false };
const add = rowResult(speedRow, {
  lua: [{ perSecond: 450, clientUs: 1 }],
  native: [{ perSecond: 900, clientUs: 1 }],
  bullmq: [{ perSecond: 100, clientUs: 9 }],
});
const delayed = rowResult(timeRow, { lua: [{ p50: 2, p99: 11 }], native: [{ p50: 1, p99: 3 }] });

describe("a target", () => {
  it("is met by the ratio that it asks for, and missed by less", () => {
    const target = { rows: ["add"], columns: ["lua"], figures: ["perSecond"], of: "bullmq" };
    expect(checksOf({ ...target, least: 4.5 }, [add])).toEqual([
      { row: "add", column: "lua", figure: "perSecond", unit: "jobs/s", value: 4.5, isMet: true },
    ]);
    expect(checksOf({ ...target, least: 4.6 }, [add])).toMatchObject([{ isMet: false }]);
  });

  it("may be a bound in the unit of its row, and speaks of all its figures, the worst first", () => {
    const target = { rows: ["delayed"], columns: ["lua", "native"], most: 10 };
    expect(checksOf(target, [add, delayed]).map(({ value, isMet }) => [value, isMet])).toEqual([
      [11, false],
      [3, true],
      [2, true],
      [1, true],
    ]);
  });

  it("may compare a figure with another of the same column", () => {
    const target = { rows: ["delayed"], columns: ["lua", "native"], figures: ["p99"], over: "p50", most: 4 };
    expect(checksOf(target, [delayed]).map(({ column, value, isMet }) => [column, value, isMet])).toEqual([
      ["lua", 5.5, false],
      ["native", 3, true],
    ]);
    expect(checksOf({ ...target, over: "p10" }, [delayed])).toEqual([]);
  });

  it("says nothing where it, or what it is compared with, was not measured", () => {
    const target = { rows: ["add"], columns: ["lua"], figures: ["perSecond"], least: 1 };
    expect(checksOf({ ...target, columns: ["embedded"] }, [add])).toEqual([]);
    expect(checksOf({ ...target, of: "embedded" }, [add])).toEqual([]);
  });
});

describe("a peer", () => {
  const latencyRow = { name: "latency", title: "latency", unit: "ms", isMoreBetter: false };
  const latency = rowResult(latencyRow, {
    lua: [{ most: 900, p50: 2, p99: 5, "10% p50": 3 }],
    native: [{ most: 950, p50: 1, p99: 2, "10% p50": 3 }],
    "bee-queue": [{ most: 100, p50: 1, p99: 6, "10% p50": 1 }],
  });

  it("is told of where it is better than the scripts, in the sense of the figure, and at equal load", () => {
    expect(
      aheadOf([latency]).map(({ figure, peer, ours }) => [figure, peer.column, ours.map((one) => one?.median)]),
    ).toEqual([["p50", "bee-queue", [2, 1]]]);
    const slow = rowResult(speedRow, {
      lua: [{ perSecond: 90, clientUs: 9 }],
      bullmq: [{ perSecond: 100, clientUs: 1 }],
    });
    expect(aheadOf([slow]).map(({ figure }) => figure)).toEqual(["perSecond"]);
    expect(aheadOf([add])).toEqual([]);
  });

  it("has a reason for rows that there are", () => {
    expect(Object.keys(AHEAD).filter((name) => !ROWS.some((row) => row.name === name))).toEqual([]);
  });
});

describe("the targets of the bench", () => {
  it.each(TARGETS.map((target) => [target.rows.join(", "), target] as const))(
    "%s: speaks of rows and columns that are measured",
    (_, { rows, columns, of, over, least, most }) => {
      expect([of, over].filter((other) => other !== undefined).length).toBeLessThan(2);
      expect([least, most].filter((bound) => bound !== undefined)).toHaveLength(1);
      for (const name of rows) {
        const row = ROWS.find((one) => one.name === name);
        expect(row?.columns).toEqual(expect.arrayContaining([...columns, ...(of === undefined ? [] : [of])]));
      }
      for (const column of columns) expect(COLUMNS.map(({ name }) => name)).toContain(column);
    },
  );
});
