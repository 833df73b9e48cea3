/** The page of the bench shows the figures of the embedded engine that were kept, and none that was written by hand. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type EmbeddedResult, pagePath, placed, textOf } from "../../../bench/embedded-figures.mjs";

const RESULT: EmbeddedResult = {
  machine: {
    echomq: "1.2.3",
    valkey: "8.0.1",
    node: "20.0.0",
    cores: 2,
    processor: "p",
    memoryGiB: 4,
    system: "s",
    rounds: 2,
    isBusy: true,
    load: 3.5,
  },
  lacking: "no peers",
  rows: [{ row: "add-200", store: "memory", figures: { perSecond: { median: 1234.5, min: 2.345, max: 99_999 } } }],
};

describe("the figures of the embedded engine", () => {
  it("stand in the page as they were kept", () => {
    const page = readFileSync(pagePath, "utf8");
    expect(placed(page, textOf())).toBe(page);
    expect(placed(page, textOf(RESULT))).not.toBe(page);
  });

  it("are a line each, below the machine and what lacks", () => {
    const text = textOf(RESULT);
    expect(text).toContain("| `add-200` | memory | jobs/s | 1,235 | 2.35 to 99,999 |\n");
    expect(text).toContain("Medians of 2 rounds");
    expect(text).toContain("busy with other work (load 3.5)");
    expect(text).toContain("The queues on SQLite were left out.");
    expect(text).not.toContain("quick run");
  });

  it("are refused a page without marks", () => {
    expect(() => placed("# Bench\n", "text")).toThrow(/has no lines/);
  });
});
