/** A worker says that it asks, no more often than once a beat and without a call of its own. */

import { describe, expect, test } from "vitest";
import { explainJob } from "../../../src/queue/explain.ts";
import { readWorkers } from "../../../src/queue/roster.ts";
import { QueueKeys } from "../../../src/queue/verb-call.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

function setup() {
  const world = new WorkerWorld();
  const source = { engine: world.engine.store, keys: new QueueKeys(QUEUE) };
  return {
    world,
    workers: () => readWorkers(source),
    explain: (id: string) => explainJob(source, id),
    /** TURNs so far that told who asks, by the concurrency that they told. */
    told: () => world.engine.sent("TURN").flatMap(({ args }) => (args[3] === "w" ? [Number(args[6])] : [])),
  };
}

describe("the presence of a worker", () => {
  test("is told with the turn of every second beat, by no act of its own", async () => {
    const { world, told, workers } = setup();
    const worker = world.worker(async () => {}, { concurrency: 3 });
    await world.advance(10_500);
    const turns = world.engine.sent("TURN");
    expect(told()).toEqual(turns.map(() => 3));
    expect(turns.length).toBeGreaterThanOrEqual(5);
    expect(turns.length).toBeLessThanOrEqual(7);
    expect(await workers()).toEqual([
      { id: worker.id, askedAt: turns.at(-1)?.at, beatMs: 1000, concurrency: 3, names: undefined, isPaused: false },
    ]);
    await world.closeAll();
  });

  test("costs a busy queue one telling a beat, however many turns there are", async () => {
    const { world, told } = setup();
    world.engine.latencyMs = 1;
    world.worker(() => {}, { concurrency: 10 });
    for (let second = 0; second < 5; second++) {
      await world.addMany(1000);
      await world.advance(1000);
    }
    expect(world.engine.sent("TURN").length).toBeGreaterThan(50);
    expect(told().length).toBeLessThanOrEqual(6);
    await world.closeAll();
  });

  test("is told every five beats while all slots are taken", async () => {
    const { world, told, workers } = setup();
    await world.add();
    world.worker(() => world.pause(60_000));
    await world.advance(30_500);
    expect(told().length).toBeGreaterThanOrEqual(5);
    expect(told().length).toBeLessThanOrEqual(8);
    expect(await workers()).toHaveLength(1);
    await world.closeAll();
  });

  test("ends with a pause and with the close, and begins again with the resume", async () => {
    const { world, workers } = setup();
    const worker = world.worker(async () => {});
    await world.advance(100);
    expect(await workers()).toHaveLength(1);
    await worker.pause();
    await world.advance(100);
    expect(await workers()).toEqual([]);
    worker.resume();
    await world.advance(100);
    expect(await workers()).toHaveLength(1);
    await world.closeAll();
    expect(await workers()).toEqual([]);
    expect(await world.engine.store.command(["EXISTS", `emq:{${QUEUE}}:workers`])).toBe(0);
  });

  test("is told again when the turn that told it failed", async () => {
    const { world, workers } = setup();
    world.worker(async () => {});
    world.engine.goDown();
    await world.advance(5000);
    expect(await workers()).toEqual([]);
    world.engine.comeBack();
    await world.advance(1500);
    expect(await workers()).toHaveLength(1);
    await world.closeAll();
  });
});

describe("explain, with workers", () => {
  test("says that nobody was ever heard of, then for how long nobody asked", async () => {
    const { world, explain } = setup();
    const [id = ""] = await world.add({ dueInMs: 3_600_000 });
    expect((await explain(id)).reasons).toContainEqual({ kind: "no-worker", silentMs: undefined });
    world.worker(async () => {});
    await world.advance(5500);
    expect((await explain(id)).reasons.map(({ kind }) => kind)).toEqual(["delayed"]);
    // Its machine loses power.
    world.engine.goDown();
    await world.advance(60_000);
    const told = await explain(id);
    const silent = told.reasons.find((reason) => reason.kind === "no-worker");
    expect(silent?.silentMs).toBeGreaterThanOrEqual(60_000);
    expect(silent?.silentMs).toBeLessThan(62_000);
    expect(told.text).toMatch(/No worker has asked for work of this queue for 6[01] s\./);
    world.engine.comeBack();
    await world.closeAll();
  });

  test("says who holds an active job and for how long, and what waits behind busy workers", async () => {
    const { world, explain } = setup();
    const [held = "", next = "", last = ""] = await world.addMany(3);
    const worker = world.worker(() => world.pause(60_000), { lookAhead: 0 });
    await world.advance(2000);
    expect((await explain(held)).reasons).toEqual([
      { kind: "active", worker: worker.id, token: 1, leaseLeftMs: 28_000, isCancelled: false },
    ]);
    expect((await explain(next)).reasons).toEqual([{ kind: "busy", active: 1, concurrency: 1 }]);
    expect((await explain(last)).reasons).toEqual([
      { kind: "busy", active: 1, concurrency: 1 },
      { kind: "behind", jobs: 1, lane: undefined },
    ]);
    await world.closeAll();
  });

  test("says that the lease ran out, and that nobody is there to take it back", async () => {
    const { world, explain } = setup();
    const [id = ""] = await world.add();
    const worker = world.worker(() => world.pause(600_000));
    await world.advance(100);
    world.engine.goDown();
    await world.advance(45_000);
    const { reasons, text } = await explain(id);
    expect(reasons.map(({ kind }) => kind)).toEqual(["active", "no-worker"]);
    expect(text).toContain(`worker "${worker.id}" has it under token 1, but the lease ran out 15`);
    world.engine.comeBack();
    await world.closeAll();
  });
});
