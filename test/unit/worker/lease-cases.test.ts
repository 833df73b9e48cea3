/** Lapsed leases by the number: on virtual time each case takes exactly as long as it may. */

import { describe, expect, test } from "vitest";
import type { Engine } from "../../../src/engine/engine.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { RemoteEngine } from "./remote-engine.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

/** Lease and sweep at the defaults: what a job may wait for after its process died. */
const RERUN_MS_MAX = 35_000;

function setup() {
  const world = new WorkerWorld();
  const queueOn = (engine: Engine) => new QueueCore(QUEUE, { engine, release: async () => {} });

  /** Processes that hold as many jobs as they have slots, and die. */
  const killed = async (processes: number, concurrency: number, options: { readonly timeout?: number } = {}) => {
    const engines = Array.from({ length: processes }, () => world.otherEngine());
    for (const engine of engines) world.workerOn(engine, () => new Promise(() => {}), { concurrency, ...options });
    await world.advance(1000);
    for (const engine of engines) engine.setState("closed");
  };

  /** A process whose host's clock is off by so many ms. */
  const skewedEngine = (offMs: number) => {
    const ports = createTestPorts({ clock: world.ports.clock });
    const clock = { now: () => ports.clock.now() + offMs, after: ports.clock.after.bind(ports.clock) };
    return new RemoteEngine({ ...ports, clock } as never, world.engine.store);
  };
  return { world, queueOn, killed, skewedEngine };
}

describe("a process that dies with jobs in hand", () => {
  test("has a job of six hours run again within lease and sweep (PB-038)", async () => {
    const { world, killed } = setup();
    await world.add({ opts: { timeout: 6 * 3_600_000 } });
    await killed(1, 1);
    const diedAt = world.elapsedMs;
    const startedAt: number[] = [];
    world.worker(() => void startedAt.push(world.elapsedMs - diedAt));
    await world.advance(RERUN_MS_MAX);
    expect(startedAt).toHaveLength(1);
    await world.closeAll();
  });

  test("has its job run again within a minute, with every option at its default (PB-056)", async () => {
    const { world, killed } = setup();
    await world.add();
    await killed(1, 1);
    const seen: unknown[] = [];
    world.worker((job) => void seen.push([job.attempt, job.crashes]));
    await world.advance(60_000);
    expect(seen).toEqual([[1, 1]]);
    await world.closeAll();
  });

  test("leaves none of a hundred jobs without a live owner after a minute (PB-043)", async () => {
    const { world, killed } = setup();
    await world.add(
      ...Array.from({ length: 100 }, (_, at) => ({ opts: { timeout: at % 2 === 0 ? 1000 : 6 * 3_600_000 } })),
    );
    await killed(10, 10);
    const heirs = [1, 2].map(() =>
      world.workerOn(world.otherEngine(), () => world.pause(3_600_000), { concurrency: 60 }),
    );
    await world.advance(60_000);
    const ids = await world.jobs.getIds(QUEUE, "active", { start: 0, end: 199, ascending: true });
    const owners = await Promise.all(ids.map(async (id) => (await world.jobs.getRow(QUEUE, id))?.get("owner")));
    const alive = new Set(heirs.map(({ id }) => id));
    expect(owners.filter((owner) => owner === undefined || !alive.has(owner))).toEqual([]);
    await world.closeAll();
  });

  test("never lets more run than there are slots, and hands all fifty jobs back (PB-049)", async () => {
    const { world, killed } = setup();
    await world.addMany(50);
    await killed(5, 10);
    let running = 0;
    let most = 0;
    world.worker(
      async () => {
        running += 1;
        most = Math.max(most, running);
        await world.pause(100);
        running -= 1;
      },
      { concurrency: 10 },
    );
    await world.advance(RERUN_MS_MAX);
    expect(most).toBe(10);
    expect(await world.counts()).toMatchObject({ completed: 50, active: 0, pending: 0 });
    await world.closeAll();
  });

  test("is not taken for the process that starts in its place under the same name (PB-046)", async () => {
    const { world, killed } = setup();
    const [id = ""] = await world.add();
    await killed(1, 1);
    const owner = (await world.jobs.getRow(QUEUE, id))?.get("owner");
    const tokens: number[] = [];
    const successor = world.worker((job) => void tokens.push(job.token));
    // The same host and process; the boot and a chance part tell them apart.
    expect(successor.id).not.toBe(owner);
    world.engine.faultOf = () => undefined;
    await world.advance(1000);
    expect(tokens).toEqual([]);
    await world.advance(RERUN_MS_MAX);
    expect(tokens).toEqual([2]);
    await world.closeAll();
  });

  test("has its job handed out again by the first sweep where two lapses may be (PB-047)", async () => {
    const { world, killed } = setup();
    await world.add();
    await killed(1, 1);
    await world.advance(30_000);
    const startedAt: number[] = [];
    world.worker(() => void startedAt.push(world.elapsedMs), { crashLimit: 2 });
    const from = world.elapsedMs;
    await world.advance(1100);
    expect(startedAt).toHaveLength(1);
    expect((startedAt[0] ?? 0) - from).toBeLessThanOrEqual(1000);
    await world.closeAll();
  });
});

