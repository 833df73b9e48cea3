/**
 * One run of BullMQ; see workload.mjs.
 *
 * Its settings are those that its own documentation names for throughput: completed jobs are removed, producer and
 * worker have connections of their own, concurrency as asked.
 */

import { Queue, Worker } from "bullmq";
import { JOB_NAME, PAYLOAD } from "./rows.mjs";
import { runWorkload } from "./workload.mjs";

await runWorkload(async (url) => {
  const { hostname, port } = new URL(url);
  const connection = { host: hostname, port: Number(port) };
  const options = { removeOnComplete: true };
  const queue = new Queue("bench", { connection, defaultJobOptions: options });
  await queue.waitUntilReady();
  let worker;
  return {
    add: () => queue.add(JOB_NAME, PAYLOAD),
    addMany: (count) => queue.addBulk(Array.from({ length: count }, () => ({ name: JOB_NAME, data: PAYLOAD }))),
    work: async (handler, concurrency) => {
      worker = new Worker("bench", handler, { connection: { ...connection, maxRetriesPerRequest: null }, concurrency });
    },
    close: async () => {
      await worker?.close();
      await queue.close();
    },
  };
});
