/** The guard tells what has grown beyond what timing alone can do. */

import { describe, expect, it } from "vitest";
import { compare, guardTable } from "../../../bench/guard-report.mjs";

const baseline = { "add lua: commands a job": 1, "add lua: bytes to the server a job": 100, "add: server time": 0.5 };

describe("compare", () => {
  it.each([
    ["add lua: commands a job", 1.09, "as before"],
    ["add lua: commands a job", 1.11, "grown"],
    ["add lua: commands a job", 0.5, "less"],
    ["add lua: bytes to the server a job", 104, "as before"],
    ["add lua: bytes to the server a job", 106, "grown"],
    ["add: server time", 0.66, "as before"],
    ["add: server time", 0.7, "grown"],
    ["process lua: commands a job", 3, "new"],
  ])("%s of %d is %s", (name, value, verdict) => {
    expect(compare(baseline, { [name]: value })).toMatchObject([{ name, value, verdict }]);
  });
});

describe("guardTable", () => {
  it("shows what it was, what it is, the change, and how many have grown", () => {
    const text = guardTable(compare(baseline, { "add lua: commands a job": 2, "add: server time": 0.5 }), [
      "no native",
    ]);
    expect(text).toContain("no native\n");
    expect(text).toMatch(/commands a job +1\.000 +2\.000 +\+100 % +grown/);
    expect(text).toMatch(/server time +0\.5000 +0\.5000 +\+0 % +as before/);
    expect(text).toContain("1 of 2 figures have grown");
  });
});
