/**
 * Builds the native half with cargo: `npm run build:native`.
 *
 * It needs cargo and libclang, with which the server's interface is read; without one of them it says what to install
 * and ends with 1. The acts are generated first, so that the module is never of another state than the scripts.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MODULE_PATH, TARGET_FOLDER } from "./module-path.mjs";

const root = join(fileURLToPath(import.meta.url), "../../..");

/** What cargo says when libclang is not to be found. */
const NO_CLANG = /Unable to find libclang|libclang.*not found/i;

/** Why the module cannot be built here, `undefined` when nothing is known to be missing. */
function whyNoCargo() {
  const { error, status } = spawnSync("cargo", ["--version"], { stdio: "ignore" });
  if (error === undefined && status === 0) return undefined;
  return "cargo is missing: install Rust 1.85 or later from https://rustup.rs";
}

function run(program, args) {
  const { status, stderr } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, CARGO_TARGET_DIR: TARGET_FOLDER },
    stdio: ["ignore", "inherit", "pipe"],
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  process.stderr.write(stderr);
  return { isDone: status === 0, text: stderr };
}

function main() {
  const why = whyNoCargo();
  if (why !== undefined) return why;
  if (!run(process.execPath, ["scripts/native/generate.mjs"]).isDone) return "the acts could not be generated";
  const built = run("cargo", ["build", "--release", "--locked", "--manifest-path", "native/trafikey/Cargo.toml"]);
  if (built.isDone) return undefined;
  return NO_CLANG.test(built.text)
    ? "libclang is missing: install libclang-dev (Debian, Ubuntu), clang-devel (Fedora) or clang (Alpine)"
    : "cargo could not build the module";
}

const fault = main();
if (fault === undefined) console.log(`built ${MODULE_PATH}`);
else console.error(`npm run build:native: ${fault}`);
process.exitCode = fault === undefined ? 0 : 1;
