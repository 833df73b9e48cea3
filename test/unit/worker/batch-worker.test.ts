/** Batches on virtual time: when they begin, how large they are, and what becomes of each member. */

import { describe, expect, it } from "vitest";
import { callKeys } from "../../../src/conformance/call-keys.ts";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
import type { BatchReport } from "../../../src/worker/batch-gatherer.ts";
import { type BatchHandler, BatchWorkerCore, type BatchWorkerOptions } from "../../../src/worker/batch-worker.ts";
import type { RemoteEngine } from "./remote-engine.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

class BatchWorld extends WorkerWorld {
  batchWorker(
    handler: BatchHandler,
    options: BatchWorkerOptions = {},
    engine: RemoteEngine = this.engine,
  ): BatchWorkerCore {
    const worker = new BatchWorkerCore(QUEUE, handler, { engine, release: () => Promise.resolve() }, options);
    this.workers.push(worker);
    return worker;
  }

  /** Closes every worker, and looks for what is wrong with the queue. */
  async end(): Promise<void> {
    await this.closeAll();
    expect(await this.violations()).toEqual([]);
  }

  state(id: string): Promise<unknown> {
    return this.engine.store.command(["HGET", `emq:{${QUEUE}}:job:${id}`, "state"]);
  }

  error(id: string): Promise<unknown> {
    return this.engine.store.command(["HGET", `emq:{${QUEUE}}:job:${id}`, "last_error"]);
  }
}

/** A handler that notes the ids of each batch. */
function noting() {
  const batches: string[][] = [];
  const handler: BatchHandler = (jobs) => {
    batches.push(jobs.map(({ id }) => id));
  };
  return { batches, handler, sizes: () => batches.map(({ length }) => length) };
}

/** A handler whose batches end when they are told to. */
function holding() {
  const running: { ids: string[]; end: () => void }[] = [];
  const handler: BatchHandler = (jobs) =>
    new Promise<void>((resolve) => running.push({ ids: jobs.map(({ id }) => id), end: resolve }));
  return { running, handler };
}

describe("a batch begins", () => {
  it("with all that is ready, in the order of the queue, when that is enough", async () => {
    const world = new BatchWorld();
    const { batches, handler } = noting();
    const ids = await world.addMany(7);
    world.batchWorker(handler, { minSize: 4, maxSize: 10 });
    await world.advance(0);
    expect(batches).toEqual([ids]);
    await world.end();
  });

  it("when its first member has waited for its time, and not before", async () => {
    const world = new BatchWorld();
    const { sizes, handler } = noting();
    world.batchWorker(handler, { minSize: 5, maxSize: 10, timeout: 200 });
    await world.advance(0);
    await world.addMany(1);
    await world.advance(150);
    await world.addMany(1);
    await world.advance(49);
    expect(sizes()).toEqual([]);
    await world.advance(1);
    expect(sizes()).toEqual([2]);
    await world.end();
  });

  it("as soon as it is full, and never larger", async () => {
    const world = new BatchWorld();
    const { sizes, handler } = noting();
    world.batchWorker(handler, { minSize: 10, maxSize: 10, timeout: "1h" });
    await world.addMany(35);
    await world.advance(0);
    expect(sizes()).toEqual([10, 10, 10]);
    await world.addMany(5);
    await world.advance(0);
    expect(sizes()).toEqual([10, 10, 10, 10]);
    await world.end();
  });

  it("without anybody asking the server while it waits to be full", async () => {
    const world = new BatchWorld();
    const { sizes, handler } = noting();
    world.batchWorker(handler, { minSize: 3, maxSize: 10, timeout: "1h", beat: "1m", lease: "10m" });
    await world.advance(0);
    await world.addMany(2);
    await world.advance(0);
    const before = world.engine.sent("TURN").length;
    await world.advance(59_000);
    expect(world.engine.sent("TURN").length - before).toBeLessThanOrEqual(1);
    await world.addMany(1);
    await world.advance(0);
    expect(sizes()).toEqual([3]);
    await world.end();
  });

  it("never before there is a place for it, and grows meanwhile", async () => {
    const world = new BatchWorld();
    const { running, handler } = holding();
    world.batchWorker(handler, { maxSize: 5 });
    await world.addMany(1);
    await world.advance(0);
    await world.addMany(2);
    await world.advance(5000);
    await world.addMany(2);
    await world.advance(0);
    expect(running.map(({ ids }) => ids.length)).toEqual([1]);
    running[0]?.end();
    await world.advance(0);
    expect(running.map(({ ids }) => ids.length)).toEqual([1, 4]);
    running[1]?.end();
    await world.end();
  });

  it("of at most five each, four at a time, whatever the priorities, and none throws (PB-187)", async () => {
    const world = new BatchWorld();
    const running: number[] = [];
    let most = 0;
    const seen = new Set<string>();
    const errors: unknown[] = [];
    const worker = world.batchWorker(
      async (jobs) => {
        running.push(jobs.length);
        most = Math.max(
          most,
          running.reduce((sum, size) => sum + size, 0),
        );
        for (const { id } of jobs) seen.add(id);
        expect(jobs.length).toBeLessThanOrEqual(5);
        await new Promise<void>((resolve) => world.ports.clock.after(20, resolve));
        running.splice(running.indexOf(jobs.length), 1);
      },
      { maxSize: 5, concurrency: 4, autorun: false },
    );
    worker.on("error", (error) => errors.push(error));
    worker.on("failed", (_job, error) => errors.push(error));
    const rows = await world.addMany(103);
    for (const [at, id] of rows.entries()) await world.engine.store.act("PRIORITY", ...priority(id, (at * 7) % 5));
    void worker.run();
    await world.advance(5000);
    expect([seen.size, errors]).toEqual([103, []]);
    expect(most).toBeLessThanOrEqual(20);
    expect(most).toBeGreaterThan(10);
    await world.end();
  });
});

