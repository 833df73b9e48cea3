/**
 * The calls of bee-queue; `driver.mjs` says what each is. It has no bulk answer of ids, no flows, no lanes, and no
 * calls that drain or clean.
 *
 * Its settings are those of its documentation for many jobs: producer and worker are queues of their own, no events,
 * no kept job objects, and jobs that succeed are removed. Delayed jobs are looked for at each due time, where it would
 * take those of a second together.
 */

import BeeQueue from "bee-queue";
import { PAYLOAD } from "../rows.mjs";

export async function open(url) {
  const { hostname, port } = new URL(url);
  const settings = {
    redis: { host: hostname, port: Number(port) },
    sendEvents: false,
    getEvents: false,
    storeJobs: false,
    removeOnSuccess: true,
    removeOnFailure: false,
  };
  const queue = new BeeQueue("bench", { ...settings, isWorker: false });
  queue.on("error", () => {});
  await queue.ready();
  const workers = [];
  const jobOf = (data, options) => {
    const job = queue.createJob(data);
    if (options?.delay !== undefined) job.delayUntil(Date.now() + options.delay);
    if (options?.attempts !== undefined) job.retries(options.attempts - 1).backoff("immediate");
    return job;
  };
  return {
    add: (data = PAYLOAD, options = undefined) => jobOf(data, options).save(),
    addMany: async (items) => {
      const errors = await queue.saveAll(items.map(({ data, opts }) => jobOf(data, opts)));
      if (errors.size > 0) throw errors.values().next().value;
    },
    retryOptions: { attempts: 3 },
    noName: "",
    work: async (handler, concurrency) => {
      const worker = new BeeQueue("bench", { ...settings, activateDelayedJobs: true, delayedDebounce: 1 });
      worker.on("error", () => {});
      await worker.ready();
      worker.process(concurrency, (job) => handler(job.data));
      workers.push(worker);
    },
    stopWorkers: async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.close()));
    },
    list: () => queue.getJobs("waiting", { start: 0, end: 999 }),
    obliterate: () => queue.destroy(),
    close: async () => {
      // It has no way to leave at once while a handler runs.
      process.exit(0);
    },
  };
}
