/** Jobs that are the same, from `add` to the end of their handlers, on virtual time. */

import { describe, expect, test } from "vitest";
import type { AddedJob } from "../../../src/queue/job.ts";
import type { JobOptions } from "../../../src/queue/job-options.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import type { QueueOptions } from "../../../src/queue/queue-options.ts";
import { UnrecoverableError } from "../../../src/worker/control-error.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { broken } from "./remote-engine.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

/** One run of a handler: when it began, since the world did, and with which data. */
interface Run {
  readonly at: number;
  readonly data: unknown;
  readonly id: string;
}

function setup(options: QueueOptions = {}) {
  const world = new WorkerWorld();
  const lease = { engine: world.engine, release: async () => {} };
  const queue = new QueueCore<Record<string, unknown>>(QUEUE, lease, options);
  const runs: Run[] = [];
  /** A worker whose handlers take `ms` each. */
  const work = (ms = 0, more: WorkerOptions = {}) =>
    world.worker(async (job) => {
      runs.push({ at: world.elapsedMs, data: job.data, id: job.id });
      if (ms > 0) await world.pause(ms);
    }, more);
  const add = async (data: unknown, jobOptions: JobOptions) => {
    const added = queue.add("mail", data, jobOptions);
    await world.settle();
    return await added;
  };
  const dataOf = () => runs.map(({ data }) => data);
  const sound = async () => {
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  };
  return { world, queue, runs, work, add, dataOf, sound };
}

function told({ outcome, existing }: AddedJob): readonly unknown[] {
  return [outcome, existing?.id, existing?.state];
}

const X = { deduplication: { id: "x" } } as const;

