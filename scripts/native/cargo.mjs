/**
 * Runs cargo on the crate of the native half, for the build and for its checks.
 *
 * Everything goes into one folder beside what else is built for this checkout, so that a second run, and another
 * command, finds what the first has built.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TARGET_FOLDER } from "./module-path.mjs";

const root = join(fileURLToPath(import.meta.url), "../../..");

/** What cargo says when libclang is not to be found. */
const NO_CLANG = /Unable to find libclang|libclang.*not found/i;

/** What cargo says when a part of it is not installed. */
const NO_PART = /no such (?:sub)?command|is not installed for the toolchain/;

/** How a command ends when the machine lacks something that it needs: no fault of the code. */
export const LACKING = 3;

/** Why cargo cannot be run here, `undefined` when it can. */
export function whyNoCargo() {
  const { error, status } = spawnSync("cargo", ["--version"], { stdio: "ignore" });
  if (error === undefined && status === 0) return undefined;
  return "cargo is missing: install Rust 1.85 or later from https://rustup.rs";
}

/**
 * Runs `cargo <words> --manifest-path …`, shows what it says, and answers how it ended: `isDone`, or `fault` and
 * whether it is one of the machine (`isLack`).
 */
export function cargo(words, rest = []) {
  const why = whyNoCargo();
  if (why !== undefined) return { isDone: false, isLack: true, fault: why };
  const args = [...words, "--manifest-path", "native/trafikey/Cargo.toml", ...rest];
  const { status, text } = run("cargo", args, { CARGO_TARGET_DIR: TARGET_FOLDER });
  if (status === 0) return { isDone: true };
  if (NO_CLANG.test(text)) {
    const fault = "libclang is missing: install libclang-dev (Debian, Ubuntu), clang-devel (Fedora) or clang (Alpine)";
    return { isDone: false, isLack: true, fault };
  }
  if (NO_PART.test(text)) return { isDone: false, isLack: true, fault: `cargo has no ${words[0]} here` };
  return { isDone: false, isLack: false, fault: `cargo ${words[0]} failed` };
}

/** Runs a program in the checkout and shows what it says. */
export function run(program, args, env = {}) {
  const { status, stderr } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "pipe"],
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  process.stderr.write(stderr ?? "");
  return { status, text: stderr ?? "" };
}
