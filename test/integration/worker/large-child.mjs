/**
 * A program that adds and runs jobs of 1 MiB on the built package, with a heap that holds a part of them only.
 *
 * Arguments: URL, queue, jobs, adds at once. It adds as fast as the queue takes them and rests where the queue says
 * that too much is under way (`overloaded`); a worker beside it runs them. At its end it prints `done <runs> <times
 * that it was told to wait> <different ids>`. A heap that does not suffice ends it by a signal instead.
 */

import { setTimeout as pause } from "node:timers/promises";
import { Queue, Worker } from "../../../dist/index.js";

/** Adds that are tried at once. */
const ADDERS = 16;

const [url, name, jobsText, pendingText] = process.argv.slice(2);
const jobs = Number(jobsText);
const connection = { url, commandTimeoutMs: 60_000 };
const queue = new Queue(name, { connection, maxPending: Number(pendingText) });
const text = "x".repeat(2 ** 20 - 32);
const seen = new Set();
let runs = 0;
let waits = 0;
let end;
const ended = new Promise((resolve) => {
  end = resolve;
});

const run = async (job) => {
  if (job.data.text.length !== text.length) throw new Error("the payload is not what was added");
  seen.add(job.id);
  runs += 1;
  if (runs === jobs) end();
};
const worker = new Worker(name, run, { connection, concurrency: 4 });
for (const one of [queue, worker]) one.on("error", () => {});

// So many adds are under way at once that the queue has to refuse some.
const addAll = async (from) => {
  for (let at = from; at < jobs; ) {
    try {
      await queue.add("large", { at, text });
      at += ADDERS;
    } catch (error) {
      if (error.code !== "overloaded") throw error;
      waits += 1;
      await pause(20);
    }
  }
};
await Promise.all(Array.from({ length: ADDERS }, (_, from) => addAll(from)));
await ended;
await worker.close();
await queue.close();
console.log(`done ${runs} ${waits} ${seen.size}`);
