import { describe, expect, test } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import type { StoredJob } from "../../../src/queue/job.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { QueueEventsCore } from "../../../src/queue/queue-events.ts";
import { POISON_HOOK_MS_MAX } from "../../../src/worker/poison-teller.ts";
import type { WorkerJob } from "../../../src/worker/worker-job.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

function setup() {
  const world = new WorkerWorld();
  const queue = new QueueCore(QUEUE, { engine: world.engine.store, release: async () => {} });

  /** A process that claims what waits and dies with it; its leases lapse. */
  const crash = async (concurrency = 1) => {
    const engine = world.otherEngine();
    const doomed = world.workerOn(engine, () => new Promise(() => {}), { lease: 500, concurrency });
    await world.advance(100);
    engine.setState("closed");
    await world.advance(600);
    await doomed.close({ timeout: 0 });
  };

  /** A process that takes lapsed leases back and runs nothing. */
  const sweep = async (options: WorkerOptions = {}) => {
    const { logger } = world.ports;
    const worker = world.workerOn(world.otherEngine(), () => {}, { logger, ...options });
    void worker.pause();
    await world.advance(2000);
    return worker;
  };

  const crashTimes = async (times: number, options: WorkerOptions = {}) => {
    for (let death = 0; death < times; death++) {
      await crash();
      await (await sweep(options)).close();
    }
  };

  const stored = async (id: string): Promise<StoredJob | undefined> => await queue.getJob(id);
  return { world, queue, crash, sweep, crashTimes, stored };
}

test("a job that dies of crashes where no dead ones are kept is discarded, counted and told of (PB-035)", async () => {
  const { world, queue, crashTimes, stored } = setup();
  const lease = { engine: world.engine.store, release: async () => {} };
  const events = new QueueEventsCore(QUEUE, lease);
  const told: [string, unknown][] = [];
  events.on("stalled", ({ stalled }) => told.push(["stalled", stalled]));
  events.on("dead", ({ id, error }) => told.push([id, error]));
  await events.waitUntilReady();
  const [id = ""] = await world.add({});
  await crashTimes(3, { removeOnFail: true });
  expect(await stored(id)).toBeUndefined();
  expect(await queue.getJobCounts("dead", "failed", "pending")).toEqual({ dead: 0, failed: 1, pending: 0 });
  expect(told).toEqual([
    ["stalled", 1],
    ["stalled", 2],
    ["stalled", 3],
    [id, "stalled"],
  ]);
  expect(await world.violations()).toEqual([]);
  await events.close();
  await world.closeAll();
});

describe("failures, crashes and interruptions", () => {
  test("are counted apart, in the hand of a handler and in the row", async () => {
    const { world, crashTimes, stored } = setup();
    const [id = ""] = await world.add({ opts: { attempts: 5 } });
    await crashTimes(2);
    const seen: number[][] = [];
    const worker = world.worker(
      async (job: WorkerJob) => {
        seen.push([job.failures, job.crashes, job.interruptions, job.attempt, job.token]);
        if (seen.length === 1) throw new Error("once");
        await world.pause(1_000_000);
      },
      { backoff: 10 },
    );
    await world.advance(500);
    expect(seen).toEqual([
      [0, 2, 0, 1, 3],
      [1, 2, 0, 2, 4],
    ]);
    const running = await stored(id);
    expect([running?.failures, running?.crashes, running?.interruptions]).toEqual([1, 2, 0]);
    const closed = worker.close({ timeout: 0 });
    await world.advance(1500);
    await closed;
    const waiting = await stored(id);
    expect([waiting?.failures, waiting?.crashes, waiting?.interruptions]).toEqual([1, 2, 1]);
    expect(waiting?.deathReason).toBeUndefined();
  });

  test("let a job that crashed twice succeed at its first attempt (PB-031)", async () => {
    const { world, crashTimes } = setup();
    await world.add({ opts: { attempts: 3 } });
    await crashTimes(2);
    const seen: number[][] = [];
    const worker = world.worker((job) => void seen.push([job.attempt, job.crashes]));
    let completed = 0;
    worker.on("completed", () => {
      completed += 1;
    });
    await world.advance(1000);
    expect(seen).toEqual([[1, 2]]);
    expect(completed).toBe(1);
    await world.closeAll();
  });

  test("end a job that crashed three times with the reason crashed (PB-031)", async () => {
    const { world, crashTimes, stored } = setup();
    const [id = ""] = await world.add();
    await crashTimes(3);
    expect(await stored(id)).toMatchObject({ state: "dead", deathReason: "crashed", crashes: 3, failures: 0 });
    await world.closeAll();
  });

  test("begin at 0 when a job that died of crashes is retried by hand (PB-032)", async () => {
    const { world, queue, crashTimes, stored } = setup();
    const [id = ""] = await world.add();
    await crashTimes(3);
    expect(await queue.retry(id)).toBe("ok");
    expect(await stored(id)).toMatchObject({ state: "pending", failures: 0, crashes: 0 });
    await crashTimes(2);
    const seen: number[][] = [];
    world.worker((job) => void seen.push([job.attempt, job.crashes]));
    await world.advance(1000);
    expect(seen).toEqual([[1, 2]]);
    await world.closeAll();
  });

  test("end a job that its handler failed with the reason failed, and a cancelled one with cancelled", async () => {
    const { world, sweep, stored } = setup();
    const [failed = ""] = await world.add({ opts: { attempts: 1 } });
    world.worker(() => {
      throw new Error("no");
    });
    await world.advance(100);
    await world.closeAll();
    const [cancelled = ""] = await world.add();
    const engine = world.otherEngine();
    world.workerOn(engine, () => new Promise(() => {}), { lease: 500 });
    await world.advance(50);
    await world.jobs.cancel(QUEUE, cancelled, "not wanted");
    engine.setState("closed");
    await world.advance(600);
    await sweep();
    expect([(await stored(failed))?.deathReason, (await stored(cancelled))?.deathReason]).toEqual([
      "failed",
      "cancelled",
    ]);
    await world.closeAll();
  });
});

