/**
 * Brings generated TypeScript into the form that the formatter wants, so that generated files stand under the same
 * check as all others and a generator need not count columns.
 *
 * All files are formatted by one run in a temporary folder: a run for each would take seconds.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The same map of path to text, its `.ts` files formatted; others pass as they are. */
export function formatted(files) {
  const folder = mkdtempSync(join(tmpdir(), "echomq-format-"));
  try {
    const sources = [...files].filter(([path]) => path.endsWith(".ts"));
    for (const [path, text] of sources) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    if (sources.length > 0) format(folder);
    const result = new Map(files);
    for (const [path] of sources) result.set(path, readFileSync(join(folder, path), "utf8"));
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function format(folder) {
  const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  const args = [biome, "format", "--write", "--vcs-enabled=false", `--config-path=${root}`, folder];
  execFileSync(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
}
