import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import type { JobOptions } from "../../../src/queue/job-options.ts";
import { type BulkItem, QueueCore } from "../../../src/queue/queue.ts";
import type { QueueOptions } from "../../../src/queue/queue-options.ts";
import type { StandardSchema } from "../../../src/queue/schema.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { away, errorOf, later, ScriptedEngine } from "./scripted-engine.ts";

const LEASE_MS = 60_000;
type AnyQueue = QueueCore<Record<string, unknown>>;

function lease(engine: Engine) {
  const counter = { released: 0 };
  const release = () => {
    counter.released++;
    return Promise.resolve();
  };
  return { engine, release, counter };
}

function setup(options: QueueOptions = {}) {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const share = lease(engine);
  const queue: AnyQueue = new QueueCore("q", share, options);
  const keys = async () => (await engine.command(["KEYS", "emq:{q}:*"])) as string[];
  return { ports, engine, clock: ports.clock, queue, jobs: queue.jobs, share, keys };
}

function scripted(options: QueueOptions = {}) {
  const engine = new ScriptedEngine();
  const share = lease(engine);
  const queue: AnyQueue = new QueueCore("q", share, options);
  return { engine, queue, share, clock: engine.ports.clock, logger: engine.ports.logger };
}

const NEVER = "JOB00000000001";