describe("a deduplication id", () => {
  test("holds other jobs back while its job waits, runs or is scheduled, and tells which job that is", async () => {
    const { world, add, work, runs, queue, sound } = setup();
    const first = await add(1, { ...X, delay: 500 });
    expect(told(first)).toEqual(["added", undefined, undefined]);
    const second = await add(2, X);
    expect(told(second)).toEqual(["deduplicated", first.id, "scheduled"]);
    expect(second.id).toBe(first.id);
    expect(second.data).toBe(2);
    expect((await queue.getJob(first.id))?.deduplicationId).toBe("x");
    work(100);
    await world.advance(550);
    expect(told(await add(3, X))).toEqual(["deduplicated", first.id, "active"]);
    expect(await queue.getDeduplicationJobId("x")).toBe(first.id);
    await world.advance(100);
    expect(await queue.getDeduplicationJobId("x")).toBeUndefined();
    expect((await add(4, X)).outcome).toBe("added");
    await world.advance(200);
    expect(runs.map(({ data }) => data)).toEqual([1, 4]);
    await sound();
  });

  test("lets a delayed job run, a failed one retry, and a new one in after a death (PB-130)", async () => {
    const { world, add, runs, sound } = setup();
    const failing = new Set(["fails once"]);
    world.worker((job) => {
      runs.push({ at: world.elapsedMs, data: job.data, id: job.id });
      if (job.data === "dies") throw new UnrecoverableError("never");
      if (failing.delete(job.data as string)) throw new Error("once");
    });
    await add("delayed", { ...X, delay: 1000 });
    await world.advance(1000);
    await add("fails once", { ...X, backoff: 100 });
    expect(told(await add("too early", X))[0]).toBe("deduplicated");
    await world.advance(1000);
    await add("dies", X);
    await world.advance(10);
    expect(await world.counts()).toMatchObject({ dead: 1 });
    expect((await add("after the death", X)).outcome).toBe("added");
    await world.advance(10);
    expect(runs.map(({ data }) => data)).toEqual(["delayed", "fails once", "fails once", "dies", "after the death"]);
    await sound();
  });

  test("is free when its job is gone without anybody having released it (PB-122)", async () => {
    const { world, add, queue } = setup();
    const lost = await add(1, X);
    await world.engine.store.command(["DEL", `emq:{${QUEUE}}:job:${lost.id}`]);
    await world.engine.store.command(["ZREM", `emq:{${QUEUE}}:pending`, lost.id]);
    expect(await queue.getDeduplicationJobId("x")).toBeUndefined();
    expect((await add(2, X)).outcome).toBe("added");
    expect((await add(3, X)).outcome).toBe("deduplicated");
  });

  test("admits one job of two adds at once when the first is cut off before or after its act (PB-131)", async () => {
    for (const when of ["before", "after"] as const) {
      const { world, add, queue, dataOf, work, sound } = setup();
      const other = new QueueCore<Record<string, unknown>>(QUEUE, {
        engine: world.otherEngine(),
        release: async () => {},
      });
      await add(0, {});
      world.engine.faultOf = ({ verb }) => (verb === "ADMIT" ? { error: broken(), when } : undefined);
      const first = queue.add("mail", "first", X).catch((error: unknown) => error);
      const second = other.add("mail", "second", X);
      await world.settle();
      const lost = (await first) as { code: string; details: { id: string } };
      expect(lost.code).toBe("disconnected");
      world.engine.faultOf = () => undefined;
      const known = when === "before" ? ["added", undefined, undefined] : ["deduplicated", lost.details.id, "pending"];
      expect(told(await second)).toEqual(known);
      // Whoever repeats it under its id learns what became of it.
      const again = await add("first", { ...X, id: lost.details.id });
      expect(again.outcome).toBe(when === "before" ? "deduplicated" : "duplicate");
      work();
      await world.advance(10);
      expect(dataOf()).toEqual([0, when === "before" ? "second" : "first"]);
      await sound();
    }
  });

  test("is one's own again when an add is repeated by itself after its answer was lost", async () => {
    const { world, queue, add, sound } = setup();
    await add(0, {});
    let isFirst = true;
    world.engine.faultOf = ({ verb }) => {
      if (verb !== "ADMIT" || !isFirst) return undefined;
      isFirst = false;
      return { error: broken(), when: "after" };
    };
    const added = queue.add("mail", 1, { deduplication: { id: "x", ttl: "1m" }, retryOnDisconnect: true });
    await world.advance(5000);
    expect(told(await added)).toEqual(["added", undefined, undefined]);
    await sound();
  });

  test("holds back for its ttl from the add on, whatever becomes of its job", async () => {
    const { world, add, work, dataOf, queue, sound } = setup();
    const throttled = { deduplication: { id: "x", ttl: "2s" } } as const;
    work();
    const first = await add(1, throttled);
    await world.advance(1000);
    expect(told(await add(2, throttled))).toEqual(["deduplicated", first.id, "absent"]);
    // A key is there until its last millisecond is over.
    await world.advance(1001);
    expect((await add(3, throttled)).outcome).toBe("added");
    await world.advance(1000);
    expect(await queue.removeDeduplicationKey("x")).toBe(true);
    expect(await queue.removeDeduplicationKey("x")).toBe(false);
    expect((await add(4, throttled)).outcome).toBe("added");
    await world.advance(10);
    expect(dataOf()).toEqual([1, 3, 4]);
    await sound();
  });

  test("begins its ttl anew at each add when it is to be extended", async () => {
    const { world, add, work, dataOf, sound } = setup();
    const sliding = { deduplication: { id: "x", ttl: "2s", extend: true } } as const;
    work();
    for (let n = 0; n < 5; n++) {
      expect((await add(n, sliding)).outcome).toBe(n === 0 ? "added" : "deduplicated");
      await world.advance(1500);
    }
    await world.advance(501);
    expect((await add("later", sliding)).outcome).toBe("added");
    await world.advance(10);
    expect(dataOf()).toEqual([0, "later"]);
    await sound();
  });

  test("is free after its ttl, or with its job, under the policy exclusive", async () => {
    const { world, add, work, sound } = setup();
    const bounded = { deduplication: { id: "x", ttl: "2s", policy: "exclusive" } } as const;
    await add(1, bounded);
    await world.advance(2000);
    expect((await add(2, bounded)).outcome).toBe("deduplicated");
    await world.advance(1);
    expect((await add(3, bounded)).outcome).toBe("added");
    work();
    await world.advance(10);
    expect((await add(4, bounded)).outcome).toBe("added");
    await world.advance(10);
    await sound();
  });
});

