/**
 * `npm run bench`: EchoMQ in its four forms beside its peers and the floor of the server, all in one run.
 *
 * Speeds of one machine say little about another; the ratio of two queues measured in turns says much. So each run is a
 * fresh process on an empty server, the columns take turns within each round of a row, which of them begins changes
 * with the round, and only medians are compared. The bench never fails for a figure: a busy machine is no fault of the
 * code.
 *
 *   --rounds N      rounds of every row, 1 to 100; five without it
 *   --quick         one round of small counts, to see that everything runs
 *   --row NAME      only this row; may be repeated
 *   --column NAME   only this column; may be repeated
 *   --json          one JSON document instead of the table
 *   --save          writes bench/results/ROW.json and ROW.svg of each row as soon as it is measured, and the figures of
 *                   bench/README.md and README.md from all that are kept; rows that are not named stay as they are
 *   --list          the names of rows and columns
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MODULE_PATH } from "../scripts/native/module-path.mjs";
import { pin, startBenchServer, startServe } from "./bench-server.mjs";
import { COLUMNS, lackOf } from "./columns.mjs";
import { writeFigures } from "./figures.mjs";
import { loadNow, machineOf, rowResult, shown, tableOf } from "./report.mjs";
import { ROWS } from "./rows.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "bench");

/** A run that takes longer hangs. */
const RUN_MS_MAX = 300_000;

/** Between the starts of columns that wait side by side. */
const STAGGER_MS = 1000;

const ROUNDS_DEFAULT = 5;
const ROUNDS_MAX = 100;

async function main() {
  const options = readOptions();
  if (options.isListed) {
    process.stdout.write(`rows: ${namesOf(ROWS)}\ncolumns: ${namesOf(COLUMNS)}\n`);
    return;
  }
  prepare();
  const before = loadNow();
  const lacks = new Map(options.columns.map((column) => [column, lackOf(column)]).filter(([, lack]) => lack));
  const columns = options.columns.filter((column) => !lacks.has(column));
  const servers = await startServers(columns);
  try {
    const machine = machineOf({
      echomq: versionOf(root),
      bullmq: versionOf(join(folder, "node_modules", "bullmq")),
      beeQueue: versionOf(join(folder, "node_modules", "bee-queue")),
      valkey: servers.get("valkey")?.version ?? "none",
      rounds: options.rounds,
      isQuick: options.isQuick,
      ...before,
    });
    const left = [...lacks].map(([{ name }, lack]) => `${name} is left out: ${lack}`);
    const onRow = (result, failures) => {
      const rounds = Math.max(...result.figures.map(({ runs }) => runs));
      return options.isSaved && save({ ...machine, rounds }, result, [...left, ...failures]);
    };
    const { results, failures } = await measureAll(servers, { ...options, columns }, onRow);
    const lacking = [...left, ...failures];
    if (options.isJson) process.stdout.write(`${JSON.stringify({ machine, lacking, rows: results })}\n`);
    else process.stdout.write(`\n${tableOf(machine, results, lacking)}`);
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

/** One server of each kind that is needed. */
async function startServers(columns) {
  const kinds = new Set(columns.map(({ server }) => server));
  const servers = new Map();
  for (const kind of ["valkey", "module"]) if (kinds.has(kind)) servers.set(kind, await startServer(kind));
  return servers;
}

/** A server of a kind; `undefined` for the embedded engine, which has none. */
async function startServer(kind) {
  if (kind === "none") return undefined;
  if (kind === "serve") return await startServe();
  return await startBenchServer(kind === "module" ? ["--loadmodule", MODULE_PATH] : []);
}

/** Measures row after row; `onRow` is told of each as soon as all its rounds are through. */
async function measureAll(servers, { rows, columns, rounds, isQuick }, onRow) {
  const results = [];
  const failures = new Set();
  for (const row of rows) {
    const counts = countsOf(row, isQuick);
    const list = columns.filter(({ name }) => row.columns.includes(name));
    const runs = Object.fromEntries(list.map(({ name }) => [name, []]));
    for (let round = 1; round <= rounds; round++) {
      const tell = async (column) => {
        try {
          const figures = await measure({ row, column, servers, counts });
          runs[column.name].push(figures);
          return `${column.name} ${shown(Object.values(figures)[0])}`;
        } catch (error) {
          failures.add(`${column.name} failed in the row ${row.name}: ${error.message}`);
          return `${column.name} failed`;
        }
      };
      const startedAt = performance.now();
      const turns = list.map((_, at) => list[(at + round - 1) % list.length]);
      const said = await (row.isIdle ? sideBySide(turns, tell) : inTurns(turns, tell));
      const seconds = `${Math.round((performance.now() - startedAt) / 1000)} s`;
      process.stderr.write(`${row.name.padEnd(13)} round ${round} of ${rounds}, ${seconds}  ${said.join("  ")}\n`);
    }
    const result = rowResult(row, runs, counts);
    if (result.figures.length === 0) continue;
    results.push(result);
    await onRow(result, [...failures]);
  }
  return { results, failures: [...failures] };
}

async function inTurns(columns, tell) {
  const said = [];
  for (const column of columns) said.push(await tell(column));
  return said;
}

/** All at once, each a moment after the one before, so that what they wait for does not come at one instant. */
async function sideBySide(columns, tell) {
  return await Promise.all(
    columns.map(async (column, at) => {
      await pause(at * STAGGER_MS);
      return await tell(column);
    }),
  );
}

function countsOf(row, isQuick) {
  return isQuick ? { ...row.full, ...row.quick } : row.full;
}

/** One run in a process of its own; resolves to its figures. */
async function measure({ row, column, servers, counts }) {
  // `echomq serve` is a process for each run: it has no way to be emptied that also forgets its memory.
  const isOwn = column.server === "serve" || row.isIdle === true;
  const server = isOwn ? await startServer(column.server) : servers.get(column.server);
  try {
    await server?.flush?.();
    const isPinned = row.isPinned === true && server !== undefined && cpus().length > 1;
    if (server !== undefined) pin(server.pid, isPinned ? "0" : `0-${cpus().length - 1}`);
    const { driver, native } = column;
    const target = { url: server?.url ?? "", serverPid: server?.pid ?? 0, server: column.server };
    const child = spawn(
      process.execPath,
      ["--expose-gc", join(folder, "run.mjs"), JSON.stringify({ ...counts, work: row.work, driver, ...target })],
      {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, ECHOMQ_BENCH_NATIVE: native },
        timeout: RUN_MS_MAX,
        killSignal: "SIGKILL",
      },
    );
    if (isPinned) pin(child.pid, "1");
    let output = "";
    child.stdout.on("data", (data) => {
      output += data;
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`it ended with ${code ?? `no answer within ${RUN_MS_MAX} ms`}`);
    return JSON.parse(output);
  } finally {
    if (isOwn) await server?.stop();
  }
}

/** Keeps a result and its picture, and takes the figures of the pages from all that is kept. */
async function save(machine, result, lacking) {
  const { pictureOf } = await import("./picture.mjs");
  const place = join(folder, "results");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, `${result.name}.json`), `${JSON.stringify({ machine, lacking, ...result }, null, 2)}\n`);
  writeFileSync(join(place, `${result.name}.svg`), pictureOf(machine, result));
  writeFigures();
}

