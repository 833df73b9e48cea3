/** A server that is there and does not work: it is read-only, loading, full, short of replicas or busy. */

import { describe, expect, it, onTestFinished } from "vitest";
import { refusalWord } from "../../src/engine/refusal.ts";
import type { EchoMQError } from "../../src/protocol/errors.ts";
import { WAYS } from "../integration/valkey/setup-engine.ts";
import { startReplica, startServer } from "../server/start-server.ts";
import { useServer } from "../server/use-server.ts";
import { last, openWorld, PATIENCE, report } from "./fault-world.ts";

/** Adds that are refused, each with the error of its caller. */
/**
 * Every caller was told in the server's own words. A machine that is busy may leave the last try of a call without an
 * answer; then these words stand behind the time-out.
 */
function expectRefusals(errors: readonly EchoMQError[], count: number, word: string): void {
  expect(errors).toHaveLength(count);
  for (const { code, retryable, message } of errors) {
    expect(["server_busy", "out_of_memory", "timeout"]).toContain(code);
    expect([retryable, message]).toEqual([true, expect.stringContaining(word)]);
  }
}

describe.each(WAYS)("a server that does not work, by %s", (_name, way) => {
  const server = useServer({ tcp: true });

  it("lacks replicas: adds say so, and what is active meanwhile is done once it writes again (PB-020)", async () => {
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const options = { commandTimeoutMs: 3000, worker: { concurrency: 5 }, handler: () => gate };
    const world = await openWorld(server(), { way, ...options });
    const before = await world.footprint();
    const ids = await world.add(5);
    await expect.poll(() => world.runs.size, PATIENCE).toBe(5);
    await server().command("CONFIG", "SET", "min-replicas-to-write", "1");
    onTestFinished(async () => void (await server().command("CONFIG", "SET", "min-replicas-to-write", "0")));
    release();
    const errors = await world.refusedAdds(5);
    expectRefusals(errors, 5, "NOREPLICAS");
    expect(world.completed).toEqual([]);
    await server().command("CONFIG", "SET", "min-replicas-to-write", "0");
    const backAt = performance.now();
    await world.untilCompleted(5);
    report("5 active jobs are done after writes are taken again in", performance.now() - backAt);
    await world.expectAllDone(ids);
    await world.expectFootprint(before);
    world.expectFewLines();
  }, 120_000);

  it("is busy with a script of somebody else: what falls due meanwhile runs afterwards (PB-076)", async () => {
    const world = await openWorld(server(), { way, worker: { concurrency: 10 } });
    const error = "BUSY Valkey is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
    const busy = world.proxy.inject({ does: "answer", error, to: { verb: ["TURN", "PROMOTE"] } });
    const ids = await world.addElsewhere(10, 1);
    await last(300);
    expect(world.runs.size).toBe(0);
    busy.lift();
    const backAt = performance.now();
    await world.untilCompleted(10);
    report("10 jobs that fell due while the server was busy are done in", performance.now() - backAt);
    await world.expectAllDone(ids);
    world.expectFewLines();
  }, 120_000);
});

describe("a server that refuses everything", () => {
  const server = useServer({ tcp: true });

  it.each([
    "MISCONF Errors writing to the AOF file: No space left on device",
    "LOADING the server is loading the dataset in memory",
    "CLUSTERDOWN The cluster is down",
    "OOM command not allowed when used memory > 'maxmemory'.",
  ])(
    "answers %s: adds say so, the log is quiet, and everything goes on afterwards",
    async (error) => {
      const word = refusalWord(error);
      const world = await openWorld(server(), { commandTimeoutMs: 3000 });
      const before = await world.footprint();
      const refusal = world.proxy.inject({ does: "answer", error, to: { when: ({ name }) => name !== "PING" } });
      const ids = await world.addElsewhere(5);
      const errors = await world.refusedAdds(5);
      expectRefusals(errors, 5, word);
      const message = expect.stringContaining(word);
      await expect.poll(() => world.worker.health().lastError, PATIENCE).toMatchObject({ message });
      await expect.poll(() => world.worker.health().isConsuming, PATIENCE).toBe(false);
      expect(world.runs.size).toBe(0);
      refusal.lift();
      const backAt = performance.now();
      await world.untilCompleted(5);
      report(`5 jobs are done after ${word} in`, performance.now() - backAt);
      ids.push(...(await world.add(3)));
      await world.expectAllDone(ids);
      await expect
        .poll(() => world.worker.health(), PATIENCE)
        .toMatchObject({ isConsuming: true, lastError: undefined });
      await world.expectFootprint(before);
      world.expectFewLines();
    },
    120_000,
  );
});

