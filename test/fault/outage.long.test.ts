/** The outages of their full length, as the cases name them. */

import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../server/start-server.ts";
import { useCluster } from "../server/use-server.ts";
import { cutFromAll } from "./cluster-case.ts";
import { last, openWorld, PATIENCE } from "./fault-world.ts";
import { freezeAndRestart, halfOpen, pauseServer, startWithout, stopAndStart } from "./outage-case.ts";

describe("a server that is away for long", () => {
  const setup = async () => {
    const server = await startServer({ tcp: true, config: { appendonly: "yes" } });
    onTestFinished(() => server.stop());
    return server;
  };

  it.each([1000, 6000, 20_000, 60_000])("%d ms: all is done once it is back (PB-001)", async (outageMs) => {
    await stopAndStart(await setup(), { outageMs });
  });

  it("15 s frozen, then five restarts 2 s apart: 60 of 60 are done (PB-005)", async () => {
    await freezeAndRestart(await setup(), { outageMs: 15_000, pauseMs: 2000 });
  });

  it("10 s paused: 20 of 20 are done (PB-007)", async () => {
    await pauseServer(await setup(), { outageMs: 10_000 });
  });

  it("10 s from the start of a worker on (PB-010)", async () => {
    await startWithout(await setup(), 10_000);
  });

  it("5 min of silence on a half-open connection (PB-022)", async () => {
    await halfOpen(await setup(), { outageMs: 300_000 });
  });

  it("60 s without a single wake, 100 jobs: each is done at the next beat (PB-017)", async () => {
    const world = await openWorld(await setup());
    world.proxy.inject({ does: "mute", what: "wakes" });
    const ids: string[] = [];
    let lateMs = 0;
    for (let jobs = 1; jobs <= 100; jobs++) {
      const addedAt = performance.now();
      ids.push(...(await world.addElsewhere(1)));
      await world.untilCompleted(jobs);
      lateMs = Math.max(lateMs, performance.now() - addedAt);
      await last(Math.max(0, 600 - (performance.now() - addedAt)));
    }
    console.info(`measured: the latest of 100 jobs without a wake is done after ${Math.round(lateMs)} ms (beat 1000)`);
    await world.expectAllDone(ids);
  });

  it("10 s short of replicas: the writes are refused, and done afterwards (PB-020)", async () => {
    const server = await setup();
    const world = await openWorld(server, { worker: { concurrency: 5 }, handler: () => last(1000) });
    const ids = await world.add(5);
    await expect.poll(() => world.runs.size, PATIENCE).toBe(5);
    await server.command("CONFIG", "SET", "min-replicas-to-write", "1");
    const refused = await world.queue.add("letter", 1).catch((error: unknown) => error);
    expect(refused).toMatchObject({ retryable: true, message: expect.stringContaining("NOREPLICAS") });
    const repeated = world.queue.add("letter", 2, { retryOnDisconnect: true });
    await last(10_000);
    await server.command("CONFIG", "SET", "min-replicas-to-write", "0");
    ids.push((await repeated).id);
    await world.expectAllDone(ids);
    world.expectFewLines();
  });
});

describe("a client of a cluster for long", () => {
  const cluster = useCluster();

  it("30 s cut from all six nodes (PB-004)", async () => {
    await cutFromAll(cluster(), 30_000);
  });
});
