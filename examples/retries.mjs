/**
 * What becomes of a job whose handler throws.
 *
 * An ordinary error spends an attempt and the job runs again after its backoff. Two kinds of error say otherwise:
 * `snooze` puts the job off without spending an attempt, `UnrecoverableError` ends it at once.
 *
 *   node examples/retries.mjs
 */

import { Queue, snooze, UnrecoverableError, Worker } from "echomq";

const orders = new Queue("orders", {
  defaultJobOptions: { attempts: 3, backoff: { type: "exponential", delay: 20, cap: "1s" } },
});

let isOpen = false;

const handlers = {
  // Fails twice and then succeeds.
  async flaky(job) {
    if (job.attempt < 3) throw new Error(`attempt ${job.attempt} failed`);
    return "done at last";
  },
  // Not its time yet: no attempt is spent.
  async early() {
    if (isOpen) return "done when it was time";
    isOpen = true;
    throw snooze("50ms");
  },
  // No later attempt could help.
  async broken() {
    throw new UnrecoverableError("the order does not exist");
  },
};

const worker = new Worker("orders", (job) => handlers[job.name](job), { concurrency: 3 });

let left = 3;
const ended = new Promise((resolve) => {
  const settle = (line) => {
    console.log(line);
    left--;
    if (left === 0) resolve();
  };
  worker.on("completed", (job, result) => settle(`${job.name}: ${String(result)}`));
  worker.on("failed", (job, error, outcome) => {
    if (outcome === "dead") settle(`${job.name}: dead, ${error.message}`);
    else console.log(`${job.name}: ${error.message}, runs again`);
  });
});

await orders.addBulk([
  { name: "flaky", data: {} },
  { name: "early", data: {} },
  { name: "broken", data: {} },
]);
await ended;

// Dead jobs stay until somebody decides about them.
const [dead] = await orders.getJobs("dead");
console.log(`kept: ${dead.name}, ${await dead.remove()}`);

await worker.close();
await orders.close();
