/** The way to a server that breaks in part: one connection, one direction, one reply, one kind of news. */

import { describe, expect, it } from "vitest";
import { BEAT_MS_DEFAULT } from "../../src/queue/defaults.ts";
import { hastyPorts, WAYS } from "../integration/valkey/setup-engine.ts";
import { useServer } from "../server/use-server.ts";
import { last, openWorld, PATIENCE, report } from "./fault-world.ts";
import { halfOpen } from "./outage-case.ts";

/** A beat that no test waits for: what a worker does before that, it does for another reason. */
const FAR_BEAT = { beat: 60_000 };

/**
 * A clock that runs ten times too fast for the heartbeat, and a time of calls that a busy machine keeps all the same.
 */
const hasty = () => ({ ports: hastyPorts(10), commandTimeoutMs: 100_000 });

describe.each(WAYS)("a connection that breaks, by %s", (_name, way) => {
  const server = useServer({ tcp: true });

  it("may be the blocking one, with a token that went down with it: the worker asks by itself (PB-002)", async () => {
    const world = await openWorld(server(), { way, worker: FAR_BEAT });
    const before = await world.footprint();
    const mute = world.proxy.inject({ does: "mute", what: "wakes" });
    const ids = [...(await world.addElsewhere(5)), ...(await world.addElsewhere(3, 1))];
    await expect.poll(() => mute.struck, PATIENCE).toBeGreaterThan(0);
    await last(5);
    expect(world.runs.size).toBe(0);
    const line = (await world.clients()).split("\n").find((client) => client.includes("cmd=blpop"));
    const id = /^id=(\d+)/.exec(line ?? "")?.[1] ?? "";
    const killedAt = performance.now();
    expect(await server().command("CLIENT", "KILL", "ID", id)).toBe(1);
    await world.untilCompleted(8);
    report("8 jobs after the loss of the blocking connection are done in", performance.now() - killedAt);
    mute.lift();
    await world.expectAllDone(ids);
    await world.expectFootprint(before);
    world.expectFewLines();
  }, 120_000);

  it("may be the one for commands: nothing that ran is lost, and nothing runs twice", async () => {
    const world = await openWorld(server(), { way, handler: () => last(20), worker: { concurrency: 5 } });
    const before = await world.footprint();
    const ids = await world.add(30);
    for (let cuts = 1; cuts <= 4; cuts++) {
      await world.untilCompleted(5 * cuts);
      world.proxy.cut("command");
      await expect.poll(() => world.engine.state, PATIENCE).toBe("ready");
    }
    await world.expectAllDone(ids);
    await world.expectFootprint(before);
    world.expectFewLines();
  }, 120_000);

  it("may be half open: it is given up, another takes its place, and the backlog is done (PB-022)", async () => {
    await halfOpen(server(), { way, outageMs: 0, ...hasty() });
  }, 400_000);

  it("may take bytes and give none back: the same", async () => {
    const world = await openWorld(server(), { way, ...hasty() });
    const before = await world.footprint();
    const stall = world.proxy.inject({ does: "stall", direction: "down" });
    const ids = await world.addElsewhere(5);
    await expect.poll(() => world.engine.state, { timeout: 150_000, interval: 5 }).toBe("down");
    stall.lift();
    await world.untilCompleted(5, { timeout: 150_000 });
    await world.expectAllDone(ids);
    await world.expectFootprint(before);
    world.expectFewLines();
  }, 400_000);

  it("may be slow: all is done, and no second try is made", async () => {
    const world = await openWorld(server(), { way });
    world.proxy.inject({ does: "delay", ms: 30 });
    await world.expectAllDone(await world.add(20));
    expect(world.troubles()).toEqual([]);
  }, 120_000);
});

