/**
 * What the browser runs: a program as a user writes it, bundled from the built package. Each check answers plain data,
 * which the test outside compares.
 */

import { FlowProducer, type JobEvent, Queue, QueueEvents, scheduleSlots, Worker } from "echomq";
import { createTestWorld } from "echomq/testing";

/** Resolves with the argument of the next call of what it gives. */
function nextCall<Value>(): { readonly value: Promise<Value>; readonly call: (value: Value) => void } {
  let call: (value: Value) => void = () => {};
  const value = new Promise<Value>((resolve) => {
    call = resolve;
  });
  return { value, call };
}

async function addAndWork(): Promise<unknown> {
  const connection = "memory:work";
  const queue = new Queue<{ sum: { a: number; b: number } }>("work", { connection });
  const worker = new Worker<{ sum: { a: number; b: number } }, number>("work", ({ data }) => data.a + data.b, {
    connection,
    concurrency: 10,
  });
  const sums = await Promise.all(Array.from({ length: 100 }, (_, a) => queue.addAndWait<number>("sum", { a, b: 1 })));
  const { isClean } = await queue.doctor();
  const counts = await queue.getJobCounts("pending", "active", "completed");
  await worker.close();
  await queue.close();
  return { sum: sums.reduce((all, one) => all + one, 0), counts, isClean };
}

async function retry(): Promise<unknown> {
  const connection = "memory:retry";
  const queue = new Queue("retry", { connection });
  const attempts: number[] = [];
  const worker = new Worker(
    "retry",
    (job) => {
      attempts.push(job.attempt);
      if (job.attempt < 3) throw new Error("not yet");
      return "at last";
    },
    { connection, attempts: 5, backoff: { type: "fixed", delay: 20 } },
  );
  const result = await queue.addAndWait("x", { text: "Grüße, 世界 🦊" });
  await worker.close();
  await queue.close();
  return { attempts, result };
}

async function delay(): Promise<unknown> {
  const connection = "memory:delay";
  const queue = new Queue("delay", { connection });
  const order: string[] = [];
  const worker = new Worker("delay", (job) => void order.push(job.name), { connection });
  const added = await queue.add("late", {}, { delay: 60, keepResult: "1m" });
  const state = await added.getState();
  await queue.addAndWait("soon", {});
  await added.result();
  await worker.close();
  await queue.close();
  return { state, order };
}

async function flow(): Promise<unknown> {
  const connection = "memory:flow";
  const flows = new FlowProducer({ connection });
  const reports = new Worker(
    "reports",
    async (_, { children }) => (await children.results()).map(({ result }) => result),
    { connection },
  );
  const pages = new Worker<{ page: { rows: number } }>("pages", ({ data }) => data.rows, { connection });
  const { job } = await flows.add({
    queueName: "reports",
    name: "report",
    data: {},
    opts: { keepResult: "1m" },
    children: [1, 2, 3].map((rows) => ({ queueName: "pages", name: "page", data: { rows } })),
  });
  const rows = await job.result<number[]>();
  await reports.close();
  await pages.close();
  await flows.close();
  return [...rows].sort();
}

async function repeats(): Promise<unknown> {
  const connection = "memory:repeats";
  const queue = new Queue("repeats", { connection });
  const third = nextCall<void>();
  const slots: boolean[] = [];
  const worker = new Worker(
    "repeats",
    (job) => {
      slots.push(job.slotAt instanceof Date);
      if (slots.length === 3) third.call();
    },
    { connection },
  );
  await queue.upsertJobScheduler("tick", { every: 100 }, { name: "tick" });
  await third.value;
  await queue.removeJobScheduler("tick");
  await worker.close();
  await queue.close();
  const summer = scheduleSlots(
    { pattern: "30 9 * * *", tz: "Europe/Berlin" },
    { from: Date.UTC(2026, 6, 1), count: 1 },
  );
  return { areSlots: slots.slice(0, 3), summer: summer.map((slot) => slot.toISOString()) };
}

async function events(): Promise<unknown> {
  const connection = "memory:events";
  const told: string[] = [];
  const reader = new QueueEvents("events", { connection });
  const end = nextCall<JobEvent>();
  reader.on("any", ({ event }) => told.push(event));
  reader.on("completed", (event) => end.call(event));
  await reader.waitUntilReady();
  const queue = new Queue("events", { connection });
  const worker = new Worker("events", () => {}, { connection });
  const { id } = await queue.add("x", {});
  const completed = await end.value;
  await worker.close();
  await reader.close();
  await queue.close();
  return { told: told.filter((event) => event !== "drained"), isSame: completed.id === id };
}

/** The testing kit runs there as well. */
async function virtualTime(): Promise<unknown> {
  const world = createTestWorld();
  const queue = world.queue("later");
  world.worker("later", () => {});
  await queue.add("x", {}, { delay: "1d" });
  await world.clock.advance("1d");
  const report = await world.drain();
  await world.close();
  return report;
}

/** What a browser cannot do is refused by a sentence. */
function folder(): unknown {
  try {
    void new Queue("folder", { connection: "file:jobs" }).close();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "opened";
}

async function server(): Promise<unknown> {
  const queue = new Queue("server", { connection: "valkey://127.0.0.1:6379" });
  const refusal = await queue.add("x", {}).catch((error: unknown) => error as { code: string; message: string });
  await queue.close().catch(() => {});
  return { code: "code" in refusal && refusal.code, message: "message" in refusal && refusal.message };
}

const CHECKS = { addAndWork, retry, delay, flow, repeats, events, virtualTime, folder, server };

/** Called by the test. */
Object.assign(globalThis, { check: (name: keyof typeof CHECKS) => CHECKS[name]() });
