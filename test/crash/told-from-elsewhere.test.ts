/**
 * What one process says to the worker of another: to stop a job, and to take no further ones.
 */

import { describe, expect, it } from "vitest";
import { useServer } from "../server/use-server.ts";
import { CrashSetup, until } from "./setup-crash.ts";

const server = useServer();

/** A lease whose renewal comes too late for what these tests wait for. */
const LEASE_MS = 600_000;

const CHANNEL = "emq:{cancelled}:control";

describe("a worker of another process", () => {
  it("is told at once that a job is cancelled, which ends with the reason (PB-164)", async () => {
    const test = new CrashSetup(server().url, "cancelled", { lease: LEASE_MS });
    test.start();
    await test.add(1, { ms: 300_000, does: "heed" });
    await test.heard("start", 1);
    // It listens on a connection of its own, which may stand later than its first job begins.
    const subscribers = async () => ((await test.engine.command(["PUBSUB", "NUMSUB", CHANNEL])) as unknown[])[1];
    await until(
      async () => Number(await subscribers()) === 1,
      () => "the worker listens",
    );
    const id = test.lines.find(({ event }) => event === "start")?.id ?? "";
    const cancelledAt = performance.now();
    expect(await test.queue.cancel(id, "wrong address")).toBe("marked");
    await test.heard("failed", 1);
    console.log(`cancelled and dead after ${Math.round(performance.now() - cancelledAt)} ms`);
    expect(test.lines.filter(({ event }) => event === "aborted")).toMatchObject([{ id, why: "cancelled" }]);
    expect(await test.queue.getJob(id)).toMatchObject({
      deathReason: "cancelled",
      cancelReason: "wrong address",
      lastError: "wrong address",
    });
    expect((await test.queue.explain(id)).reasons).toMatchObject([{ kind: "dead", cause: "cancelled" }]);
  }, 200_000);

  it("is paused alone, and resumed", async () => {
    const test = new CrashSetup(server().url, "paused", { lease: LEASE_MS });
    const paused = await test.start().ready;
    await until(
      async () => (await test.queue.workers()).some(({ id }) => id === paused),
      () => "the first worker in the list",
    );
    expect(await test.queue.pauseWorker(paused)).toBe("ok");
    await test.start().ready;
    // What it took before it heard of the pause is given back, so every one of these runs in the other process.
    await test.add(20, {});
    await test.heard("settled", 20);
    expect((await test.queue.workers()).find(({ id }) => id === paused)?.isPaused).toBe(true);
    expect(await test.queue.resumeWorker(paused)).toBe("ok");
    await test.add(1, {});
    await test.heard("settled", 21);
  }, 200_000);
});