describe("a reply that is lost after the server acted", () => {
  const server = useServer({ tcp: true });
  const LONG_LEASE = { lease: "10m" } as const;

  it.each(["cut", "silence"] as const)(
    "to an add: it may be repeated with its id, and one job is stored (%s)",
    async (leaves) => {
      const world = await openWorld(server(), { commandTimeoutMs: 2000 });
      await world.worker.pause();
      const loss = world.proxy.inject({ does: "lose-reply", to: { verb: "ADMIT" }, leaves, times: 1 });
      const id = world.newId();
      const failure = await world.queue.add("letter", 1, { id }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: leaves === "cut" ? "disconnected" : "timeout", details: { id } });
      world.proxy.cut();
      const again = await world.queue.add("letter", 1, { id, retryOnDisconnect: true });
      expect([again.outcome, again.existing?.state, loss.struck]).toEqual(["duplicate", "pending", 1]);
      expect(await world.queue.count()).toBe(1);
      world.worker.resume();
      await world.expectAllDone([id]);
    },
    120_000,
  );

  it.each(["cut", "silence"] as const)(
    "to an add that is repeated by itself: one job is stored, and the caller never knows (%s)",
    async (leaves) => {
      const world = await openWorld(server(), { commandTimeoutMs: 2000, queue: { retryOnDisconnect: true } });
      await world.worker.pause();
      const loss = world.proxy.inject({ does: "lose-reply", to: { verb: "ADMIT" }, leaves, times: 3 });
      const adds = Array.from({ length: 50 }, (_, at) => world.queue.add("letter", at));
      if (leaves === "silence") {
        // What is silent stays so: the next try has a connection of its own.
        for (let times = 1; times <= 3; times++) {
          await expect.poll(() => loss.struck, PATIENCE).toBe(times);
          world.proxy.endSilent();
        }
      }
      const jobs = await Promise.all(adds);
      expect(jobs.filter(({ outcome }) => outcome !== "added")).toEqual([]);
      expect([loss.struck, await world.queue.count()]).toEqual([3, 50]);
      world.worker.resume();
      await world.expectAllDone(jobs.map(({ id }) => id));
    },
    120_000,
  );

  it("to a claim: the jobs are found again within a beat of the return, under their first lease", async () => {
    const world = await openWorld(server(), { worker: { ...LONG_LEASE, concurrency: 20 } });
    await world.worker.pause();
    const ids = await world.add(20);
    const loss = world.proxy.inject({
      does: "lose-reply",
      to: { verb: "TURN", when: ({ parts }) => Number(parts[10]) > 0 },
      leaves: "cut",
      times: 1,
    });
    world.worker.resume();
    await expect.poll(() => loss.struck, PATIENCE).toBe(1);
    await expect.poll(() => world.engine.state, PATIENCE).toBe("ready");
    const backAt = performance.now();
    await world.untilCompleted(20);
    const tookMs = performance.now() - backAt;
    report("what a lost claim held is done in", tookMs);
    expect(tookMs).toBeLessThan(10 * BEAT_MS_DEFAULT);
    expect(new Set(world.tokens)).toEqual(new Set([1]));
    await world.expectAllDone(ids);
  }, 120_000);

  it("to a settlement: the repetition is taken for its success, and nothing is done twice", async () => {
    const world = await openWorld(server(), { worker: LONG_LEASE });
    const told: string[] = [];
    world.worker.on("lease-lost", () => void told.push("lease-lost"));
    const loss = world.proxy.inject({
      does: "lose-reply",
      to: { verb: "TURN", when: ({ parts }) => parts.slice(11).includes("c") },
      leaves: "cut",
      times: 3,
    });
    const ids: string[] = [];
    for (let jobs = 1; jobs <= 5; jobs++) {
      const job = await world.queue.add("letter", jobs, { retryOnDisconnect: true });
      ids.push(job.id);
      await world.untilCompleted(jobs);
    }
    expect([loss.struck, told]).toEqual([3, []]);
    await world.expectAllDone(ids);
  }, 120_000);
});

describe("news that never comes", () => {
  const server = useServer({ tcp: true });

  it("of one outage: what was added meanwhile waits for the beat, what comes after does not (PB-016)", async () => {
    const world = await openWorld(server());
    const mute = world.proxy.inject({ does: "mute", what: "wakes" });
    const silentAt = performance.now();
    const ids = [...(await world.add(3)), ...(await world.add(2))];
    await world.untilCompleted(5);
    report("5 jobs whose token was lost are done in", performance.now() - silentAt);
    mute.lift();
    await world.awake();
    ids.push(...(await world.add(3)));
    await world.expectAllDone(ids);
    expect(world.troubles()).toEqual([]);
  }, 120_000);

  it("at all: every job is done, each at the next beat (PB-017)", async () => {
    const world = await openWorld(server(), { worker: { beat: 50 } });
    world.proxy.inject({ does: "mute", what: "wakes" });
    const ids: string[] = [];
    let lateMs = 0;
    for (let jobs = 1; jobs <= 20; jobs++) {
      const addedAt = performance.now();
      ids.push(...(await world.addElsewhere(5)));
      await world.untilCompleted(5 * jobs);
      lateMs = Math.max(lateMs, performance.now() - addedAt);
    }
    console.info(
      `measured: without a single wake the last of 5 jobs is done within ${Math.round(lateMs)} ms (beat 50)`,
    );
    await world.expectAllDone(ids);
    expect(world.troubles()).toEqual([]);
  }, 120_000);

  it("of nothing at all: jobs that fall due within ten milliseconds run in order, without an add (PB-008)", async () => {
    const order: unknown[] = [];
    const startedMs: number[] = [];
    let dueFrom = 0;
    const world = await openWorld(server(), {
      worker: FAR_BEAT,
      handler: (job) => {
        order.push(job.data);
        startedMs.push(performance.now() - dueFrom);
      },
    });
    dueFrom = performance.now();
    const single = await world.queue.add("letter", 0, { delay: 1 });
    await world.untilCompleted(1);
    dueFrom = performance.now();
    const adds = Array.from({ length: 10 }, (_, at) => world.queue.add("letter", at + 1, { delay: at + 1 }));
    const ids = (await Promise.all(adds)).map(({ id }) => id);
    await world.untilCompleted(11);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const lateMs = startedMs.map((ms, at) => ms - (at === 0 ? 1 : at));
    console.info(
      `measured: jobs due in 1 to 10 ms start up to ${Math.round(Math.max(...lateMs))} ms late (promised 50)`,
    );
    expect(Math.max(...lateMs)).toBeLessThan(5000);
    await world.expectAllDone([single.id, ...ids]);
  }, 120_000);
});