describe("a server that is full", () => {
  it("refuses adds and lets workers drain what is there, without a line of its own", async () => {
    const server = await startServer({ tcp: true });
    onTestFinished(() => server.stop());
    const world = await openWorld(server);
    await world.worker.pause();
    const ids = await world.add(50);
    await server.command("CONFIG", "SET", "maxmemory", "1");
    expect((await world.refusedAdds(3)).map(({ code }) => code)).toEqual(
      Array.from({ length: 3 }, () => "out_of_memory"),
    );
    world.worker.resume();
    await world.untilCompleted(50);
    await server.command("CONFIG", "SET", "maxmemory", "0");
    ids.push(...(await world.add(1)));
    await world.expectAllDone(ids);
  }, 120_000);
});

describe("an address at which another server takes over", () => {
  it.each(WAYS)(
    "is connected anew, commands and waiting alike, when the old one takes no writes: %s",
    async (_name, way) => {
      const old = await startServer({ tcp: true });
      onTestFinished(() => old.stop());
      const world = await openWorld(old, { way, commandTimeoutMs: 3000, worker: { concurrency: 3 } });
      const before = await world.footprint();
      const ids = await world.add(3);
      await world.untilCompleted(3);
      const heir = await startReplica(old);
      onTestFinished(() => heir.stop());
      // The heir is primary before the old one follows it, as in every failover that loses nothing.
      await heir.command("REPLICAOF", "NO", "ONE");
      world.proxy.target = { port: heir.port as number };
      await old.command("REPLICAOF", "127.0.0.1", String(heir.port));
      const switchedAt = performance.now();
      const adds = Array.from({ length: 10 }, (_, at) => world.queue.add("letter", at, { retryOnDisconnect: "20s" }));
      ids.push(...(await Promise.all(adds)).map(({ id }) => id));
      await world.untilCompleted(13);
      report("10 jobs are done at the server that took over in", performance.now() - switchedAt);
      const waits = async (server: typeof heir): Promise<number> =>
        String(await server.command("CLIENT", "LIST")).split("cmd=blpop").length - 1;
      // Also who waits for work has moved, so the next job has its wake-up.
      await expect.poll(() => waits(heir), PATIENCE).toBe(1);
      await expect.poll(() => waits(old), PATIENCE).toBe(0);
      await world.expectAllDone(ids, heir);
      await expect.poll(() => world.proxy.links().length, PATIENCE).toBe(before.sockets);
      world.expectFewLines();
    },
    120_000,
  );
});

describe("a queue with a key of the wrong type", () => {
  const server = useServer({ tcp: true });

  it("is asked again in growing steps: the worker says why it does not consume, and goes on once it is mended", async () => {
    const world = await openWorld(server(), { worker: { beat: 100 } });
    const errors: unknown[] = [];
    await server().command("SET", "emq:{mail}:pending", "no sorted set");
    await expect
      .poll(() => world.worker.health().lastError, PATIENCE)
      .toMatchObject({ code: "refused", message: expect.stringMatching(/^WRONGTYPE /) });
    const startedAt = performance.now();
    await last(1500);
    const health = world.worker.health();
    expect(health).toMatchObject({ state: "running", engine: "ready", isConsuming: false });
    expect(health.notConsumingSince).toBeLessThanOrEqual(Date.now() - 1400);
    const lines = world.troubles();
    // A line when it begins and one for each longer wait: 50, 100, 200, 400, 800, 1000 ms.
    expect(lines.filter((line) => line.includes("cannot be served: WRONGTYPE")).length).toBeLessThanOrEqual(6);
    expect(lines.filter((line) => line.includes("cannot be served: WRONGTYPE")).length).toBeGreaterThan(1);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1400);
    world.worker.on("error", (error) => void errors.push(error));
    await server().command("DEL", "emq:{mail}:pending");
    await world.expectAllDone(await world.add(3));
    await expect.poll(() => world.worker.health(), PATIENCE).toMatchObject({ isConsuming: true, lastError: undefined });
    expect(errors.length).toBeLessThanOrEqual(2);
  }, 120_000);
});
