/**
 * The calls of EchoMQ, as its built package offers them; `driver.mjs` says what each is.
 *
 * `ECHOMQ_BENCH_NATIVE` says how the native half of the server is treated. Without a URL the queue is embedded.
 */

import { createMinter, FlowProducer, Queue, Worker } from "../../dist/index.js";
import { JOB_NAME, PAYLOAD } from "../rows.mjs";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

export async function open(url) {
  const connection = url === "" ? "memory:" : { url, native: process.env.ECHOMQ_BENCH_NATIVE ?? "auto" };
  const queue = new Queue("bench", { connection, logger: QUIET });
  await queue.waitUntilReady();
  const workers = [];
  const startWorker = async (name, handler, options) => {
    const worker = new Worker(name, handler, { connection, logger: QUIET, ...options });
    worker.on("error", () => {});
    workers.push(worker);
    await worker.waitUntilReady();
  };
  let flows;
  return {
    add: (data = PAYLOAD, options = undefined) => queue.add(JOB_NAME, data, options),
    addMany: (items) => queue.addBulk(items),
    retryOptions: { attempts: 3, backoff: 0 },
    work: (handler, concurrency, { isKept = false } = {}) =>
      startWorker("bench", (job) => handler(job.data), {
        concurrency,
        removeOnComplete: isKept ? { count: 1000 } : true,
      }),
    workKeepingAll: (handler) =>
      startWorker("bench", (job) => handler(job.data), { concurrency: 100, removeOnComplete: false }),
    flow: async (children, onParent) => {
      flows = new FlowProducer({ connection });
      await startWorker("bench", async () => 1, { concurrency: 100 });
      await startWorker("bench-parents", async () => onParent(), { concurrency: 100 });
      const list = Array.from({ length: children }, () => ({ name: JOB_NAME, queueName: "bench", data: PAYLOAD }));
      return () => flows.add({ name: JOB_NAME, queueName: "bench-parents", data: PAYLOAD, children: list });
    },
    noName: "default",
    acts: actsOf(queue.jobs),
    weigh: (lane, weight) => queue.lane(lane).weight(weight),
    stopWorkers: async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.close()));
    },
    list: () => queue.getJobs("pending", 0, 999),
    drain: () => queue.drain(),
    cleanWaiting: () => queue.clean({ state: "pending" }),
    obliterate: () => queue.obliterate({ force: true }),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close({ timeout: 1000 })));
      await flows?.close();
      await queue.close();
    },
  };
}

/** Single acts on the queue, one verb each. */
function actsOf(jobs) {
  const mint = createMinter({ node: 1023, clock: Date.now });
  const payload = JSON.stringify(PAYLOAD);
  return {
    enqueue: () => jobs.enqueue("bench", mint("JOB"), payload),
    admit: (count) =>
      jobs.admit(
        "bench",
        Array.from({ length: count }, () => ({ id: mint("JOB"), payload, name: JOB_NAME })),
      ),
    turn: async (held, { want, leaseMs }) => {
      const settlements = held.map(({ id, token }) => ({ op: "c", id, token }));
      return (await jobs.turn("bench", { worker: "bench", leaseMs, want, settlements })).jobs;
    },
  };
}
