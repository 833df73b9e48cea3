/** Limits under workers: one store, virtual time, so that the times are the very ones that the cases name. */

import { describe, expect, test } from "vitest";
import { Lanes } from "../../../src/queue/lanes.ts";
import type { Rate } from "../../../src/queue/rate.ts";
import { RateLimitError } from "../../../src/worker/control-error.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

function setup() {
  const world = new WorkerWorld();
  const lanes = new Lanes(world.engine.store);
  /** When each job began, by its data. */
  const starts: { data: unknown; at: number; attempt: number; deferred: number }[] = [];
  let running = 0;
  let most = 0;
  const work = (ms = 0, options: WorkerOptions = {}) =>
    world.worker(async (job) => {
      starts.push({ data: job.data, at: world.elapsedMs, attempt: job.attempt, deferred: job.deferred });
      running += 1;
      most = Math.max(most, running);
      if (ms > 0) await world.pause(ms);
      running -= 1;
    }, options);
  const limit = async (limits: { concurrency?: number | null; rate?: Rate | null }) =>
    await world.jobs.setLimits(QUEUE, limits);
  return { world, lanes, starts, work, limit, most: () => most, times: () => starts.map(({ at }) => at) };
}

/** The most of `times` that lie in any span of so many ms. */
function densest(times: readonly number[], spanMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + spanMs).length));
}

