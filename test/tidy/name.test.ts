/**
 * File names say what is inside: no drawers for odds and ends, and tests lie where the thing they test lies.
 */

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root, trackedFiles } from "./repository.ts";

const ENTRY_POINTS = /^(?:src|test\/unit)\/(?:(?:codec|protocol|server|testing)\/)?index(?:\.test)?\.ts$/;

const code = trackedFiles().filter((path) => /^(?:src|test|scripts|tools|bench)\/.+\.(?:ts|mts|mjs|js)$/.test(path));

it("no file is a drawer: name it after its main export", () => {
  const drawer =
    /^(?:utils?|common|helpers?|misc|shared|managers?|base|index)$|(?:^|-)(?:utils?|helpers?|misc|manager)$/;
  const isDrawer = (path: string) => drawer.test(basename(path).replace(/\..*$/, ""));
  expect(code.filter((path) => isDrawer(path) && !ENTRY_POINTS.test(path))).toEqual([]);
});

it("folders of src are named by one word in the singular", () => {
  const folders = new Set(code.filter((path) => path.startsWith("src/")).flatMap((path) => dirname(path).split("/")));
  expect([...folders].filter((folder) => !/^[a-z]+(?:-[a-z]+)*$/.test(folder) || /[^s]s$/.test(folder))).toEqual([]);
});

it("unit tests lie in the mirror of the folder that they test", () => {
  const tests = code.filter((path) => path.startsWith("test/unit/"));
  const mirrored = (path: string) => dirname(path).slice("test/unit/".length);
  const isMirror = (path: string) => ["src", "."].some((top) => existsSync(join(root, top, mirrored(path))));
  const lost = tests.filter((path) => !isMirror(path));
  expect(lost).toEqual([]);
});

it("tests end in .test.ts, .prop.test.ts, .long.test.ts or .test-d.ts", () => {
  const odd = code.filter((path) => /\.(?:spec|tests|bench\.test)\.ts$/.test(path) || /^src\/.*\.test\.ts$/.test(path));
  expect(odd).toEqual([]);
});
