/**
 * A process of the soak: a worker, and in one of them the producer too. It runs on the built package, as a user's
 * would.
 *
 * Arguments: URL, queue, seed, and how many jobs it adds a second (0 for none). Each step is one line on standard
 * output, written at once and past every buffer, so that what a killed process said is what it did:
 *
 * - `ready`: signals are heard from now on
 * - `added <job> <tries>`: an add was acknowledged, after so many that were not
 * - `start <job> <token>`: a handler begins; `threw <job> <token>`: it throws now
 * - `settled`, `failed`, `lost <job> <token>`: what became of it, once the server has said so
 * - `heap <bytes>`: what is used after a collection; `drained`: the producer has ended
 * - `broke <text>`: an error that nobody caught, which ends the process
 *
 * `stop` on standard input ends the producer, `heap` asks for the heap. SIGTERM closes the worker.
 */

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Queue, Worker } from "../../dist/index.js";

const [url, name, seed, perSecond] = process.argv.slice(2);

/** How often the producer adds, in ms. */
const TICK_MS = 100;

/** Adds on their way, at most: while the server is away no more are begun. */
const ADDS_MAX = 500;

const say = (...words) => writeSync(1, `${words.join(" ")}\n`);

let state = Number(seed) >>> 0;
function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const worker = new Worker(
  name,
  async (job, { token }) => {
    say("start", job.id, token);
    await pause(job.data.ms);
    if (job.data.does === "fail" || (job.data.does === "stumble" && job.attempts === 1)) {
      say("threw", job.id, token);
      throw new Error(job.data.does);
    }
  },
  {
    connection: url,
    concurrency: 10,
    lease: 2000,
    beat: 250,
    attempts: 3,
    backoff: 50,
    // A job may be in the hands of many processes that die; that must not count as its own fault.
    crashLimit: 1000,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  },
);
worker.on("completed", (job) => say("settled", job.id, job.token));
worker.on("failed", (job) => say("failed", job.id, job.token));
worker.on("lease-lost", (job, { id }) => say("lost", id, job?.token ?? 0));
worker.on("error", () => {});

const queue = new Queue(name, { connection: url, logger: { debug() {}, info() {}, warn() {}, error() {} } });
queue.on("error", () => {});
const producer = { isAdding: Number(perSecond) > 0, adds: 0 };

/** Adds one job until that is acknowledged, under the id that the first try had. */
async function addOne() {
  const chance = random();
  const data = { ms: Math.floor(random() * 20), does: chance < 0.01 ? "fail" : chance < 0.05 ? "stumble" : "work" };
  const options = {
    ...(random() < 0.1 ? { delay: Math.floor(random() * 2000) } : {}),
    ...(random() < 0.2 ? { lane: `lane-${Math.floor(random() * 5)}` } : {}),
    ...(random() < 0.05 ? { priority: Math.floor(random() * 10) } : {}),
  };
  producer.adds += 1;
  let id;
  for (let tries = 0, isAdded = false; !isAdded; tries++) {
    try {
      const job = await queue.add("step", data, id === undefined ? options : { ...options, id });
      say("added", job.id, tries);
      isAdded = true;
    } catch (error) {
      id ??= error.details?.id;
      await pause(100);
    }
  }
  producer.adds -= 1;
}

/** Adds until it is told to stop, and waits for what is on its way. */
async function produce() {
  while (producer.isAdding) {
    for (let left = (Number(perSecond) * TICK_MS) / 1000; left > 0 && producer.adds < ADDS_MAX; left--) void addOne();
    await pause(TICK_MS);
  }
  while (producer.adds > 0) await pause(10);
  say("drained");
}

const words = {
  stop() {
    producer.isAdding = false;
  },
  heap() {
    globalThis.gc();
    say("heap", process.memoryUsage().heapUsed);
  },
};
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    say("broke", JSON.stringify(String(error?.stack ?? error)));
    process.exit(1);
  });
}
createInterface({ input: process.stdin }).on("line", (word) => words[word]?.());

async function close() {
  await worker.close();
  await queue.close();
  process.exit(0);
}
process.on("SIGTERM", () => void close());
if (producer.isAdding) void produce();
say("ready");
