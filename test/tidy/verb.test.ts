/**
 * One verb, one path: what the project knows of a verb lies under the same relative path in every tree, and every error
 * code is one that something can throw.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readJson, root, trackedFiles } from "./repository.ts";
import { readSource } from "./source.ts";

const verbs = trackedFiles()
  .filter((path) => /^spec\/\w+\/\w+\.json$/.test(path))
  .map((path) => path.slice("spec/".length, -".json".length));

/** Where else a verb lies, with what to do when it does not. */
const TREES: readonly (readonly [string, string, string])[] = [
  ["src/transition", "ts", "write the act"],
  ["lua", "lua", "run npm run generate"],
  ["src/conformance", "ts", "write what every engine must do"],
];

describe.each(TREES)("every verb of spec/ has its place in %s", (tree, extension, instead) => {
  it.each(verbs)(`%s.${extension}`, (verb) => {
    const path = `${tree}/${verb}.${extension}`;
    expect(existsSync(join(root, path)), `${path} is missing: ${instead}`).toBe(true);
  });
});

describe("nothing is left of a verb that has gone", () => {
  it("in src/transition and lua", () => {
    const planes = [...new Set(verbs.map((verb) => verb.split("/")[0] ?? ""))].join("|");
    const acts = new RegExp(`^(?:src/transition|lua)/((?:${planes})/\\w+)\\.(?:ts|lua)$`);
    const left = trackedFiles().flatMap((path) => acts.exec(path)?.[1] ?? []);
    expect(left.filter((verb) => !verbs.includes(verb))).toEqual([]);
  });
});

describe("every code of spec/errors.json", () => {
  const { codes, wire } = readJson("spec/errors.json") as {
    codes: Record<string, { reserved?: string }>;
    wire: Record<string, { code: string }>;
  };
  const sources = trackedFiles().filter((path) => /^src\/.+\.ts$/.test(path) && !path.endsWith(".generated.ts"));
  const said = new Set(sources.flatMap((path) => readSource(path).strings.map((string) => string.text)));
  for (const { code } of Object.values(wire)) said.add(code);

  it.each(Object.keys(codes))("%s is thrown by something, or marked as reserved with the reason", (code) => {
    expect(said.has(code) !== (codes[code]?.reserved !== undefined)).toBe(true);
  });
});
