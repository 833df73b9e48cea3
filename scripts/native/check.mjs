/**
 * Checks the crate of the native half: `node scripts/native/check.mjs form`, `lint` or `units`.
 *
 * Lint and unit tests are built like the module itself, because what reads the server's interface is the larger part of
 * the work and is then shared. Unit tests run outside a server, so they bring an allocator of their own. It ends with 3
 * where the machine lacks cargo, libclang, or the part of cargo that is asked for.
 */

import { cargo, LACKING } from "./cargo.mjs";

const OUTSIDE = ["--release", "--locked", "--features", "system-alloc"];

/** The words of cargo for each check, and what follows the path of the crate. */
const CHECKS = {
  form: [["fmt", "--check"]],
  lint: [
    ["clippy", ...OUTSIDE, "--all-targets"],
    ["--", "-D", "warnings"],
  ],
  units: [["test", ...OUTSIDE, "--lib"]],
};

const check = CHECKS[process.argv[2]];
if (check === undefined) throw new Error(`name one of ${Object.keys(CHECKS).join(", ")}`);
const { isDone, isLack, fault } = cargo(...check);
if (!isDone) {
  console.error(fault);
  process.exitCode = isLack ? LACKING : 1;
}
