/** Leases on a real server: who may settle, and what becomes of those that lapse. */

import { describe, expect, it } from "vitest";
import { bytesOf } from "../../../src/protocol/bytes.ts";
import { SWEEP_LIMIT_DEFAULT } from "../../../src/queue/defaults.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { useServer } from "../../server/use-server.ts";
import { pause, until, WorkerSetup } from "./setup-worker.ts";

const server = useServer();

function setup(name: string) {
  return new WorkerSetup(server(), name);
}

/** Every key of a queue whose name holds an id. */
async function keysWith(test: WorkerSetup, id: string): Promise<unknown> {
  return await test.engine.command(["KEYS", bytesOf(`emq:{${test.name}}:*${id}*`)]);
}

describe("a job that is removed while it runs", () => {
  it("is gone for its holder, whose completion makes no key (PB-026)", async () => {
    const test = setup("removed");
    const lost: string[] = [];
    let finish = () => {};
    const worker = test.worker(() => new Promise<void>((resolve) => (finish = resolve)), { lease: 60_000 });
    worker.on("lease-lost", (_job, { why }) => lost.push(why));
    const { id } = await test.queue.add("step", {});
    await until(async () => (await test.queue.getJob(id))?.state === "active", "the job never ran");
    expect(await test.queue.remove(id)).toBe("ok");
    finish();
    await until(() => lost.length > 0, "the holder was not told");
    expect(lost).toEqual(["the job is gone"]);
    expect(await test.jobs.complete(test.name, id, 1)).toBe("gone");
    expect(await keysWith(test, id)).toEqual([]);
    expect(await test.queue.getJobCounts("completed", "failed")).toEqual({ completed: 0, failed: 0 });
  });

  it("goes on with the next token when its id is added again, and refuses the former holder (PB-028)", async () => {
    const test = setup("again");
    const { id } = await test.queue.add("step", {});
    const first = await test.jobs.claim(test.name, 1);
    await until(async () => (await test.jobs.reap(test.name)) === 1, "the first lease never lapsed");
    const second = await test.jobs.claim(test.name, 60_000);
    expect(await test.jobs.complete(test.name, id, first?.attempts ?? 0)).toBe("stale");
    expect(await test.queue.remove(id)).toBe("ok");
    await test.queue.add("step", {}, { id });
    const third = await test.jobs.claim(test.name, 60_000);
    expect([first?.attempts, second?.attempts, third?.attempts]).toEqual([1, 2, 3]);
    expect(await test.jobs.complete(test.name, id, 1)).toBe("stale");
    expect(await test.jobs.complete(test.name, id, 2)).toBe("stale");
    expect(await test.jobs.complete(test.name, id, 3)).toBe("ok");
  });
});

describe("leases that lapsed", () => {
  /** Jobs of which a holder that is gone has the leases. */
  async function lapsed(test: WorkerSetup, count: number): Promise<string[]> {
    const added = await test.queue.addBulk(Array.from({ length: count }, () => ({ name: "step", data: {} })));
    for (let held = 0; held < count; held += 500) {
      expect(await test.jobs.claimBatch(test.name, Math.min(500, count - held), 1)).toHaveLength(
        Math.min(500, count - held),
      );
    }
    await pause(5);
    return added.map(({ id }) => id);
  }

  it("are taken back in one pass, and one whose job is gone is dropped (PB-040)", async () => {
    const test = setup("ghost");
    const ids = await lapsed(test, 11);
    await test.engine.command(["DEL", bytesOf(`emq:{${test.name}}:job:${ids[4]}`)]);
    const { recovered, dead } = await test.jobs.sweep(test.name);
    expect(new Set(recovered)).toEqual(new Set(ids.filter((_, at) => at !== 4)));
    expect(dead).toEqual([]);
    expect(await test.engine.command(["ZCARD", bytesOf(`emq:{${test.name}}:active`)])).toBe(0);
    expect(await checkInvariants(test.engine, test.name)).toEqual([]);
  });

  it("are taken back once each by twenty sweepers at the same instant (PB-041)", async () => {
    const test = setup("sweepers");
    const ids = await lapsed(test, 1000);
    const engines = Array.from({ length: 20 }, () => new WorkerSetup(server(), test.name));
    await Promise.all(engines.map(({ engine }) => engine.ready()));
    const sweeps = engines.map(async ({ jobs, name }) => {
      const recovered: string[] = [];
      for (;;) {
        const { recovered: some } = await jobs.sweep(name);
        recovered.push(...some);
        if (some.length < SWEEP_LIMIT_DEFAULT) return recovered;
      }
    });
    const recovered = (await Promise.all(sweeps)).flat();
    expect(recovered).toHaveLength(1000);
    expect(new Set(recovered)).toEqual(new Set(ids));
    expect(await test.queue.getJobCounts("pending", "active", "dead")).toEqual({ pending: 1000, active: 0, dead: 0 });
    const stalled = await Promise.all(ids.slice(0, 50).map(async (id) => (await test.queue.getJob(id))?.crashes));
    expect(new Set(stalled)).toEqual(new Set([1]));
  });

  it("hand their job out again at the first sweep where two lapses may be (PB-047)", async () => {
    const test = setup("once");
    const [id] = await lapsed(test, 1);
    expect(await test.jobs.sweep(test.name, { maxStalled: 2 })).toEqual({ recovered: [id], dead: [] });
    const seen: unknown[] = [];
    test.worker((job) => void seen.push([job.id, job.attempt, job.crashes]), { crashLimit: 2 });
    await until(() => seen.length > 0, "the job never ran");
    expect(seen).toEqual([[id, 1, 1]]);
  });
});

describe("a free slot", () => {
  it("takes a job at once while the other slot is busy (PB-050)", async () => {
    const test = setup("slot");
    const startedAt: number[] = [];
    let release = () => {};
    const busy = new Promise<void>((resolve) => (release = resolve));
    test.worker(
      async () => {
        startedAt.push(performance.now());
        await busy;
      },
      { concurrency: 2, beat: 60_000 },
    );
    await test.queue.add("a", {});
    await until(() => startedAt.length === 1, "the first job never started");
    await pause(100);
    const addedAt = performance.now();
    await test.queue.add("b", {});
    // No beat comes in this time, so only the token of the add can have started it.
    await until(() => startedAt.length === 2, "the second job never started");
    console.log(`started ${Math.round((startedAt[1] ?? 0) - addedAt)} ms after its add`);
    release();
  });
});

describe("a job with a higher priority that failed", () => {
  it("runs again before all that waits behind it (PB-104)", async () => {
    const test = setup("priority");
    const seen: unknown[] = [];
    await test.queue.add("first", {}, { priority: 1, attempts: 2, backoff: 1 });
    await test.queue.addBulk(Array.from({ length: 10 }, () => ({ name: "later", data: {}, opts: { priority: 5 } })));
    const worker = test.worker(
      async (job) => {
        seen.push(job.name);
        // It is due again while this worker still has its hands full.
        if (seen.length === 1) throw new Error("once");
        if (seen.length === 2) await pause(50);
      },
      { lookAhead: 0 },
    );
    await until(() => seen.length === 12, "not all jobs ran");
    await worker.close();
    expect(seen.indexOf("first", 1)).toBeLessThanOrEqual(2);
    expect(seen.filter((name) => name === "later")).toHaveLength(10);
  });
});