describe("a replacement", () => {
  test("gives a job that waits new data, options and delay, under its own id", async () => {
    const { world, add, queue, work, runs, sound } = setup();
    const replacing = { deduplication: { id: "x", replace: true } } as const;
    const first = await add(1, { ...replacing, delay: "1h", priority: 5 });
    const second = await add(2, { ...replacing, delay: "2s", lane: "tenant", attempts: 7 });
    expect(told(second)).toEqual(["replaced", first.id, "scheduled"]);
    expect(second.id).toBe(first.id);
    const job = await queue.getJob(first.id);
    expect(job).toMatchObject({ data: 2, priority: 0, lane: "tenant", options: { attempts: 7 } });
    work(1000);
    await world.advance(2100);
    expect(told(await add(3, replacing))).toEqual(["deduplicated", first.id, "active"]);
    await world.advance(5000);
    expect(runs).toEqual([{ at: 2000, data: 2, id: first.id }]);
    await sound();
  });

  test("keeps the place of its job, so that no stream of them holds it back", async () => {
    const { world, add, work, dataOf, sound } = setup();
    const replacing = { deduplication: { id: "x", replace: true } } as const;
    await add("a", {});
    await add(0, replacing);
    await add("b", {});
    for (let n = 1; n <= 20; n++) await add(n, replacing);
    work();
    await world.advance(10);
    expect(dataOf()).toEqual(["a", 20, "b"]);
    await sound();
  });

  test("gives a job that failed before a fresh budget with its new data", async () => {
    const { world, add, runs, sound } = setup();
    const replacing = { deduplication: { id: "x", replace: true } } as const;
    world.worker((job) => {
      runs.push({ at: world.elapsedMs, data: job.data, id: job.id });
      if (runs.length < 4) throw new Error("bad");
    });
    await add("old", { ...replacing, attempts: 3, backoff: 1000 });
    await world.advance(1500);
    expect(runs.length).toBe(2);
    expect((await add("new", { ...replacing, attempts: 3, backoff: 1000 })).outcome).toBe("replaced");
    await world.advance(5000);
    expect(runs.map(({ data }) => data)).toEqual(["old", "old", "new", "new"]);
    await sound();
  });
});

describe("a debounce", () => {
  test("runs the last of a burst, its wait after the last add, or once more after maxWait (PB-125)", async () => {
    const burst = async (options: JobOptions) => {
      const { world, add, work, runs, sound } = setup();
      work();
      for (let n = 0; n < 5; n++) {
        await add(n, options);
        await world.advance(1000);
      }
      await world.advance(20_000);
      await sound();
      return runs.map(({ at, data }) => [at, data]);
    };
    expect(await burst({ debounce: { id: "x", wait: "2s" } })).toEqual([[6000, 4]]);
    expect(await burst({ debounce: { id: "x", wait: "2s", maxWait: "3s" } })).toEqual([
      [3000, 2],
      [6000, 4],
    ]);
    const inWordsOfBullmq = { delay: 2000, deduplication: { id: "x", ttl: 2000, extend: true, replace: true } };
    expect(await burst(inWordsOfBullmq)).toEqual([[6000, 4]]);
  });

  test("loses no job that comes while the last one runs", async () => {
    const { world, add, work, runs, sound } = setup();
    const debounced = { debounce: { id: "x", wait: 100 } } as const;
    work(1000, { concurrency: 5 });
    await add(1, debounced);
    await world.advance(500);
    expect((await add(2, debounced)).outcome).toBe("added");
    expect((await add(3, debounced)).outcome).toBe("replaced");
    await world.advance(5000);
    expect(runs.map(({ at, data }) => [at, data])).toEqual([
      [100, 1],
      [600, 3],
    ]);
    await sound();
  });

  test("runs in a lane what replaced and what came after, and takes 100,000 more in small acts (PB-133)", async () => {
    const { world, queue, add, work, dataOf, sound } = setup();
    const debounced = { lane: "k", debounce: { id: "x", wait: 1000 } } as const;
    await add(1, debounced);
    expect((await add(2, debounced)).outcome).toBe("replaced");
    await add(3, { lane: "k" });
    work();
    await world.advance(2000);
    expect(dataOf()).toEqual([3, 2]);
    const before = world.engine.sent("ADMIT").length;
    const adds: Promise<AddedJob>[] = [];
    for (let n = 0; n < 100_000; n++) adds.push(queue.add("mail", n, debounced));
    await world.settle();
    const outcomes = (await Promise.all(adds)).map(({ outcome }) => outcome);
    expect([outcomes.indexOf("added"), outcomes.lastIndexOf("added")]).toEqual([0, 0]);
    expect(new Set(outcomes.slice(1))).toEqual(new Set(["replaced"]));
    const acts = world.engine.sent("ADMIT").slice(before);
    expect(acts.length).toBe(502);
    expect(Math.max(...acts.map(({ args }) => Number(args[1])))).toBe(200);
    expect(await world.counts()).toMatchObject({ pending: 0, schedule: 1 });
    await world.advance(2000);
    expect(dataOf()).toEqual([3, 2, 99_999]);
    await sound();
  }, 120_000);
});

