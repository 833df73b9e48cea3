/** Lanes on a real server: order and counts. What is a matter of time is held on virtual time (test/unit/worker). */

import { describe, expect, it, onTestFinished } from "vitest";
import { Lanes } from "../../../src/queue/lanes.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createRandom } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openOnEmpty, until } from "./setup-engine.ts";

const QUEUE = "lanes";
const LEASE_MS = 60_000;

describe("lanes on a server", () => {
  const server = useServer();

  async function setup() {
    const engine = await openOnEmpty(server());
    const lease = { engine, release: async () => {} };
    const queue = new QueueCore<Record<string, unknown>>(QUEUE, lease);
    const fill = async (lane: string, count: number) => {
      const items = Array.from({ length: count }, (_, at) => ({ name: "j", data: `${lane}${at + 1}`, opts: { lane } }));
      return (await queue.addBulk(items)).map(({ id }) => id);
    };
    const work = (handler: Handler, options: WorkerOptions = {}) => {
      const worker = new WorkerCore(QUEUE, handler, lease, options);
      onTestFinished(async () => await worker.close({ timeout: 0 }));
      return worker;
    };
    const completed = async (count: number) =>
      await until(async () => {
        const { completed: done } = await queue.getJobCounts("completed");
        return done === count || `${done} of ${count} are completed`;
      });
    return { engine, queue, jobs: queue.jobs, lanes: new Lanes(engine), fill, work, completed };
  }

  /** A handler that notes what runs in each lane, and how many at once. */
  function tracer(ms: () => number) {
    const started: string[] = [];
    const running = new Map<string, number>();
    const most = new Map<string, number>();
    const handler: Handler = async (job) => {
      const lane = job.lane ?? "";
      started.push(String(job.data));
      running.set(lane, (running.get(lane) ?? 0) + 1);
      most.set(lane, Math.max(most.get(lane) ?? 0, running.get(lane) ?? 0));
      await new Promise((resolve) => setTimeout(resolve, ms()));
      running.set(lane, (running.get(lane) ?? 0) - 1);
    };
    return { handler, started, most };
  }

  it("a limit of 1 lets two workers of concurrency 10 run one job of a lane at once (PB-134)", async () => {
    const { engine, queue, fill, work, completed } = await setup();
    await queue.lane("g").limit(1);
    await fill("g", 10);
    const { handler, most } = tracer(() => 5);
    for (let at = 0; at < 2; at++) work(handler, { concurrency: 10 });
    await completed(10);
    expect(most.get("g")).toBe(1);
    expect(await checkInvariants(engine, QUEUE)).toEqual([]);
  });

  it("three lanes of limit 1 are each served in order and without overlap (PB-136)", async () => {
    const { queue, fill, work, completed } = await setup();
    const random = createRandom(136);
    for (const lane of ["a", "b", "c"]) {
      await queue.lane(lane).limit(1);
      await fill(lane, 33);
    }
    const { handler, started, most } = tracer(() => Math.floor(random() * 4));
    work(handler, { concurrency: 5 });
    await completed(99);
    for (const lane of ["a", "b", "c"]) {
      expect(started.filter((data) => data.startsWith(lane))).toEqual(
        Array.from({ length: 33 }, (_, at) => `${lane}${at + 1}`),
      );
      expect(most.get(lane)).toBe(1);
    }
  });

  it("an ordered lane is in order although its jobs fail: A, A, B, C (PB-137)", async () => {
    const { queue, work, completed } = await setup();
    await queue.lane("g").ordered(true);
    const ran: unknown[] = [];
    for (const data of ["A", "B", "C"]) await queue.add("j", data, { lane: "g" });
    work(
      (job) => {
        ran.push(job.data);
        if (job.data === "A" && job.attempt === 1) throw new Error("once");
      },
      { concurrency: 5, backoff: 100 },
    );
    await completed(3);
    expect(ran).toEqual(["A", "A", "B", "C"]);
  });

  it("an ordered lane waits for a delayed job, one with a limit does not (PB-074)", async () => {
    const { queue, work, completed } = await setup();
    const ran: unknown[] = [];
    await queue.lane("ordered").ordered(true);
    await queue.lane("mutex").limit(1);
    const delayed: string[] = [];
    for (const lane of ["ordered", "mutex"]) {
      delayed.push((await queue.add("j", `${lane} 1`, { lane, delay: "1h" })).id);
      await queue.add("j", `${lane} 2`, { lane });
    }
    work((job) => void ran.push(job.data), { concurrency: 5 });
    await completed(1);
    expect(ran).toEqual(["mutex 2"]);
    for (const id of delayed) {
      // The delayed job of an ordered lane goes into the schedule when its turn comes too early.
      await until(async () => (await queue.getState(id)) === "scheduled" || "it is not scheduled yet");
      expect(await queue.promote(id)).toBe("ok");
    }
    await completed(4);
    expect(ran.filter((data) => String(data).startsWith("ordered"))).toEqual(["ordered 1", "ordered 2"]);
    expect(ran).toHaveLength(4);
  });

  it("the first of a lane dies and the others run (PB-146)", async () => {
    const { queue, work, completed } = await setup();
    const ran: unknown[] = [];
    await queue.add("j", "first", { lane: "g", attempts: 1 });
    for (const data of ["second", "third"]) await queue.add("j", data, { lane: "g" });
    work((job) => {
      ran.push(job.data);
      if (job.data === "first") throw new Error("no good");
    });
    await completed(2);
    expect(ran).toEqual(["first", "second", "third"]);
  });

  it("a lane counts exactly the leased jobs while holders die at any step (PB-143)", async () => {
    const { engine, queue, jobs, lanes, fill } = await setup();
    const random = createRandom(143);
    await queue.lane("g").limit(5);
    await fill("g", 40);
    const held: [string, number][] = [];
    const claim = async (leaseMs: number) => {
      const job = await lanes.claim(QUEUE, leaseMs);
      if (job !== undefined) held.push([job.id, job.attempts]);
    };
    const steps: readonly ((id: string, token: number) => Promise<unknown>)[] = [
      // A lease of a millisecond is over before the sweep, mostly; either way the counts agree.
      async () => await claim(1),
      async () => await claim(LEASE_MS),
      async () => await claim(LEASE_MS),
      async (id, token) => await jobs.complete(QUEUE, id, token),
      async (id, token) => await jobs.giveBack(QUEUE, id, token),
      async (id, token) => await jobs.delay(QUEUE, id, token, 1),
      async (id, token) => await jobs.retry(QUEUE, id, token, { delayMs: 1, maxAttempts: 9999, error: "e" }),
      async (id, token) => await jobs.extendLock(QUEUE, id, token, 1),
    ];
    for (let round = 0; round < 1000; round++) {
      const job = held[Math.floor(random() * held.length)];
      await steps[job === undefined ? 1 : Math.floor(random() * steps.length)]?.(...(job ?? ["", 0]));
      if (random() < 0.1) await fill("g", 1);
      await jobs.promote(QUEUE, 100);
      await jobs.sweep(QUEUE, { maxStalled: 9999 });
      const active = await engine.command(["ZCARD", `emq:{${QUEUE}}:active`]);
      expect((await queue.lane("g").counts()).active).toBe(active);
      expect(Number(active)).toBeLessThanOrEqual(5);
    }
    expect(await checkInvariants(engine, QUEUE)).toEqual([]);
  });

  it("a cap of jobs in flight holds over lapsed leases and can be raised while jobs run (PB-023)", async () => {
    const { queue, lanes, fill, work, completed } = await setup();
    await queue.lane("g").limit(10);
    await fill("g", 10);
    expect(await lanes.claimBatch(QUEUE, 0, 1)).toHaveLength(10);
    await fill("g", 990);
    const { handler, started, most } = tracer(() => 1);
    work(handler, { concurrency: 200, lookAhead: 0 });
    await until(() => started.length >= 100 || `${started.length} of 100 have started`);
    expect(most.get("g")).toBeLessThanOrEqual(10);
    await queue.lane("g").limit(100);
    await completed(1000);
    expect(most.get("g")).toBeLessThanOrEqual(100);
    expect(await queue.lane("g").counts()).toMatchObject({ active: 0, depth: 0, limit: 100 });
  });

  it("places of a lane whose holders died before they started are free after their leases (PB-140)", async () => {
    const { engine, queue, lanes, fill, work, completed } = await setup();
    await queue.lane("g").limit(5);
    await fill("g", 20);
    for (let crash = 0; crash < 5; crash++) expect(await lanes.claim(QUEUE, 1)).toBeDefined();
    expect(await lanes.claim(QUEUE, 1)).toBeUndefined();
    const { handler, most } = tracer(() => 2);
    work(handler, { concurrency: 20 });
    await completed(20);
    expect(most.get("g")).toBeLessThanOrEqual(5);
    expect(await queue.lane("g").counts()).toMatchObject({ active: 0, depth: 0 });
    expect(await checkInvariants(engine, QUEUE)).toEqual([]);
  });

  it("weights of 1 and 10 give a lane that is always full an eleventh of the turns (PB-145)", async () => {
    const { queue, jobs, fill } = await setup();
    await queue.lane("high").weight(10);
    await fill("low", 5000);
    let low = 0;
    let all = 0;
    for (let act = 0; act < 110; act++) {
      await fill("high", 60);
      const turn = await jobs.turn(QUEUE, { worker: "w", leaseMs: LEASE_MS, want: 50 });
      all += turn.jobs.length;
      low += turn.jobs.filter(({ lane }) => lane === "low").length;
    }
    expect(all).toBe(5500);
    expect(low / all).toBeGreaterThan(0.9 / 11);
    expect(low / all).toBeLessThan(1.1 / 11);
  });

  it("a flood of one tenant delays the single job of another by one turn at most", async () => {
    const { jobs, fill } = await setup();
    await fill("flood", 20_000);
    const claimOne = async () =>
      (await jobs.turn(QUEUE, { worker: "w", leaseMs: LEASE_MS, want: 1 })).jobs[0]?.lane ?? "";
    for (let at = 0; at < 5; at++) expect(await claimOne()).toBe("flood");
    await fill("small", 1);
    expect([await claimOne(), await claimOne()]).toContain("small");
  });

  it("a removed job frees its place in a lane, and a drained lane leaves no key of its jobs (PB-026)", async () => {
    const { engine, queue, jobs, lanes, fill } = await setup();
    await queue.lane("g").limit(1);
    const [id = ""] = await fill("g", 3);
    expect((await lanes.claim(QUEUE, LEASE_MS))?.id).toBe(id);
    expect(await queue.remove(id)).toBe("ok");
    expect(await queue.lane("g").drain()).toBe(2);
    expect(await jobs.complete(QUEUE, id, 1)).toBe("gone");
    expect(await engine.command(["KEYS", "*:job:*"])).toEqual([]);
    expect(await queue.lane("g").counts()).toMatchObject({ active: 0, depth: 0, limit: 1 });
  });

  it("a server at maxmemory refuses new jobs of lanes and nothing else", async () => {
    const { engine, queue, jobs, lanes, fill } = await setup();
    const ids = await fill("a", 6);
    await fill("b", 2);
    await queue.lane("o").ordered(true);
    await fill("o", 2);
    const held = await lanes.claim(QUEUE, LEASE_MS);
    await server().command("CONFIG", "SET", "maxmemory", "1");
    const refused = await errorOf(lanes.enqueue(QUEUE, "a", { id: "JOB00000000001", payload: "p" }));
    expect(refused).toMatchObject({ code: "out_of_memory" });
    await queue.lane("a").weight(2);
    await queue.lane("a").limit(3);
    await queue.lane("c").ordered(true);
    await queue.lane("c").ordered(false);
    await queue.lane("b").pause();
    await queue.lane("b").resume();
    expect(await queue.lane("b").reassign(ids[5] ?? "")).toBe("reassigned");
    expect(await lanes.claimWeighted(QUEUE, LEASE_MS)).not.toEqual([]);
    expect(await lanes.claimBatch(QUEUE, 1, LEASE_MS)).toHaveLength(1);
    expect(await lanes.claim(QUEUE, 1)).toBeDefined();
    await until(async () => (await lanes.reap(QUEUE, "a")) + (await jobs.reap(QUEUE)) > 0 || "no lease has lapsed");
    expect(await jobs.giveBack(QUEUE, held?.id ?? "", 1)).toBe("ok");
    expect(await queue.lane("a").drain()).toBeGreaterThan(0);
    await server().command("CONFIG", "SET", "maxmemory", "0");
    expect(await checkInvariants(engine, QUEUE)).toEqual([]);
  });

  it("a rate that is spent lets claims answer nothing, and refuses none, on a server at maxmemory", async () => {
    const { jobs, lanes, fill } = await setup();
    const limits = { concurrency: 9, rate: { max: 1, duration: 600_000 } };
    const turn = async () => (await jobs.turn(QUEUE, { worker: "w", leaseMs: LEASE_MS, want: 1 })).jobs;
    await fill("a", 3);
    await jobs.setLimits(QUEUE, limits);
    expect(await turn()).toHaveLength(1);
    await server().command("CONFIG", "SET", "maxmemory", "1");
    const claims = [
      turn,
      async () => await jobs.claimBatch(QUEUE, 1, LEASE_MS),
      async () => await lanes.claimBatch(QUEUE, 1, LEASE_MS),
    ];
    for (const claim of claims) {
      // Ends the rest, so that the claim which follows has to begin another one before it has written anything.
      await jobs.setLimits(QUEUE, limits);
      expect(await claim()).toEqual([]);
      expect(await server().command("ZCARD", `emq:{${QUEUE}}:rest`)).toBe(1);
    }
    await server().command("CONFIG", "SET", "maxmemory", "0");
  });

  it("pages of lanes hold each lane once, on the server's scans as on the embedded ones", async () => {
    const { queue, engine, fill } = await setup();
    for (let at = 0; at < 30; at++) await fill(`ring-${at}`, 1);
    const many = Array.from({ length: 700 }, (_, at) => [`limited-${at}`, "3"]);
    await engine.command(["HSET", `emq:{${QUEUE}}:glimit`, ...many.flat()]);
    for (let at = 0; at < 10; at++) await queue.lane(`paused-${at}`).pause();
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await queue.lanes({ limit: 50, cursor });
      names.push(...page.lanes.map(({ lane }) => lane));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(new Set(names).size).toBe(740);
    expect(names).toHaveLength(740);
  });
});
