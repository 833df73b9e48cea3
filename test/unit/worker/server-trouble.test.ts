/** The times that cases of outages name, each on virtual time; `test/fault/` has the same on real servers. */

import { describe, expect, test } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { RecordingLogger } from "../../../src/testing/test-ports.ts";
import { broken } from "./remote-engine.ts";
import { WorkerWorld } from "./worker-world.ts";

/** A world that writes down when each job ran, by its data. */
function setup() {
  const world = new WorkerWorld();
  const ranAt = new Map<unknown, number>();
  const run = (job: { readonly data: unknown }): void => void ranAt.set(job.data, world.elapsedMs);
  return { world, ranAt, run };
}

describe("a server in trouble", () => {
  test("that freezes for 15 s and goes down five times for 2 s finishes 60 of 60 jobs (PB-005)", async () => {
    const { world, ranAt, run } = setup();
    world.worker(run, { concurrency: 5 });
    await world.advance(100);
    // Frozen: what is sent gets no answer in the time of a call.
    world.engine.faultOf = () => ({ error: new EchoMQError("timeout", "no answer"), when: "before" });
    await world.advance(15_000);
    world.engine.faultOf = () => undefined;
    for (let times = 0; times <= 5; times++) {
      if (times > 0) {
        world.engine.goDown();
        await world.advance(2000);
        world.engine.comeBack();
      }
      await world.add(...Array.from({ length: 10 }, (_, at) => ({ data: `${times}.${at}` })));
      await world.advance(2000);
    }
    expect(ranAt.size).toBe(60);
    expect(await world.counts()).toMatchObject({ completed: 60, active: 0, pending: 0 });
    await world.closeAll();
  });

  test("that is paused for 10 s has 20 of 20 jobs done within 5 s of the end (PB-007)", async () => {
    const { world, run } = setup();
    world.worker(run);
    await world.advance(100);
    world.engine.faultOf = () => ({ error: new EchoMQError("timeout", "no answer"), when: "before" });
    await world.addMany(20);
    await world.advance(10_000);
    expect(await world.counts()).toMatchObject({ completed: 0 });
    world.engine.faultOf = () => undefined;
    await world.advance(5000);
    expect(await world.counts()).toMatchObject({ completed: 20, active: 0 });
    await world.closeAll();
  });

  test("that refuses writes for 10 s loses none of the five active jobs, and they are done afterwards (PB-020)", async () => {
    const { world } = setup();
    const told: string[] = [];
    const worker = world.worker(() => world.pause(1000), { concurrency: 5 });
    worker.on("lease-lost", () => told.push("lease-lost"));
    await world.addMany(5);
    await world.advance(500);
    world.engine.faultOf = () => ({ error: new EchoMQError("server_busy", "NOREPLICAS"), when: "before" });
    await world.advance(10_000);
    expect(await world.counts()).toMatchObject({ active: 5, completed: 0 });
    expect(worker.health()).toMatchObject({ isConsuming: false, lastError: { code: "server_busy" } });
    world.engine.faultOf = () => undefined;
    await world.advance(2000);
    expect(await world.counts()).toMatchObject({ active: 0, completed: 5 });
    expect(told).toEqual([]);
    await world.closeAll();
  });

  test("that is busy for 3 s has 10 due jobs done within 1 s of the end (PB-076)", async () => {
    const { world, run } = setup();
    world.worker(run);
    await world.advance(100);
    world.engine.faultOf = (act) =>
      act.verb === "TURN" ? { error: new EchoMQError("server_busy", "BUSY"), when: "before" } : undefined;
    await world.add(...Array.from({ length: 10 }, (_, at) => ({ data: at, dueInMs: 10 })));
    await world.advance(3000);
    expect(await world.counts()).toMatchObject({ completed: 0 });
    world.engine.faultOf = () => undefined;
    await world.advance(1000);
    expect(await world.counts()).toMatchObject({ completed: 10, schedule: 0 });
    await world.closeAll();
  });

  test.each([
    ["gets no second line in the log that engine and worker share", false, 0],
    ["gets a line in a log of the worker's own", true, 1],
  ])("whose loss the engine tells of %s", async (_what, hasOwnLog, lineCount) => {
    const { world, run } = setup();
    const own = new RecordingLogger();
    world.worker(run, hasOwnLog ? { logger: own } : {});
    await world.advance(100);
    const turns = world.engine.sent("TURN").length;
    world.engine.latencyMs = 50;
    world.engine.faultOf = () => ({ error: broken(), when: "before" });
    await world.add();
    await world.settle();
    expect(world.engine.sent("TURN").length).toBe(turns + 1);
    // What is on its way fails when the connection is known to be gone.
    world.engine.goDown();
    await world.advance(5000);
    const log = hasOwnLog ? own : world.ports.logger;
    expect(log.messages("warn")).toHaveLength(lineCount);
    world.engine.faultOf = () => undefined;
    world.engine.comeBack();
    await world.advance(2000);
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
  });

  test("whose reply to a claim is lost gives the jobs again within a beat, without a lease running out", async () => {
    const { world, ranAt, run } = setup();
    await world.addMany(4);
    let isFirst = true;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN" || !isFirst) return undefined;
      isFirst = false;
      // The connection goes with the reply, and is back two seconds later.
      world.engine.goDown();
      return { error: broken(), when: "after" };
    };
    world.worker(run, { concurrency: 4 });
    await world.advance(2000);
    expect(ranAt.size).toBe(0);
    const backAt = world.elapsedMs;
    world.engine.comeBack();
    await world.advance(5000);
    expect(ranAt.size).toBe(4);
    expect(Math.max(...ranAt.values()) - backAt).toBeLessThanOrEqual(1000);
    // The second one finds that there are no more.
    expect(world.engine.sent("OWNED")).toHaveLength(2);
    expect(await world.counts()).toMatchObject({ completed: 4, active: 0, pending: 0 });
    await world.closeAll();
  });

  test("whose reply to a claim is lost gives all of the jobs again, however much they hold", async () => {
    const { world, ranAt, run } = setup();
    for (let job = 0; job < 4; job++) await world.add({ data: String(job).padEnd(400_000, "x") });
    // Two turns are on their way with two of these each, and the act that looks for them hands over two as well.
    let lost = 0;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN" || lost === 2) return undefined;
      lost += 1;
      return { error: broken(), when: "after" };
    };
    world.engine.latencyMs = 5;
    const worker = world.worker(run, { concurrency: 2 });
    await world.advance(1);
    worker.concurrency = 4;
    await world.advance(5000);
    expect([lost, ranAt.size]).toEqual([2, 4]);
    expect(await world.counts()).toMatchObject({ completed: 4, active: 0, pending: 0 });
    await world.closeAll();
  });

  test("whose reply to a failure is lost, with which the same job was claimed again, gives it again", async () => {
    const { world } = setup();
    let isFirst = true;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN" || !act.args.includes("f") || !isFirst) return undefined;
      isFirst = false;
      return { error: broken(), when: "after" };
    };
    const ran: number[] = [];
    world.worker(
      (_job, { token }) => {
        ran.push(token);
        if (token === 1) throw new Error("once");
      },
      { backoff: 0 },
    );
    await world.add();
    await world.advance(5000);
    expect([isFirst, ran]).toEqual([false, [1, 2]]);
    expect(await world.counts()).toMatchObject({ completed: 1, active: 0, pending: 0 });
    await world.closeAll();
  });
});