describe("keepLastIfActive", () => {
  test("runs the last job that came while one ran, under its declared id, after the end of that (PB-124)", async () => {
    const { world, queue, add, work, runs, sound } = setup();
    const kept = { deduplication: { id: "x", keepLastIfActive: true } } as const;
    work(1000, { concurrency: 5 });
    const first = await add(1, { ...kept, jobId: "invoice-1" });
    const second = await add(2, { ...kept, jobId: "invoice-2" });
    expect(told(second)).toEqual(["added", undefined, undefined]);
    expect((await queue.getJob("invoice-2"))?.id).toBe(second.id);
    expect(await queue.explain("invoice-2")).toMatchObject({
      state: "scheduled",
      reasons: [{ kind: "follows", id: first.id }],
    });
    const third = await add(3, { ...kept, jobId: "invoice-3" });
    expect(told(third)).toEqual(["replaced", second.id, "scheduled"]);
    expect(await queue.getJob("invoice-2")).toBeUndefined();
    expect(await world.violations()).toEqual([]);
    await world.advance(1000);
    expect((await queue.getJob("invoice-3"))?.state).toBe("active");
    expect(await queue.getDeduplicationJobId("x")).toBe(second.id);
    await world.advance(5000);
    expect(runs).toEqual([
      { at: 0, data: 1, id: first.id },
      { at: 1000, data: 3, id: second.id },
    ]);
    await sound();
  });

  test("gives the job that follows the jobId that the one before it had (PB-124)", async () => {
    const { world, queue, add, work, runs, sound } = setup();
    const kept = { deduplication: { id: "x", keepLastIfActive: true }, jobId: "report" } as const;
    work(1000);
    await add(1, kept);
    const second = await add(2, kept);
    expect(second.outcome).toBe("added");
    await world.advance(1500);
    expect(await queue.getJob("report")).toMatchObject({ id: second.id, state: "active", jobId: "report" });
    await world.advance(5000);
    expect(runs.map(({ data }) => data)).toEqual([1, 2]);
    await sound();
  });

  test("runs what follows also when the job before it dies, is removed, or its worker dies", async () => {
    const kept = { deduplication: { id: "x", keepLastIfActive: true } } as const;
    const died = setup();
    died.world.worker(async (job) => {
      died.runs.push({ at: died.world.elapsedMs, data: job.data, id: job.id });
      await died.world.pause(100);
      if (job.data === 1) throw new UnrecoverableError("never");
    });
    await died.add(1, kept);
    await died.add(2, kept);
    await died.world.advance(1000);
    expect(died.dataOf()).toEqual([1, 2]);
    await died.sound();

    const removed = setup();
    removed.work(100);
    const first = await removed.add(1, kept);
    await removed.add(2, { ...kept, delay: 5000 });
    expect(await removed.queue.remove(first.id)).toBe("ok");
    await removed.world.advance(4900);
    expect(removed.dataOf()).toEqual([1]);
    await removed.world.advance(200);
    expect(removed.dataOf()).toEqual([1, 2]);
    await removed.world.advance(5000);
    await removed.sound();

    const crashed = setup();
    await crashed.add(1, kept);
    await crashed.world.jobs.claim(QUEUE, 1000);
    await crashed.add(2, kept);
    crashed.work(10, { crashLimit: 1 });
    await crashed.world.advance(60_000);
    expect(crashed.dataOf()).toEqual([2]);
    await crashed.sound();
  });

  test("holds a job back while the one before it waits, and replaces that if it is told to", async () => {
    const { add, sound } = setup();
    const first = await add(1, { deduplication: { id: "x", keepLastIfActive: true } });
    expect(told(await add(2, { deduplication: { id: "x", keepLastIfActive: true } }))).toEqual([
      "deduplicated",
      first.id,
      "pending",
    ]);
    const both = { deduplication: { id: "x", keepLastIfActive: true, replace: true } } as const;
    expect(told(await add(3, both))).toEqual(["replaced", first.id, "pending"]);
    await sound();
  });
});

