/**
 * Where the package lies, which is how the tool finds its own version and a folder full of real files.
 *
 * The root is the nearest folder above this file with a `package.json` of this package's name: `dist/cli/` and
 * `src/cli/` lead to the same one, wherever the tool was started from.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the package. Throws when the tool was taken out of its package. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (manifestOf(folder)?.name === "echomq") return folder;
    if (folder === dirname(folder)) throw new Error("the tool does not lie inside the package echomq");
  }
}

/** The version of the package, as npm knows it. */
export function packageVersion(): string {
  return manifestOf(packageRoot())?.version ?? "unknown";
}

/**
 * The `node_modules` that the package's dependencies lie in: its own in a clone, the one around it where it was
 * installed into a project. `undefined` when there is neither.
 */
export function ownNodeModules(): string | undefined {
  for (let folder = packageRoot(); ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules");
    if (isFolder(candidate)) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

function manifestOf(folder: string): { name?: string; version?: string } | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  return JSON.parse(readFileSync(path, "utf8")) as { name?: string; version?: string };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
