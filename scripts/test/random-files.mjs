/**
 * Which test files draw at random: those that reach fast-check, or the seed of a run, through the files of `test/`.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

const SOURCES = /^(?:fast-check$|.*\/random\/seed\.ts$)/;

/** The paths of these files, relative to the root and in order. */
export function randomFiles(root) {
  const folder = join(root, "test");
  const known = new Map();
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith(".test.ts") && isRandom(path, known))
    .map((path) => relative(root, path).split(sep).join("/"))
    .sort();
}

function isRandom(path, known) {
  const before = known.get(path);
  if (before !== undefined) return before;
  // Files that import one another are looked at once.
  known.set(path, false);
  const names = [...readFileSync(path, "utf8").matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
  const found = names.some((name) => SOURCES.test(name) || isRandomThere(join(dirname(path), name), name, known));
  known.set(path, found);
  return found;
}

/** Sources of the product draw from their ports, which tests give them. */
function isRandomThere(path, name, known) {
  return name.startsWith(".") && path.includes(`${sep}test${sep}`) && existsSync(path) && isRandom(path, known);
}
