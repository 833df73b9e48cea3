/**
 * Closing and pausing on real servers: by its deadline, whatever the server does meanwhile, and with nothing lost.
 */

import { describe, expect, it, onTestFinished } from "vitest";
import { Worker } from "../../../src/index.ts";
import { CLOSE_FLUSH_MS_MAX } from "../../../src/worker/worker.ts";
import { freePort, startServer } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";
import { pause, until, WorkerSetup } from "./setup-worker.ts";

const server = useServer();

function setup(name: string) {
  return new WorkerSetup(server(), name);
}

/** A server of this test alone, for tests that stop or freeze it. */
async function ownServer() {
  const own = await startServer({ tcp: true, config: { appendonly: "yes", appendfsync: "always" } });
  onTestFinished(() => own.stop());
  return own;
}

/** How long a promise takes, in ms. */
async function timed(promise: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await promise;
  return performance.now() - startedAt;
}

/** What a close may take beyond its deadline by its promise, and ten times that for a machine with much to do. */
const LATE_MS_MAX = 10 * CLOSE_FLUSH_MS_MAX;

describe("a worker that is closed", () => {
  it("finishes a job although its server is away for a while, and runs it once (PB-058)", async () => {
    const own = await ownServer();
    const test = new WorkerSetup(own, "away");
    let runs = 0;
    const worker = test.worker(
      async () => {
        runs++;
        await pause(2000);
      },
      { lease: 30_000 },
    );
    await test.queue.add("step", {});
    await until(() => runs === 1, "the job never started");
    const closed = worker.close({ timeout: 60_000 });
    await pause(1000);
    await own.kill();
    await pause(2000);
    await own.restart();
    await closed;
    await until(async () => {
      const { completed, pending, active } = await test.queue.getJobCounts();
      return completed + pending === 1 && active === 0;
    }, "the job is neither done nor back");
    expect(runs).toBe(1);
    expect(await test.queue.getJobCounts("completed")).toEqual({ completed: 1 });
  }, 120_000);

  it.each(["succeeds", "throws"])(
    "goes on renewing a lease that a handler outlives, which %s and runs once (PB-061)",
    async (how) => {
      const test = setup(`outlives-${how}`);
      let runs = 0;
      const handler = async () => {
        runs++;
        await pause(5000);
        if (how === "throws") throw new Error("late");
      };
      // The lease is long enough for a machine with much to do, and far shorter than the handler.
      const worker = test.worker(handler, { lease: 3000, backoff: 3_600_000 });
      const rival = test.worker(handler, { lease: 3000 });
      await rival.pause();
      await test.queue.add("step", {});
      await until(() => runs === 1, "the job never started");
      rival.resume();
      await pause(500);
      await worker.close();
      const { completed, schedule, active } = await test.queue.getJobCounts();
      expect({ completed, schedule, active }).toEqual(
        how === "succeeds" ? { completed: 1, schedule: 0, active: 0 } : { completed: 0, schedule: 1, active: 0 },
      );
      expect(runs).toBe(1);
    },
    120_000,
  );

  it("right after the last of a hundred handlers has acknowledged all of them (PB-064)", async () => {
    const test = setup("acks");
    let runs = 0;
    let closed: Promise<void> | undefined;
    await test.queue.addBulk(Array.from({ length: 100 }, () => ({ name: "step", data: {} })));
    const worker = test.worker(
      () => {
        runs++;
        if (runs === 100) closed = worker.close();
      },
      { concurrency: 10 },
    );
    await until(() => closed !== undefined, "not all handlers ran");
    await closed;
    expect(await test.queue.getJobCounts("completed", "active", "pending")).toEqual({
      completed: 100,
      active: 0,
      pending: 0,
    });
    test.worker(() => void runs++);
    await pause(300);
    expect(runs).toBe(100);
  });

  it("gives back exactly once what it held, and spends no attempt", async () => {
    const test = setup("back");
    let runs = 0;
    const worker = test.worker(
      async () => {
        runs++;
        await new Promise(() => {});
      },
      { concurrency: 5 },
    );
    const added = await test.queue.addBulk(Array.from({ length: 8 }, () => ({ name: "step", data: {} })));
    await until(() => runs === 5, "not all slots are taken");
    const tookMs = await timed(worker.close({ timeout: 100 }));
    expect(tookMs).toBeLessThan(100 + LATE_MS_MAX);
    expect(await test.queue.getJobCounts("pending", "active", "failed")).toEqual({ pending: 8, active: 0, failed: 0 });
    const jobs = await Promise.all(added.map(({ id }) => test.queue.getJob(id)));
    expect(jobs.filter((job) => job?.interruptions === 1 && job.failures === 0)).toHaveLength(5);
  });

  it("while a handler defers its job lets go of it, once", async () => {
    const test = setup("defers");
    const { DelayedError } = await import("../../../src/worker/control-error.ts");
    let runs = 0;
    const worker = test.worker(async (_job, { signal }) => {
      runs++;
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      throw new DelayedError(60_000);
    });
    await test.queue.add("step", {});
    await until(() => runs === 1, "the job never started");
    await timed(worker.close({ timeout: 50 }));
    const { pending, schedule, active } = await test.queue.getJobCounts();
    expect(pending + schedule).toBe(1);
    expect(active).toBe(0);
  });

  it("while it starts, or twice, ends all the same, and its neighbour in the process works on", async () => {
    const test = setup("twice");
    const seen: unknown[] = [];
    const early = test.worker(() => {});
    const [first, second] = [early.close(), early.close()];
    const neighbour = test.worker((job) => void seen.push(job.data));
    await Promise.all([first, second]);
    await test.queue.add("step", 1);
    await until(() => seen.length === 1, "the neighbour does not work");
    expect(neighbour.isRunning()).toBe(true);
  });
});

