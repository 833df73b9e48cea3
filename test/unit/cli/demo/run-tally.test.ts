/** The counts of one process. */

import { describe, expect, it } from "vitest";
import { RunTally } from "../../../../src/cli/demo/run-tally.ts";

describe("RunTally", () => {
  it("keeps the ten largest files, largest first, whatever the order of their coming", () => {
    const tally = new RunTally();
    const sizes = Array.from({ length: 100 }, (_, at) => (at * 37) % 100);
    for (const bytes of sizes) tally.addCompleted(`/${bytes}`, { sha256: "", bytes });
    expect(tally.largest.map((file) => file.bytes)).toEqual([99, 98, 97, 96, 95, 94, 93, 92, 91, 90]);
    expect(tally).toMatchObject({ completed: 100, done: 100, bytes: 4950 });
  });

  it("counts what was skipped as done, and by its reason", () => {
    const tally = new RunTally();
    tally.addCompleted("/gone", { skipped: "vanished" });
    expect(tally).toMatchObject({ completed: 1, bytes: 0, largest: [] });
    expect(tally.skips.toRecord()).toEqual({ vanished: 1 });
  });

  it("counts every dead job and names the first ten", () => {
    const tally = new RunTally();
    for (let at = 0; at < 25; at++) tally.addDead({ path: `/${at}`, error: "no" });
    expect(tally).toMatchObject({ dead: 25, done: 25 });
    expect(tally.deadFiles.map((file) => file.path)).toEqual(Array.from({ length: 10 }, (_, at) => `/${at}`));
  });
});
