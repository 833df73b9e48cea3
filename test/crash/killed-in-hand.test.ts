/**
 * Many processes that die at once with all hands full: what they held comes back, once each, and to live owners only.
 */

import { describe, expect, it } from "vitest";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { useServer } from "../server/use-server.ts";
import { CrashSetup, killAll, until } from "./setup-crash.ts";
import type { ChildOptions } from "./worker-process.ts";

const server = useServer();

const LEASE_MS = 1000;

function setup(name: string, options: ChildOptions = {}) {
  return new CrashSetup(server().url, name, { lease: LEASE_MS, ...options });
}

/** The owner of every job in `active`. */
async function ownersOf(test: CrashSetup): Promise<(string | undefined)[]> {
  const jobs = await test.queue.getJobs("active", 0, 999);
  return jobs.map(({ owner }) => owner);
}

describe("processes that are killed with jobs in hand", () => {
  it("leave none of a hundred jobs active without a live owner (PB-043)", async () => {
    const test = setup("ten");
    await test.add(100, { ms: 300_000 });
    const doomed = Array.from({ length: 10 }, () => test.start({ concurrency: 10 }));
    await test.heard("start", 100);
    await killAll(doomed);
    const killedAt = performance.now();
    const heirs = [test.start({ concurrency: 50 }), test.start({ concurrency: 50 })];
    const alive = new Set(await Promise.all(heirs.map((heir) => heir.ready)));
    await test.heard("start", 200);
    console.log(`all hundred run again ${Math.round(performance.now() - killedAt)} ms after the kill`);
    const owners = await ownersOf(test);
    expect(owners).toHaveLength(100);
    expect(owners.filter((owner) => owner === undefined || !alive.has(owner))).toEqual([]);
    expect(await test.queue.getJobCounts("pending", "dead", "schedule")).toEqual({ pending: 0, dead: 0, schedule: 0 });
  }, 200_000);

  it("hand back all fifty jobs of five workers, never more than run at once (PB-049)", async () => {
    const test = setup("five");
    await test.add(50, { ms: 500 });
    const doomed = Array.from({ length: 5 }, () => test.start({ concurrency: 10 }));
    await test.heard("start", 50);
    await killAll(doomed);
    const heirs = [test.start({ concurrency: 5 }), test.start({ concurrency: 5 })];
    const alive = new Set(await Promise.all(heirs.map((heir) => heir.ready)));
    let most = 0;
    await until(
      async () => {
        const held = (await ownersOf(test)).filter((owner) => owner !== undefined && alive.has(owner)).length;
        most = Math.max(most, held);
        return (await test.queue.getJobCounts("completed")).completed === 50;
      },
      () => "not all jobs are done",
    );
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(10);
    await test.emptied();
    expect(await test.queue.getJobCounts("completed", "failed")).toEqual({ completed: 50, failed: 0 });
    expect(await checkInvariants(test.engine, test.queue.name)).toEqual([]);
  }, 200_000);

  it("hand back a single job with every option left at its default but the lease (PB-056)", async () => {
    const test = new CrashSetup(server().url, "single", { lease: LEASE_MS });
    const [id = ""] = await test.add(1, { ms: 300_000 });
    const doomed = test.start();
    await test.heard("start");
    await killAll([doomed]);
    const killedAt = performance.now();
    test.start();
    await test.heard("start", 2);
    console.log(`it runs again ${Math.round(performance.now() - killedAt)} ms after the kill`);
    expect(test.lines.filter(({ event }) => event === "start")).toMatchObject([
      { id, token: 1 },
      { id, token: 2 },
    ]);
  }, 200_000);

  it("hand back a job that was to take six hours as soon as its lease has lapsed (PB-038)", async () => {
    const test = setup("six-hours");
    await test.add(1, { ms: 6 * 3_600_000 });
    const doomed = test.start();
    const heir = test.start();
    await Promise.all([doomed.ready, heir.ready]);
    await test.heard("start");
    const holder = test.lines[0]?.from === heir ? heir : doomed;
    await killAll([holder]);
    await test.heard("start", 2);
    expect(test.lines.filter(({ event }) => event === "start").map(({ token }) => token)).toEqual([1, 2]);
  }, 200_000);

  it("do not give their jobs to a worker of the same place just because it looks like them (PB-046)", async () => {
    const test = setup("boot");
    await test.add(5, { ms: 300_000 });
    const first = test.start();
    await test.heard("start", 5);
    const firstId = await first.ready;
    // While the first lives, the second is no owner of anything: it takes nothing over.
    const second = test.start();
    const secondId = await second.ready;
    expect(secondId).not.toBe(firstId);
    expect(new Set(await ownersOf(test))).toEqual(new Set([firstId]));
    await killAll([first]);
    await test.heard("start", 10);
    expect(new Set(await ownersOf(test))).toEqual(new Set([secondId]));
    // Each was claimed anew, and not carried on under the old token.
    const tokens = test.lines
      .filter(({ event, from }) => event === "start" && from === second)
      .map(({ token }) => token);
    expect(tokens).toEqual([2, 2, 2, 2, 2]);
  }, 200_000);
});