describe("the policies of pg-boss", () => {
  test("short lets one wait while any number run", async () => {
    const { world, add, work, sound } = setup();
    const short = { deduplication: { id: "x", policy: "short" } } as const;
    work(1000, { concurrency: 3, lookAhead: 0 });
    for (let n = 0; n < 3; n++) {
      expect((await add(n, short)).outcome).toBe("added");
      await world.advance(10);
    }
    expect((await add(3, short)).outcome).toBe("added");
    expect((await add(4, short)).outcome).toBe("deduplicated");
    await world.advance(5000);
    await sound();
  });

  test("exclusive lets one wait or run", async () => {
    const { world, add, work, sound } = setup();
    const exclusive = { deduplication: { id: "x", policy: "exclusive" } } as const;
    work(1000, { concurrency: 5 });
    expect((await add(1, exclusive)).outcome).toBe("added");
    await world.advance(10);
    expect((await add(2, exclusive)).outcome).toBe("deduplicated");
    await world.advance(2000);
    await sound();
  });

  test("singleton lets any number wait and runs one at a time, in their order", async () => {
    const { world, add, work, runs, sound } = setup();
    const singleton = { deduplication: { id: "x", policy: "singleton" } } as const;
    work(1000, { concurrency: 5 });
    for (let n = 0; n < 4; n++) expect((await add(n, singleton)).outcome).toBe("added");
    await world.advance(10_000);
    expect(runs.map(({ at, data }) => [at, data])).toEqual([0, 1, 2, 3].map((n) => [n * 1000, n]));
    await sound();
  });

  test("stately lets one wait and one run", async () => {
    const { world, add, work, dataOf, sound } = setup();
    const stately = { deduplication: { id: "x", policy: "stately" } } as const;
    work(1000, { concurrency: 5 });
    await add(0, stately);
    await world.advance(10);
    expect((await add(1, stately)).outcome).toBe("added");
    expect((await add(2, stately)).outcome).toBe("deduplicated");
    await world.advance(10_000);
    expect(dataOf()).toEqual([0, 1]);
    await sound();
  });
});

describe("the keys of Trigger.dev", () => {
  test("hold back by idempotencyKey for its time, and run by concurrencyKey in a lane", async () => {
    const { world, add, work, queue, sound } = setup();
    const first = await add(1, { idempotencyKey: "order-7", concurrencyKey: "tenant" });
    expect((await queue.getJob(first.id))?.lane).toBe("tenant");
    work();
    await world.advance(10);
    expect((await add(2, { idempotencyKey: "order-7" })).outcome).toBe("deduplicated");
    const leftMs = await world.engine.store.command(["PTTL", `emq:{${QUEUE}}:de:order-7`]);
    expect(leftMs).toBe(30 * 86_400_000 - 10);
    const short = { idempotencyKey: "order-8", idempotencyKeyTTL: "1s" } as const;
    expect((await add(3, short)).outcome).toBe("added");
    await world.advance(1001);
    expect((await add(4, short)).outcome).toBe("added");
    await world.advance(10);
    await sound();
  });
});

