/**
 * `npm run bench:embedded`: the embedded engine in memory and in a folder, beside Valkey and two queues on SQLite.
 *
 * Every run is a fresh process with a fresh store; the stores take turns within a round, and medians are compared. It
 * prints figures and never fails for one.
 *
 *   --rounds N   rounds of every row, 1 to 100; five without it
 *   --quick      one round with a tenth of the jobs, to see that everything runs
 *   --row NAME   only this row; may be repeated
 *   --no-peers   without the queues on SQLite, whose addition is compiled by the first run
 *   --json       one JSON document instead of the table
 *   --save       keeps the figures in results/embedded and writes them into README.md
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startBenchServer } from "./bench-server.mjs";
import { headOf, saveResult, shown } from "./embedded-figures.mjs";
import { loadNow, machineOf, spread } from "./report.mjs";

const folder = dirname(fileURLToPath(import.meta.url));

/** A run that takes longer hangs. */
const RUN_MS_MAX = 300_000;

/** Building SQLite's addition takes minutes on a small machine, once. */
const BUILD_MS_MAX = 1_200_000;

/** Our stores, and the durable modes of two queues on SQLite: `-full` waits for the disk at each commit. */
const OURS = ["memory", "everysec", "always"];
const PEERS = ["plainjob", "plainjob-full", "liteque", "liteque-full"];

/** What waits for the disk at each call gets fewer jobs, so that a run ends. */
const SLOW = new Set(["always", "valkey-always", "plainjob-full", "liteque", "liteque-full"]);

const ALL = [...OURS, "valkey", "valkey-everysec", "valkey-always", ...PEERS];

/** Not `liteque`: its taking of jobs hands a promise to a transaction, which today's addition for SQLite refuses. */
const PROCESSING = ALL.filter((store) => !store.startsWith("liteque"));

/** Rounds at most of a row with a million jobs, whose runs take seconds and differ little. */
const LONG_ROUNDS = 2;

/** @type {{ name: string, work: string, concurrency: number, jobs: number, slowJobs: number, stores: string[] }[]} */
const ROWS = [
  { name: "add-200", work: "add", concurrency: 200, jobs: 50_000, slowJobs: 2_000, stores: ALL },
  { name: "process-10", work: "process", concurrency: 10, jobs: 50_000, slowJobs: 2_000, stores: PROCESSING },
  { name: "always-1", work: "add", concurrency: 1, jobs: 1_000, slowJobs: 1_000, stores: ["always"] },
  { name: "always-10", work: "add", concurrency: 10, jobs: 5_000, slowJobs: 5_000, stores: ["always"] },
  { name: "always-100", work: "add", concurrency: 100, jobs: 20_000, slowJobs: 20_000, stores: ["always"] },
  { name: "always-1000", work: "add", concurrency: 1000, jobs: 50_000, slowJobs: 50_000, stores: ["always"] },
  { name: "latency", work: "latency", concurrency: 1, jobs: 200, slowJobs: 200, stores: [...OURS, "valkey"] },
  { name: "memory-1M", work: "fill", concurrency: 1, jobs: 1_000_000, slowJobs: 0, stores: ["memory"] },
  { name: "open-1M", work: "open", concurrency: 1, jobs: 1_000_000, slowJobs: 0, stores: ["everysec"] },
];

async function main() {
  const options = readOptions();
  const load = loadNow();
  const lacking = options.hasPeers ? preparePeers() : "the peers on SQLite were not asked for";
  const temp = mkdtempSync(join(tmpdir(), "echomq-bench-"));
  const servers = new Map();
  try {
    servers.set("valkey", await startBenchServer());
    for (const mode of ["everysec", "always"]) {
      servers.set(`valkey-${mode}`, await startBenchServer(["--appendonly", "yes", "--appendfsync", mode]));
    }
    const world = { temp, servers, lacking, count: 0, full: undefined };
    const results = await measureAll(world, options);
    const { rounds, isQuick } = options;
    const { version } = JSON.parse(readFileSync(join(folder, "..", "package.json"), "utf8"));
    const machine = machineOf({ echomq: version, valkey: servers.get("valkey").version, rounds, isQuick, ...load });
    const result = { machine, lacking, rows: results };
    if (options.isJson) process.stdout.write(`${JSON.stringify(result)}\n`);
    else process.stdout.write(`\n${tableOf(result)}`);
    if (options.isSaved) saveResult(result);
  } finally {
    for (const server of servers.values()) await server.stop();
    rmSync(temp, { recursive: true, force: true });
  }
}

