/**
 * Makes one file of `folder-child.mjs` and all that it loads: a heap in which every module has been loaded already, so
 * that a process of it costs little more than one of an empty program.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** What a killed process leaves is with the system, so no device is needed; one would only be slow. */
export const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A child that can be started. */
export interface BuiltChild {
  /** What stands before its own arguments on the command line of Node.js. */
  readonly args: readonly string[];
  /** Takes its files away. */
  remove(): void;
}

/** Builds it from the built package, in a folder of its own. */
export async function buildChild(): Promise<BuiltChild> {
  const folder = mkdtempSync(join(MEMORY, "echomq-child-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await build({
      configFile: false,
      logLevel: "error",
      ssr: { noExternal: true },
      build: {
        ssr: fileURLToPath(new URL("folder-child.mjs", import.meta.url)),
        outDir: folder,
        minify: false,
        rollupOptions: { output: { format: "cjs", entryFileNames: "child.cjs", codeSplitting: false } },
      },
    });
    const blob = join(folder, "child.blob");
    execFileSync(process.execPath, ["--snapshot-blob", blob, "--build-snapshot", join(folder, "child.cjs")]);
    return { args: ["--snapshot-blob", blob], remove };
  } catch (error) {
    remove();
    throw error;
  }
}
