/**
 * Jobs that end the process which runs them, and what is behind them in the queue.
 */

import { describe, expect, it } from "vitest";
import { useServer } from "../server/use-server.ts";
import { CrashSetup, until } from "./setup-crash.ts";
import type { ChildLine, WorkerProcess } from "./worker-process.ts";

const server = useServer();

const CRASH_LIMIT = 3;

function setup(name: string) {
  return new CrashSetup(server().url, name, { lease: 1000, concurrency: 1, crashLimit: CRASH_LIMIT });
}

/** Kills each process that starts the job, until it was started so often; another process takes the place at once. */
function killAtStart(test: CrashSetup, { id, times }: { readonly id: string; readonly times: number }): void {
  let kills = 0;
  const onLine = (line: ChildLine, worker: WorkerProcess) => {
    if (line.event !== "start" || line.id !== id || kills === times) return;
    kills++;
    worker.signal("SIGKILL");
    test.start({}, onLine);
  };
  test.start({}, onLine);
}

const stateOf = async (test: CrashSetup, id: string) => (await test.queue.getJob(id))?.state;

describe("a job whose process dies", () => {
  it("has used no attempt when it was killed twice and then succeeds (PB-031)", async () => {
    const test = setup("twice");
    await test.engine.ready();
    // Long enough for a look at it while it runs.
    const added = await test.queue.add("step", { ms: 2000 }, { attempts: 3 });
    killAtStart(test, { id: added.id, times: 2 });
    await test.heard("start", 3);
    const running = await test.queue.getJob(added.id);
    expect([running?.failures, running?.crashes]).toEqual([0, 2]);
    await test.heard("settled");
    expect(test.lines.filter(({ event }) => event === "settled")).toMatchObject([{ id: added.id, token: 3 }]);
  }, 200_000);

  it("is dead after three kills, with the reason crashed (PB-031)", async () => {
    const test = setup("thrice");
    const [id = ""] = await test.add(1, { ms: 60_000 });
    killAtStart(test, { id, times: 3 });
    await until(
      async () => (await stateOf(test, id)) === "dead",
      () => "the job is not dead",
    );
    expect(await test.queue.getJob(id)).toMatchObject({ deathReason: "crashed", crashes: 3, failures: 0 });
    expect(test.idsOf("start")).toHaveLength(3);
  }, 200_000);

  it("runs again when it is retried by hand, and its counts begin at 0 (PB-032)", async () => {
    const test = setup("by-hand");
    const [id = ""] = await test.add(1, { ms: 60_000 });
    killAtStart(test, { id, times: 3 });
    await until(
      async () => (await stateOf(test, id)) === "dead",
      () => "the job is not dead",
    );
    expect(await test.queue.retry(id)).toBe("ok");
    await test.heard("start", 4);
    const running = await test.queue.getJob(id);
    expect([running?.state, running?.failures, running?.crashes]).toEqual(["active", 0, 0]);
  }, 200_000);

  it("dies at its limit of three although it is killed whenever it runs (PB-053)", async () => {
    const test = setup("five");
    const [id = ""] = await test.add(1, { ms: 60_000 });
    killAtStart(test, { id, times: 5 });
    await until(
      async () => (await stateOf(test, id)) === "dead",
      () => "the job is not dead",
    );
    // A job behind it shows that the fifth process is there and runs what there is.
    await test.add(1);
    await test.heard("settled");
    expect(test.lines.filter((line) => line.event === "start" && line.id === id)).toHaveLength(CRASH_LIMIT);
  }, 200_000);
});

describe("a handler that ends its process", () => {
  it("is dead after three crashes, its data are in another queue, and all twenty behind it are done (PB-034)", async () => {
    const test = setup("poison");
    const poisoned = new CrashSetup(server().url, "poisoned", {});
    const [id = ""] = await test.add(1, { does: "exit", ms: 1 }, "bomb");
    const innocents = await test.add(20);
    // A supervisor that starts the process anew whenever it ends.
    const supervisor: { isOver: boolean; starts: number; worker: WorkerProcess | undefined } = {
      isOver: false,
      starts: 0,
      worker: undefined,
    };
    const supervise = async (): Promise<void> => {
      while (!supervisor.isOver) {
        supervisor.starts++;
        supervisor.worker = test.start({ poisonQueue: "poisoned" });
        await supervisor.worker.ended;
      }
    };
    const supervised = supervise();
    await test.heard("poison");
    await test.emptied();
    supervisor.isOver = true;
    supervisor.worker?.signal("SIGKILL");
    await supervised;

    // The server's count is the witness: a process may have ended before it could tell what it had settled.
    expect(await test.queue.getJobCounts("completed", "dead")).toEqual({ completed: 20, dead: 1 });
    expect(new Set(test.idsOf("start"))).toEqual(new Set([id, ...innocents]));
    expect(test.lines.filter((line) => line.event === "start" && line.id === id)).toHaveLength(CRASH_LIMIT);
    expect(await test.queue.getJob(id)).toMatchObject({ state: "dead", deathReason: "crashed", crashes: 3 });
    expect(test.idsOf("poison")).toEqual([id]);
    const [moved] = await poisoned.queue.getJobs("pending");
    expect([moved?.name, moved?.data]).toEqual(["bomb", { does: "exit", ms: 1 }]);
    expect(supervisor.starts).toBeGreaterThanOrEqual(CRASH_LIMIT + 1);
  }, 200_000);
});

describe("workers that know different names", () => {
  it("give a stalled job of another name back until the one that knows it runs it (PB-044)", async () => {
    const test = setup("names");
    const [id = ""] = await test.add(1, { ms: 60_000 }, "b");
    const doomed = test.start({ names: ["b"] });
    await test.heard("start");
    doomed.signal("SIGKILL");
    await doomed.ended;
    await test.queue.updateData(id, { ms: 1 });
    test.start({ names: ["a"] });
    // It takes the lapsed lease back, meets the job, and puts it off.
    await until(
      async () => ((await test.queue.getJob(id))?.interruptions ?? 0) > 0,
      () => "nobody gave the job back",
    );
    expect(test.idsOf("start")).toHaveLength(1);
    test.start({ names: ["b"] });
    await test.heard("settled");
    expect(test.lines.filter(({ event }) => event === "settled")).toMatchObject([{ id }]);
    expect(await test.queue.getJobCounts("failed", "dead")).toEqual({ failed: 0, dead: 0 });
  }, 200_000);
});