async function measureAll(world, { rows, rounds, share }) {
  const results = rows.flatMap((row) =>
    row.stores
      .filter((store) => !PEERS.includes(store) || world.lacking === undefined)
      .map((store) => ({ row, store, runs: [] })),
  );
  for (let round = 1; round <= rounds; round++) {
    for (const result of results) {
      const { row, store } = result;
      if (row.jobs >= 1_000_000 && round > LONG_ROUNDS) continue;
      const jobs = Math.round((SLOW.has(store) ? row.slowJobs : row.jobs) * share);
      result.runs.push(await measure(world, { row, store, jobs }));
      const said = Object.entries(result.runs.at(-1)).map(([name, value]) => `${name} ${shown(value)}`);
      process.stderr.write(
        `round ${round} of ${rounds}  ${row.name.padEnd(12)} ${store.padEnd(15)} ${said.join("  ")}\n`,
      );
    }
  }
  return results.map(({ row, store, runs }) => ({
    row: row.name,
    store,
    figures: Object.fromEntries(Object.keys(runs[0]).map((name) => [name, spread(runs.map((run) => run[name]))])),
  }));
}

/** One run, on a store of its own; only the full folder is made once and opened again and again. */
async function measure(world, { row, store, jobs }) {
  const server = world.servers.get(store);
  await server?.flush();
  if (row.work === "open") {
    if (world.full === undefined) {
      world.full = join(world.temp, "full");
      await run(["fill", "1", String(jobs), store, world.full]);
    }
    return await run(["open", "1", String(jobs), store, world.full]);
  }
  world.count += 1;
  const place = server?.url ?? join(world.temp, `store-${world.count}`);
  const driver = server === undefined ? store : "valkey";
  try {
    return await run([row.work, String(row.concurrency), String(jobs), driver, place]);
  } finally {
    if (server === undefined) {
      for (const suffix of ["", ".db", ".db-wal", ".db-shm"]) {
        rmSync(place + suffix, { recursive: true, force: true });
      }
    }
  }
}

async function run(args) {
  const child = spawn(process.execPath, [join(folder, "run-embedded.mjs"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: RUN_MS_MAX,
    killSignal: "SIGKILL",
  });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the run ${args.join(" ")} failed, or took longer than ${RUN_MS_MAX} ms`);
  return JSON.parse(output);
}

/** Sees to it that the peers are there; answers why they are not. */
function preparePeers() {
  const stdio = ["ignore", 2, 2];
  try {
    if (!existsSync(join(folder, "node_modules", "liteque"))) {
      process.stderr.write("installing the peers …\n");
      execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder], { stdio });
    }
    const addition = join(folder, "node_modules", "better-sqlite3", "build", "Release", "better_sqlite3.node");
    if (!existsSync(addition)) {
      process.stderr.write("building SQLite for the peers, once; this takes minutes …\n");
      execFileSync("npm", ["rebuild", "better-sqlite3", "--prefix", folder], { stdio, timeout: BUILD_MS_MAX });
    }
    return undefined;
  } catch (error) {
    const why = `the peers on SQLite are left out: ${error instanceof Error ? error.message : String(error)}`;
    process.stderr.write(`${why}\n`);
    return why;
  }
}

function tableOf({ machine, lacking, rows }) {
  const lines = rows.flatMap(({ row, store, figures }) =>
    Object.entries(figures).map(([name, { median, min, max }]) =>
      [row.padEnd(12), store.padEnd(15), name.padEnd(12), `${shown(median)} (${shown(min)} to ${shown(max)})`].join(
        "  ",
      ),
    ),
  );
  return [...headOf(machine), ...(lacking === undefined ? [] : [lacking]), "", ...lines, ""].join("\n");
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string" },
      row: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      save: { type: "boolean", default: false },
      "no-peers": { type: "boolean", default: false },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) {
    throw new Error(`--rounds must be a whole number from 1 to 100, not ${values.rounds}`);
  }
  const rows = values.row === undefined ? ROWS : ROWS.filter((row) => values.row.includes(row.name));
  if (rows.length === 0) throw new Error(`--row must be one of ${ROWS.map((row) => row.name).join(", ")}`);
  return {
    rounds,
    rows,
    share: values.quick ? 0.1 : 1,
    isQuick: values.quick,
    isJson: values.json,
    isSaved: values.save,
    hasPeers: !values["no-peers"],
  };
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench:embedded: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