describe("a member", () => {
  it("that fails is tried again alone, and the others are done (PB-188)", async () => {
    const world = new BatchWorld();
    const batches: string[][] = [];
    const reports: BatchReport[] = [];
    const ids = await world.addMany(5);
    world.batchWorker(
      (jobs) => {
        batches.push(jobs.map(({ id }) => id));
        return new Map(
          jobs.map(({ id, token }) => [id, id === ids[2] && token === 1 ? { error: new Error("poison") } : "ok"]),
        );
      },
      { maxSize: 5, onBatch: (report) => reports.push(report) },
    );
    await world.advance(0);
    expect(await world.state(ids[2] ?? "")).toBe("scheduled");
    await world.advance(1000);
    expect(batches).toEqual([ids, [ids[2]]]);
    expect(reports).toEqual([
      { lane: undefined, completed: ids.filter((_, at) => at !== 2), retried: [ids[2]], dead: [], delayed: [] },
      { lane: undefined, completed: [ids[2]], retried: [], dead: [], delayed: [] },
    ]);
    await world.end();
  });

  it("ends as its verdict says, and the report has each once, in order", async () => {
    const world = new BatchWorld();
    const reports: BatchReport[] = [];
    const results: unknown[] = [];
    const [done = "", value = "", failed = "", dead = "", later = "", none = "", odd = ""] = await world.addMany(7);
    await world.engine.store.command(["HSET", `emq:{${QUEUE}}:job:${dead}`, "opts", '{"attempts":1}']);
    const worker = world.batchWorker(
      () =>
        new Map<string, unknown>([
          ["JOB00000000000", "ok"],
          [odd, { verdict: "fine" }],
          [later, { delay: "1h" }],
          [dead, { error: "gave up" }],
          [failed, { error: new Error("no") }],
          [value, { result: 42 }],
          [done, "ok"],
        ]) as never,
      { onBatch: (report) => reports.push(report) },
    );
    worker.on("completed", ({ id }, result) => results.push([id, result]));
    await world.advance(10);
    expect(reports).toEqual([
      { lane: undefined, completed: [done, value], retried: [failed, none, odd], dead: [dead], delayed: [later] },
    ]);
    expect(results).toEqual([
      [done, undefined],
      [value, 42],
    ]);
    expect(await world.error(none)).toMatch(/^Error: missing verdict/);
    expect(await world.error(odd)).toMatch(/^Error: bad verdict: /);
    expect(await world.state(dead)).toBe("dead");
    expect(await world.engine.store.command(["HGET", `emq:{${QUEUE}}:job:${later}`, "deferred"])).toBe("1");
    await world.end();
  });

  it.each<[string, BatchHandler, RegExp]>([
    ["is thrown", () => Promise.reject(new Error("all of it")), /^Error: all of it/],
    ["is no map", () => ["ok"] as never, /^Error: bad verdict: /],
  ])("gets the one error of the batch where it %s", async (_what, handler, error) => {
    const world = new BatchWorld();
    const ids = await world.addMany(3);
    world.batchWorker(handler);
    await world.advance(10);
    for (const id of ids) {
      expect(await world.state(id)).toBe("scheduled");
      expect(await world.error(id)).toMatch(error);
    }
    await world.end();
  });

  it("has a context of its own within the batch, and no other has", async () => {
    const world = new BatchWorld();
    const tokens: number[] = [];
    const errors: unknown[] = [];
    await world.addMany(2);
    world.batchWorker(async (jobs, { of }) => {
      for (const job of jobs) tokens.push(of(job).token);
      for (const job of jobs) await of(job).log("seen");
      try {
        of({ id: "JOB00000000000" });
      } catch (error) {
        errors.push((error as EchoMQError).code);
      }
    });
    await world.advance(10);
    expect([tokens, errors]).toEqual([[1, 1], ["invalid_option"]]);
    await world.end();
  });

  it("whose lease is lost while it waits is left out of its batch", async () => {
    const world = new BatchWorld();
    const { batches, handler } = noting();
    const [first = "", second = ""] = await world.addMany(2);
    world.batchWorker(handler, { minSize: 3, maxSize: 3, timeout: "20s", lease: "3s", beat: "1m" });
    await world.advance(0);
    await world.jobs.cancel(QUEUE, first, "no longer wanted");
    await world.advance(10_000);
    await world.addMany(1);
    await world.advance(20_000);
    expect(batches.flat()).toContain(second);
    expect(batches.flat()).not.toContain(first);
    await world.end();
  });
});

