/** What is kept of jobs that have ended: by job, queue and worker, by number and by age, on virtual time. */

import { describe, expect, test } from "vitest";
import { QueueCore } from "../../../src/queue/queue.ts";
import type { QueueOptions } from "../../../src/queue/queue-options.ts";
import { UnrecoverableError } from "../../../src/worker/control-error.ts";
import { broken } from "./remote-engine.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

function setup(options: QueueOptions = {}) {
  const world = new WorkerWorld();
  const lease = { engine: world.engine, release: async () => {} };
  const queue = new QueueCore<Record<string, unknown>>(QUEUE, lease, options);
  const kept = async () =>
    (await world.engine.store.command(["ZRANGE", `emq:{${QUEUE}}:completed`, "0", "-1"])) as string[];
  return { world, queue, kept };
}

/** The terms that the turns of a world said, those of one turn in one text. */
function saidTerms(world: WorkerWorld): string[] {
  return world.engine.sent("TURN").flatMap(({ args }) => {
    const said = args.flatMap((arg, at) =>
      arg === "t" && args[at + 1] === "1" ? [args.slice(at + 2, at + 7).join()] : [],
    );
    return said.length === 0 ? [] : [said.join(" ")];
  });
}

describe("a completed job", () => {
  test("goes with its row by default, and no turn says anything about it", async () => {
    const { world, queue } = setup();
    await queue.add("a", 1);
    world.worker(() => ({ done: true }));
    await world.settle();
    expect(await world.counts()).toMatchObject({ completed: 1, pending: 0 });
    expect(await world.engine.store.command(["KEYS", `emq:{${QUEUE}}:job:*`])).toEqual([]);
    expect(saidTerms(world)).toEqual([]);
    await world.closeAll();
  });

  test("can be read when it is kept: result, end, attempts and state", async () => {
    const { world, queue } = setup();
    const { id } = await queue.add("a", { n: 1 });
    const nothing = await queue.add("a", { n: 2 });
    world.worker((job) => ((job.data as { n: number }).n === 1 ? { done: [1, "ü"] } : undefined), {
      removeOnComplete: 10,
    });
    await world.settle();
    const job = await queue.getJob(id);
    expect(job).toMatchObject({ state: "completed", attempts: 1, data: { n: 1 }, returnValue: { done: [1, "ü"] } });
    expect(job?.finishedAt?.getTime()).toBe(world.ports.clock.now());
    expect(await queue.getState(id)).toBe("completed");
    expect((await queue.getJob(nothing.id))?.returnValue).toBeUndefined();
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("is kept as the job says, else its queue, else the worker", async () => {
    const { world, queue, kept } = setup({ defaultJobOptions: { removeOnComplete: 2 } });
    const plain = setup();
    world.worker(() => {}, { removeOnComplete: 1 });
    const run = async (from: typeof queue, options = {}) => {
      const { id } = await from.add("a", 1, options);
      await world.advance(1);
      return id;
    };
    const byQueue = [await run(queue), await run(queue), await run(queue)];
    expect(await kept()).toEqual(byQueue.slice(1));
    await run(queue, { removeOnComplete: true });
    expect(await kept()).toEqual(byQueue.slice(1));
    const byJob = await run(queue, { removeOnComplete: false });
    expect(await kept()).toEqual([...byQueue.slice(1), byJob]);
    const other = new QueueCore<Record<string, unknown>>(QUEUE, { engine: world.engine, release: async () => {} });
    const byWorker = await run(other);
    expect(await kept()).toEqual([byWorker]);
    await world.closeAll();
    await plain.queue.close();
  });

  test("that is kept says duplicate with its state to an add of its id (PB-127)", async () => {
    const { world, queue } = setup();
    const worker = world.worker(() => "done", { removeOnComplete: { age: "24h" } });
    const { id } = await queue.add("a", 1);
    await world.settle();
    const existing = { id, state: "completed" };
    expect(await queue.add("a", 2, { id })).toMatchObject({ outcome: "duplicate", existing });
    // A day passes in one step: a worker that asked once a second would take long to play.
    await worker.close();
    world.ports.clock.shift(24 * 3_600_000 - 10_000);
    world.worker(() => "done");
    await world.advance(8000);
    expect(await queue.add("a", 3, { id })).toMatchObject({ outcome: "duplicate", existing });
    await world.advance(5000);
    expect(await queue.add("a", 4, { id })).toMatchObject({ outcome: "added" });
    await world.closeAll();
  });

  test("that is kept for two seconds is gone after five of silence, and so are the other nine (PB-167)", async () => {
    const { world, queue, kept } = setup();
    world.worker(() => {}, { removeOnComplete: { age: "2s" } });
    for (let n = 0; n < 10; n++) await queue.add("a", n);
    await world.settle();
    expect(await kept()).toHaveLength(10);
    await world.advance(1900);
    expect(await kept()).toHaveLength(10);
    await world.advance(3100);
    expect(await kept()).toEqual([]);
    expect(await world.engine.store.command(["KEYS", `emq:{${QUEUE}}:job:*`])).toEqual([]);
    expect(await world.engine.store.command(["KEYS", `emq:{${QUEUE}}:expiry`])).toEqual([]);
    await world.closeAll();
  });

  test("whose settlement had no answer is completed when the repetition finds it kept", async () => {
    const { world, queue } = setup();
    const told: string[] = [];
    let lost = 0;
    world.engine.faultOf = ({ verb, args }) => {
      if (verb !== "TURN" || !args.includes("r") || lost > 0) return undefined;
      lost += 1;
      return { error: broken(), when: "after" };
    };
    const worker = world.worker(() => 7, { removeOnComplete: 5 });
    worker
      .on("completed", (job) => told.push(job.id))
      .on("lease-lost", () => told.push("lost"))
      .on("error", () => {});
    const { id } = await queue.add("a", 1);
    await world.advance(10_000);
    expect([lost, told]).toEqual([1, [id]]);
    await world.closeAll();
  });
});

describe("a thousand completed jobs whose time is over", () => {
  test("go in slices of a hundred, within the rounds of the sweeps", async () => {
    const { world, queue, kept } = setup();
    world.worker(() => {}, { removeOnComplete: { age: 500 }, concurrency: 100 });
    await queue.addBulk(Array.from({ length: 2500 }, (_, n) => ({ name: "a", data: n })));
    await world.settle();
    expect(await kept()).toHaveLength(2500);
    await world.advance(4000);
    expect(await kept()).toEqual([]);
    expect(world.engine.sent("SWEEP").every(({ args }) => args[1] === "100")).toBe(true);
    await world.closeAll();
  });
});

describe("a dead job", () => {
  const fail = () => {
    throw new UnrecoverableError("no");
  };

  test("stays among the newest ten thousand by default", async () => {
    const { world, queue } = setup();
    const old: string[] = [];
    while (old.length < 10_000) {
      old.push(...(await world.addMany(500)));
      const { jobs } = await world.jobs.turn(QUEUE, { worker: "w", leaseMs: 60_000, want: 500 });
      const settlements = jobs.map(({ id, token }) => ({ op: "k", id, token, error: "no" }) as const);
      await world.jobs.turn(QUEUE, { worker: "w", leaseMs: 60_000, want: 0, settlements });
    }
    world.worker(fail);
    for (let n = 0; n < 3; n++) await queue.add("a", n);
    await world.settle();
    expect(await world.counts()).toMatchObject({ dead: 10_000, failed: 10_003 });
    const [oldest] = (await world.engine.store.command(["ZRANGE", `emq:{${QUEUE}}:dead`, "0", "0"])) as string[];
    expect(oldest).toBe(old[3]);
    expect(await queue.getState(old[2] ?? "")).toBe("absent");
    await world.closeAll();
  });

  test("says when it died, and goes by its age in silence", async () => {
    const { world, queue } = setup();
    world.worker(fail, { removeOnFail: { count: 5, age: "10s" } });
    const { id } = await queue.add("a", 1);
    await world.settle();
    const job = await queue.getJob(id);
    expect(job).toMatchObject({ state: "dead", lastError: expect.stringContaining("no"), deathReason: "failed" });
    expect(job?.finishedAt?.getTime()).toBe(world.ports.clock.now());
    await world.advance(9000);
    expect(await queue.getState(id)).toBe("dead");
    await world.advance(3000);
    expect(await queue.getState(id)).toBe("absent");
    await world.closeAll();
  });

  test("that is given a fresh budget is not taken away by the end of its old life", async () => {
    const { world, queue } = setup();
    const worker = world.worker(fail, { removeOnFail: { age: "10s" } });
    const { id } = await queue.add("a", 1);
    await world.settle();
    await worker.close();
    expect(await queue.retry(id)).toBe("ok");
    const idle = world.worker(() => {}, { autorun: false });
    void idle.run();
    await idle.pause();
    await world.advance(20_000);
    expect(await queue.getState(id)).toBe("pending");
    await world.closeAll();
  });

  test("goes at once with removeOnFail, job before worker, and the event still comes", async () => {
    const { world, queue } = setup();
    const told: unknown[] = [];
    world.worker(fail, { removeOnFail: true }).on("failed", (job, _error, outcome) => told.push(job.id, outcome));
    const gone = await queue.add("a", 1);
    const stays = await queue.add("a", 1, { removeOnFail: false });
    await world.settle();
    expect([await queue.getState(gone.id), await queue.getState(stays.id)]).toEqual(["absent", "dead"]);
    expect(told).toEqual([gone.id, "dead", stays.id, "dead"]);
    await world.closeAll();
  });

  test("of crashes obeys the worker that swept it, and its hook is told first", async () => {
    const { world } = setup();
    const [id = ""] = await world.add({ data: 7 });
    await world.jobs.turn(QUEUE, { worker: "gone", leaseMs: 100, want: 1 });
    const told: unknown[] = [];
    world.worker(() => {}, { crashLimit: 1, removeOnFail: true, onPoison: (job) => told.push(job.id, job.data) });
    await world.advance(3000);
    expect(told).toEqual([id, 7]);
    await world.advance(62_000);
    expect(await world.jobs.getState(QUEUE, id)).toBe("absent");
    await world.closeAll();
  });
});

describe("the turns of a worker", () => {
  test("say what is kept once for all jobs that agree, and again where one does not", async () => {
    const { world, queue } = setup();
    world.worker(() => 1, { removeOnComplete: 3, concurrency: 10, lookAhead: 0 });
    await queue.pause();
    await queue.addBulk([
      { name: "a", data: 1 },
      { name: "a", data: 2, opts: { removeOnComplete: 3 } },
      { name: "a", data: 3, opts: { removeOnComplete: 4, removeOnFail: 5, keepResult: "1s" } },
      { name: "a", data: 4, opts: { attempts: 4 } },
    ]);
    await queue.resume();
    await world.settle();
    expect(saidTerms(world)).toEqual(["3,0,10000,0,0 4,0,5,0,1000 3,0,10000,0,0"]);
    expect(await world.counts()).toMatchObject({ completed: 4 });
    await world.closeAll();
  });
});

describe("what a queue itself says", () => {
  test("holds from the next completion on for workers that say nothing, and can be changed and taken away", async () => {
    const { world, queue, kept } = setup();
    expect(await queue.retention()).toEqual({ removeOnComplete: undefined });
    world.worker(() => {});
    await queue.addBulk(Array.from({ length: 30 }, () => ({ name: "a", data: 1 })));
    await world.settle();
    expect(await kept()).toEqual([]);
    await queue.setRetention({ removeOnComplete: { count: 20, age: "1h" } });
    expect(await queue.retention()).toEqual({ removeOnComplete: { count: 20, age: 3_600_000 } });
    await queue.addBulk(Array.from({ length: 30 }, () => ({ name: "a", data: 1 })));
    await world.settle();
    expect(await kept()).toHaveLength(20);
    await queue.setRetention({ removeOnComplete: 5 });
    // A completion takes nine away beyond the one that it adds.
    await queue.add("a", 1);
    await world.settle();
    expect(await kept()).toHaveLength(11);
    await queue.add("a", 1);
    await world.settle();
    expect(await kept()).toHaveLength(5);
    await queue.setRetention({ removeOnComplete: null });
    await queue.add("a", 1);
    await world.settle();
    expect([await queue.retention(), await kept()]).toMatchObject([{ removeOnComplete: undefined }, { length: 5 }]);
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("yields to what a job or a worker says", async () => {
    const { world, queue, kept } = setup();
    await queue.setRetention({ removeOnComplete: 5 });
    const worker = world.worker(() => {}, { removeOnComplete: true });
    await queue.add("a", 1);
    await world.settle();
    expect(await kept()).toEqual([]);
    const { id } = await queue.add("a", 1, { removeOnComplete: 1 });
    await world.settle();
    expect(await kept()).toEqual([id]);
    expect(worker.isRunning()).toBe(true);
    await world.closeAll();
  });

  test("is read as the acts read it, and refused when it cannot be", async () => {
    const { world, queue } = setup();
    const meta = `emq:{${QUEUE}}:meta`;
    for (const [fields, said] of [
      [["keep_n", "x", "keep_ms", "-1"], undefined],
      [["keep_n", "9007199254740991"], false],
      [["keep_n", "0"], true],
      [["keep_ms", "7"], { age: 7 }],
    ] as const) {
      await world.engine.store.command(["DEL", meta]);
      await world.engine.store.command(["HSET", meta, ...fields]);
      expect(await queue.retention()).toEqual({ removeOnComplete: said });
    }
    const bad = async (change: object) => await queue.setRetention(change);
    await expect(bad({ removeOnFail: 1 })).rejects.toMatchObject({ code: "unknown_option" });
    await expect(bad({ removeOnComplete: { age: 0 } })).rejects.toMatchObject({ code: "invalid_option" });
    await bad({});
    expect(await queue.retention()).toEqual({ removeOnComplete: { age: 7 } });
    await world.closeAll();
  });
});
