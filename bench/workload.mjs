/**
 * The two workloads of `bench:embedded` and `bench:native`, written once for all stores.
 *
 * A driver (run-echomq.mjs, run-embedded.mjs) gives the calls; everything that is timed stands here, so no side
 * can be measured in another way than the other. The result is one line of JSON on standard output.
 */

import { performance } from "node:perf_hooks";
import { BULK, WARM_UP } from "./rows.mjs";

/**
 * What a driver offers.
 *
 * @typedef {object} Driver
 * @property {() => Promise<unknown>} add Adds one job.
 * @property {(count: number) => Promise<unknown>} addMany Adds that many jobs in one call.
 * @property {(handler: () => Promise<void>, concurrency: number) => Promise<unknown>} work Starts a worker.
 * @property {() => Promise<void>} close
 */

/** Runs the row that the command line describes: `add|process <concurrency> <jobs> [url]`. */
export async function runWorkload(/** @type {(url: string) => Promise<Driver>} */ open) {
  const [work, concurrency, jobs, url] = process.argv.slice(2);
  const driver = await open(url ?? "");
  const measure = work === "add" ? measureAdd : measureProcess;
  const perSecond = await measure(driver, Number(concurrency), Number(jobs));
  process.stdout.write(`${JSON.stringify({ perSecond })}\n`);
  await driver.close();
}

/** Adds that many jobs with a fixed number on their way, and answers jobs a second after the warm-up. */
async function measureAdd(driver, inFlight, jobs) {
  const warm = Math.floor(jobs * WARM_UP);
  await addAll(driver, inFlight, warm);
  const startedAt = performance.now();
  await addAll(driver, inFlight, jobs - warm);
  return ((jobs - warm) * 1000) / (performance.now() - startedAt);
}

async function addAll(driver, inFlight, jobs) {
  let left = jobs;
  const one = async () => {
    while (left > 0) {
      left--;
      await driver.add();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
}

/** Fills the queue, then lets one worker empty it, and answers handlers started a second after the warm-up. */
async function measureProcess(driver, concurrency, jobs) {
  for (let left = jobs; left > 0; left -= BULK) await driver.addMany(Math.min(BULK, left));
  const warm = Math.floor(jobs * WARM_UP);
  let count = 0;
  let startedAt = 0;
  let end = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  await driver.work(async () => {
    count++;
    if (count === warm) startedAt = performance.now();
    if (count === jobs) end(performance.now());
  }, concurrency);
  return ((jobs - warm) * 1000) / ((await ended) - startedAt);
}