describe("lanes", () => {
  it("are mixed in a batch unless one is asked for, and then each batch is of one", async () => {
    for (const oneLane of [false, true]) {
      const world = new BatchWorld();
      const lanes: (string | undefined)[][] = [];
      const told: (string | undefined)[] = [];
      await world.add(...["a", "b", "a", "b", undefined, "a"].map((lane) => (lane === undefined ? {} : { lane })));
      world.batchWorker(
        (jobs, { lane }) => {
          lanes.push(jobs.map((job) => job.lane));
          told.push(lane);
        },
        { oneLane, maxSize: 6, timeout: 100, minSize: 6 },
      );
      await world.advance(400);
      if (oneLane) {
        expect(lanes.map((batch) => new Set(batch).size)).toEqual([1, 1, 1]);
        expect(told.toSorted()).toEqual(["a", "b", undefined]);
        expect(lanes.map((batch) => batch.length).toSorted()).toEqual([1, 2, 3]);
      } else {
        expect(lanes.map((batch) => batch.length)).toEqual([6]);
        expect(told).toEqual([undefined]);
      }
      await world.end();
    }
  });
});

describe("closing", () => {
  it("gives back what waits for its batch, without an attempt, and lets a batch that runs end", async () => {
    const world = new BatchWorld();
    const { running, handler } = holding();
    const worker = world.batchWorker(handler, { minSize: 2, maxSize: 2, concurrency: 2, timeout: "1h" });
    const ids = await world.addMany(3);
    await world.advance(0);
    expect(running.map((batch) => batch.ids)).toEqual([ids.slice(0, 2)]);
    const closed = worker.close();
    await world.advance(0);
    expect(await world.state(ids[2] ?? "")).toBe("pending");
    expect(await world.engine.store.command(["HGET", `emq:{${QUEUE}}:job:${ids[2]}`, "deferred"])).toBe("1");
    running[0]?.end();
    await world.advance(10);
    await closed;
    expect(await world.state(ids[0] ?? "")).toBeNull();
    await world.end();
  });
});

describe("bad input", () => {
  it.each<[object, string]>([
    [{ minSize: 0 }, "invalid_option"],
    [{ minSize: 11, maxSize: 10 }, "invalid_option"],
    [{ maxSize: 1001 }, "invalid_option"],
    [{ maxSize: 0 }, "invalid_option"],
    [{ timeout: 0 }, "invalid_option"],
    [{ timeout: "soon" }, "invalid_option"],
    [{ concurrency: 101 }, "invalid_option"],
    [{ concurrency: 11, maxSize: 1000 }, "invalid_option"],
    [{ oneLane: 1 }, "invalid_option"],
    [{ onBatch: "tell" }, "invalid_option"],
    [{ size: 10 }, "unknown_option"],
    [{ lookAhead: 10 }, "unknown_option"],
    [{ beet: 10 }, "unknown_option"],
  ])("is refused before anything is sent: %j", (options, code) => {
    const world = new BatchWorld();
    expect(() => world.batchWorker(() => undefined, options)).toThrow(expect.objectContaining({ code }));
    expect(() => world.batchWorker("no" as never)).toThrow(expect.objectContaining({ code: "invalid_handler" }));
    expect(world.engine.acts).toEqual([]);
  });
});

/** Keys and arguments of an act that gives a job another priority. */
function priority(id: string, value: number): [string[], string[]] {
  const args = [id, String(value)];
  return [callKeys("PRIORITY", args, { base: `emq:{${QUEUE}}:` }), args];
}
