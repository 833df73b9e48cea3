/**
 * `npm run bench`: measures EchoMQ beside BullMQ on one Valkey server, and embedded, and prints the ratios.
 *
 * Speeds of one machine say little about another; the ratio of two queues measured in turns says much. So each run is a
 * fresh process, the two queues alternate, the server is emptied before each run, and only medians are compared. The
 * bench prints whether a ratio is met and never fails for it: a busy machine is no fault of the code.
 *
 *   --rounds N   rounds of every row; without it five, or as many as three and a half minutes allow
 *   --quick      one round with a quarter of the jobs, to see that everything runs
 *   --row NAME   only this row; may be repeated
 *   --json       one JSON document instead of the table
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pin, startBenchServer } from "../bench/bench-server.mjs";
import { machineOf, rowResult, tableOf } from "../bench/report.mjs";
import { ROWS } from "../bench/rows.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const benchFolder = join(root, "bench");

/** A run that takes longer hangs. */
const RUN_MS_MAX = 60_000;

const ROUNDS_DEFAULT = 5;
const ROUNDS_MAX = 100;

/**
 * Time for all rounds, in ms, unless their number was asked for: on a busy machine fewer rounds are better than none.
 */
const BUDGET_MS = 210_000;

/** The columns of a row, in the order in which they are run within a round. */
const COLUMNS = [
  { name: "echomq", script: "run-echomq.mjs", usesServer: true },
  { name: "bullmq", script: "run-bullmq.mjs", usesServer: true },
  { name: "embedded", script: "run-echomq.mjs", usesServer: false },
];

async function main() {
  const options = readOptions();
  prepare();
  const server = await startBenchServer();
  try {
    const results = await measureAll(server, options);
    const machine = machineOf({
      echomq: versionOf(root),
      bullmq: versionOf(join(benchFolder, "node_modules", "bullmq")),
      valkey: server.version,
      rounds: results[0].echomq.runs,
    });
    if (options.isJson) process.stdout.write(`${JSON.stringify({ machine, rows: results })}\n`);
    else process.stdout.write(`\n${tableOf(machine, results)}`);
  } finally {
    await server.stop();
  }
}

async function measureAll(server, { rows, rounds, share, budgetMs }) {
  const runs = new Map(rows.map((row) => [row, { echomq: [], bullmq: [], embedded: [] }]));
  const startedAt = performance.now();
  for (let round = 1; round <= rounds; round++) {
    const usedMs = performance.now() - startedAt;
    // A round takes about as long as those before it did.
    if (round > 1 && (usedMs * round) / (round - 1) > budgetMs) {
      process.stderr.write(`stopped after ${round - 1} rounds: the machine is slow or busy; --rounds N insists\n`);
      break;
    }
    for (const row of rows) {
      const figures = [];
      for (const column of COLUMNS) {
        const perSecond = await measure({ row, column, server, jobs: Math.round(row.jobs * share) });
        runs.get(row)[column.name].push(perSecond);
        figures.push(`${column.name} ${Math.round(perSecond)}/s`);
      }
      process.stderr.write(`round ${round} of ${rounds}  ${row.name.padEnd(12)} ${figures.join("  ")}\n`);
    }
  }
  return rows.map((row) => rowResult(row, runs.get(row)));
}

/** One run in a process of its own; resolves to jobs a second. */
async function measure({ row, column, server, jobs }) {
  if (column.usesServer) await server.flush();
  const isPinned = row.isPinned && column.usesServer && cpus().length > 1;
  pin(server.pid, isPinned ? "0" : `0-${cpus().length - 1}`);
  const args = [row.work, String(row.concurrency), String(jobs), ...(column.usesServer ? [server.url] : [])];
  const child = spawn(process.execPath, [join(benchFolder, column.script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: RUN_MS_MAX,
    killSignal: "SIGKILL",
  });
  if (isPinned) pin(child.pid, "1");
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  const [code] = await once(child, "close");
  if (code !== 0)
    throw new Error(`${column.name} did not finish the row ${row.name} within ${RUN_MS_MAX} ms or failed`);
  return JSON.parse(output).perSecond;
}

/** Sees to it that both sides are there: our build, and the peers by their own lock file. */
function prepare() {
  if (!existsSync(join(root, "dist", "index.js"))) {
    process.stderr.write("building …\n");
    execFileSync("npm", ["run", "build"], { cwd: root, stdio: ["ignore", 2, 2] });
  }
  const installed = join(benchFolder, "node_modules", ".package-lock.json");
  const isInstalled = existsSync(installed) && versionOf(join(benchFolder, "node_modules", "bullmq")) === wanted();
  if (isInstalled) return;
  process.stderr.write("installing the peers …\n");
  // Without scripts: the one native addition is optional and comes ready-made.
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", benchFolder], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
}

/** The version of BullMQ that the bench is pinned to. */
function wanted() {
  return readJson(join(benchFolder, "package.json")).dependencies.bullmq;
}

function versionOf(folder) {
  return readJson(join(folder, "package.json")).version;
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string" },
      row: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 1 : ROUNDS_DEFAULT));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > ROUNDS_MAX) {
    throw new Error(`--rounds must be a whole number from 1 to ${ROUNDS_MAX}, not ${values.rounds}`);
  }
  const rows = values.row === undefined ? ROWS : ROWS.filter((row) => values.row.includes(row.name));
  if (rows.length === 0) throw new Error(`--row must be one of ${ROWS.map((row) => row.name).join(", ")}`);
  const budgetMs = values.rounds === undefined ? BUDGET_MS : Number.POSITIVE_INFINITY;
  return { rounds, rows, budgetMs, share: values.quick ? 0.25 : 1, isJson: values.json };
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
