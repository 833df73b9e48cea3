/**
 * One run of EchoMQ, as its built package offers it; see workload.mjs. Without a URL the queue is embedded.
 * `ECHOMQ_BENCH_NATIVE` in the environment says how the server's native half is treated; `auto` without it.
 */

import { Queue, Worker } from "../dist/index.js";
import { JOB_NAME, PAYLOAD } from "./rows.mjs";
import { runWorkload } from "./workload.mjs";

await runWorkload(async (url) => {
  const native = process.env.ECHOMQ_BENCH_NATIVE ?? "auto";
  const connection = url === "" ? "memory:" : { url, native };
  const queue = new Queue("bench", { connection });
  await queue.waitUntilReady();
  let worker;
  return {
    add: () => queue.add(JOB_NAME, PAYLOAD),
    addMany: (count) => queue.addBulk(Array.from({ length: count }, () => ({ name: JOB_NAME, data: PAYLOAD }))),
    work: async (handler, concurrency) => {
      worker = new Worker("bench", handler, { connection, concurrency });
    },
    close: async () => {
      await worker?.close();
      await queue.close();
    },
  };
});