describe("a jobId", () => {
  test.each([
    "42",
    "0",
    "a:b",
    "{x}",
    "ü 😀",
    "__proto__",
    "constructor",
    "a\u0000b",
    "100%",
    "%7Bx%7D",
    "%id:42",
    " ",
    "JOB",
    "JOB0Nb1VTbfnu",
    "ORD0Nb1VTbfnu4",
    "x".repeat(252),
  ])("of %j is found, told as a duplicate, changed, removed and free again (PB-128)", async (jobId) => {
    const { add, queue, sound } = setup();
    const first = await add(1, { jobId });
    expect(told(await add(2, { jobId }))).toEqual(["duplicate", first.id, "pending"]);
    expect(await queue.getJob(jobId)).toMatchObject({ id: first.id, jobId, data: 1 });
    expect(await queue.getState(jobId)).toBe("pending");
    expect(await queue.explain(jobId)).toMatchObject({ id: first.id });
    expect(await queue.updateData(jobId, 3)).toBe("ok");
    expect(await queue.log(jobId, "line")).toBe(1);
    expect(await queue.getLogs(jobId)).toEqual(["line"]);
    const other = await add(4, { jobId: `${jobId.slice(0, 240)}.` });
    expect(other.outcome).toBe("added");
    expect((await queue.getJob(first.id))?.data).toBe(3);
    expect(await queue.remove(jobId)).toBe("ok");
    expect([await queue.getJob(jobId), await queue.getState(jobId), await queue.remove(jobId)]).toEqual([
      undefined,
      "absent",
      "gone",
    ]);
    expect((await add(5, { jobId })).outcome).toBe("added");
    await sound();
  });

  test.each(["", "x".repeat(300), "{".repeat(100), "\ud800", "JOB0Nb1VTbfnu4", 42, null, {}])(
    "of %j is refused before any write (PB-128)",
    async (jobId) => {
      const { world, queue } = setup();
      await expect(queue.add("mail", 1, { jobId: jobId as string })).rejects.toMatchObject({ code: "invalid_job_id" });
      expect(world.engine.acts).toEqual([]);
    },
  );

  test("and a deduplication id of one text are two names", async () => {
    const { add, queue, sound } = setup();
    const named = await add(1, { jobId: "x" });
    const other = await add(2, { deduplication: { id: "x" } });
    expect([named.outcome, other.outcome]).toEqual(["added", "added"]);
    expect((await add(3, { deduplication: { id: "%id:x" } })).outcome).toBe("added");
    expect((await queue.getJob("x"))?.id).toBe(named.id);
    await sound();
  });

  test("of a kept job makes a duplicate with its state, unless finished jobs give way (PB-127)", async () => {
    const { world, add, queue, work, dataOf, sound } = setup();
    const options = { jobId: "X", removeOnComplete: { age: "24h" } } as const;
    work();
    const first = await add(1, options);
    await world.advance(10);
    expect(told(await add(2, options))).toEqual(["duplicate", first.id, "completed"]);
    // Nobody beats meanwhile, so that a day takes no time.
    await world.closeAll();
    await world.advance(86_000_000);
    expect(told(await add(3, options))).toEqual(["duplicate", first.id, "completed"]);
    const second = await add(4, { ...options, replaceFinished: true });
    expect(told(second)).toEqual(["replaced", first.id, "completed"]);
    expect(second.id).not.toBe(first.id);
    work();
    await world.advance(10);
    expect(await queue.getJob(first.id)).toBeUndefined();
    expect(await queue.getJob("X")).toMatchObject({ id: second.id, state: "completed" });
    expect(dataOf()).toEqual([1, 4]);
    await sound();
  });

  test("goes with the kept job whose time is over", async () => {
    const { world, add, queue, work, sound } = setup();
    work();
    await add(1, { jobId: "X", removeOnComplete: { age: "10s" } });
    await world.advance(10);
    expect((await queue.getJob("X"))?.state).toBe("completed");
    await world.advance(60_000);
    expect(await queue.getJob("X")).toBeUndefined();
    expect(await world.engine.store.command(["KEYS", `emq:{${QUEUE}}:de:*`])).toEqual([]);
    await sound();
  });

  test("goes with the kept job that a newer one pushes out", async () => {
    const { world, add, queue, work, sound } = setup();
    work();
    for (const jobId of ["X", "Y"]) await add(1, { jobId, removeOnComplete: 1 });
    await world.advance(10);
    expect([await queue.getState("X"), await queue.getState("Y")]).toEqual(["absent", "completed"]);
    expect(await world.engine.store.command(["KEYS", `emq:{${QUEUE}}:de:*`])).toEqual([`emq:{${QUEUE}}:de:%id:Y`]);
    await sound();
  });

  test("of a dead job is held until it is removed, retried to its end, or gives way", async () => {
    const { world, add, queue, sound } = setup();
    let isBad = true;
    world.worker(() => {
      if (isBad) throw new UnrecoverableError("never");
    });
    const first = await add(1, { jobId: "X" });
    await world.advance(10);
    expect(told(await add(2, { jobId: "X" }))).toEqual(["duplicate", first.id, "dead"]);
    isBad = false;
    expect(await queue.retry("X")).toBe("ok");
    await world.advance(10);
    expect((await add(3, { jobId: "X" })).outcome).toBe("added");
    await world.advance(10);
    await sound();
  });

  test("is told apart in one bulk", async () => {
    const { world, queue } = setup();
    const bulk = queue.addBulk([
      { name: "mail", data: 1, opts: { jobId: "X" } },
      { name: "mail", data: 2, opts: { jobId: "X" } },
      { name: "mail", data: 3 },
      { name: "mail", data: 4, opts: { deduplication: { id: "d" } } },
      { name: "mail", data: 5, opts: { deduplication: { id: "d", replace: true } } },
    ]);
    await world.settle();
    const jobs = await bulk;
    expect(jobs.map(({ outcome }) => outcome)).toEqual(["added", "duplicate", "added", "added", "replaced"]);
    expect(jobs[1]?.id).toBe(jobs[0]?.id);
    expect((await queue.getJob(jobs[3]?.id ?? ""))?.data).toBe(5);
  });
});
