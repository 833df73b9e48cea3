/**
 * The smallest whole program: one queue, one worker, one job. Nothing has to be installed or started.
 *
 *   node examples/first-job.mjs
 */

import { Queue, Worker } from "echomq";

const mail = new Queue("mail");

const worker = new Worker("mail", async (job) => `sent to ${job.data.to}`);
const completed = new Promise((resolve) => worker.once("completed", (job, result) => resolve({ job, result })));

await mail.add("welcome", { to: "ada@example.com" });

const { job, result } = await completed;
console.log(`${job.name}: ${result}`);

await worker.close();
await mail.close();
