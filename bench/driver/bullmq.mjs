/**
 * The calls of BullMQ; `driver.mjs` says what each is.
 *
 * Its settings are those that its own documentation names for throughput: completed jobs are removed, producer and
 * worker have connections of their own, concurrency as asked, and bulks where there are many.
 */

import { FlowProducer, Queue, Worker } from "bullmq";
import { JOB_NAME, PAYLOAD } from "../rows.mjs";

export async function open(url) {
  const { hostname, port } = new URL(url);
  const connection = { host: hostname, port: Number(port) };
  const queue = new Queue("bench", { connection });
  queue.on("error", () => {});
  await queue.waitUntilReady();
  const workers = [];
  let flows;
  const startWorker = async (name, handler, options) => {
    const worker = new Worker(name, handler, { connection: { ...connection, maxRetriesPerRequest: null }, ...options });
    worker.on("error", () => {});
    workers.push(worker);
    await worker.waitUntilReady();
  };
  const gone = { removeOnComplete: { count: 0 } };
  return {
    add: (data = PAYLOAD, options = undefined) => queue.add(JOB_NAME, data, options),
    addMany: (items) => queue.addBulk(items),
    retryOptions: { attempts: 3 },
    work: (handler, concurrency, { isKept = false } = {}) =>
      startWorker("bench", (job) => handler(job.data), {
        concurrency,
        removeOnComplete: { count: isKept ? 1000 : 0 },
      }),
    workKeepingAll: (handler) => startWorker("bench", (job) => handler(job.data), { concurrency: 100 }),
    flow: async (children, onParent) => {
      flows = new FlowProducer({ connection });
      await startWorker("bench", async () => 1, { concurrency: 100, ...gone });
      await startWorker("bench-parents", async () => onParent(), { concurrency: 100, ...gone });
      const list = Array.from({ length: children }, () => ({ name: JOB_NAME, queueName: "bench", data: PAYLOAD }));
      return () => flows.add({ name: JOB_NAME, queueName: "bench-parents", data: PAYLOAD, children: list });
    },
    stopWorkers: async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.close()));
    },
    list: () => queue.getJobs(["waiting"], 0, 999),
    drain: () => queue.drain(),
    cleanWaiting: () => queue.clean(0, 1_000_000, "wait"),
    obliterate: () => queue.obliterate({ force: true }),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close(true)));
      await flows?.close();
      await queue.close();
    },
  };
}
