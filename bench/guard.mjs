/**
 * `npm run bench:guard`: whether the costs of a job have grown since the baseline that is checked in.
 *
 * It compares what another machine and another load change little: commands and bytes of a job, and ratios between our
 * own forms. `--instructions` adds the instructions that the server spends on a job, counted by valgrind where that
 * exists. It is a report and ends well whatever it finds; only what cannot be measured is a failure.
 *
 *   --instructions  counts instructions too, which takes minutes
 *   --update        writes bench/guard-baseline.json from what was measured; what was not stays as it is
 *   --json          one JSON document instead of the table
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MODULE_PATH } from "../scripts/native/module-path.mjs";
import { startBenchServer } from "./bench-server.mjs";
import { COLUMNS, lackOf } from "./columns.mjs";
import { compare, guardTable } from "./guard-report.mjs";
import { spread } from "./report.mjs";
import { infoOf } from "./wire.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const baselinePath = join(folder, "guard-baseline.json");

const ROUNDS = 3;

/** What is done with a job, and how many jobs of it; all of them are added by bulks before they are processed. */
const WORKS = [
  { name: "add-200", work: "add", concurrency: 200, jobs: 20_000 },
  { name: "bulk-1000", work: "bulk", jobs: 20_000 },
  { name: "process-10", work: "work", concurrency: 10, jobs: 20_000 },
  { name: "process-100", work: "work", concurrency: 100, jobs: 20_000 },
];

/** Jobs of one run under valgrind, and of the one that is taken from it, so that the start does not count. */
const COUNTED_JOBS = [4000, 2000];

async function main() {
  const { values: flags } = parseArgs({
    options: { instructions: { type: "boolean" }, update: { type: "boolean" }, json: { type: "boolean" } },
  });
  const columns = COLUMNS.filter(({ name }) => ["lua", "native", "embedded"].includes(name));
  const lacks = columns.flatMap((column) => (lackOf(column) ? [`${column.name} is left out: ${lackOf(column)}`] : []));
  const present = columns.filter((column) => lackOf(column) === undefined);
  const measured = await measureAll(present);
  if (flags.instructions) {
    for (const column of present.filter(({ server }) => server !== "none")) {
      const count = await countInstructions(column);
      if (count === undefined) lacks.push("instructions are left out: valgrind is not there");
      else measured[`process-10 ${column.name}: instructions a job`] = count;
    }
  }
  if (flags.update) {
    const merged = { ...readBaseline(), ...measured };
    const rounded = Object.entries(merged).map(([name, value]) => [name, Number(value.toPrecision(4))]);
    writeFileSync(baselinePath, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
  }
  const lines = compare(readBaseline(), measured);
  process.stdout.write(flags.json ? `${JSON.stringify({ lacks, lines })}\n` : guardTable(lines, lacks));
}

function readBaseline() {
  return JSON.parse(readFileSync(baselinePath, "utf8"));
}

/** Medians of counts and of processor times, the latter only as ratios to those of the scripts. */
async function measureAll(columns) {
  const figures = new Map();
  const keep = (name, value) => figures.set(name, [...(figures.get(name) ?? []), value]);
  const servers = new Map();
  try {
    for (const { server } of columns) {
      if (server === "none" || servers.has(server)) continue;
      servers.set(server, await startBenchServer(server === "module" ? ["--loadmodule", MODULE_PATH] : []));
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const work of WORKS) await measureWork(work, columns, servers, keep);
      process.stderr.write(`round ${round + 1} of ${ROUNDS}\n`);
    }
  } finally {
    for (const server of servers.values()) await server.stop();
  }
  return Object.fromEntries([...figures].map(([name, values]) => [name, spread(values).median]));
}

/** One run of each form, in turn. */
async function measureWork(work, columns, servers, keep) {
  const times = new Map();
  for (const column of columns) {
    const server = servers.get(column.server);
    await server?.flush();
    const before = server && (await infoOf(server.url, "stats"));
    times.set(column.name, await runOf(column, work, server));
    if (server === undefined) continue;
    const after = await infoOf(server.url, "stats");
    for (const [name, field] of COUNTERS) {
      keep(`${work.name} ${column.name}: ${name}`, (Number(after[field]) - Number(before[field])) / work.jobs);
    }
  }
  for (const [name, value] of ratiosOf(times)) keep(`${work.name}: ${name}`, value);
}

/** What the server counts by itself. */
const COUNTERS = [
  ["commands a job", "total_commands_processed"],
  ["bytes to the server a job", "total_net_input_bytes"],
  ["bytes from the server a job", "total_net_output_bytes"],
];

function ratiosOf(times) {
  const [lua, native, embedded] = ["lua", "native", "embedded"].map((name) => times.get(name));
  const ratios = [];
  if (native?.serverUs !== undefined) ratios.push(["server time, native over scripts", native.serverUs / lua.serverUs]);
  if (lua?.serverUs !== undefined && embedded !== undefined) {
    ratios.push(["processor time, embedded over scripts", embedded.clientUs / (lua.clientUs + lua.serverUs)]);
  }
  return ratios;
}

async function runOf(column, work, server) {
  const task = { ...work, driver: column.driver, url: server?.url ?? "", serverPid: server?.pid ?? 0 };
  const child = spawn(process.execPath, [join(folder, "run.mjs"), JSON.stringify(task)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ECHOMQ_BENCH_NATIVE: column.native },
    timeout: 300_000,
    killSignal: "SIGKILL",
  });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${work.name} of ${column.name} failed`);
  return JSON.parse(output);
}

/** Instructions of the server for a job that is added and processed; undefined without valgrind. */
async function countInstructions(column) {
  const counts = [];
  for (const jobs of COUNTED_JOBS) {
    const place = mkdtempSync(join(tmpdir(), "echomq-guard-"));
    const log = join(place, "log");
    const under = ["valgrind", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null"];
    try {
      const words = column.server === "module" ? ["--loadmodule", MODULE_PATH] : [];
      const server = await startBenchServer(words, [...under, `--log-file=${log}`]);
      try {
        await runOf(column, { ...WORKS[2], jobs }, server);
      } finally {
        await server.stop();
      }
      counts.push(Number(readFileSync(log, "utf8").match(/Collected : (\d+)/)[1]));
    } catch (error) {
      if (error.code === "ENOENT") return undefined;
      throw error;
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }
  return (counts[0] - counts[1]) / (COUNTED_JOBS[0] - COUNTED_JOBS[1]);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench:guard: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