describe("the hook onPoison", () => {
  test("gets the data of each job that died of crashes, once, from the worker that ended it", async () => {
    const { world, crash, sweep } = setup();
    await world.add({ data: { to: "ada" }, name: "welcome" }, { data: { to: "bob" } });
    const told: unknown[] = [];
    const onPoison = (job: StoredJob, details: { readonly crashes: number }) =>
      void told.push([job.name, job.data, job.deathReason, details.crashes]);
    for (let death = 0; death < 3; death++) {
      await crash(2);
      void world.workerOn(world.otherEngine(), () => {}, { onPoison }).pause();
      await sweep({ onPoison });
      await world.closeAll();
    }
    expect(told).toHaveLength(2);
    expect(told).toContainEqual(["welcome", { to: "ada" }, "crashed", 3]);
    expect(told).toContainEqual(["default", { to: "bob" }, "crashed", 3]);
  });

  test("is not called for a cancelled job, nor for one that its handler failed", async () => {
    const { world, sweep } = setup();
    const [id = ""] = await world.add();
    const engine = world.otherEngine();
    world.workerOn(engine, () => new Promise(() => {}), { lease: 500 });
    await world.advance(50);
    await world.jobs.cancel(QUEUE, id, "not wanted");
    engine.setState("closed");
    await world.advance(600);
    let told = 0;
    await sweep({ onPoison: () => void told++ });
    expect(told).toBe(0);
    expect(await world.counts()).toMatchObject({ dead: 1 });
    await world.closeAll();
  });

  test("that throws, rejects or never ends is logged, and the worker goes on", async () => {
    const { world, crash, sweep } = setup();
    await world.addMany(3);
    const told: unknown[] = [];
    const onPoison = (job: StoredJob) => {
      told.push(job.data);
      if (told.length === 1) throw new Error("thrown");
      if (told.length === 2) return Promise.reject(new Error("rejected"));
      return new Promise(() => {});
    };
    await crash(3);
    const worker = await sweep({ onPoison, crashLimit: 1 });
    worker.resume();
    await world.add({ data: "after" });
    await world.advance(100);
    expect(told).toHaveLength(3);
    expect(await world.counts()).toMatchObject({ dead: 3, completed: 1 });
    expect(world.ports.logger.messages("error")).toHaveLength(2);
    await world.advance(POISON_HOOK_MS_MAX);
    expect(world.ports.logger.messages("warn").join()).toContain("has not ended");
    await world.closeAll();
    expect(world.ports.clock.timerCount).toBe(0);
  });

  test("that never ends does not hold up a close, which says whom it was not told of", async () => {
    const { world, crash, sweep } = setup();
    await world.addMany(4);
    await crash(4);
    const worker = await sweep({ onPoison: () => new Promise(() => {}), crashLimit: 1 });
    const closed = worker.close({ timeout: 0 });
    await world.advance(1000);
    await closed;
    expect(world.ports.logger.messages("warn").join()).toContain("told of 3 dead jobs");
  });

  test("must be a function", () => {
    const { world } = setup();
    expect(() => world.worker(() => {}, { onPoison: "tell" as never })).toThrow("onPoison must be a function");
  });
});

describe("a closed worker", () => {
  test("leaves no timer behind while its hook onPoison hangs", async () => {
    const { world, crash, sweep } = setup();
    await world.add();
    await crash();
    let told = 0;
    const hang = () => {
      told++;
      return new Promise(() => {});
    };
    const worker = await sweep({ onPoison: hang, crashLimit: 1 });
    expect(told).toBe(1);
    const closed = worker.close({ timeout: 0 });
    await world.advance(2000);
    await closed;
    expect(world.ports.clock.timerCount).toBe(0);
    expect(world.ports.logger.messages("error")).toEqual([]);
  });

  test("reads no dead job any more when the answer of its last sweep comes too late", async () => {
    const { world, crash } = setup();
    await world.add();
    await crash();
    const engine = world.otherEngine();
    engine.latencyMs = 2500;
    let told = 0;
    const { logger } = world.ports;
    const worker = world.workerOn(engine, () => {}, { onPoison: () => void told++, crashLimit: 1, logger });
    await worker.pause();
    while (engine.sent("SWEEP").length === 0) await world.advance(100);
    const closed = worker.close({ timeout: 0 });
    await world.advance(1500);
    await closed;
    let reads = 0;
    engine.command = async () => {
      reads++;
      return null;
    };
    await world.advance(20_000);
    expect([told, reads]).toEqual([0, 0]);
    expect(logger.messages("warn").at(-1)).toContain("closed before the hook onPoison was told of 1 dead jobs");
  });
});

describe("a worker that the server serves no more", () => {
  test("leaves no timer behind for a handler whose job it had claimed again", async () => {
    const { world } = setup();
    await world.add({ opts: { timeout: 3_600_000 } });
    world.engine.faultOf = ({ verb }) => (verb === "EXTENDM" ? "never" : undefined);
    const worker = world.worker(() => new Promise(() => {}), { lease: 1000, concurrency: 2 });
    worker.on("error", () => {});
    while (world.engine.sent("EXTENDM").length === 0 || worker.health().running < 2) await world.advance(100);
    world.engine.refuse(new EchoMQError("permission", "the password was changed"));
    world.engine.goDown();
    // The lines about lost leases are summed up after ten seconds.
    await world.advance(20_000);
    expect(worker.health().state).toBe("failed");
    expect(world.ports.clock.timerCount).toBe(0);
  });
});
