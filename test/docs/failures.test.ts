/** What the page of failures promises is held by the tests that it names. */

import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { readText } from "../tidy/repository.ts";

const PAGE = "docs/operate/failures.md";

/** Links of the page to tests, each with the case numbers or the words of a test's name that follow it. */
const claims = [
  ...readText(PAGE).matchAll(/\[[^\]]+\]\((\.\.\/\.\.\/test\/[^)]+)\)((?: PB-\d{3},?)*)(?: "([^"]+)")?/g),
].map(([, path = "", numbers = "", words]) => ({
  path: join(dirname(PAGE), path),
  names: [...numbers.matchAll(/PB-\d{3}/g)].map(([number]) => number).concat(words ?? []),
}));

it("every row of a table names a test", () => {
  const rows = readText(PAGE)
    .split("\n")
    .filter((line) => /^\|(?! ---)/.test(line) && !/^\| (?:What |Value|`?(?:false|true)`|a duration)/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !row.includes("../../test/"))).toEqual([]);
});

it.each(claims)("$path has tests of $names", ({ path, names }) => {
  const titles =
    readText(path).match(/\b(?:it|test|describe)(?:\.each\([\s\S]*?\))?\(\s*["`][^"`]+["`]|^\s+"[A-Z]+ [^"]+",$/gm) ??
    [];
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(titles.filter((title) => title.includes(name)).length, name).toBeGreaterThan(0);
});
