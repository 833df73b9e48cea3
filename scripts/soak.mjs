/**
 * `npm run soak`: jobs at a steady rate while everything breaks at random, and the accounts at the end.
 *
 *   --seconds N  how long; default 1800
 *   --seed N     which faults, in which order; default: any, and it is printed, so that a run can be repeated
 *
 * The soak itself is a test (test/soak/), so that a minute of it runs with the others; this script says how long.
 */

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const SECONDS_DEFAULT = 1800;
const SECONDS_MAX = 7 * 86_400;
const SEED_MAX = 2 ** 31 - 1;

const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } });
const seconds = whole(values.seconds ?? String(SECONDS_DEFAULT), "seconds", SECONDS_MAX);
const seed = whole(values.seed ?? String(randomInt(1, SEED_MAX)), "seed", SEED_MAX);

console.log(`soak of ${seconds} s; to repeat it: npm run soak -- --seconds ${seconds} --seed ${seed}`);
await run(join(root, "node_modules", "typescript", "bin", "tsc"), ["-b"]);
await run(join(root, "node_modules", "vitest", "vitest.mjs"), ["run", "test/soak/soak.long.test.ts"], {
  ECHOMQ_LONG: "1",
  ECHOMQ_SOAK_SECONDS: String(seconds),
  ECHOMQ_SOAK_SEED: String(seed),
});

function whole(text, name, max) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  console.error(`--${name} takes a whole number from 1 to ${max}, not ${JSON.stringify(text)}`);
  process.exit(2);
}

/** Runs a Node.js program with this terminal, and ends with its code where that is not 0. */
async function run(program, args, env = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) process.exit(code ?? 1);
}