describe("many sweepers", () => {
  test("take a thousand lapsed leases back once each at the same instant (PB-041)", async () => {
    const { world } = setup();
    await world.addMany(1000);
    for (let held = 0; held < 1000; held += 500) await world.jobs.claimBatch(QUEUE, 500, 10);
    await world.advance(20);
    const sweepers = Array.from({ length: 20 }, () => world.otherEngine());
    const recovered: string[] = [];
    for (let pass = 0; pass < 2; pass++) {
      const answers = await Promise.all(sweepers.map(({ store }) => store.act("SWEEP", sweepKeys(), ["3", "100"])));
      for (const answer of answers) recovered.push(...((answer as string[][])[0] ?? []));
    }
    expect(recovered).toHaveLength(1000);
    expect(new Set(recovered).size).toBe(1000);
    expect(await world.counts()).toMatchObject({ pending: 1000, active: 0, dead: 0 });
  });

  test("drop a lease whose job is gone with one warning, and take back the ten beside it (PB-040)", async () => {
    const { world } = setup();
    const ids = await world.addMany(11);
    await world.jobs.claimBatch(QUEUE, 11, 10);
    await world.engine.store.command(["DEL", `emq:{${QUEUE}}:job:${ids[4]}`]);
    await world.advance(20);
    let ran = 0;
    world.worker(() => void ran++, { concurrency: 20 });
    await world.advance(1000);
    expect(world.engine.sent("SWEEP")).toHaveLength(1);
    await world.advance(5000);
    expect(ran).toBe(10);
    expect(await world.engine.store.command(["ZCARD", `emq:{${QUEUE}}:active`])).toBe(0);
    expect(world.ports.logger.lines.filter(({ level }) => level === "warn")).toMatchObject([
      { message: `queue ${QUEUE}: lapsed leases without a job were dropped`, fields: { leases: 1 } },
    ]);
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });
});

const sweepKeys = () => ["active", "pending", "dead", ""].map((type) => `emq:{${QUEUE}}:${type}`);

describe("the token of an id", () => {
  test("grows with each claim, also over a removal, and refuses every former holder (PB-028)", async () => {
    const { world } = setup();
    const [id = ""] = await world.add();
    const tokens: number[] = [];
    const claim = async (leaseMs: number) => {
      const claimed = await world.jobs.claim(QUEUE, leaseMs);
      tokens.push(claimed?.attempts ?? 0);
    };
    await claim(100);
    await world.advance(200);
    await world.jobs.reap(QUEUE);
    await claim(60_000);
    expect(await world.jobs.complete(QUEUE, id, 1)).toBe("stale");
    await world.jobs.removeJob(QUEUE, id);
    await world.jobs.enqueue(QUEUE, id, "{}");
    await claim(60_000);
    expect(tokens).toEqual([1, 2, 3]);
    expect([await world.jobs.complete(QUEUE, id, 1), await world.jobs.complete(QUEUE, id, 2)]).toEqual([
      "stale",
      "stale",
    ]);
    expect(await world.jobs.complete(QUEUE, id, 3)).toBe("ok");
  });

  test("is refused to a worker that was frozen for ten seconds, whose handler hears so (PB-029)", async () => {
    const { world } = setup();
    const frozen = world.otherEngine();
    const reasons: unknown[] = [];
    world.workerOn(
      frozen,
      async (_job, { signal }) => {
        signal.addEventListener("abort", () => reasons.push((signal.reason as { code: string }).code));
        await world.pause(60_000);
      },
      { lease: 1000 },
    );
    const [id = ""] = await world.add();
    await world.advance(100);
    frozen.setState("down");
    const second = world.worker(async () => world.pause(60_000), { lease: 1000 });
    await world.advance(10_000);
    frozen.setState("ready");
    await world.advance(1000);
    expect(reasons).toEqual(["lease_lost"]);
    expect((await world.jobs.getRow(QUEUE, id))?.get("owner")).toBe(second.id);
    await world.closeAll();
  });
});