/** Sees to it that both sides are there: our build, and the peers by their own lock file. */
function prepare() {
  const stdio = ["ignore", 2, 2];
  if (!existsSync(join(root, "dist", "index.js"))) {
    process.stderr.write("building …\n");
    execFileSync("npm", ["run", "build"], { cwd: root, stdio });
  }
  const wanted = readJson(join(folder, "package.json")).dependencies;
  const isInstalled = ["bullmq", "bee-queue", "echarts"].every((name) => {
    const place = join(folder, "node_modules", name);
    return existsSync(place) && versionOf(place) === wanted[name];
  });
  if (isInstalled) return;
  process.stderr.write("installing the peers …\n");
  // Without scripts: the one native addition of what is used here is optional and comes ready-made.
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder], { cwd: root, stdio });
}

function versionOf(place) {
  return readJson(join(place, "package.json")).version;
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string" },
      row: { type: "string", multiple: true },
      column: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      save: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 1 : ROUNDS_DEFAULT));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > ROUNDS_MAX) {
    throw new Error(`--rounds must be a whole number from 1 to ${ROUNDS_MAX}, not ${values.rounds}`);
  }
  if (values.save && values.column !== undefined) {
    throw new Error("--save keeps rows with all their columns, so it cannot be given with --column");
  }
  return {
    rounds,
    rows: chosen("--row", ROWS, values.row),
    columns: chosen("--column", COLUMNS, values.column),
    isQuick: values.quick,
    isJson: values.json,
    isSaved: values.save,
    isListed: values.list,
  };
}

function chosen(flag, all, names = all.map(({ name }) => name)) {
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) throw new Error(`${flag} must be one of ${namesOf(all)}, not ${unknown}`);
  return all.filter(({ name }) => names.includes(name));
}

function namesOf(list) {
  return list.map(({ name }) => name).join(", ");
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
