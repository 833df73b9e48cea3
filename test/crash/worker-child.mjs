/**
 * A worker process that tests kill. It runs on the built package, as a user's process would.
 *
 * Arguments: URL, queue, options of the worker as JSON, and among them `names`, for a worker that knows some names
 * only. Each step is one line on standard output, written at once and past every buffer, so that what a killed process
 * said is what it did:
 *
 * - `ready <id>`: signals are heard from now on; the id of the worker
 * - `start <job> <token>`: a handler begins; `aborted <job> <token> <code>`: it was told to stop, and why
 * - `settled <job> <token>`: the server took the completion; `failed <job> <token>`: it took the failure
 * - `lost <job> <token>`: it did not
 * - `poison <job> <token>`: the hook was told of a job that died of crashes
 *
 * A job's data say what its handler does: wait for `ms` (`signal` is not heeded unless it does `heed`), then `exit` the
 * process, `throw`, or return. SIGTERM closes the worker.
 */

import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Queue, Worker } from "../../dist/index.js";

const [url, queue, optionsText] = process.argv.slice(2);
const { names, poisonQueue, ...options } = JSON.parse(optionsText);
const say = (...words) => writeSync(1, `${words.join(" ")}\n`);

const run = async (job, { token, signal }) => {
  signal.addEventListener("abort", () => say("aborted", job.id, token, signal.reason.code));
  say("start", job.id, token);
  await pause(job.data.ms ?? 0, undefined, job.data.does === "heed" ? { signal } : {});
  if (job.data.does === "exit") process.exit(1);
  if (job.data.does === "throw") throw new Error("asked to");
};

const handler = names === undefined ? run : Object.fromEntries(names.map((name) => [name, run]));
const poisoned = poisonQueue === undefined ? undefined : new Queue(poisonQueue, { connection: url });
const onPoison = async (job) => {
  await poisoned.add(job.name, job.data);
  say("poison", job.id, job.attempts);
};

const worker = new Worker(queue, handler, {
  connection: url,
  concurrency: 10,
  beat: 100,
  // A job may be in the hands of every process that is killed; that must not count as its own fault.
  crashLimit: 100,
  ...(poisoned === undefined ? {} : { onPoison }),
  ...options,
});
worker.on("completed", (job) => say("settled", job.id, job.token));
worker.on("failed", (job) => say("failed", job.id, job.token));
worker.on("lease-lost", (job, { id }) => say("lost", id, job?.token ?? 0));
worker.on("error", () => {});
process.on("SIGTERM", () => void worker.close().then(() => process.exit(0)));
say("ready", worker.id);