describe("a worker that hears of nothing", () => {
  test("for 5 s runs what is added meanwhile at most a second late, and what comes after at once (PB-016)", async () => {
    const { world, ranAt, run } = setup();
    world.worker(run);
    await world.advance(100);
    world.engine.losesTokens = true;
    const addedAt = new Map<unknown, number>();
    const addOne = async (data: number): Promise<void> => {
      addedAt.set(data, world.elapsedMs);
      await world.add({ data });
    };
    for (let at = 0; at < 10; at++) {
      await addOne(at);
      await world.advance(500);
    }
    world.engine.losesTokens = false;
    await world.advance(1000);
    for (let at = 10; at < 15; at++) {
      await addOne(at);
      await world.advance(100);
    }
    const lateMs = [...addedAt].map(([data, at]) => Number(ranAt.get(data)) - at);
    expect(ranAt.size).toBe(15);
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(1000);
    expect(Math.max(...lateMs.slice(0, 10))).toBeGreaterThan(100);
    expect(Math.max(...lateMs.slice(10))).toBeLessThanOrEqual(10);
    await world.closeAll();
  });

  test("for 60 s runs all of 100 jobs, each at most one beat late (PB-017)", async () => {
    const { world, ranAt, run } = setup();
    world.worker(run, { concurrency: 2 });
    await world.advance(100);
    world.engine.losesTokens = true;
    const addedAt: number[] = [];
    for (let at = 0; at < 100; at++) {
      addedAt.push(world.elapsedMs);
      await world.add({ data: at });
      await world.advance(600);
    }
    await world.advance(1000);
    expect(ranAt.size).toBe(100);
    const lateMs = addedAt.map((since, data) => Number(ranAt.get(data)) - since);
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(1000);
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });
});
