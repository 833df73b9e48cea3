/** A worker that rests beside a producer of its queue asks behind its adds: what that saves, and what it may cost. */

import { describe, expect, test } from "vitest";
import { QueueCore } from "../../../src/queue/queue.ts";
import type { WorkerCore } from "../../../src/worker/worker.ts";
import { broken, type RemoteEngine } from "./remote-engine.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

const ONE_WAY_MS = 50;

/** A queue and a worker of one process, at rest, far from their server. */
async function setup(handlerMs = 0) {
  const world = new WorkerWorld();
  const startedAt: number[] = [];
  const run = (): Promise<void> | undefined => {
    startedAt.push(world.elapsedMs);
    return handlerMs === 0 ? undefined : world.pause(handlerMs);
  };
  const queue = new QueueCore(QUEUE, { engine: world.engine, release: () => Promise.resolve() }, { node: 1 });
  const worker = world.worker(run, { concurrency: 2 });
  await world.advance(1100);
  world.engine.latencyMs = ONE_WAY_MS;
  /** Turns of an engine since the last call. */
  const turnsOf = (engine: RemoteEngine) => {
    let seen = engine.sent("TURN").length;
    return () => {
      const count = engine.sent("TURN").length - seen;
      seen += count;
      return count;
    };
  };
  return { world, queue, worker, run, startedAt, turns: turnsOf(world.engine), turnsOf };
}

/** Lets so much time pass that everything of an add is over, and no beat comes. */
const QUIET_MS = 450;

