/**
 * Many jobs at once, and a worker that is closed in the middle of them.
 *
 * `close` finishes what is in hand and gives the rest back at once, so another worker goes on where this one stopped,
 * and no attempt was spent. With `connection: "valkey://127.0.0.1:6379"` the two workers could be two processes.
 *
 *   node examples/bulk-and-shutdown.mjs
 */

import { setTimeout as pause } from "node:timers/promises";
import { Queue, Worker } from "echomq";

const connection = "memory:";
const pages = new Queue("pages", { connection });

const items = Array.from({ length: 200 }, (_, at) => ({
  name: "render",
  data: { page: at + 1 },
  // Lower numbers run first; 0 is the default and comes before all.
  opts: { priority: at < 100 ? 10 : 0 },
}));
const jobs = await pages.addBulk(items);
console.log(`added ${jobs.filter((job) => job.outcome === "added").length} jobs`);

// An id names one job: adding it again adds nothing and says so.
const again = await pages.add("render", { page: 1 }, { id: jobs[0].id });
console.log(`again: ${again.outcome}, ${again.existing.state}`);

const done = { first: 0, second: 0 };
const render = async (_job, { signal }) => pause(2, undefined, { signal });

const first = new Worker("pages", render, { connection, concurrency: 10 });
await new Promise((resolve) => {
  first.on("completed", () => {
    done.first++;
    if (done.first === 50) resolve();
  });
});
await first.close();
const { pending, active } = await pages.getJobCounts("pending", "active");
console.log(`closed: ${done.first + pending === 200 && active === 0 ? "nothing is lost" : "something is missing"}`);

const second = new Worker("pages", render, { connection, concurrency: 10 });
const drained = new Promise((resolve) => second.once("drained", resolve));
second.on("completed", () => done.second++);
await drained;
await second.close();
console.log(`together: ${done.first + done.second}`);

await pages.close();