describe("a worker whose server does not answer", () => {
  it("ends by its deadline where there never was a server", async () => {
    const port = await freePort();
    const worker = new Worker("q", () => {}, { connection: `valkey://127.0.0.1:${port}` });
    worker.on("error", () => {});
    await pause(200);
    expect(await timed(worker.close({ timeout: 100 }))).toBeLessThan(100 + LATE_MS_MAX);
  });

  it.each(["idle", "busy"])(
    "ends by its deadline where the server froze, %s",
    async (how) => {
      const own = await ownServer();
      const test = new WorkerSetup(own, "frozen");
      let runs = 0;
      const worker = test.worker(async () => {
        runs++;
        await new Promise(() => {});
      });
      if (how === "busy") {
        await test.queue.add("step", {});
        await until(() => runs === 1, "the job never started");
      } else await worker.waitUntilReady();
      own.freeze();
      onTestFinished(() => void process.kill(own.pid, "SIGCONT"));
      expect(await timed(worker.close({ timeout: 200 }))).toBeLessThan(200 + LATE_MS_MAX);
      process.kill(own.pid, "SIGCONT");
    },
    120_000,
  );

  it("ends by its deadline where the server was killed under its hands", async () => {
    const own = await ownServer();
    const test = new WorkerSetup(own, "killed");
    let runs = 0;
    const worker = test.worker(
      async () => {
        runs++;
        await new Promise(() => {});
      },
      { concurrency: 3 },
    );
    worker.on("error", () => {});
    await test.queue.addBulk([1, 2, 3].map((data) => ({ name: "step", data })));
    await until(() => runs === 3, "the jobs never started");
    await own.kill();
    expect(await timed(worker.close({ timeout: 200 }))).toBeLessThan(200 + LATE_MS_MAX);
    await own.restart();
  }, 120_000);
});

describe("five workers on empty queues", () => {
  it("pause one after the other, none waiting for its blocking read (PB-065)", async () => {
    const tests = [1, 2, 3, 4, 5].map((at) => setup(`empty-${at}`));
    const workers = tests.map((test) => test.worker(() => {}, { beat: 60_000 }));
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    await pause(100);
    const tookMs: number[] = [];
    for (const worker of workers) tookMs.push(await timed(worker.pause()));
    console.log(`pauses took ${tookMs.map((ms) => ms.toFixed(1)).join(", ")} ms`);
    // A pause that waited for the blocking read would take the beat of a minute.
    expect(Math.max(...tookMs)).toBeLessThan(20_000);
    expect(workers.every((worker) => worker.isPaused())).toBe(true);
  });
});
