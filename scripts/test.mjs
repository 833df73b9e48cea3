/**
 * Everything that must hold, in one command: `npm test`, and with `--long` what lasts longer: `npm run test:long`. With
 * `--explore` the tests that draw at random run from a fresh seed: `npm run test:explore`.
 *
 * Steps run one after the other, cheapest knowledge first, and beside them the native half is built and checked. All of
 * them run whatever fails: one run tells all there is to mend. Each step counts as one check and each test as one; the
 * last line is `N passed, N failed`, with `, N skipped` where a step or a test says what the machine lacks, and before
 * it stands what failed or was skipped.
 * `--only=word,word` runs the steps of these names.
 */

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lackOfInstall } from "./test/install.mjs";
import { startNative } from "./test/native.mjs";
import { randomFiles } from "./test/random-files.mjs";
import { runVitest } from "./test/vitest.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Longest time of one step that is no test run; a step that hangs must not hang everything. */
const STEP_MS = 300_000;

/** Names of one kind before the closing line, at most. */
const LISTED_MAX = 20;

const bin = (name) => join(root, "node_modules", ...name.split("/"));

/** Name of the step, what it says, and the Node.js program with its arguments. */
const STEPS = [
  ["server", "a Valkey server is there", "scripts/server/find-server.mjs"],
  ["build", "the package compiles", bin("typescript/bin/tsc"), "-b"],
  ["types", "the tests compile", bin("typescript/bin/tsc"), "-p", "test/tsconfig.json", "--noEmit"],
  ["lint", "no lint finding", bin("oxlint/bin/oxlint"), "--type-aware", "--deny-warnings"],
  [
    "format",
    "form and rules without types",
    bin("@biomejs/biome/bin/biome"),
    "ci",
    "--colors=off",
    "--error-on-warnings",
    ".",
  ],
  ["unused", "no unused file, export or dependency", bin("knip/bin/knip.js"), "--no-progress"],
  ["generated", "generated files are fresh", "scripts/generate.mjs", "--check"],
  ["package", "the package is well formed", "scripts/test/package.mjs"],
];

async function main(args) {
  const lack = lackOfInstall(root);
  if (lack !== undefined) {
    console.error(lack);
    console.log("0 passed, 1 failed");
    return 1;
  }
  const only = args
    .find((arg) => arg.startsWith("--only="))
    ?.slice("--only=".length)
    .split(",");
  const seed = args.includes("--explore") ? freshSeed() : undefined;
  const isLong = args.includes("--long") || seed !== undefined;
  const total = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };
  // A long run relies on `npm test` for the steps; the build alone is needed, because tests import it.
  const steps = STEPS.filter(([name]) => only?.includes(name) ?? (!isLong || name === "build" || name === "server"));
  const native = startNative({ isWanted: (name) => only?.includes(name) ?? true, isLong, runStep });
  for (const step of steps) add(total, await runStep(step));
  await native.built;
  if (seed !== undefined) add(total, await explore(seed));
  else if (only === undefined || only.includes("vitest")) add(total, await runVitest({ root, isLong }));
  for (const result of await native.done) add(total, result);
  for (const line of listed("skip", total.skips)) console.log(line);
  for (const line of listed("FAIL", total.failures)) console.log(line);
  console.log(closingLine(total));
  return total.failed === 0 ? 0 : 1;
}

/** A seed that no run had before, or the one of the environment, to repeat one. */
function freshSeed() {
  return process.env.ECHOMQ_SEED || String(randomInt(2 ** 31));
}

/** Runs the tests that draw at random, long ones as well, and says before and after from which seed. */
async function explore(seed) {
  const again = `ECHOMQ_SEED=${seed} npm run test:explore repeats it`;
  console.log(`explores from seed ${seed}; ${again}`);
  const env = { ECHOMQ_EXPLORE: "1", ECHOMQ_SEED: seed };
  const result = await runVitest({ root, isLong: true, files: randomFiles(root), env });
  console.log(`explored from seed ${seed}; ${again}`);
  return result;
}

function add(total, { passed, failed, skipped, failures, skips }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  total.failures.push(...failures);
  total.skips.push(...skips);
}

/** A line a name, at most {@link LISTED_MAX}: what is to be looked at stands far up by now. */
function listed(word, names) {
  const lines = names.slice(0, LISTED_MAX).map((name) => `${word} ${name}`);
  return names.length > LISTED_MAX ? [...lines, `${word} … and ${names.length - LISTED_MAX} more`] : lines;
}

function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/**
 * Runs one step and shows its output only when it fails; the servers that were found are always told. `lacking` tells
 * what a step counts as that the machine cannot run.
 */
async function runStep([name, claim, ...command], { lacking, ...limits } = {}) {
  const start = performance.now();
  const { code, output } = await capture(command, limits);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const isGood = code === 0;
  const lack = lacking?.({ code, output, name, claim });
  const word = isGood ? "ok  " : lack?.failed === 0 ? "skip" : "FAIL";
  console.log(`${word} ${name}: ${claim} (${seconds} s)`);
  if (!isGood || name === "server") console.log(output.trimEnd().replaceAll(/^/gm, "     "));
  if (lack !== undefined) return lack;
  if (isGood) return { passed: 1, failed: 0, skipped: 0, failures: [], skips: [] };
  return { passed: 0, failed: 1, skipped: 0, failures: [`${name}: ${claim}`], skips: [] };
}

function capture(command, { priority = 0, limitMs = STEP_MS } = {}) {
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env });
    if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority);
    let output = "";
    const timer = setTimeout(() => {
      output += `\nended after ${limitMs / 1000} s without a result`;
      child.kill("SIGKILL");
    }, limitMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => (output += text));
    }
    child.once("error", (error) => (output += `\n${error.message}`));
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, output });
    });
  });
}

process.exitCode = await main(process.argv.slice(2));
