/** The pages show the figures that the bench has kept, and none that was written by hand. */

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { describe, expect, it } from "vitest";
import { COLUMNS } from "../../../bench/columns.mjs";
import { pages, placed, readResults } from "../../../bench/figures.mjs";

describe.each(pages().map(({ path, text }) => [relative(process.cwd(), path), path, text]))(
  "%s",
  (_name, path, text) => {
    const page = readFileSync(path, "utf8");

    it("holds what `node bench/figures.mjs` makes of bench/results", () => {
      expect(placed(page, text)).toBe(page);
    });

    it("would be told apart if one figure were another", () => {
      const altered = readResults().map((result) => ({
        ...result,
        figures: result.figures.map((figure) => ({ ...figure, median: figure.median * 2 + 1 })),
      }));
      const other = pages(altered).find((one) => one.path === path);
      expect(placed(page, other?.text ?? "")).not.toBe(page);
    });
  },
);

describe("a kept result", () => {
  it.each(readResults().map((result) => [result.name, result] as const))(
    "%s has medians within its spread",
    (_, row) => {
      expect(row.figures.length).toBeGreaterThan(0);
      for (const { min, median, max, runs } of row.figures) {
        expect(min).toBeLessThanOrEqual(median);
        expect(median).toBeLessThanOrEqual(max);
        expect(runs).toBeLessThanOrEqual(row.machine.rounds);
      }
    },
  );
});

it("each column that was measured is shown on the page of the bench", () => {
  const [kept] = readResults();
  if (kept === undefined) return;
  const figures = COLUMNS.map(({ name: column }) => ({ ...kept.figures[0], column, figure: "perSecond" }));
  const [page] = pages([{ ...kept, figures } as typeof kept]);
  const head = page?.text.split("\n").find((line) => line.includes(`[${kept.name}](`));
  expect(head?.split("|")).toHaveLength(COLUMNS.length + 3);
});

it("a page without marks is refused", () => {
  expect(() => placed("# Bench\n", "text")).toThrow(/has no lines/);
});
