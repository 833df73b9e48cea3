/** The list of cases says what the tests say: no case is forgotten, and none is claimed that no test takes. */

import { describe, expect, it } from "vitest";
import { casesPage, readCases, testedCases } from "../../scripts/cases.mjs";
import { readText } from "./repository.ts";

const cases = readCases().sections.flatMap((section) => section.cases);

describe("the list of cases", () => {
  it("is fresh; `node scripts/cases.mjs` writes it", () => {
    expect(readText("docs/internals/cases.md")).toBe(casesPage());
  });

  it("has each number once, in order", () => {
    const numbers = cases.map(({ case: number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].sort());
  });

  it("has every case that the name of a test ends in", () => {
    const known = new Set(cases.map(({ case: number }) => number));
    const unknown = [...testedCases()].filter(([number]) => !known.has(number));
    expect(unknown.map(([number, paths]) => `${number} in ${[...paths].join(", ")}`)).toEqual([]);
  });

  it("says of every case without a test what it waits for", () => {
    const tested = testedCases();
    const silent = cases.filter(
      ({ case: number, waits, part }) => !tested.has(number) && (waits ?? part) === undefined,
    );
    expect(silent.map(({ case: number, title }) => `${number} ${title}`)).toEqual([]);
  });

  it("names in the page what it finds in the tests, and nothing else", () => {
    const list = { sections: [{ letter: "A", name: "Some", cases: [{ case: "PB-001", title: "It stops" }] }] };
    const page = casesPage(list, new Map([["PB-001", new Set(["test/crash/a.test.ts", "test/unit/a.test.ts"])]]));
    expect(page).toContain(
      "| PB-001 | It stops | `test/crash/a.test.ts` (Valkey server), `test/unit/a.test.ts` (embedded, virtual time) |",
    );
    expect(casesPage(list, new Map())).toContain("| PB-001 | It stops | **no test** |");
  });
});