describe("a handler that holds up its process for longer than a lease", () => {
  test("lets no job begin that was leased ahead and may run elsewhere by now", async () => {
    const { world } = setup();
    const begun: { readonly token: number; readonly isOurs: boolean }[] = [];
    let runs = 0;
    const worker = world.worker(
      async (job, { token }) => {
        const lease = Number(await world.engine.store.command(["ZSCORE", `emq:{${QUEUE}}:active`, job.id]));
        begun.push({ token, isOurs: lease > world.ports.clock.now() });
        runs += 1;
        if (runs === 50) world.ports.clock.shift(31_000);
      },
      { concurrency: 1 },
    );
    const lost: unknown[] = [];
    worker.on("lease-lost", (_job, details) => lost.push(details));
    await world.addMany(100);
    await world.advance(5000);
    expect(await world.counts()).toMatchObject({ completed: 100, active: 0, pending: 0 });
    expect(begun.filter(({ isOurs }) => !isOurs)).toEqual([]);
    expect(begun.some(({ token }) => token === 2)).toBe(true);
    expect([begun.length, lost]).toEqual([100, []]);
    await world.closeAll();
  });
});

describe("the clocks of hosts", () => {
  test("change nothing: a delay ends by the server's, and no lease is taken for lapsed (PB-070)", async () => {
    const { world, queueOn, skewedEngine } = setup();
    const startedAt: number[] = [];
    const lost: unknown[] = [];
    for (const offMs of [-120_000, 300_000]) {
      const worker = world.workerOn(
        skewedEngine(offMs),
        async () => {
          startedAt.push(world.elapsedMs);
          await world.pause(5000);
        },
        { lease: 1000 },
      );
      worker.on("lease-lost", (_job, details) => lost.push(details));
    }
    await world.advance(100);
    await queueOn(skewedEngine(300_000)).add("later", {}, { delay: 3000 });
    await world.advance(9000);
    expect(startedAt).toHaveLength(1);
    expect(startedAt[0]).toBeGreaterThanOrEqual(3100);
    expect(startedAt[0]).toBeLessThanOrEqual(3150);
    expect(lost).toEqual([]);
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
  });

  test("let a delay beyond 2^31 ms run when it is due, and not before (PB-067)", async () => {
    const { world, queueOn } = setup();
    const startedAt: number[] = [];
    const worker = world.worker(() => void startedAt.push(world.elapsedMs), { beat: "1m" });
    await queueOn(world.engine.store).add("later", {}, { delay: 2 ** 31 });
    await world.advance(1000);
    expect(startedAt).toEqual([]);
    await worker.pause();
    await worker.close();
    await world.advance(2 ** 31 - 5000);
    expect(startedAt).toEqual([]);
    world.worker(() => void startedAt.push(world.elapsedMs));
    await world.advance(5000);
    expect(startedAt).toEqual([2 ** 31]);
    await world.closeAll();
  });

  test("meet no delay or priority that is no number: it is refused before anything is sent (PB-068)", async () => {
    const { world, queueOn } = setup();
    const queue = queueOn(world.engine);
    for (const option of ["delay", "priority"]) {
      for (const value of [-1e15, Number.NaN, Number.POSITIVE_INFINITY, 1.5, "5", null]) {
        await expect(queue.add("x", {}, { [option]: value })).rejects.toMatchObject({ code: "invalid_option" });
      }
    }
    expect(world.engine.acts).toEqual([]);
  });
});
