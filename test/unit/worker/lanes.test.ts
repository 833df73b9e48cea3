/** Lanes under workers: one store, virtual time. */

import { describe, expect, test } from "vitest";
import { Lanes } from "../../../src/queue/lanes.ts";
import { createRandom } from "../../../src/testing/test-ports.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

/** What the jobs of a lane did. */
class Trace {
  /** The data of each job, in the order of starts. */
  readonly started: unknown[] = [];
  readonly #running = new Map<string, number>();
  readonly #most = new Map<string, number>();

  enter(lane: string, data: unknown): void {
    this.started.push(data);
    const running = (this.#running.get(lane) ?? 0) + 1;
    this.#running.set(lane, running);
    this.#most.set(lane, Math.max(running, this.most(lane)));
  }

  leave(lane: string): void {
    this.#running.set(lane, (this.#running.get(lane) ?? 0) - 1);
  }

  /** The most jobs of a lane that ran at once. */
  most(lane: string): number {
    return this.#most.get(lane) ?? 0;
  }
}

function setup() {
  const world = new WorkerWorld();
  const lanes = new Lanes(world.engine.store);
  const trace = new Trace();
  /** A worker whose jobs take so long; answers the worker. */
  const runFor = (ms: (data: unknown) => number, options = {}) =>
    world.worker(async (job) => {
      const lane = job.lane ?? "";
      trace.enter(lane, job.data);
      await world.pause(ms(job.data));
      trace.leave(lane);
    }, options);
  const fill = async (lane: string, count: number) =>
    await world.add(...Array.from({ length: count }, (_, at) => ({ lane, data: `${lane}${at + 1}` })));
  return { world, lanes, trace, runFor, fill };
}

describe("the limit of a lane", () => {
  test("of 1 runs ten jobs one by one under a concurrency of 10, and all others count as waiting (PB-134)", async () => {
    const { world, lanes, trace, runFor, fill } = setup();
    await lanes.limit(QUEUE, "g", 1);
    const ids = await fill("g", 10);
    runFor(() => 50, { concurrency: 10 });
    await world.advance(10);
    expect(await lanes.counts(QUEUE, ["g"])).toMatchObject([{ depth: 9, active: 1 }]);
    const states = await Promise.all(ids.map((id) => world.jobs.getState(QUEUE, id)));
    expect(states).toEqual(["active", ...Array.from({ length: 9 }, () => "pending")]);
    await world.advance(600);
    expect(trace.most("g")).toBe(1);
    expect(trace.started).toHaveLength(10);
    expect(await world.counts()).toMatchObject({ completed: 10, active: 0 });
    await world.closeAll();
    expect(await world.violations()).toEqual([]);
  });

  test("of 1 on three lanes runs each of them in order and without overlap (PB-136)", async () => {
    const { world, lanes, trace, runFor, fill } = setup();
    const random = createRandom(136);
    for (const lane of ["a", "b", "c"]) {
      await lanes.limit(QUEUE, lane, 1);
      await fill(lane, 33);
    }
    runFor(() => 1 + Math.floor(random() * 20), { concurrency: 5 });
    await world.advance(5000);
    for (const lane of ["a", "b", "c"]) {
      const own = trace.started.filter((data) => String(data).startsWith(lane));
      expect(own).toEqual(Array.from({ length: 33 }, (_, at) => `${lane}${at + 1}`));
      expect(trace.most(lane)).toBe(1);
    }
    expect(await world.counts()).toMatchObject({ completed: 99 });
    await world.closeAll();
  });

  test("caps what is in flight through lapsed leases, and a raised one is used at once (PB-023)", async () => {
    const { world, lanes, trace, runFor, fill } = setup();
    await lanes.limit(QUEUE, "g", 10);
    await fill("g", 10);
    expect(await lanes.claimBatch(QUEUE, 0, 1000)).toHaveLength(10);
    for (let at = 0; at < 9; at++) await fill("g", 110);
    expect(await lanes.claimBatch(QUEUE, 0, 1000)).toEqual([]);
    runFor(() => 100, { concurrency: 200, lookAhead: 0 });
    await world.advance(1500);
    await world.advance(2000);
    expect(trace.most("g")).toBe(10);
    await lanes.limit(QUEUE, "g", 100);
    await world.advance(120);
    expect(trace.most("g")).toBe(100);
    await world.advance(5000);
    expect(await world.counts()).toMatchObject({ completed: 1000, active: 0, dead: 0 });
    expect(trace.most("g")).toBe(100);
    await world.closeAll();
    expect(await world.violations()).toEqual([]);
  });

  test("of a lane whose workers die between claim and start is free again after one lease (PB-140)", async () => {
    const { world, lanes, trace, runFor, fill } = setup();
    await lanes.limit(QUEUE, "g", 5);
    await fill("g", 20);
    for (let crash = 0; crash < 5; crash++) expect(await lanes.claim(QUEUE, 1000)).toBeDefined();
    expect(await lanes.claim(QUEUE, 1000)).toBeUndefined();
    expect(await world.violations()).toEqual([]);
    runFor(() => 20, { concurrency: 20, lease: 1000 });
    await world.advance(999);
    expect(trace.started).toEqual([]);
    await world.advance(2100);
    expect(trace.started).toHaveLength(20);
    expect(trace.most("g")).toBe(5);
    expect(await world.counts()).toMatchObject({ completed: 20, active: 0 });
    expect(await lanes.counts(QUEUE, ["g"])).toMatchObject([{ active: 0, depth: 0 }]);
    await world.closeAll();
    expect(await world.violations()).toEqual([]);
  });

  test("counts exactly the leased jobs while holders die at any step, a thousand times over (PB-143)", async () => {
    const { world, lanes, fill } = setup();
    const random = createRandom(143);
    await lanes.limit(QUEUE, "g", 5);
    await fill("g", 20);
    const held = new Map<string, number>();
    const steps = [
      async () => {
        const job = await lanes.claim(QUEUE, 100);
        if (job !== undefined) held.set(job.id, job.attempts);
      },
      async (id: string, token: number) => void (await world.jobs.complete(QUEUE, id, token)),
      async (id: string, token: number) =>
        void (await world.jobs.retry(QUEUE, id, token, { delayMs: 20, maxAttempts: 99, error: "e" })),
      async (id: string, token: number) => void (await world.jobs.giveBack(QUEUE, id, token)),
      async (id: string, token: number) => void (await world.jobs.delay(QUEUE, id, token, 20)),
      async (id: string, token: number) => void (await world.jobs.extendLock(QUEUE, id, token, 100)),
    ];
    for (let round = 0; round < 1000; round++) {
      const [id, token] = [...held][Math.floor(random() * held.size)] ?? ["", 0];
      const step = Math.floor(random() * steps.length);
      if (step === 0 || id === "") await steps[0]?.("", 0);
      else await steps[step]?.(id, token);
      // A holder that dies forgets what it holds; its lease runs out.
      if (random() < 0.3 && id !== "") held.delete(id);
      if (random() < 0.3) await fill("g", 1);
      if (random() < 0.5) await world.advance(random() < 0.2 ? 150 : 10);
      await world.jobs.promote(QUEUE, 100);
      await world.jobs.sweep(QUEUE, { maxStalled: 1000 });
      const active = await world.engine.store.command(["ZCARD", `emq:{${QUEUE}}:active`]);
      expect(await lanes.counts(QUEUE, ["g"])).toMatchObject([{ active }]);
      expect(Number(active)).toBeLessThanOrEqual(5);
      if (round % 50 === 0) expect(await world.violations()).toEqual([]);
    }
    expect(await world.violations()).toEqual([]);
  });

  test("and a busy worker add nothing to a chain of four steps of 100 ms (PB-142)", async () => {
    const { world, lanes } = setup();
    await lanes.limit(QUEUE, "chain", 1);
    await lanes.weight(QUEUE, "chain", 2);
    let endedAt = 0;
    world.worker(
      async (job) => {
        await world.pause(100);
        const step = job.data as number;
        if (step < 4) await world.add({ lane: "chain", data: step + 1 });
        else endedAt = world.elapsedMs;
      },
      { concurrency: 2 },
    );
    await world.add({ lane: "chain", data: 1 });
    await world.advance(1000);
    expect(endedAt).toBeGreaterThanOrEqual(400);
    expect(endedAt).toBeLessThan(600);
    await world.closeAll();
  });

  test("holds on the embedded engine: ten jobs of 500 ms take five seconds at concurrency 1 (PB-149)", async () => {
    const { world, lanes, trace, runFor, fill } = setup();
    await lanes.limit(QUEUE, "g", 1);
    await fill("g", 10);
    runFor(() => 500, { concurrency: 1 });
    await world.advance(4999);
    expect(trace.started).toHaveLength(10);
    expect(await world.counts()).toMatchObject({ completed: 9 });
    await world.advance(10);
    expect(await world.counts()).toMatchObject({ completed: 10 });
    await world.closeAll();
  });

  test("stays taken by the second holder when the first, which stalled, comes back (PB-025)", async () => {
    const { world, lanes, fill } = setup();
    await lanes.limit(QUEUE, "g", 1);
    await fill("g", 2);
    const first = await lanes.claim(QUEUE, 1000);
    await world.advance(3000);
    await world.jobs.sweep(QUEUE);
    const second = await lanes.claim(QUEUE, 60_000);
    expect([second?.id, second?.attempts]).toEqual([first?.id, 2]);
    const before = await world.counts();
    const id = String(first?.id);
    expect(await world.jobs.complete(QUEUE, id, 1)).toBe("stale");
    expect(await world.jobs.retry(QUEUE, id, 1, { delayMs: 1, maxAttempts: 1, error: "e" })).toBe("stale");
    expect(await world.jobs.giveBack(QUEUE, id, 1)).toBe("stale");
    expect(await world.counts()).toEqual(before);
    expect(await world.jobs.getState(QUEUE, id)).toBe("active");
    expect(await lanes.counts(QUEUE, ["g"])).toMatchObject([{ active: 1, depth: 1 }]);
    expect(await lanes.claim(QUEUE, 1000)).toBeUndefined();
    expect(await world.violations()).toEqual([]);
  });

  test("is free when the held job was removed and its lane drained, and its holder learns it (PB-026)", async () => {
    const { world, lanes, fill } = setup();
    await lanes.limit(QUEUE, "g", 1);
    await fill("g", 3);
    const job = await lanes.claim(QUEUE, 60_000);
    const id = String(job?.id);
    expect(await world.jobs.removeJob(QUEUE, id)).toBe("ok");
    expect(await lanes.drain(QUEUE, "g", 1000)).toBe(2);
    expect(await world.jobs.complete(QUEUE, id, 1)).toBe("gone");
    expect(await world.engine.store.command(["KEYS", `*${id}*`])).toEqual([]);
    expect(await lanes.counts(QUEUE, ["g"])).toMatchObject([{ active: 0, depth: 0 }]);
    await fill("g", 1);
    expect(await lanes.claim(QUEUE, 1000)).toBeDefined();
  });

  test("is handed on within a lease when a worker closes over a running job (PB-062)", async () => {
    const { world, lanes, trace, runFor, fill } = setup();
    await lanes.limit(QUEUE, "g", 1);
    await fill("g", 6);
    const first = runFor(() => 2000, { lease: 1000 });
    await world.advance(100);
    expect(trace.started).toEqual(["g1"]);
    const closing = first.close({ timeout: 100 });
    await world.advance(150);
    await closing;
    const startedBefore = trace.started.length;
    world.workerOn(world.otherEngine(), (job) => void trace.started.push(job.data), { lease: 1000 });
    await world.advance(1000);
    expect(trace.started.length).toBeGreaterThan(startedBefore);
    await world.advance(3000);
    expect(await world.counts()).toMatchObject({ completed: 6 });
    await world.closeAll();
  });
});

describe("turns of lanes", () => {
  test("give a lane of weight 1 an eleventh beside one of weight 10 that is always full (PB-145)", async () => {
    const { world, lanes, trace, runFor, fill } = setup();
    await lanes.weight(QUEUE, "high", 10);
    for (let at = 0; at < 5; at++) await fill("low", 1000);
    for (let at = 0; at < 12; at++) await fill("high", 1000);
    runFor(() => 10, { concurrency: 20, lookAhead: 0 });
    await world.advance(550 * 10);
    const served = trace.started.slice(0, 11_000);
    expect(served).toHaveLength(11_000);
    const low = served.filter((data) => String(data).startsWith("low")).length;
    expect(low / served.length).toBeGreaterThan(0.9 / 11);
    expect(low / served.length).toBeLessThan(1.1 / 11);
    await world.closeAll();
  });

  test("let the others of a lane run when the first of it dies (PB-146)", async () => {
    const { world, fill } = setup();
    const ran: unknown[] = [];
    world.worker((job) => {
      ran.push(job.data);
      if (job.data === "g1") throw new Error("no good");
    });
    const [first = ""] = await world.add({ lane: "g", data: "g1", opts: { attempts: 1 } });
    await fill("g", 3);
    await world.advance(100);
    expect(await world.jobs.getState(QUEUE, first)).toBe("dead");
    expect(ran.slice(1)).toEqual(["g1", "g2", "g3"]);
    await world.closeAll();
  });

  test("run a failed job of a high priority again before low ones of its lane (PB-104)", async () => {
    const { world } = setup();
    const ran: unknown[] = [];
    const priorities = [1, ...Array.from({ length: 10 }, () => 5)];
    const ids = await world.add(...priorities.map(() => ({})));
    for (const [at, priority] of priorities.entries()) {
      const id = ids[at] ?? "";
      await world.jobs.removeJob(QUEUE, id);
      await world.jobs.admit(QUEUE, [{ id, payload: `"p${priority}-${at}"`, lane: "g", priority }]);
    }
    world.worker(
      (job) => {
        ran.push(job.data);
        if (job.data === "p1-0" && job.attempt === 1) throw new Error("once");
      },
      { backoff: 0, lookAhead: 0 },
    );
    await world.advance(1000);
    expect(ran).toEqual(["p1-0", "p1-0", ...Array.from({ length: 10 }, (_, at) => `p5-${at + 1}`)]);
    await world.closeAll();
  });

  test("let one job of a tenant through a flood of 100,000 of another after one turn at most", async () => {
    const { world, fill } = setup();
    for (let at = 0; at < 100; at++) await fill("flood", 1000);
    const claimOne = async () =>
      (await world.jobs.turn(QUEUE, { worker: "w", leaseMs: 60_000, want: 1 })).jobs[0]?.lane ?? "";
    for (let at = 0; at < 5; at++) expect(await claimOne()).toBe("flood");
    await fill("small", 1);
    const turns = [await claimOne(), await claimOne()];
    expect(turns).toContain("small");
    // With more in one act, a lane's turn is its share, so the single job comes with the very next act.
    await fill("small", 1);
    const { jobs } = await world.jobs.turn(QUEUE, { worker: "w", leaseMs: 60_000, want: 100 });
    expect(jobs.map(({ lane }) => lane)).toContain("small");
  });

  test("count flat work as one lane more, whatever waits in either", async () => {
    const { world, fill } = setup();
    await fill("a", 500);
    await fill("b", 500);
    await world.addMany(500);
    const served = new Map<string, number>();
    for (let act = 0; act < 30; act++) {
      const { jobs } = await world.jobs.turn(QUEUE, { worker: "w", leaseMs: 60_000, want: 1 });
      for (const { lane } of jobs) served.set(lane, (served.get(lane) ?? 0) + 1);
    }
    expect(Object.fromEntries(served)).toEqual({ a: 10, b: 10, "": 10 });
  });
});

describe("the order of a lane", () => {
  test("holds when a job of it fails: A, A, B, C (PB-137)", async () => {
    const { world, lanes } = setup();
    const ran: unknown[] = [];
    await lanes.order(QUEUE, "g", true);
    world.worker(
      (job) => {
        ran.push([job.data, world.elapsedMs]);
        if (job.data === "A" && job.attempt === 1) throw new Error("once");
      },
      { concurrency: 5, backoff: 100 },
    );
    await world.add(...["A", "B", "C"].map((data) => ({ lane: "g", data })));
    await world.advance(1000);
    expect(ran.map((entry) => (entry as unknown[])[0])).toEqual(["A", "A", "B", "C"]);
    const at = ran.map((entry) => Number((entry as unknown[])[1]));
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(100);
    expect((at[3] ?? 0) - (at[0] ?? 0)).toBeLessThan(200);
    await world.closeAll();
    expect(await world.violations()).toEqual([]);
  });

  test("lets a later job wait for a delayed one only if it was asked for; a limit alone does not (PB-074)", async () => {
    const { world, lanes } = setup();
    const ran: unknown[] = [];
    await lanes.order(QUEUE, "ordered", true);
    await lanes.limit(QUEUE, "mutex", 1);
    world.worker((job) => void ran.push([job.data, world.elapsedMs]), { concurrency: 5 });
    for (const lane of ["ordered", "mutex"]) {
      await world.add({ lane, data: `${lane} 1`, dueInMs: 60_000 });
      await world.add({ lane, data: `${lane} 2` });
    }
    await world.advance(50);
    expect(ran.map((entry) => (entry as unknown[])[0])).toEqual(["mutex 2"]);
    await world.advance(60_100);
    expect(ran.map((entry) => (entry as unknown[])[0])).toEqual(["mutex 2", "ordered 1", "mutex 1", "ordered 2"]);
    for (const [, at] of ran.slice(1) as [string, number][]) {
      expect(at).toBeGreaterThanOrEqual(60_000);
      expect(at).toBeLessThanOrEqual(60_050);
    }
    await world.closeAll();
    expect(await world.violations()).toEqual([]);
  });

  test.each(Array.from({ length: 10 }, (_, at) => at + 1))(
    "holds through failures, delays, give-backs and crashes of the random run %i",
    async (seed) => {
      const { world, lanes, fill } = setup();
      const random = createRandom(seed);
      const { jobs } = world;
      await lanes.order(QUEUE, "g", true);
      const ids = await fill("g", 15);
      const ended: string[] = [];
      const ends: readonly ((id: string, token: number) => Promise<unknown>)[] = [
        async (id, token) => ended.push(id) && (await jobs.complete(QUEUE, id, token)),
        async (id, token) => await jobs.retry(QUEUE, id, token, { delayMs: 30, maxAttempts: 10_000, error: "e" }),
        async (id, token) => await jobs.delay(QUEUE, id, token, 30),
        async (id, token) => await jobs.giveBack(QUEUE, id, token),
        async () => await world.advance(60),
      ];
      for (let step = 0; step < 4000 && ended.length < ids.length; step++) {
        await jobs.promote(QUEUE, 10);
        await jobs.sweep(QUEUE, { maxStalled: 10_000 });
        const job = await lanes.claim(QUEUE, 50);
        expect(await lanes.claim(QUEUE, 50)).toBeUndefined();
        if (job === undefined) await world.advance(20);
        else await ends[Math.floor(random() * ends.length)]?.(job.id, job.attempts);
        expect(await world.violations()).toEqual([]);
      }
      expect(ended).toEqual(ids);
    },
  );
});
