/**
 * One run of one store, in a process of its own: `add|process|latency|open|fill <concurrency> <jobs> <store> <place>`.
 *
 * `add` and `process` are the workloads of the other bench (workload.mjs), so the figures mean the same. The result is
 * one line of JSON on standard output.
 */

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { openEchomq } from "./open-echomq.mjs";
import { BULK, JOB_NAME, PAYLOAD } from "./rows.mjs";
import { runWorkload } from "./workload.mjs";

/** Beats of the stores that look for work by polling, in ms. A long one would only measure the wait. */
const POLL_MS = 1;

/** Adds of one latency run that are not counted. */
const COLD = 20;

const [work, , jobsText, store, place] = process.argv.slice(2);

/** How each store is opened; `place` is a folder or an address. */
const OPENERS = {
  memory: () => openEchomq("memory:"),
  no: () => openEchomq({ url: `file:${place}`, fsync: "no" }),
  everysec: () => openEchomq({ url: `file:${place}`, fsync: "everysec" }),
  always: () => openEchomq({ url: `file:${place}`, fsync: "always" }),
  valkey: () => openEchomq(place),
  plainjob: () => openPlainjob("NORMAL"),
  "plainjob-full": () => openPlainjob("FULL"),
  liteque: () => openLiteque("NORMAL"),
  "liteque-full": () => openLiteque("FULL"),
};

/** It adds in the caller's own step and runs one handler at a time, whatever the concurrency. */
async function openPlainjob(synchronous) {
  const { default: Database } = await import("better-sqlite3");
  const { better, defineQueue, defineWorker } = await import("plainjob");
  const connection = better(new Database(`${place}.db`));
  const logger = { error: console.error, warn() {}, info() {}, debug() {} };
  const queue = defineQueue({ connection, logger });
  connection.pragma(`synchronous = ${synchronous}`);
  let worker;
  return {
    add: async () => queue.add(JOB_NAME, PAYLOAD),
    addMany: async (count) => queue.addMany(JOB_NAME, new Array(count).fill(PAYLOAD)),
    work: async (handler) => {
      worker = defineWorker(JOB_NAME, handler, { queue, logger, pollIntervall: POLL_MS });
      void worker.start();
    },
    close: async () => process.exit(0),
  };
}

/** It only adds here; embedded.mjs says why. */
async function openLiteque(synchronous) {
  const { buildDBClient, SqliteQueue } = await import("liteque");
  const { sql } = await import("drizzle-orm");
  const db = buildDBClient(`${place}.db`, { runMigrations: true });
  db.run(sql.raw(`PRAGMA synchronous = ${synchronous}`));
  const queue = new SqliteQueue("bench", db, { defaultJobArgs: { numRetries: 2 }, keepFailedJobs: false });
  return { add: () => queue.enqueue(PAYLOAD), close: async () => process.exit(0) };
}

/** From the call of `add` to the start of the handler, one job at a time with a pause between them, in ms. */
async function measureLatency(jobs) {
  const driver = await OPENERS[store]();
  let started = () => {};
  await driver.work(async () => started(performance.now()), 1);
  await pause(100);
  const waits = [];
  for (let at = 0; at < jobs + COLD; at++) {
    const start = new Promise((resolve) => {
      started = resolve;
    });
    const calledAt = performance.now();
    await driver.add();
    const waitMs = (await start) - calledAt;
    if (at >= COLD) waits.push(waitMs);
    await pause(2);
  }
  waits.sort((a, b) => a - b);
  tell({ p50Ms: waits[Math.floor(waits.length / 2)], p99Ms: waits[Math.floor(waits.length * 0.99)] });
  await driver.close();
}

/** Fills a store, and tells how much memory its jobs take. */
async function fill(jobs) {
  const before = process.memoryUsage.rss();
  const driver = await OPENERS[store]();
  for (let left = jobs; left > 0; left -= BULK) await driver.addMany(Math.min(BULK, left));
  tell({ bytesPerJob: (process.memoryUsage.rss() - before) / jobs });
  await driver.close();
}

/** From nothing to the first answer about a store that is full. */
async function measureOpen(jobs) {
  const before = process.memoryUsage.rss();
  const startedAt = performance.now();
  const driver = await OPENERS[store]();
  const count = await driver.count();
  const openMs = performance.now() - startedAt;
  if (count !== jobs) throw new Error(`${count} jobs are there, not ${jobs}`);
  tell({ openMs, bytesPerJob: (process.memoryUsage.rss() - before) / jobs });
  await driver.close();
}

function tell(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

if (work === "latency") await measureLatency(Number(jobsText));
else if (work === "fill") await fill(Number(jobsText));
else if (work === "open") await measureOpen(Number(jobsText));
else await runWorkload(() => OPENERS[store]());