describe("the ceiling of a queue", () => {
  test("survives leases that lapse and takes effect when it changes, and all jobs are done (PB-023)", async () => {
    const { world, work, limit, most } = setup();
    await limit({ concurrency: 10 });
    await world.addMany(10);
    expect(await world.jobs.claimBatch(QUEUE, 100, 1000)).toHaveLength(10);
    await world.addMany(990);
    expect(await world.jobs.claimBatch(QUEUE, 100, 1000)).toEqual([]);
    work(50, { concurrency: 200, lookAhead: 0 });
    await world.advance(3000);
    expect(most()).toBe(10);
    await limit({ concurrency: 100 });
    await world.advance(30_000);
    expect(most()).toBe(100);
    expect(await world.counts()).toMatchObject({ completed: 1000, pending: 0, active: 0, dead: 0 });
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("of 1 over many workers runs one job at a time and leaves no gap between two", async () => {
    const { world, starts, work, limit, most } = setup();
    await limit({ concurrency: 1 });
    for (let at = 0; at < 5; at++) work(100, { concurrency: 4, lookAhead: 0 });
    await world.addMany(20);
    await world.advance(2100);
    expect(most()).toBe(1);
    expect(starts.map(({ data }) => data)).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect(starts.at(-1)?.at).toBe(1900);
    await world.closeAll();
  });
});

describe("the rate of a queue", () => {
  test("of 1 a second spends no attempt of five jobs with three each (PB-107)", async () => {
    const { world, starts, work, limit, times } = setup();
    await limit({ rate: { max: 1, duration: "1s" } });
    work(0, { attempts: 3 });
    const ids = await world.addMany(5);
    await world.advance(100);
    expect((await world.jobs.getRow(QUEUE, ids[1] ?? ""))?.get("attempts")).toBe("0");
    await world.advance(4900);
    expect(times()).toEqual([0, 1000, 2000, 3000, 4000]);
    expect(starts.map(({ attempt, deferred }) => [attempt, deferred])).toEqual(Array.from({ length: 5 }, () => [1, 0]));
    await world.closeAll();
  });

  test("lets the rest of 100 limited jobs run at the rate when 50 of them are removed (PB-151)", async () => {
    const { world, work, limit, times, starts } = setup();
    await limit({ rate: { max: 10, duration: 1000 } });
    const ids = await world.addMany(100);
    for (const [at, id] of ids.entries()) if (at % 2 === 1) expect(await world.jobs.removeJob(QUEUE, id)).toBe("ok");
    work(0, { concurrency: 20 });
    await world.advance(4500);
    expect(times()).toEqual([0, 1000, 2000, 3000, 4000].flatMap((at) => Array.from({ length: 10 }, () => at)));
    expect(starts.map(({ data }) => data)).toEqual(Array.from({ length: 50 }, (_, at) => 2 * at));
    expect(await world.counts()).toMatchObject({ completed: 50, pending: 0 });
    await world.closeAll();
  });

  test("of 100 a second runs 1,000 jobs, 100 in each of ten seconds, by five workers (PB-155)", async () => {
    const { world, work, limit, times } = setup();
    await limit({ rate: { max: 100, duration: 1000 } });
    for (let at = 0; at < 5; at++) work(5, { concurrency: 10 });
    await world.addMany(1000);
    await world.advance(9990);
    expect(await world.counts()).toMatchObject({ completed: 1000, pending: 0 });
    expect(densest(times(), 1000)).toBe(100);
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("of 1 a minute begins its window with a job, not with the clock's minute (PB-157)", async () => {
    const { world, work, limit, times } = setup();
    await limit({ rate: { max: 1, duration: "1m" } });
    work();
    // The world begins at midnight; the first job comes 30 s before the next one, the second 60 s after that.
    await world.advance(86_370_000);
    await world.addMany(1);
    await world.advance(90_000);
    await world.addMany(1);
    await world.advance(10);
    expect(times()).toEqual([86_370_000, 86_460_000]);
    await world.closeAll();
  });

  test("of 1 a minute over 100,000 jobs costs a worker an act a beat and two a window (PB-154)", async () => {
    const { world, work, limit, times } = setup();
    await limit({ rate: { max: 1, duration: 60_000 } });
    for (let at = 0; at < 100; at++) await world.addMany(1000);
    for (let at = 0; at < 3; at++) work(0, { concurrency: 10 });
    await world.advance(5000);
    const before = world.engine.acts.length;
    await world.advance(180_000);
    const perSecond = (world.engine.acts.length - before) / 180;
    expect(times()).toEqual([0, 60_000, 120_000, 180_000]);
    expect(perSecond).toBeLessThanOrEqual(10);
    await world.closeAll();
  });

  test.each(["window", "sliding", "bucket"] as const)("by %s starts what it should over a long time", async (way) => {
    const { world, work, limit, times } = setup();
    await limit({ rate: { max: 10, duration: 1000, way } });
    work(0, { concurrency: 20 });
    await world.addMany(200);
    await world.advance(10_000);
    const started = times().length;
    expect(started).toBeGreaterThanOrEqual(way === "bucket" ? 109 : 99);
    expect(started).toBeLessThanOrEqual(112);
    const densestSpan = { window: 20, sliding: 11, bucket: 20 }[way];
    expect(densest(times(), 1000)).toBeLessThanOrEqual(densestSpan);
    await world.closeAll();
  });

  test("by a bucket of 1 spreads jobs evenly", async () => {
    const { world, work, limit, times } = setup();
    await limit({ rate: { max: 10, duration: 1000, way: "bucket", burst: 1 } });
    work(0, { concurrency: 20 });
    await world.addMany(20);
    await world.advance(2000);
    expect(times()).toEqual(Array.from({ length: 20 }, (_, at) => at * 100));
    await world.closeAll();
  });

  test("that is raised wakes a sleeping worker at once, and one that is removed lets all run", async () => {
    const { world, work, limit, times } = setup();
    await limit({ rate: { max: 1, duration: "1h" } });
    work(0, { beat: 30_000, concurrency: 20 });
    await world.addMany(10);
    await world.advance(5000);
    expect(times()).toEqual([0]);
    await limit({ rate: { max: 3, duration: "1h" } });
    await world.advance(1);
    expect(times()).toEqual([0, 5000, 5000]);
    await limit({ rate: null });
    await world.advance(1);
    expect(times()).toHaveLength(10);
    await world.closeAll();
  });

  test("wakes for its end without a beat, also when a job in the schedule falls due later", async () => {
    const { world, work, limit, times } = setup();
    await limit({ rate: { max: 1, duration: 2000 } });
    work(0, { beat: 60_000 });
    await world.add({ data: "late", dueInMs: 7000 });
    await world.addMany(3);
    await world.advance(8000);
    expect(times()).toEqual([0, 2000, 4000, 7000]);
    await world.closeAll();
  });

  test("that ends with nothing to do leaves the time of the schedule kept", async () => {
    const { world, work, limit, times } = setup();
    await limit({ rate: { max: 1, duration: 2000 } });
    work(0, { beat: 60_000 });
    await world.addMany(1);
    await world.add({ data: "late", dueInMs: 7000 });
    await world.advance(8000);
    expect(times()).toEqual([0, 7000]);
    await world.closeAll();
  });
});

describe("a job that asks for a limit", () => {
  test("is first of all after its 200 ms, in which nothing of the queue starts (PB-152)", async () => {
    const { world } = setup();
    const runs: unknown[] = [];
    world.worker(
      (job) => {
        runs.push([job.data, world.elapsedMs, job.attempt]);
        if (runs.length === 1) throw new RateLimitError(200);
      },
      { lookAhead: 0, attempts: 1 },
    );
    await world.add({ data: "p1" }, { data: "p2" });
    await world.advance(400);
    expect(runs).toEqual([
      ["p1", 0, 1],
      ["p1", 200, 1],
      ["p2", 200, 1],
    ]);
    expect(await world.counts()).toMatchObject({ completed: 2, dead: 0 });
    await world.closeAll();
  });
});

describe("the rate of a lane", () => {
  test("of 1 a second starts one job of each of ten lanes in the first second (PB-139)", async () => {
    const { world, lanes, work, times } = setup();
    for (let lane = 0; lane < 10; lane++) {
      await lanes.rate(QUEUE, `g${lane}`, { max: 1, duration: "1s" });
      for (let at = 0; at < 5; at++) await world.add({ lane: `g${lane}`, data: `g${lane}` });
    }
    work(10, { concurrency: 10 });
    await world.advance(999);
    expect(times()).toHaveLength(10);
    await world.advance(4000);
    expect(times()).toHaveLength(50);
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("lets jobs through by what they cost, and a dear one waits for its own without being passed", async () => {
    const { world, work, limit, starts } = setup();
    await limit({ rate: { max: 10, duration: 1000, way: "bucket" } });
    await world.add({ data: "a", cost: 6 }, { data: "b", cost: 6 }, { data: "c" }, { data: "d", cost: 99 });
    await world.add({ data: "e" });
    for (let at = 0; at < 3; at++) work(0, { concurrency: 10, beat: 30_000 });
    await world.advance(3000);
    // 10 at first, one more each 100 ms: b waits for 2 of its 6, c for 1, d for all that the bucket holds.
    expect(starts.map(({ data, at }) => [data, at])).toEqual([
      ["a", 0],
      ["b", 200],
      ["c", 300],
      ["d", 1300],
      ["e", 1400],
    ]);
    expect(starts.map(({ attempt, deferred }) => [attempt, deferred])).toEqual(Array.from({ length: 5 }, () => [1, 0]));
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("of 1 a second for a user starts job k at k seconds, however many try at once (PB-148)", async () => {
    const { world, lanes, work, times } = setup();
    await lanes.rate(QUEUE, "ada", { max: 1, duration: "1s" });
    for (let at = 0; at < 3; at++) work(0, { concurrency: 10, beat: 30_000 });
    await world.add(...Array.from({ length: 10 }, () => ({ lane: "ada" })));
    await world.advance(9500);
    expect(times()).toEqual(Array.from({ length: 10 }, (_, at) => at * 1000));
    await world.closeAll();
  });

  test("keeps 100,000 jobs back that no act looks at, while ten others run at once (PB-158)", async () => {
    const { world, lanes, work, starts } = setup();
    await lanes.rate(QUEUE, "full", { max: 1, duration: "1h" });
    for (let at = 0; at < 100; at++) {
      await world.add(...Array.from({ length: 1000 }, () => ({ lane: "full", data: "full" })));
    }
    work(0, { concurrency: 5 });
    await world.advance(10);
    const before = world.engine.acts.length;
    await world.add(...Array.from({ length: 10 }, () => ({ data: "live" })));
    await world.advance(10);
    expect(starts.map(({ data }) => data)).toEqual(["full", ...Array.from({ length: 10 }, () => "live")]);
    expect(world.engine.acts.length - before).toBeLessThanOrEqual(12);
    expect(await lanes.counts(QUEUE, ["full"])).toMatchObject([{ depth: 99_999, active: 0 }]);
    await world.closeAll();
  });

  test("of a job name holds these jobs back, in their order, and no others", async () => {
    const { world, lanes, work, starts } = setup();
    await lanes.rate(QUEUE, "@mail", { max: 2, duration: 1000 });
    const jobs = Array.from({ length: 6 }, (_, at) => [{ name: "mail", data: at }, { data: "plain" }]).flat();
    await world.add(...jobs);
    work(0, { concurrency: 20 });
    await world.advance(2500);
    const mails = starts.filter(({ data }) => data !== "plain");
    expect(mails.map(({ data, at }) => [data, at])).toEqual([
      [0, 0],
      [1, 0],
      [2, 1000],
      [3, 1000],
      [4, 2000],
      [5, 2000],
    ]);
    expect(starts.filter(({ data }) => data === "plain").map(({ at }) => at)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });
});