describe("a worker that rests beside a producer", () => {
  test("starts a job one round trip after its add, and settles it by the act that answers the token", async () => {
    const { world, queue, startedAt, turns } = await setup();
    const addedAt = world.elapsedMs;
    void queue.add("a", {});
    await world.advance(2 * ONE_WAY_MS);
    expect(startedAt).toEqual([addedAt + 2 * ONE_WAY_MS]);
    await world.advance(QUIET_MS);
    expect(turns()).toBe(2);
    expect(await world.counts()).toMatchObject({ pending: 0, active: 0 });
    await world.closeAll();
  });

  test("answers the token while a long handler runs, so that others hear of what is left", async () => {
    const { world, queue, startedAt, turns } = await setup(10_000);
    const addedAt = world.elapsedMs;
    void queue.add("a", {});
    await world.advance(QUIET_MS);
    expect(startedAt).toEqual([addedAt + 2 * ONE_WAY_MS]);
    expect(turns()).toBe(2);
    await world.closeAll();
  });

  test("asks behind the first act of a bulk only", async () => {
    const { world, queue, startedAt } = await setup();
    const before = world.engine.acts.length;
    const bulk = queue.addBulk(Array.from({ length: 250 }, () => ({ name: "a", data: {} })));
    await world.settle();
    expect(world.engine.acts.slice(before).map(({ verb }) => verb)).toEqual(["ADMIT", "TURN", "ADMIT", "ADMIT"]);
    await world.advance(20_000);
    await bulk;
    expect(startedAt).toHaveLength(250);
    await world.closeAll();
  });

  test.each<[string, (worker: WorkerCore, world: WorkerWorld) => Promise<unknown> | undefined]>([
    ["is paused", (worker) => worker.pause()],
    ["is closed", async (worker, world) => await Promise.all([worker.close(), world.advance(5000)])],
    ["has a job in hand", async (_, world) => await Promise.all([world.add(), world.advance(200)])],
  ])("asks behind nothing while it %s", async (_name, prepare) => {
    const { world, queue, worker } = await setup(10_000);
    await prepare(worker, world);
    await world.advance(200);
    const before = world.engine.acts.length;
    void queue.add("a", {});
    await world.settle();
    expect(world.engine.acts.slice(before).map(({ verb }) => verb)).toEqual(["ADMIT"]);
    await world.closeAll();
  });

  test("asks behind no job that is put off", async () => {
    const { world, queue } = await setup();
    const before = world.engine.acts.length;
    void queue.add("a", {}, { delay: 60_000 });
    await world.settle();
    expect(world.engine.acts.slice(before).map(({ verb }) => verb)).toEqual(["ADMIT"]);
    await world.closeAll();
  });

  test("leaves it at one try when the token went to a worker elsewhere, until one comes here again", async () => {
    const { world, queue, startedAt, run, turns, turnsOf } = await setup();
    const elsewhere = world.otherEngine();
    // The worker here waits again after this one, so that the next token is not its own.
    world.workerOn(elsewhere, run);
    elsewhere.latencyMs = ONE_WAY_MS;
    await world.advance(200);
    void queue.add("a", {});
    await world.advance(QUIET_MS);
    const theirs = turnsOf(elsewhere);
    turns();

    const addOne = async () => {
      void queue.add("a", {});
      await world.advance(QUIET_MS);
      return [turns(), theirs()];
    };
    // Behind the add, and the settlement; the other one took the token for nothing.
    expect(await addOne()).toEqual([2, 1]);
    // The token is here, and so is the only turn that claims.
    expect((await addOne()).reduce((sum, count) => sum + count)).toBe(2);
    expect(startedAt).toHaveLength(3);
    await world.closeAll();
  });

  test("answers the token when the turn behind the add is refused or lost", async () => {
    const { world, queue, startedAt } = await setup();
    let faults = 1;
    world.engine.faultOf = ({ verb }) => {
      if (verb !== "TURN" || faults === 0) return undefined;
      faults -= 1;
      return { error: broken(), when: "after" };
    };
    void queue.add("a", {});
    await world.advance(5000);
    expect(startedAt).toHaveLength(1);
    expect(await world.counts()).toMatchObject({ pending: 0, active: 0 });
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("answers the token at once when another turn has left meanwhile, whatever becomes of that one", async () => {
    const { world, queue, worker, turns } = await setup(10_000);
    void queue.add("a", {});
    await world.settle();
    world.engine.faultOf = ({ verb }) => (verb === "TURN" ? "never" : undefined);
    worker.concurrency = 4;
    await world.settle();
    world.engine.faultOf = () => undefined;
    expect(turns()).toBe(2);
    await world.advance(QUIET_MS);
    expect(turns()).toBe(1);
    await world.closeAll();
  });

  test("asks behind no add any more once it has met a job that is for another worker", async () => {
    const { world, queue, worker } = await setup();
    await Promise.all([worker.close(), world.advance(5000)]);
    world.worker({ a: () => undefined });
    const met: string[] = [];
    world.workers.at(-1)?.on("unknown-name", ({ name }) => met.push(name));
    const elsewhere = world.otherEngine();
    const ran: string[] = [];
    world.workerOn(elsewhere, { b: (job) => void ran.push(job.id) });
    await world.advance(1100);
    // Near enough for the moment in which the others go first.
    for (const engine of [world.engine, elsewhere]) engine.latencyMs = 5;
    /** What leaves with an add, before anything of it can have come back. */
    const addOne = async () => {
      const before = world.engine.acts.length;
      void queue.add("b", {});
      await world.settle();
      const verbs = world.engine.acts.slice(before).map(({ verb }) => verb);
      await world.advance(QUIET_MS);
      return verbs;
    };
    expect(await addOne()).toEqual(["ADMIT", "TURN"]);
    expect(met).toEqual(["b"]);
    for (let count = 0; count < 20; count += 1) expect(await addOne()).toEqual(["ADMIT"]);
    await world.advance(5000);
    expect(ran).toHaveLength(21);
    await world.closeAll();
  });

  test("takes turns with the other workers of its process", async () => {
    const { world, queue, startedAt } = await setup();
    const ran = [0, 0];
    for (const at of ran.keys()) {
      world.worker(() => {
        ran[at] = (ran[at] ?? 0) + 1;
      });
    }
    await world.advance(1100);
    for (let count = 0; count < 30; count += 1) {
      void queue.add("a", {});
      await world.advance(QUIET_MS);
    }
    const counts = [startedAt.length, ...ran];
    expect(counts.reduce((sum, count) => sum + count)).toBe(30);
    for (const count of counts) expect(count).toBeGreaterThan(3);
    await world.closeAll();
  });
});
