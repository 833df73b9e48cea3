/**
 * Builds the native half with cargo: `npm run build:native`.
 *
 * It needs cargo and libclang, with which the server's interface is read; without one of them it says what to install
 * and ends with 3, for any other fault with 1. The acts are generated first, so that the module is never of another
 * state than the scripts; `--as-committed` leaves them as they are, for who checks that they are fresh.
 */

import { cargo, LACKING, run } from "./cargo.mjs";
import { MODULE_PATH } from "./module-path.mjs";

function build() {
  const isFresh =
    process.argv.includes("--as-committed") || run(process.execPath, ["scripts/native/generate.mjs"]).status === 0;
  if (!isFresh) return { isDone: false, isLack: false, fault: "the acts could not be generated" };
  return cargo(["build", "--release", "--locked"]);
}

const { isDone, isLack, fault } = build();
if (isDone) console.log(`built ${MODULE_PATH}`);
else console.error(`npm run build:native: ${fault}`);
if (!isDone) process.exitCode = isLack ? LACKING : 1;
