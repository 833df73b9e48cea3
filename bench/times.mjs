/**
 * `npm run bench:times`: how long the moments last that users wait for, on one real Valkey server.
 *
 * The tests hold these times as numbers on virtual time and as orders and counts on real servers; here stands how long
 * they take on a real clock. Each row names the case that promises it. Nothing fails for a figure.
 *
 *   --quick      shorter outages and one round
 *   --json       one JSON document instead of the table
 */

import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createMinter, Queue, Worker } from "../dist/index.js";
import { startBenchServer } from "./bench-server.mjs";
import { machineOf, spread } from "./report.mjs";

const { values: flags } = parseArgs({ options: { quick: { type: "boolean" }, json: { type: "boolean" } } });
const ROUNDS = flags.quick ? 1 : 5;
const OUTAGE_MS = flags.quick ? 500 : 5000;
const BEAT_MS = 1000;
const LEASE_MS = 1000;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

const mintId = createMinter({ node: 1023, clock: () => Date.now() });

const server = await startBenchServer();
const rows = [];
try {
  await row("start after its due time, 200 jobs due over 2 s", "PB-008", lateness);
  await row("start after add, 250 adds a second", "PB-050", latency);
  await row("start of work that nobody told of", "PB-016", untold);
  await row(`work goes on after the server stood still for ${OUTAGE_MS} ms`, "PB-005", afterFreeze);
  await row(`work goes on after CLIENT PAUSE of ${OUTAGE_MS} ms`, "PB-007", afterPause);
  await row("work goes on after all connections were killed", "PB-002", afterKill);
  await row(`job of a dead worker runs again, lease ${LEASE_MS} ms`, "PB-056", takeOver);
  await row("signal aborts after cancel from elsewhere", "PB-164", cancelled);
  await row("pause of an idle worker", "PB-065", idlePause);
  await row("close of an idle worker and its queue", "PB-059", idleClose);
} finally {
  await server.stop();
}
print();

/** Runs one measurement {@link ROUNDS} times, each on an empty server, and keeps all its samples, in ms. */
async function row(name, promised, measure) {
  const samples = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await server.flush();
    samples.push(...(await measure()));
  }
  rows.push({ name, case: promised, ...spread(samples), p99: percentile(samples, 0.99) });
}

/** A queue and a worker, closed when `use` is through with them. */
async function withWorker(handler, use, options = {}) {
  const queue = new Queue("bench", { connection: server.url, logger: QUIET });
  const settings = { connection: server.url, concurrency: 100, beat: BEAT_MS, logger: QUIET, ...options };
  const worker = new Worker("bench", handler, settings);
  worker.on("error", () => {});
  await worker.waitUntilReady();
  await untilIdle(worker);
  try {
    return await use(queue, worker);
  } finally {
    await worker.close({ timeout: 1000 });
    await queue.close();
  }
}

/** Resolves once the worker was answered, so that it waits for a wake-up. */
async function untilIdle(worker) {
  while (!worker.health().isConsuming) await pause(5);
}

/** Counts calls; `all` resolves with the instant of the last. */
function tally(count) {
  const starts = new Map();
  let done;
  const all = new Promise((resolve) => {
    done = resolve;
  });
  return {
    all,
    starts,
    handler: async (job) => {
      starts.set(job.id, performance.now());
      if (starts.size === count) done(performance.now());
    },
  };
}

async function lateness() {
  const runs = tally(200);
  return await withWorker(runs.handler, async (queue) => {
    const due = new Map();
    for (let at = 0; at < 200; at += 1) {
      const delay = 500 + at * 10;
      const start = performance.now();
      due.set((await queue.add("due", at, { delay })).id, [start + delay, performance.now() + delay]);
    }
    await runs.all;
    // The server took the job up between these two instants; the later one is fair to neither side by more than a trip.
    return [...due].map(([id, [, latest]]) => Math.max(0, (runs.starts.get(id) ?? 0) - latest));
  });
}

