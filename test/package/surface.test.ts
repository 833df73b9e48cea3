/**
 * The public surface: every name of every entry point and what it is, beside the list that is checked in.
 *
 * A name that is gone or has become something else breaks somebody's program, and one that came by accident has to be
 * kept. So a change of the list is a decision: `npx vitest run test/package/surface.test.ts -u` writes it anew.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { readJson, root } from "../tidy/repository.ts";

const { exports } = readJson("package.json") as { exports: Record<string, string> };
const entries = Object.entries(exports).filter(([, path]) => path.endsWith(".js"));

/** Every name that the declarations export, types included. */
function declaredNames(path: string): string[] {
  const declarations = join(root, path.replace(/\.js$/, ".d.ts"));
  const { module } = parseSync(declarations, readFileSync(declarations, "utf8"));
  return module.staticExports.flatMap(({ entries: all }) => all.map(({ exportName }) => exportName.name ?? "*"));
}

function kindOf(value: unknown): string {
  if (typeof value !== "function") return value === null || typeof value !== "object" ? typeof value : "object";
  return /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
}

it("is what the list says", { timeout: 120_000 }, async () => {
  const lines: string[] = [];
  for (const [subpath, path] of entries) {
    const values = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>;
    const names = [...new Set([...declaredNames(path), ...Object.keys(values)])].sort();
    const entry = subpath.replace(".", "echomq");
    for (const name of names) lines.push(`${entry} ${name}: ${name in values ? kindOf(values[name]) : "type"}`);
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("public-surface.txt");
});

it("has no name that only the declarations or only the program know", { timeout: 120_000 }, async () => {
  for (const [, path] of entries) {
    const values = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>;
    expect(declaredNames(path)).toEqual(expect.arrayContaining(Object.keys(values)));
    expect(declaredNames(path)).not.toContain("*");
  }
});
