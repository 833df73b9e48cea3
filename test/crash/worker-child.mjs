/**
 * A worker process that tests kill. It runs on the built package, as a user's process would.
 *
 * Arguments: URL, queue, lease in ms. Each step is one line on standard output, written at once and past every buffer,
 * so that what a killed process said is what it did: `ready` (signals are heard from now on), `start <id> <token>`,
 * `settled <id> <token>` (the server took the settlement), `lost <id> <token>` (it did not). SIGTERM closes the worker.
 */

import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "../../dist/index.js";

const [url, queue, leaseMs] = process.argv.slice(2);
const say = (...words) => writeSync(1, `${words.join(" ")}\n`);

const handler = async (job, { token }) => {
  say("start", job.id, token);
  await pause(job.data.ms);
};

const worker = new Worker(queue, handler, {
  connection: url,
  concurrency: 10,
  lease: Number(leaseMs),
  beat: 100,
  // A job may be in the hands of every process that is killed; that must not count as its own fault.
  crashLimit: 100,
});
worker.on("completed", (job) => say("settled", job.id, job.token));
worker.on("lease-lost", (job, { id }) => say("lost", id, job?.token ?? 0));
worker.on("error", () => {});
process.on("SIGTERM", () => void worker.close().then(() => process.exit(0)));
say("ready");
