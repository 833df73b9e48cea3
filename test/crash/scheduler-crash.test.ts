/**
 * Schedulers while the processes that fire them are killed and frozen: on a real server, one job a slot all the same.
 */

import { describe, expect, it } from "vitest";
import { useServer } from "../server/use-server.ts";
import { CrashSetup, DEADLINE_MS } from "./setup-crash.ts";
import type { WorkerProcess } from "./worker-process.ts";

const EVERY_MS = 200;

/** Slots of a run: enough that several fall into each kill. */
const SLOTS = 40;

describe("schedulers of processes that come to harm", () => {
  const server = useServer();

  /** Plays a run of one scheduler; resolves to the slots of its jobs in the order of their ids. */
  async function play(name: string, harm: (workers: WorkerProcess[], setup: CrashSetup) => Promise<void>) {
    const setup = new CrashSetup(server().url, name, { lease: 1000, beat: 100 });
    await setup.queue.pause();
    const repeat = { every: EVERY_MS, missed: { all: 100 }, limit: SLOTS } as const;
    const { facts } = await setup.queue.upsertJobScheduler("s", repeat, { data: {} });
    const workers = [setup.start(), setup.start(), setup.start()];
    await Promise.all(workers.map((worker) => worker.ready));
    await harm(workers, setup);
    await expect
      .poll(async () => (await setup.queue.getJobScheduler("s"))?.nextAt, { timeout: DEADLINE_MS, interval: 50 })
      .toBeUndefined();
    const jobs = await setup.queue.getJobs("pending", 0, 999, true);
    const first = facts.nextAt?.getTime() ?? 0;
    return jobs.map((job) => ((job.slotAt?.getTime() ?? 0) - first) / EVERY_MS);
  }

  const eachOnce = Array.from({ length: SLOTS }, (_, at) => at);

  it("are fired once a slot while the one that fires is killed again and again", async () => {
    const slots = await play("killed", async (workers, setup) => {
      for (let round = 0; round < 5; round++) {
        await fired(setup, (round + 1) * 4);
        workers.shift()?.signal("SIGKILL");
        const next = setup.start();
        workers.push(next);
        await next.ready;
      }
    });
    expect(slots.toSorted((a, b) => a - b)).toEqual(eachOnce);
  });

  it("are fired once a slot while one that fires is frozen and goes on (PB-101)", async () => {
    const slots = await play("frozen", async (workers, setup) => {
      for (const [round, worker] of workers.entries()) {
        worker.signal("SIGSTOP");
        await fired(setup, (round + 1) * 8);
        worker.signal("SIGCONT");
      }
    });
    expect(slots.toSorted((a, b) => a - b)).toEqual(eachOnce);
  });

  async function fired(setup: CrashSetup, count: number): Promise<void> {
    await expect
      .poll(async () => (await setup.queue.getJobScheduler("s"))?.facts.fired ?? 0, {
        timeout: DEADLINE_MS,
        interval: 20,
      })
      .toBeGreaterThanOrEqual(count);
  }
});