async function latency() {
  const runs = tally(250);
  return await withWorker(runs.handler, async (queue) => {
    const added = new Map();
    for (let at = 0; at < 250; at += 1) {
      const start = performance.now();
      void queue.add("now", at).then(({ id }) => added.set(id, start));
      await pause(4);
    }
    await runs.all;
    while (added.size < 250) await pause(1);
    return [...added].map(([id, start]) => (runs.starts.get(id) ?? 0) - start);
  });
}

async function untold() {
  const runs = tally(1);
  return await withWorker(runs.handler, async (queue) => {
    await pause(BEAT_MS * Math.random());
    const start = performance.now();
    // A plain `ENQUEUE` of the protocol wakes nobody.
    await queue.jobs.enqueue("bench", mintId("JOB"), "{}");
    return [(await runs.all) - start];
  });
}

async function afterFreeze() {
  return await resume(async (queue) => {
    process.kill(server.pid, "SIGSTOP");
    const adds = addAll(queue);
    await pause(OUTAGE_MS);
    process.kill(server.pid, "SIGCONT");
    return [adds, performance.now()];
  });
}

async function afterPause() {
  return await resume(async (queue) => {
    await server.command(`CLIENT PAUSE ${OUTAGE_MS} ALL`);
    const over = performance.now() + OUTAGE_MS;
    return [addAll(queue), over];
  });
}

async function afterKill() {
  return await resume(async (queue) => {
    await addAll(queue, { delay: 200 });
    await server.command("CLIENT KILL TYPE normal SKIPME yes");
    return [undefined, performance.now()];
  });
}

/** Milliseconds from the end of an outage, which `outage` tells, until 20 jobs have started. */
async function resume(outage) {
  const runs = tally(20);
  return await withWorker(runs.handler, async (queue) => {
    const [adds, over] = await outage(queue);
    const last = await runs.all;
    await adds;
    return [Math.max(0, last - over)];
  });
}

function addAll(queue, options = {}) {
  const jobs = Array.from({ length: 20 }, (_, at) => ({ name: "job", data: at, opts: options }));
  return queue.addBulk(jobs).catch(() => queue.addBulk(jobs));
}

async function takeOver() {
  const runs = tally(1);
  const queue = new Queue("bench", { connection: server.url, logger: QUIET });
  await queue.add("held", 1);
  const start = performance.now();
  // Whoever claims and says nothing more is dead to the server.
  await queue.jobs.claim("bench", LEASE_MS);
  await queue.close();
  return await withWorker(runs.handler, async () => [(await runs.all) - start]);
}

async function cancelled() {
  let aborted;
  const abortedAt = new Promise((resolve) => {
    aborted = resolve;
  });
  let started;
  const running = new Promise((resolve) => {
    started = resolve;
  });
  const handler = (_job, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted(performance.now());
        reject(signal.reason);
      });
      started();
    });
  return await withWorker(handler, async (queue) => {
    const { id } = await queue.add("long", 1);
    await running;
    const start = performance.now();
    await queue.cancel(id, "enough");
    return [(await abortedAt) - start];
  });
}

async function idlePause() {
  return await withWorker(
    async () => {},
    async (_queue, worker) => {
      const start = performance.now();
      await worker.pause();
      return [performance.now() - start];
    },
  );
}

async function idleClose() {
  const queue = new Queue("bench", { connection: server.url, logger: QUIET });
  const worker = new Worker("bench", async () => {}, { connection: server.url, logger: QUIET });
  await worker.waitUntilReady();
  await untilIdle(worker);
  const start = performance.now();
  await worker.close();
  await queue.close();
  return [performance.now() - start];
}

function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function print() {
  const machine = machineOf({ valkey: server.version });
  if (flags.json) {
    console.log(JSON.stringify({ machine, rows }, null, 2));
    return;
  }
  console.log(`Valkey ${server.version}, Node.js ${machine.node}, ${machine.cores} cores (${machine.processor})`);
  console.log(`${ROUNDS} rounds; ms: median (least to greatest), and the 99th percentile\n`);
  for (const { name, case: promised, median, min, max, p99 } of rows) {
    const range = `${median.toFixed(1)} (${min.toFixed(1)} to ${max.toFixed(1)})`;
    console.log(`${promised.padEnd(8)}${name.padEnd(62)}${range.padEnd(28)}${p99.toFixed(1)}`);
  }
}
