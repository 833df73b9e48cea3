/** The ledger of the soak must see what no soak should ever show it. */

import { describe, expect, it } from "vitest";
import { SoakLedger } from "./soak-ledger.ts";

const LIVING = { wasKilled: false };
const KILLED = { wasKilled: true };

function setup(...lines: readonly (readonly [line: string, holder?: { readonly wasKilled: boolean }])[]) {
  const ledger = new SoakLedger();
  for (const [line, holder = LIVING] of lines) ledger.note(line.split(" "), holder);
  return { ledger, findings: (...dead: readonly string[]) => ledger.findings(new Set(dead)) };
}

describe("the ledger", () => {
  it("is content with a job that ran once, and with one that is dead after it threw", () => {
    const { ledger, findings } = setup(
      ["added A 0"],
      ["start A 1"],
      ["settled A 1"],
      ["added B 0"],
      ["start B 1"],
      ["threw B 1"],
      ["start B 2"],
      ["threw B 2"],
      ["failed B 2"],
    );
    expect(findings("B")).toEqual([]);
    expect([ledger.added, ledger.settled, ledger.unsettled()]).toEqual([2, 1, ["B"]]);
  });

  it("accepts a second run after a lost lease, a killed process, or a repeated add", () => {
    const lost = setup(["added A 0"], ["start A 1"], ["lost A 1"], ["start A 2"], ["settled A 2"]);
    expect(lost.findings()).toEqual([]);
    const killed = setup(["added A 0"], ["start A 1", KILLED], ["start A 2"], ["settled A 2"]);
    expect(killed.findings()).toEqual([]);
    const repeated = setup(["start A 1"], ["settled A 1"], ["added A 1"], ["start A 2"], ["settled A 2"]);
    expect(repeated.findings()).toEqual([]);
  });

  it("accepts that a killed process settled a job and could not say so", () => {
    expect(setup(["added A 0"], ["start A 1", KILLED]).findings()).toEqual([]);
  });

  it("accepts that a process never heard that its settlement was taken, but not that a job failed and is gone", () => {
    expect(setup(["added A 0"], ["start A 1"], ["lost A 1"]).findings()).toEqual([]);
    const failed = setup(["added A 0"], ["start A 1"], ["threw A 1"]);
    expect(failed.findings()).toEqual([expect.stringContaining("A: it vanished")]);
  });

  it.each([
    ["it never ran", [["added A 0"]]],
    ["it ran and no add of it was acknowledged", [["start A 1"], ["settled A 1"]]],
    ["it vanished", [["added A 0"], ["start A 1"]]],
    ["it ran again after token 1 for no reason", [["added A 0"], ["start A 1"], ["start A 2"], ["settled A 2"]]],
    ["one token started twice", [["added A 0"], ["start A 1"], ["start A 1"], ["settled A 1"]]],
    ["it was settled 2 times", [["added A 0"], ["start A 1"], ["settled A 1"], ["settled A 1"]]],
  ] as const)("says that %s", (fault, lines) => {
    expect(setup(...lines).findings()).toEqual([expect.stringContaining(`A: ${fault};`)]);
  });

  it("says that a job is settled and dead", () => {
    const { findings } = setup(["added A 0"], ["start A 1"], ["settled A 1"]);
    expect(findings("A")).toEqual([expect.stringContaining("it is settled and dead")]);
  });
});
