/** EchoMQ, as its built package offers it, as a driver of the workloads; see workload.mjs. */

import { Queue, Worker } from "../dist/index.js";
import { JOB_NAME, PAYLOAD } from "./rows.mjs";

/** Opens a queue on a connection. `count` answers how many jobs it has. */
export async function openEchomq(connection) {
  const queue = new Queue("bench", { connection });
  await queue.waitUntilReady();
  let worker;
  return {
    add: () => queue.add(JOB_NAME, PAYLOAD),
    addMany: (count) => queue.addBulk(Array.from({ length: count }, () => ({ name: JOB_NAME, data: PAYLOAD }))),
    count: () => queue.count(),
    work: async (handler, concurrency) => {
      worker = new Worker("bench", handler, { connection, concurrency });
      await worker.waitUntilReady();
    },
    close: async () => {
      await worker?.close();
      await queue.close();
    },
  };
}