describe("add", () => {
  it("stores a job with nothing beyond record, member and name", async () => {
    const { queue, jobs, keys } = setup();
    const named = await queue.add("welcome", { to: "ada" });
    const plain = await queue.add("default", { to: "bob" });
    const empty = await queue.add("", 1);
    expect(named).toMatchObject({ name: "welcome", data: { to: "ada" }, outcome: "added", existing: undefined });
    expect([plain.name, empty.name]).toEqual(["default", "default"]);
    expect([...((await jobs.getRow("q", named.id)) ?? [])]).toEqual([
      ["state", "pending"],
      ["attempts", "0"],
      ["payload", '{"to":"ada"}'],
      ["name", "welcome"],
    ]);
    expect([...((await jobs.getRow("q", plain.id)) ?? new Map()).keys()]).toEqual(["state", "attempts", "payload"]);
    expect((await keys()).sort()).toEqual(
      ["emq:{q}:pending", "emq:{q}:wake", ...[named, plain, empty].map((job) => `emq:{q}:job:${job.id}`)].sort(),
    );
  });

  it("mints rising ids by the clock of its host", async () => {
    const { queue, clock } = setup();
    const jobs = await Promise.all([queue.add("a", 1), queue.add("b", 2), queue.add("c", 3)]);
    const ids = jobs.map((job) => job.id);
    expect(ids).toEqual([...ids].sort());
    expect(jobs[0]?.createdAt.getTime()).toBe(clock.now());
  });

  it("tells that a job of the id lives already, and where", async () => {
    const { queue, jobs } = setup();
    const first = await queue.add("a", "old");
    await jobs.claim("q", LEASE_MS);
    const second = await queue.add("b", "new", { id: first.id });
    expect(second.outcome).toBe("duplicate");
    expect(second.existing).toEqual({ id: first.id, state: "active" });
    expect((await queue.getJob(first.id))?.data).toBe("old");
  });

  it("honours priority, delay, lane and overrides", async () => {
    const { queue, clock } = setup();
    const job = await queue.add("a", 1, { priority: 5, delay: "5m", lane: "tenant", attempts: 7, backoff: "2s" });
    const stored = await queue.getJob(job.id);
    expect(stored).toMatchObject({ state: "scheduled", priority: 5, lane: "tenant", attempts: 0 });
    expect(stored?.options).toMatchObject({ attempts: 7, backoff: { type: "fixed", delayMs: 2000 } });
    await clock.advance(300_000);
    expect(await queue.jobs.promote("q", 10)).toBe(1);
    expect(await job.getState()).toBe("pending");
  });

  it("schedules a delay beyond the range of timers exactly", async () => {
    const { queue, engine, clock } = setup();
    const { id } = await queue.add("a", 1, { delay: 2_147_483_648 });
    expect(await engine.command(["ZSCORE", "emq:{q}:schedule", id])).toBe(String(clock.now() + 2_147_483_648));
  });

  it("gives every job the defaults of its queue unless it has its own", async () => {
    const { queue } = setup({ defaultJobOptions: { priority: 3, attempts: 9 } });
    const [a, b] = await Promise.all([queue.add("a", 1), queue.add("b", 1, { priority: 0, attempts: 1 })]);
    expect(await queue.getJob(a.id)).toMatchObject({ priority: 3, options: { attempts: 9 } });
    expect(await queue.getJob(b.id)).toMatchObject({ priority: 0, options: { attempts: 1 } });
  });

  it.each([
    ["a bad name", "a{b", 1, undefined, "invalid_name"],
    ["a name that is no text", 5, 1, undefined, "invalid_name"],
    ["undefined data", "a", undefined, undefined, "invalid_payload"],
    ["a nested function", "a", { f: () => 1 }, undefined, "invalid_payload"],
    ["too much data", "a", "x".repeat(100), { sizeLimit: 50 }, "payload_too_large"],
    ["a malformed id", "a", 1, { id: "nonsense" }, "invalid_id"],
    ["an id of another kind", "a", 1, { id: "ORD00000000001" }, "kind"],
    ["a negative delay", "a", 1, { delay: -1 }, "invalid_option"],
    ["an unknown option", "a", 1, { prioriti: 1 }, "unknown_option"],
    ["options that are no object", "a", 1, 5, "invalid_option"],
    ["options that are a date", "a", 1, new Date(0), "invalid_option"],
    ["a name with half a character, which would be stored as another", "a\ud800", 1, undefined, "invalid_name"],
    ["a lane with half a character", "a", 1, { lane: "\udc00" }, "invalid_lane"],
  ])("refuses %s before anything is written", async (_, name, data, options, code) => {
    const { engine, queue } = scripted();
    const error = await errorOf(() => queue.add(name as string, data, options as JobOptions));
    expect(error.code).toBe(code);
    expect(engine.asks).toEqual([]);
  });

  it("takes 16 MiB of payload and not a byte more", async () => {
    const { queue } = setup();
    await queue.add("a", "x".repeat(16 * 2 ** 20 - 2));
    expect((await errorOf(() => queue.add("a", "x".repeat(16 * 2 ** 20 - 1)))).code).toBe("payload_too_large");
  });

  it("fails a neighbour of nothing: a refused row goes alone", async () => {
    const { engine, queue } = scripted();
    engine.answer = (ask) => {
      if (ask.args.includes('"bad"')) throw new EchoMQError("refused", "WRONGTYPE");
      return [];
    };
    const adds = await Promise.allSettled([queue.add("a", "x"), queue.add("a", "bad"), queue.add("a", "y")]);
    expect(adds.map((add) => add.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("rejects with the id while the server is away, ends no process, and tells `error` (PB-193)", async () => {
    const { engine, queue, clock, logger } = scripted();
    engine.answer = () => {
      throw away();
    };
    const errors: unknown[] = [];
    queue.on("error", (error) => errors.push(error));
    // Nobody waits for this one: an unhandled rejection would fail the test run.
    void queue.add("a", 1);
    await clock.settle();
    expect(errors).toHaveLength(1);
    const error = await errorOf(() => queue.add("a", 1));
    expect([error.code, error.retryable]).toEqual(["disconnected", true]);
    expect(error.details["id"]).toMatch(/^JOB/);
    expect(logger.messages("warn")).toEqual([]);
  });

  it("warns once in ten seconds when nobody listens to `error`", async () => {
    const { engine, queue, clock, logger } = scripted();
    engine.answer = () => {
      throw away();
    };
    for (let second = 0; second < 15; second++) {
      await errorOf(() => queue.add("a", 1));
      await clock.advance(1000);
    }
    expect(logger.messages("warn")).toHaveLength(2);
  });

  it("refuses more adds than may wait", async () => {
    const { engine, queue, clock } = scripted({ maxPending: 3 });
    const answer = later();
    engine.answer = () => answer.promise;
    const adds = [queue.add("a", 1), queue.add("a", 2), queue.add("a", 3)];
    expect((await errorOf(() => queue.add("a", 4))).code).toBe("overloaded");
    expect((await errorOf(() => queue.addBulk([{ name: "a", data: 1 }]))).code).toBe("overloaded");
    await clock.settle();
    answer.give([]);
    await Promise.all(adds);
    engine.answer = () => [];
    await queue.add("a", 5);
  });

  it("is repeated by itself under its id when its answer was lost, and stores one job", async () => {
    const { ports, engine: store } = setup();
    // The act is done and its answer lost, twice.
    let losses = 2;
    const engine = new ScriptedEngine(ports);
    engine.answer = async (ask) => {
      if (ask.verb === "command") return await store.command(ask.args);
      const reply = await store.act(ask.verb, ask.keys, ask.args);
      losses -= 1;
      if (losses >= 0) throw away();
      return reply;
    };
    const queue: AnyQueue = new QueueCore("q", lease(engine), { retryOnDisconnect: true });
    const added = queue.add("a", 1);
    await ports.clock.advance(1000);
    expect(await added).toMatchObject({ outcome: "added", existing: undefined });
    expect([engine.actsOf("ADMIT").length, await queue.count()]).toEqual([3, 1]);
    // Of an id that the caller gave nobody can know whose the job is that lies there.
    losses = 1;
    const { id } = await added;
    const again = queue.add("a", 1, { id });
    await ports.clock.advance(1000);
    expect(await again).toMatchObject({ outcome: "duplicate", existing: { state: "pending" } });
    losses = 1;
    const error = await errorOf(() => queue.add("a", 1, { retryOnDisconnect: false }));
    expect(error).toMatchObject({ code: "disconnected", retryable: true });
    expect(await queue.count()).toBe(2);
  });

  it("is repeated until its deadline, which counts from the call, by queue or by add", async () => {
    const { engine, queue, clock } = scripted({ retryOnDisconnect: "10s" });
    engine.answer = () => {
      throw away();
    };
    const startedAt = clock.now();
    const tookMs: Record<string, number> = {};
    for (const [name, options] of [
      ["queue", {}],
      ["true", { retryOnDisconnect: true }],
      ["short", { retryOnDisconnect: 500 }],
      ["off", { retryOnDisconnect: false }],
    ] as const) {
      queue.add("a", 1, options).catch(() => {
        tookMs[name] = clock.now() - startedAt;
      });
    }
    await clock.advance(60_000);
    expect(tookMs["off"]).toBe(0);
    expect(tookMs["short"]).toBeGreaterThanOrEqual(500);
    expect(tookMs["short"]).toBeLessThanOrEqual(1500);
    expect(tookMs["queue"]).toBeGreaterThanOrEqual(10_000);
    expect(tookMs["queue"]).toBeLessThanOrEqual(11_000);
    expect(tookMs["true"]).toBeGreaterThanOrEqual(30_000);
    expect(tookMs["true"]).toBeLessThanOrEqual(31_000);
    expect((await errorOf(() => queue.add("a", 1, { retryOnDisconnect: "soon" as never }))).code).toBe(
      "invalid_option",
    );
    expect((await errorOf(() => scripted({ retryOnDisconnect: 1.5 }))).code).toBe("invalid_option");
    const asDefault = { defaultJobOptions: { retryOnDisconnect: true } as never };
    expect((await errorOf(() => scripted(asDefault))).message).toContain("an option of the queue itself");
  });

  it("waits for a node number as long as it may be repeated, and in a bulk as well", async () => {
    const ports = createTestPorts();
    const engine = new ScriptedEngine(ports, "valkey");
    engine.answer = () => {
      throw away();
    };
    const queue: AnyQueue = new QueueCore("q", lease(engine), { retryOnDisconnect: true });
    const adds = Promise.all([queue.add("a", 1), queue.addBulk([{ name: "a", data: 2 }])]);
    await ports.clock.advance(20_000);
    engine.answer = (ask) => {
      if (ask.args[0] === "SET") return "OK";
      return ask.args[0] === "HINCRBY" ? Number(ask.args[3]) : [];
    };
    await ports.clock.advance(5000);
    expect((await adds).flat().map(({ outcome }) => outcome)).toEqual(["added", "added"]);
    expect(engine.actsOf("ADMIT").length).toBeGreaterThan(0);
  });

  it("is repeated no more once its queue is closed", async () => {
    const { engine, queue, clock } = scripted({ retryOnDisconnect: true });
    engine.answer = () => {
      throw away();
    };
    const error = errorOf(() => queue.add("a", 1));
    await clock.advance(1000);
    const closed = queue.close({ timeout: 500 });
    await clock.advance(500);
    await closed;
    expect(await error).toMatchObject({ code: "disconnected" });
    expect(clock.timerCount).toBe(0);
  });

  it("writes the queue's name to the list of queues, at most once a minute", async () => {
    const { queue, engine, clock } = scripted();
    const writes = () => engine.asks.filter(({ args }) => args[0] === "SADD");
    await queue.addBulk(Array.from({ length: 250 }, (_, at) => ({ name: "a", data: at })));
    await clock.advance(59_000);
    await queue.add("a", 1);
    expect(writes().map(({ args }) => args)).toEqual([["SADD", "{emq}:queues", "q"]]);
    await clock.advance(1000);
    await queue.add("a", 2);
    expect(writes()).toHaveLength(2);
  });

  it("brings its name back to the list of queues after another process has obliterated it", async () => {
    const { queue, engine, clock } = setup();
    await queue.add("a", 1);
    const other: AnyQueue = new QueueCore("q", lease(engine));
    await other.obliterate({ force: true });
    expect(await other.queues()).toEqual([]);
    await clock.advance(60_000);
    await queue.add("a", 2);
    expect(await engine.command(["SMEMBERS", "{emq}:queues"])).toEqual(["q"]);
  });

  it("is not hindered by a user who may not write the list of queues, who is refused once a minute", async () => {
    const { queue, engine } = scripted();
    engine.answer = (ask) => {
      if (ask.args[0] === "SADD") throw new EchoMQError("permission", "NOPERM");
      return [];
    };
    for (let job = 0; job < 5; job++) await queue.add("a", job);
    expect(engine.asks.filter(({ args }) => args[0] === "SADD")).toHaveLength(1);
  });

  it("waits for a node number on a server, within the bound", async () => {
    const engine = new ScriptedEngine(createTestPorts(), "valkey");
    const queue: AnyQueue = new QueueCore("q", lease(engine), { maxPending: 2 });
    const marks = later();
    engine.answer = (ask) => {
      if (ask.args[0] === "HGETALL") return marks.promise;
      if (ask.args[0] === "SET") return "OK";
      return ask.args[0] === "HINCRBY" ? Number(ask.args[3]) : [];
    };
    const adds = [queue.add("a", 1), queue.add("a", 2)];
    expect((await errorOf(() => queue.add("a", 3))).code).toBe("overloaded");
    await engine.ports.clock.settle();
    expect(engine.actsOf("ADMIT")).toEqual([]);
    marks.give([]);
    const [a, b] = await Promise.all(adds);
    expect((a?.id ?? "") < (b?.id ?? "")).toBe(true);
    expect(engine.actsOf("ADMIT")).toHaveLength(1);
  });

  it("needs no node number for a job that brings its id", async () => {
    const engine = new ScriptedEngine(createTestPorts(), "valkey");
    engine.answer = (ask) => {
      if (ask.args[0] === "HGETALL") throw away();
      return [];
    };
    const queue: AnyQueue = new QueueCore("q", lease(engine));
    expect((await queue.add("a", 1, { id: NEVER })).outcome).toBe("added");
  });
});

describe("addBulk", () => {
  it("adds five thousand in order, in acts of at most 200, four on their way at once", async () => {
    const { engine, queue } = scripted();
    let underWay = 0;
    let most = 0;
    engine.answer = async (ask) => {
      if (ask.verb !== "ADMIT") return 1;
      underWay++;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay--;
      return [];
    };
    const items = Array.from({ length: 5000 }, (_, at) => ({ name: "a", data: at }));
    const jobs = await queue.addBulk(items);
    expect(jobs.map((job) => job.data)).toEqual(items.map((item) => item.data));
    expect(jobs.every((job) => job.outcome === "added")).toBe(true);
    const rows = engine.actsOf("ADMIT").map((ask) => Number(ask.args[1]));
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(5000);
    expect(Math.max(...rows)).toBeLessThanOrEqual(200);
    expect(most).toBe(4);
  });

  it("really stores five thousand", async () => {
    const { queue } = setup();
    const items = Array.from({ length: 5000 }, (_, at) => ({ name: `kind-${at % 3}`, data: { at } }));
    const ids = (await queue.addBulk(items)).map((job) => job.id);
    expect(ids).toEqual([...ids].sort());
    expect((await queue.getJobCounts("pending")).pending).toBe(5000);
    expect((await queue.getJob(ids[4321] ?? ""))?.data).toEqual({ at: 4321 });
  });

  it("adds nothing for an empty list", async () => {
    const { engine, queue } = scripted();
    expect(await queue.addBulk([])).toEqual([]);
    expect(engine.asks).toEqual([]);
  });

  it.each([
    ["a payload", { name: "a", data: 1n }, "invalid_payload"],
    ["an option", { name: "a", data: 1, opts: { delay: -5 } }, "invalid_option"],
    ["a member", { name: "a", data: 1, options: {} }, "unknown_option"],
    ["an item", null, "invalid_option"],
    ["a missing item", undefined, "invalid_option"],
    ["a name", { data: 1 }, "invalid_name"],
  ])("refuses the whole for %s that is bad, and stores nothing", async (_, bad, code) => {
    const { queue, engine } = scripted();
    const items = [{ name: "a", data: 1 }, bad, { name: "a", data: 2 }] as BulkItem<Record<string, unknown>>[];
    const error = await errorOf(() => queue.addBulk(items));
    expect(error.code).toBe("invalid_bulk");
    expect(error.details["index"]).toBe(1);
    expect((error.cause as EchoMQError).code).toBe(code);
    expect(engine.asks).toEqual([]);
  });

  it("may be repeated with the ids of its error, and stores each job once", async () => {
    const { queue, engine } = scripted();
    let acts = 0;
    engine.answer = (ask) => {
      if (ask.verb === "ADMIT" && ++acts === 2) throw away();
      return [];
    };
    const items = Array.from({ length: 250 }, (_, at) => ({ name: "a", data: at }));
    const error = await errorOf(() => queue.addBulk(items));
    expect([error.code, error.details["index"]]).toEqual(["disconnected", 100]);
    const ids = error.details["ids"] as string[];
    expect(new Set(ids).size).toBe(250);
    const failed = error.details["failed"] as number[];
    expect(failed).toEqual(Array.from({ length: 100 }, (_, at) => at + 100));
    const again = await queue.addBulk(failed.map((at) => ({ name: "a", data: at, opts: { id: ids[at] ?? "" } })));
    expect(again.map((job) => job.id)).toEqual(failed.map((at) => ids[at]));
  });

  it("stands alone beside that of another queue, and each of its acts is whole or absent (PB-194)", async () => {
    const engine = new ScriptedEngine();
    const stored: string[] = [];
    engine.answer = ({ verb, keys, args }) => {
      if (verb !== "ADMIT") return 1;
      const [base = ""] = keys;
      if (base === "emq:{files}:" && stored.filter((key) => key === base).length === 1) throw away();
      stored.push(base);
      expect(Number(args[1])).toBeLessThanOrEqual(200);
      return [];
    };
    const lease = { engine, release: async () => {} };
    const open = (name: string) => new QueueCore<Record<string, unknown>>(name, lease, { node: 1 });
    const [mail, files] = [open("mail"), open("files")];
    const items = Array.from({ length: 150 }, (_, at) => ({ name: "a", data: at }));
    const [whole, torn] = await Promise.allSettled([mail.addBulk(items), files.addBulk(items)]);
    expect(whole).toMatchObject({ status: "fulfilled", value: { length: 150 } });
    const { reason } = torn as PromiseRejectedResult;
    expect(reason).toMatchObject({ code: "disconnected" });
    // What is not told as failed is stored, by the one act that was answered.
    const failed = (reason as EchoMQError).details["failed"] as number[];
    const admitted = engine.actsOf("ADMIT").find(({ keys }) => keys[0] === "emq:{files}:");
    expect(failed.length).toBe(150 - Number(admitted?.args[1]));
    expect(failed.length).toBeGreaterThan(0);
    const bad = [...items, { name: "a", data: 1n }];
    const before = engine.asks.length;
    await Promise.allSettled([files.addBulk(bad), mail.addBulk(bad)]);
    expect(engine.asks.length).toBe(before);
  });

  it("tells a duplicate within the bulk", async () => {
    const { queue } = setup();
    const outcomes = await queue.addBulk([
      { name: "a", data: 1, opts: { id: NEVER } },
      { name: "a", data: 2, opts: { id: NEVER } },
    ]);
    expect(outcomes.map((job) => job.outcome)).toEqual(["added", "duplicate"]);
  });

  it("refuses what is no array", async () => {
    const { queue } = scripted();
    expect((await errorOf(() => queue.addBulk({} as never))).code).toBe("invalid_option");
  });
});

describe("schemas", () => {
  const even: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: async (value) => {
        await Promise.resolve();
        return typeof value === "number" && value % 2 === 0
          ? { value: value / 2 }
          : { issues: [{ message: "must be even", path: ["n", { key: 0 }] }] };
      },
    },
  };

  it("judge the data of their job and store them as they were given", async () => {
    const { queue } = setup({ schemas: { even } });
    const good = await queue.add("even", 4);
    expect((await queue.getJob(good.id))?.data).toBe(4);
    await queue.add("other", 3);
    const error = await errorOf(() => queue.add("even", 3));
    expect(error.code).toBe("invalid_payload");
    expect(error.message).toContain("n.0: must be even");
    expect(error.details["issues"]).toHaveLength(1);
    const bulk = await errorOf(() =>
      queue.addBulk([
        { name: "even", data: 2 },
        { name: "even", data: 5 },
      ]),
    );
    expect([bulk.code, bulk.details["index"]]).toEqual(["invalid_bulk", 1]);
    expect(await queue.count()).toBe(2);
  });
});

describe("the construction of a queue", () => {
  it.each([
    ["", "invalid_queue"],
    ["emq", "invalid_queue"],
    ["a{b", "invalid_queue"],
    ["nul\u0000", "invalid_queue"],
    ["x".repeat(257), "invalid_queue"],
    [5, "invalid_queue"],
  ])("refuses the name %s", async (name, code) => {
    expect((await errorOf(() => new QueueCore(name as string, lease(new ScriptedEngine())))).code).toBe(code);
  });

  it.each([
    [{ prefix: "bull" }, "unknown_option"],
    [{ defaultJobOption: {} }, "unknown_option"],
    [{ node: 1024 }, "invalid_option"],
    [{ maxPending: 0 }, "invalid_option"],
    [{ schemas: { a: {} } }, "invalid_option"],
    [{ schemas: null }, "invalid_option"],
    [{ schemas: 5 }, "invalid_option"],
    [{ schemas: [] }, "invalid_option"],
    [{ logger: null }, "invalid_option"],
    [{ logger: { log() {} } }, "invalid_option"],
    [{ defaultJobOptions: { attempts: -1 } }, "invalid_option"],
    [{ defaultJobOptions: { sizeLimit: "1" } }, "invalid_option"],
    [7, "invalid_option"],
  ])("refuses the options %o as %s", async (options, code) => {
    const call = () => new QueueCore("q", lease(new ScriptedEngine()), options as QueueOptions);
    expect((await errorOf(call)).code).toBe(code);
  });
});

describe("one job", () => {
  it("is undefined when it does not exist", async () => {
    expect(await setup().queue.getJob(NEVER)).toBeUndefined();
    expect(await setup().queue.getJob("nobody has this jobId")).toBeUndefined();
    expect((await errorOf(() => setup().queue.getJob(5 as never))).code).toBe("invalid_id");
  });

  it("shows what its row holds", async () => {
    const { queue, jobs } = setup();
    const { id } = await queue.add("mail", { to: "ada" });
    await jobs.turn("q", { worker: "host:1:x", leaseMs: LEASE_MS, want: 1 });
    expect((await queue.getJob(id))?.owner).toBe("host:1:x");
    await jobs.retry("q", id, 1, { delayMs: 0, maxAttempts: 1, error: "büm" });
    const job = await queue.getJob(id);
    expect(job?.data).toEqual({ to: "ada" });
    expect(job?.progress).toBeUndefined();
    expect(job).toMatchObject({
      id,
      name: "mail",
      state: "dead",
      attempts: 1,
      lastError: "büm",
      owner: undefined,
      lane: undefined,
      stalled: 0,
      deferred: 0,
    });
  });

  it("shows foreign bytes and foreign progress as they are", async () => {
    const { queue, jobs } = setup();
    await jobs.enqueue("q", NEVER, Uint8Array.of(0xff, 0));
    await jobs.updateProgress("q", NEVER, "half way");
    const job = await queue.getJob(NEVER);
    expect(job?.name).toBe("default");
    expect(job?.payload).toEqual(Uint8Array.of(0xff, 0));
    expect((await errorOf(() => job?.data)).code).toBe("invalid_payload");
    expect(job?.progress).toBe("half way");
  });

  it("takes data, progress and logs", async () => {
    const { queue } = setup();
    const job = await queue.add("a", { n: 1 }, { keepLogs: 2 });
    expect(await job.updateData({ n: "ü" })).toBe("ok");
    expect(await job.updateProgress({ done: 0.5 })).toBe("ok");
    const stored = await queue.getJob(job.id);
    expect([stored?.data, stored?.progress]).toEqual([{ n: "ü" }, { done: 0.5 }]);
    expect(await stored?.log("one")).toBe(1);
    expect(await stored?.log("zwö")).toBe(2);
    expect(await stored?.log("three")).toBe(2);
    expect(await job.getLogs()).toEqual(["zwö", "three"]);
    expect((await errorOf(() => queue.updateData(job.id, 1n))).code).toBe("invalid_payload");
    expect((await errorOf(() => queue.log(job.id, "x", 0))).code).toBe("invalid_option");
  });

  it("answers gone when it is not there", async () => {
    const { queue } = setup();
    expect(await queue.updateData(NEVER, 1)).toBe("gone");
    expect(await queue.updateProgress(NEVER, 1)).toBe("gone");
    expect(await queue.log(NEVER, "x")).toBe("gone");
    expect(await queue.getLogs(NEVER)).toBe("gone");
    expect(await queue.remove(NEVER)).toBe("gone");
    expect(await queue.retry(NEVER)).toBe("gone");
    expect(await queue.promote(NEVER)).toBe("gone");
    expect(await queue.getState(NEVER)).toBe("absent");
  });

  it("is removed, retried and promoted by its own verbs", async () => {
    const { queue, jobs, keys } = setup();
    const job = await queue.add("a", 1, { delay: "1h", priority: 4 });
    expect(await job.retry()).toBe("not_dead");
    expect(await job.promote()).toBe("ok");
    expect(await job.promote()).toBe("not_scheduled");
    const claimed = await jobs.claim("q", LEASE_MS);
    expect(claimed?.id).toBe(job.id);
    await jobs.retry("q", job.id, 1, { delayMs: 0, maxAttempts: 1, error: "x" });
    expect(await job.retry()).toBe("ok");
    expect(await job.getState()).toBe("pending");
    expect(await job.remove()).toBe("ok");
    expect((await keys()).filter((key) => key.includes(job.id))).toEqual([]);
    expect((await queue.getJobCounts("pending", "schedule", "dead")).pending).toBe(0);
  });

  it("is promoted although many others are scheduled and due", async () => {
    const { queue, jobs, clock } = setup();
    const early = await queue.addBulk(
      Array.from({ length: 300 }, (_, at) => ({ name: "a", data: at, opts: { delay: 1 + at } })),
    );
    const late = await queue.add("a", 1, { delay: "1h" });
    await clock.advance(400);
    expect(await queue.promote(late.id)).toBe("ok");
    expect(await late.getState()).toBe("pending");
    expect(await jobs.getState("q", early.at(-1)?.id ?? "")).toBe("scheduled");
  });
});

describe("reading a queue", () => {
  it("counts by the words of the wire", async () => {
    const { queue, jobs } = setup();
    await queue.addBulk([
      { name: "a", data: 1 },
      { name: "a", data: 2 },
      { name: "a", data: 3, opts: { delay: 5000 } },
    ]);
    await jobs.claim("q", LEASE_MS);
    const all = { pending: 1, lanes: 0, active: 1, schedule: 1, awaiting: 0, dead: 0, completed: 0, failed: 0 };
    expect(await queue.getJobCounts()).toEqual(all);
    expect(await queue.getJobCounts("active", "dead")).toEqual({ active: 1, dead: 0 });
    expect(await queue.count()).toBe(2);
    const error = await errorOf(() => queue.getJobCounts("waiting" as "pending"));
    expect([error.code, error.details["use"]]).toEqual(["unknown_state", "pending"]);
  });

  it("pages through one state in both directions", async () => {
    const { queue } = setup();
    const ids = (await queue.addBulk(Array.from({ length: 250 }, (_, at) => ({ name: "a", data: at })))).map(
      (job) => job.id,
    );
    const newest = [...ids].reverse();
    const idsOf = (page: { id: string }[]) => page.map((job) => job.id);
    expect(idsOf(await queue.getJobs("pending"))).toEqual(newest.slice(0, 100));
    expect(idsOf(await queue.getJobs(["pending"], 100, 249))).toEqual(newest.slice(100));
    expect(idsOf(await queue.getJobs("pending", 3, 5, true))).toEqual(ids.slice(3, 6));
    expect(await queue.getJobs("pending", 250)).toEqual([]);
    expect(await queue.getJobs("dead")).toEqual([]);
    expect(await queue.getJobs([])).toEqual([]);
  });

  it("makes one list of several states, whatever page is read", async () => {
    const { queue, jobs } = setup();
    await queue.addBulk(Array.from({ length: 7 }, (_, at) => ({ name: "a", data: at })));
    await queue.addBulk(Array.from({ length: 4 }, (_, at) => ({ name: "a", data: at, opts: { delay: 1000 + at } })));
    await jobs.claimBatch("q", 3, LEASE_MS);
    const states = ["active", "scheduled", "dead", "pending"] as const;
    const all = await queue.getJobs(states, 0, 99, true);
    expect(all.map((job) => job.state)).toEqual([
      ...Array<string>(3).fill("active"),
      ...Array<string>(4).fill("scheduled"),
      ...Array<string>(4).fill("pending"),
    ]);
    for (let start = 0; start < all.length; start++) {
      for (let end = start; end < all.length; end++) {
        const page = await queue.getJobs(states, start, end, true);
        expect(page.map((job) => job.id)).toEqual(all.slice(start, end + 1).map((job) => job.id));
      }
    }
  });

  it("leaves out a job whose row is gone", async () => {
    const { queue, engine } = setup();
    const [a, b] = await queue.addBulk([
      { name: "a", data: 1 },
      { name: "a", data: 2 },
    ]);
    await engine.command(["DEL", `emq:{q}:job:${a?.id}`]);
    expect((await queue.getJobs("pending")).map((job) => job.id)).toEqual([b?.id]);
  });

  it.each([
    [0, -1],
    [0, 1000],
    [5, 1005],
    [-1, 5],
    [0.5, 5],
    [0, Number.NaN],
  ])("refuses the page from %d to %d", async (start, end) => {
    const error = await errorOf(() => scripted().queue.getJobs("pending", start, end));
    expect(error.code).toBe("invalid_option");
  });

  it.each([
    ["waiting", "pending"],
    ["delayed", "scheduled"],
    ["schedule", "scheduled"],
    ["failed", "dead"],
  ])("answers the state %s with %s", async (state, right) => {
    const error = await errorOf(() => scripted().queue.getJobs(state as "pending"));
    expect([error.code, error.details["use"]]).toEqual(["unknown_state", right]);
  });

  it.each([undefined, null, 5, [5], "__proto__", "constructor", ["toString"]])(
    "refuses %o as a state, with the states that there are",
    async (states) => {
      const error = await errorOf(() => scripted().queue.getJobs(states as never));
      expect(error.code).toBe("unknown_state");
      expect(error.message).toContain("use pending, active, scheduled, awaiting_children, dead");
      expect(error.details["use"]).toBeUndefined();
    },
  );

  it.each(["asc", 1, null])("refuses %o as the order", async (ascending) => {
    const error = await errorOf(() => scripted().queue.getJobs("pending", 0, 1, ascending as never));
    expect(error.code).toBe("invalid_option");
  });

  it("lists the completed jobs that are kept", async () => {
    const { queue, engine } = setup();
    const { id } = await queue.add("a", 1);
    await engine.command(["HSET", `emq:{q}:job:${id}`, "state", "completed", "finished_at", "5"]);
    await engine.command(["ZREM", "emq:{q}:pending", id]);
    await engine.command(["ZADD", "emq:{q}:completed", "5", id]);
    expect((await queue.getJobs(["pending", "completed"])).map((job) => job.id)).toEqual([id]);
  });

  it("pauses and resumes", async () => {
    const { queue, jobs } = setup();
    await queue.pause();
    expect(await queue.isPaused()).toBe(true);
    await queue.add("a", 1);
    expect(await jobs.claim("q", LEASE_MS)).toBeUndefined();
    await queue.resume();
    expect(await queue.isPaused()).toBe(false);
    expect(await jobs.claim("q", LEASE_MS)).toBeDefined();
  });
});

describe("close", () => {
  it("waits for adds that are on their way, then releases its share once", async () => {
    const { engine, queue, share, clock } = scripted();
    const answer = later();
    engine.answer = () => answer.promise;
    const add = queue.add("a", 1);
    const closing = queue.close();
    await clock.settle();
    expect(share.counter.released).toBe(0);
    answer.give([]);
    await closing;
    expect((await add).outcome).toBe("added");
    await queue.close();
    expect(share.counter.released).toBe(1);
    expect(clock.timerCount).toBe(0);
  });

  it.each([
    [null, "invalid_option"],
    [5, "invalid_option"],
    [{ timeout: -1 }, "invalid_option"],
    [{ timout: 5 }, "unknown_option"],
  ])("refuses %o and stays open", async (options, code) => {
    const { queue } = setup();
    expect((await errorOf(() => queue.close(options as never))).code).toBe(code);
    expect((await queue.add("a", 1)).outcome).toBe("added");
    await queue.close();
  });

  it("waits no longer than it is told", async () => {
    const { engine, queue, share, clock } = scripted();
    engine.answer = () => later().promise;
    void queue.add("a", 1);
    const closing = queue.close({ timeout: "2s" });
    await clock.advance(1999);
    expect(share.counter.released).toBe(0);
    await clock.advance(1);
    await closing;
    expect(share.counter.released).toBe(1);
  });

  it("waits for adds that wait for a node number", async () => {
    const engine = new ScriptedEngine(createTestPorts(), "valkey");
    const share = lease(engine);
    const queue: AnyQueue = new QueueCore("q", share);
    const marks = later();
    engine.answer = (ask) => {
      if (ask.args[0] === "HGETALL") return marks.promise;
      if (ask.args[0] === "SET") return "OK";
      if (ask.args[0] === "HINCRBY") return Number(ask.args[3]);
      return ask.args[0] === "GET" ? null : [];
    };
    const add = queue.add("a", 1);
    const closing = queue.close();
    await engine.ports.clock.settle();
    expect(share.counter.released).toBe(0);
    marks.give([]);
    await closing;
    expect((await add).outcome).toBe("added");
    expect(share.counter.released).toBe(1);
  });

  it("does not wait for a server that has frozen to take its node number back", async () => {
    const engine = new ScriptedEngine(createTestPorts(), "valkey");
    const { clock } = engine.ports;
    const share = lease(engine);
    const queue: AnyQueue = new QueueCore("q", share);
    engine.answer = (ask) => {
      if (ask.args[0] === "SET") return "OK";
      return ask.args[0] === "HINCRBY" ? Number(ask.args[3]) : [];
    };
    await queue.add("a", 1);
    engine.answer = () => later().promise;
    const closing = queue.close({ timeout: 100 });
    await clock.advance(1000);
    await closing;
    expect([share.counter.released, clock.timerCount]).toEqual([1, 0]);
  });

  it("tells of its end although the connection could not be ended, and of that as well", async () => {
    const { engine } = scripted();
    const release = () => Promise.reject(new Error("no end"));
    const queue: AnyQueue = new QueueCore("q", { engine, release });
    let closed = 0;
    queue.once("closed", () => closed++);
    await expect(queue.close()).rejects.toThrow("no end");
    expect(closed).toBe(1);
  });

  it("refuses every call afterwards and says so", async () => {
    const { queue, engine } = scripted();
    let closed = 0;
    queue.once("closed", () => closed++);
    await queue.close();
    expect(closed).toBe(1);
    const calls: (() => unknown)[] = [
      () => queue.add("a", 1),
      () => queue.addBulk([]),
      () => queue.getJob(NEVER),
      () => queue.getJobs("pending"),
      () => queue.getJobCounts(),
      () => queue.count(),
      () => queue.pause(),
      () => queue.resume(),
      () => queue.isPaused(),
      () => queue.remove(NEVER),
      () => queue.retry(NEVER),
      () => queue.promote(NEVER),
      () => queue.getState(NEVER),
      () => queue.updateData(NEVER, 1),
      () => queue.updateProgress(NEVER, 1),
      () => queue.log(NEVER, "x"),
      () => queue.getLogs(NEVER),
    ];
    for (const call of calls) expect((await errorOf(call)).code).toBe("closed");
    expect(engine.asks).toEqual([]);
  });

  it("comes with `await using`", async () => {
    const { queue, share } = scripted();
    await queue[Symbol.asyncDispose]();
    expect(share.counter.released).toBe(1);
  });

  it("waits until the engine is ready, or never will be", async () => {
    const { engine, queue } = scripted();
    let becomeReady = (): void => undefined;
    engine.ready = () =>
      new Promise((resolve) => {
        becomeReady = resolve;
      });
    let isReady = false;
    const waiting = queue.waitUntilReady().then(() => {
      isReady = true;
    });
    await engine.ports.clock.settle();
    expect(isReady).toBe(false);
    becomeReady();
    await waiting;
    engine.ready = () => Promise.reject(away());
    await expect(queue.waitUntilReady()).rejects.toMatchObject({ code: "disconnected" });
  });

  it("lets a minted id of another mint pass as an id", async () => {
    const { queue, clock } = setup();
    const mint = createMinter({ node: 1000, clock: () => clock.now() });
    const id = mint("JOB");
    expect((await queue.add("a", 1, { id })).id).toBe(id);
  });
});
