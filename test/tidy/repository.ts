/**
 * The repository as tidy tests see it: the files that git tracks, their text, and where a hit stands.
 *
 * Rules hold for what is committed or about to be, so untracked files that git does not ignore are included and build
 * output is not.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Paths relative to the root, in order. */
export function trackedFiles(): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const paths = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 }).split("\0");
  return [...new Set(paths)].filter((path) => path !== "" && existsSync(join(root, path))).sort();
}

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function readJson(path: string): unknown {
  return JSON.parse(readText(path));
}

/** Whether a file holds text: no NUL in its first kilobytes. */
export function isText(path: string): boolean {
  return !readFileSync(join(root, path)).subarray(0, 8192).includes(0);
}

/** Every match of a pattern as `path:line: hit`, which is what a failing rule shows. */
export function hits(path: string, text: string, pattern: RegExp): string[] {
  const global = new RegExp(pattern.source, pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`);
  return [...text.matchAll(global)].map((match) => `${path}:${lineAt(text, match.index)}: ${match[0].trim()}`);
}

/** The number of the line, from 1, in which an offset lies. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
