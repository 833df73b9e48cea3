/** Handlers of modules of every make, and modules that are none. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadHandler } from "../../../../src/cli/work/handler-module.ts";

function moduleOf(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "echomq-module-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("loadHandler", () => {
  it.each([
    ["a.mjs", "export default () => 7;"],
    ["a.cjs", "module.exports = () => 7;"],
    ["b.cjs", "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = () => 7;"],
  ])("takes the default export of %s", async (name, text) => {
    const handler = await loadHandler(moduleOf(name, text));
    expect(typeof handler === "function" && handler()).toBe(7);
  });

  it.each([
    ["a.mjs", "export default { welcome: () => 7, default: () => 8 };", ["welcome", "default"]],
    ["a.cjs", "module.exports = { default: () => 7 };", ["default"]],
    ["b.cjs", "exports.__esModule = true; exports.default = { welcome: () => 7 };", ["welcome"]],
  ])("takes an object of functions, one for each name of a job, from %s with %j", async (name, text, names) => {
    expect(Object.keys(await loadHandler(moduleOf(name, text)))).toEqual(names);
  });

  it.each([
    ["a.mjs", "export const handler = () => 7;", "has no function as its default export"],
    ["a.mjs", "export default 7;", "has no function as its default export"],
    ["a.mjs", "export default { welcome: 7 };", 'The handler of "welcome" must be a function'],
    ["a.mjs", "export default {};", "this object has none"],
    ["a.mjs", "throw new Error('no database');", "no database"],
    ["a.mjs", "export default (", "cannot be loaded: "],
  ])("refuses %s with %j and says why", async (name, text, why) => {
    const failure = { code: "bad_module", kind: "failed", message: expect.stringContaining(why) };
    await expect(loadHandler(moduleOf(name, text))).rejects.toMatchObject(failure);
  });

  it("refuses a path that leads nowhere", async () => {
    await expect(loadHandler("./nowhere.mjs")).rejects.toMatchObject({
      code: "bad_module",
      message: "the module ./nowhere.mjs does not exist; give the path of a file",
    });
  });
});
