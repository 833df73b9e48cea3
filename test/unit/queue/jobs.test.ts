import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { errorOf, ScriptedEngine } from "./scripted-engine.ts";

const LEASE_MS = 60_000;

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const mint = createMinter({ node: 1, clock: () => ports.clock.now() });
  return { ports, engine, clock: ports.clock, jobs: new Jobs(engine), newId: (namespace = "JOB") => mint(namespace) };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe("admission", () => {
  it("tells enqueued, duplicate and kind apart", async () => {
    const { jobs, newId } = setup();
    const id = newId();
    expect(await jobs.enqueue("q", id, "cargo")).toBe("enqueued");
    expect(await jobs.enqueue("q", id, "again")).toBe("duplicate");
    expect(await jobs.enqueue("q", newId("ORD"), "cargo")).toBe("kind");
    expect([...((await jobs.getRow("q", id)) ?? [])]).toEqual([
      ["state", "pending"],
      ["attempts", "0"],
      ["payload", "cargo"],
    ]);
  });

  it("throws for a malformed id before the wire, whatever its namespace", async () => {
    const engine = new ScriptedEngine();
    const jobs = new Jobs(engine);
    for (const id of ["", "JOB", "JOB0000000000!", "job00000000001", "JOBzzzzzzzzzzz"]) {
      expect((await errorOf(() => jobs.enqueue("q", id, "x"))).code).toBe("invalid_id");
    }
    expect(engine.asks).toEqual([]);
  });

  it("takes any queue name without braces and NUL, the empty one included", async () => {
    const engine = new ScriptedEngine();
    const jobs = new Jobs(engine);
    await jobs.pause("");
    await jobs.pause("ü");
    expect(engine.asks.map((ask) => ask.keys[0])).toEqual(["emq:{}:meta", "emq:{\u00c3\u00bc}:meta"]);
    expect((await errorOf(() => jobs.pause("a{b"))).code).toBe("invalid_queue");
  });

  it("schedules at an instant and after a delay", async () => {
    const { jobs, newId, clock } = setup();
    const [at, after] = [newId(), newId()];
    expect(await jobs.enqueueAt("q", at, "x", clock.now() + 50)).toBe("scheduled");
    expect(await jobs.enqueueAt("q", at, "x", 0)).toBe("duplicate");
    expect(await jobs.enqueueIn("q", after, "x", 30)).toBe("scheduled");
    expect(await jobs.enqueueIn("q", newId("ORD"), "x", 30)).toBe("kind");
    await clock.advance(30);
    expect(await jobs.promote("q", 10)).toBe(1);
    await clock.advance(20);
    expect(await jobs.promote("q", 10)).toBe(1);
    expect(await jobs.getState("q", at)).toBe("pending");
  });

  it("admits many with an outcome each, in order, and nothing when one id is malformed", async () => {
    const { jobs, newId } = setup();
    const [a, b] = [newId(), newId()];
    const items = [a, newId("ORD"), b, a].map((id) => ({ id, payload: "x" }));
    expect(await jobs.enqueueMany("q", items)).toEqual(["enqueued", "kind", "enqueued", "duplicate"]);
    expect(await jobs.enqueueMany("q", [])).toEqual([]);
    const bad = [
      { id: newId(), payload: "x" },
      { id: "nonsense", payload: "x" },
    ];
    expect((await errorOf(() => jobs.enqueueMany("q", bad))).code).toBe("invalid_id");
    expect(await jobs.pendingSize("q")).toBe(2);
  });

  it("admits rows of every shape in one act", async () => {
    const { jobs, newId, clock } = setup();
    const [plain, named, later, there] = [newId(), newId(), newId(), newId()];
    await jobs.enqueue("q", there, "x");
    const outcomes = await jobs.admit("q", [
      { id: plain, payload: "x", name: "default", priority: 0 },
      { id: named, payload: "x", name: "mail", priority: 7, opts: '{"attempts":5}' },
      { id: there, payload: "x" },
      { id: later, payload: "x", dueAtMs: clock.now() + 1000, lane: "ü" },
    ]);
    expect(outcomes.map((outcome) => outcome.outcome)).toEqual(["added", "added", "duplicate", "added"]);
    expect(outcomes[2]?.state).toBe("pending");
    expect([...((await jobs.getRow("q", plain)) ?? new Map()).keys()]).toEqual(["state", "attempts", "payload"]);
    expect(Object.fromEntries((await jobs.getRow("q", named)) ?? [])).toMatchObject({
      name: "mail",
      priority: "7",
      opts: '{"attempts":5}',
    });
    expect(await jobs.getState("q", later)).toBe("scheduled");
  });

  it("refuses a whole act for one row of another kind", async () => {
    const { jobs, newId } = setup();
    const rows = [
      { id: newId(), payload: "x" },
      { id: newId("ORD"), payload: "x" },
    ];
    expect((await errorOf(() => jobs.admit("q", rows))).code).toBe("kind");
    expect(await jobs.pendingSize("q")).toBe(0);
    const both = { id: newId(), payload: "x", dueAtMs: 1, dueInMs: 1 };
    expect((await errorOf(() => jobs.admit("q", [both]))).code).toBe("invalid_option");
  });

  it("brings every byte value back as it was given", async () => {
    const { jobs, newId } = setup();
    const payload = Uint8Array.from({ length: 256 }, (_, at) => at);
    const id = newId();
    await jobs.enqueue("q", id, payload);
    expect((await jobs.claim("q", LEASE_MS))?.payload).toEqual(payload);
    await jobs.addLog("q", id, payload);
    expect(await jobs.getLogs("q", id)).toEqual([payload]);
  });

  it("refuses numbers that have no decimal text", async () => {
    const { jobs, newId } = setup();
    for (const ms of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
      expect((await errorOf(() => jobs.enqueueIn("q", newId(), "x", ms))).code).toBe("invalid_option");
    }
    expect((await errorOf(() => jobs.enqueueIn("q", newId(), "x", -1))).code).toBe("refused");
  });
});

describe("claims and settlements", () => {
  it("claims, and answers nothing when nothing waits", async () => {
    const { jobs, newId } = setup();
    expect(await jobs.claim("q", LEASE_MS)).toBeUndefined();
    const id = newId();
    await jobs.enqueue("q", id, "work");
    expect(await jobs.claim("q", LEASE_MS)).toEqual({ id, payload: bytes("work"), attempts: 1 });
    expect(await jobs.claimBatch("q", 5, LEASE_MS)).toEqual([]);
  });

  it("completes once, by the right token only", async () => {
    const { jobs, newId } = setup();
    const id = newId();
    await jobs.enqueue("q", id, "x");
    await jobs.claim("q", LEASE_MS);
    expect(await jobs.complete("q", id, 99)).toBe("stale");
    expect(await jobs.complete("q", id, 1, "")).toBe("ok");
    expect(await jobs.complete("q", id, 1)).toBe("gone");
  });

  it("answers state for a settlement of a job that is not active", async () => {
    const { jobs, newId } = setup();
    const id = newId();
    await jobs.enqueue("q", id, "x");
    await jobs.claim("q", LEASE_MS);
    await jobs.retry("q", id, 1, { delayMs: 0, maxAttempts: 1, error: "gave up" });
    expect(await jobs.complete("q", id, 1)).toBe("state");
    expect(await jobs.retry("q", id, 1, { delayMs: 0, maxAttempts: 3, error: "x" })).toBe("state");
    expect(await jobs.delay("q", id, 1, 5)).toBe("state");
    expect(await jobs.giveBack("q", id, 1)).toBe("state");
  });

  it("retries until dead", async () => {
    const { jobs, newId, clock } = setup();
    const id = newId();
    const failure = { delayMs: 10, maxAttempts: 2, error: "boom" };
    await jobs.enqueue("q", id, "x");
    await jobs.claim("q", LEASE_MS);
    expect(await jobs.retry("q", id, 9, failure)).toBe("stale");
    expect(await jobs.retry("q", newId(), 1, failure)).toBe("gone");
    expect(await jobs.retry("q", id, 1, failure)).toBe("scheduled");
    await clock.advance(10);
    await jobs.promote("q", 10);
    expect((await jobs.claim("q", LEASE_MS))?.attempts).toBe(2);
    expect(await jobs.retry("q", id, 2, failure)).toBe("dead");
    expect(await jobs.reprocessJob("q", newId())).toBe("gone");
    expect(await jobs.reprocessJob("q", id)).toBe("ok");
    expect(await jobs.reprocessJob("q", id)).toBe("not_dead");
  });

  it("delays and gives back without spending an attempt", async () => {
    const { jobs, newId, clock } = setup();
    const id = newId();
    await jobs.enqueue("q", id, "x");
    await jobs.claim("q", LEASE_MS);
    expect(await jobs.delay("q", id, 7, 5)).toBe("stale");
    expect(await jobs.delay("q", newId(), 1, 5)).toBe("gone");
    expect(await jobs.delay("q", newId("ORD"), 1, 5)).toBe("kind");
    expect(await jobs.delay("q", id, 1, clock.now() + 5, "at")).toBe("ok");
    await clock.advance(5);
    await jobs.promote("q", 10);
    await jobs.claim("q", LEASE_MS);
    expect(await jobs.giveBack("q", id, 7)).toBe("stale");
    expect(await jobs.giveBack("q", newId(), 1)).toBe("gone");
    expect(await jobs.giveBack("q", id, 2)).toBe("ok");
    expect((await jobs.getRow("q", id))?.get("deferred")).toBe("2");
  });

  it("settles, promotes and claims in one turn", async () => {
    const { jobs, newId } = setup();
    const ids = [newId(), newId(), newId(), newId(), newId(), newId(), newId()] as const;
    const [done, result, failed, killed, delayed, back, next] = ids;
    await jobs.enqueueMany(
      "q",
      ids.slice(0, 6).map((id) => ({ id, payload: "x" })),
    );
    const turn = { worker: "w", leaseMs: LEASE_MS, want: 6 };
    expect((await jobs.turn("q", turn)).jobs.map((job) => job.id)).toEqual(ids.slice(0, 6));
    await jobs.admit("q", [{ id: next, payload: "ü", name: "näme", opts: "{}", lane: "läne" }]);
    const reply = await jobs.turn("q", {
      ...turn,
      want: 1,
      settlements: [
        { op: "c", id: done, token: 1 },
        { op: "c", id: newId(), token: 1 },
        { op: "r", id: result, token: 1, result: "yes" },
        { op: "f", id: failed, token: 1, delayMs: 500, maxAttempts: 3, error: "boom" },
        { op: "k", id: killed, token: 9, error: "end" },
        { op: "k", id: killed, token: 1, error: "end" },
        { op: "d", id: delayed, token: 1, ms: 900 },
        { op: "a", id: newId(), token: 1, ms: 900 },
        { op: "b", id: back, token: 1 },
      ],
    });
    expect([...reply.exceptions]).toEqual([
      [1, "0"],
      [4, "EMQSTALE retry token mismatch"],
      [7, "EMQSTALE job gone"],
    ]);
    expect(reply.dueMs).toBe(500);
    expect(reply.moved).toBe(0);
    const claimed = [...reply.jobs, ...(await jobs.turn("q", turn)).jobs];
    const lane = claimed.find((job) => job.id === next);
    expect(lane).toMatchObject({ token: 1, name: "näme", opts: "{}", lane: "läne", stalled: 0, deferred: 0 });
    expect(lane?.payload).toEqual(bytes("ü"));
    expect(claimed.find((job) => job.id === back)).toMatchObject({
      token: 2,
      name: "",
      opts: "",
      lane: "",
      deferred: 1,
    });
  });

  it("answers no due time when nothing is scheduled", async () => {
    const { jobs } = setup();
    const reply = await jobs.turn("q", { worker: "w", leaseMs: LEASE_MS, want: 5 });
    expect(reply).toEqual({ exceptions: new Map(), dueMs: undefined, moved: 0, jobs: [] });
  });

  it("finds the leases that a worker does not know of", async () => {
    const { jobs, newId } = setup();
    const [a, b] = [newId(), newId()];
    await jobs.enqueueMany("q", [
      { id: a, payload: "a" },
      { id: b, payload: "b" },
    ]);
    await jobs.turn("q", { worker: "w", leaseMs: LEASE_MS, want: 2 });
    const found = await jobs.owned("q", { worker: "w", leaseMs: LEASE_MS, known: [a] });
    expect(found.map((job) => [job.id, job.token, job.bytes])).toEqual([[b, 1, "b"]]);
  });
});

describe("leases", () => {
  it("extends one, and many with those that could not be", async () => {
    const { jobs, newId, clock } = setup();
    const [live, stale, gone] = [newId(), newId(), newId()];
    await jobs.enqueueMany(
      "q",
      [live, stale].map((id) => ({ id, payload: "x" })),
    );
    await jobs.claimBatch("q", 2, 50);
    expect(await jobs.extendLock("q", live, 1, LEASE_MS)).toBe("ok");
    expect(await jobs.extendLock("q", live, 2, LEASE_MS)).toBe("stale");
    expect(await jobs.extendLock("q", gone, 1, LEASE_MS)).toBe("gone");
    const held = [
      { id: live, token: 1 },
      { id: stale, token: 999 },
      { id: gone, token: 1 },
    ];
    expect(await jobs.extendLocks("q", held, 90_000)).toEqual({ failed: [stale, gone], cancelled: [] });
    expect(await jobs.cancel("q", live, "stop")).toBe("marked");
    expect(await jobs.extendLock("q", live, 1, LEASE_MS)).toBe("cancel");
    expect(await jobs.extendLocks("q", [{ id: live, token: 1 }], LEASE_MS)).toEqual({ failed: [], cancelled: [live] });
    await clock.advance(100);
    expect(await jobs.reap("q")).toBe(1);
  });

  it("sweeps lapsed leases and buries at the third lapse by default", async () => {
    const { jobs, newId, clock } = setup();
    const id = newId();
    await jobs.enqueue("q", id, "x");
    for (let lapse = 1; lapse <= 3; lapse++) {
      await jobs.claim("q", 30);
      await clock.advance(31);
      const swept = await jobs.sweep("q");
      expect(swept).toEqual(lapse < 3 ? { recovered: [id], dead: [] } : { recovered: [], dead: [id] });
    }
  });

  it("cancels a waiting job by removing it", async () => {
    const { jobs, newId } = setup();
    const id = newId();
    await jobs.enqueue("q", id, "x");
    expect(await jobs.cancel("q", id, "no")).toBe("removed");
    expect(await jobs.cancel("q", id, "no")).toBe("gone");
  });
});

describe("changes of one job", () => {
  it("updates data and progress, fenced by a token when one is given", async () => {
    const { jobs, newId } = setup();
    const id = newId();
    await jobs.enqueue("q", id, "old");
    await jobs.claim("q", LEASE_MS);
    expect(await jobs.updateData("q", id, "new")).toBe("ok");
    expect(await jobs.updateData("q", id, "newer", 2)).toBe("stale");
    expect(await jobs.updateProgress("q", id, "50", 1)).toBe("ok");
    expect(await jobs.updateProgress("q", id, "60", 2)).toBe("stale");
    expect(await jobs.updateData("q", newId(), "x")).toBe("gone");
    expect(await jobs.updateProgress("q", newId(), "x")).toBe("gone");
    expect(Object.fromEntries((await jobs.getRow("q", id)) ?? [])).toMatchObject({ payload: "new", progress: "50" });
  });

  it("keeps the newest log lines", async () => {
    const { jobs, newId } = setup();
    const id = newId();
    await jobs.enqueue("q", id, "x");
    expect(await jobs.addLog("q", id, "line-1")).toBe(1);
    expect(await jobs.addLog("q", id, "line-2")).toBe(2);
    expect(await jobs.addLog("q", id, "line-3", 2)).toBe(2);
    expect(await jobs.addLog("q", id, "line-4", 2, 5)).toBe("stale");
    expect(await jobs.getLogs("q", id)).toEqual([bytes("line-2"), bytes("line-3")]);
    expect(await jobs.addLog("q", newId(), "x")).toBe("gone");
    expect(await jobs.getLogs("q", newId())).toBe("gone");
  });

  it("reads a long log in parts, whole and in its order", async () => {
    const { jobs, engine, newId } = setup();
    const id = newId();
    await jobs.enqueue("q", id, "x");
    const lines = Array.from({ length: 12_345 }, (_, at) => `line ${at}`);
    for (let at = 0; at < lines.length; at += 1000) {
      await engine.command(["RPUSH", `emq:{q}:job:${id}:logs`, ...lines.slice(at, at + 1000)]);
    }
    expect(await jobs.getLogs("q", id)).toEqual(lines.map(bytes));
  });

  it("removes a job with its deduplication key, but no locked one unless forced", async () => {
    const { jobs, newId, engine } = setup();
    const [free, held] = [newId(), newId()];
    await jobs.enqueueMany(
      "q",
      [free, held].map((id) => ({ id, payload: "x" })),
    );
    await engine.command(["SET", "emq:{q}:de:dedup-7", free]);
    await engine.command(["SET", `emq:{q}:job:${held}:lock`, "worker-1"]);
    expect(await jobs.getDedup("q", "dedup-7")).toBe(free);
    expect(await jobs.removeJob("q", free, "dedup-7")).toBe("ok");
    expect(await jobs.getDedup("q", "dedup-7")).toBeUndefined();
    expect(await jobs.removeJob("q", free)).toBe("gone");
    expect(await jobs.removeJob("q", held)).toBe("locked");
    expect(await jobs.removeJob("q", held, "", { force: true })).toBe("ok");
  });

  it("releases a scheduled job, and only a scheduled one", async () => {
    const { jobs, newId } = setup();
    const [later, now] = [newId(), newId()];
    await jobs.enqueueIn("q", later, "x", 60_000);
    await jobs.enqueue("q", now, "x");
    expect(await jobs.release("q", later)).toBe("ok");
    expect(await jobs.getState("q", later)).toBe("pending");
    expect(await jobs.release("q", now)).toBe("not_scheduled");
    expect(await jobs.release("q", newId())).toBe("gone");
  });
});

describe("reading", () => {
  it("counts by the words that are asked for", async () => {
    const { jobs, newId } = setup();
    await jobs.enqueueMany(
      "q",
      [newId(), newId(), newId()].map((id) => ({ id, payload: "x" })),
    );
    await jobs.enqueueIn("q", newId(), "x", 60_000);
    const job = await jobs.claim("q", LEASE_MS);
    await jobs.complete("q", job?.id ?? "", 1);
    expect(await jobs.getCounts("q", ["pending", "active", "schedule", "dead", "completed", "failed"])).toEqual({
      pending: 2,
      active: 0,
      schedule: 1,
      dead: 0,
      completed: 1,
      failed: 0,
    });
    expect(await jobs.getCounts("q", ["schedule", "completed", "schedule"])).toEqual({ schedule: 1, completed: 1 });
    expect(await jobs.getCounts("q", [])).toEqual({});
    expect(await jobs.getMetrics("q", "completed")).toEqual({ count: 1, dataPoints: 0 });
    expect(await jobs.getMetrics("q", "failed")).toEqual({ count: 0, dataPoints: 0 });
  });

  it.each([
    ["wait", "pending"],
    ["waiting", "pending"],
    ["delayed", "schedule"],
    ["scheduled", "schedule"],
    ["constructor", undefined],
  ])("answers the count word %s with %s", async (word, right) => {
    const error = await errorOf(() => setup().jobs.getCounts("q", [word as "pending"]));
    expect(error.code).toBe("unknown_state");
    expect(error.details["use"]).toBe(right);
  });

  it("lists by rank in both directions", async () => {
    const { jobs, newId } = setup();
    const ids = [newId(), newId(), newId()];
    await jobs.enqueueMany(
      "q",
      ids.map((id) => ({ id, payload: "x" })),
    );
    expect(await jobs.browse("q", 2)).toEqual([ids[2], ids[1]]);
    expect(await jobs.browse("q", 0)).toEqual([]);
    expect(await jobs.getIds("q", "pending", { start: 1, end: 5, ascending: true })).toEqual([ids[1], ids[2]]);
  });

  it("pauses, resumes and tells", async () => {
    const { jobs, newId } = setup();
    await jobs.enqueue("q", newId(), "x");
    await jobs.pause("q");
    expect(await jobs.isPaused("q")).toBe(true);
    expect(await jobs.claim("q", LEASE_MS)).toBeUndefined();
    await jobs.resume("q");
    expect(await jobs.isPaused("q")).toBe(false);
  });

  it("tells a queue at its ceiling from one below", async () => {
    const { jobs, newId, engine } = setup();
    await engine.command(["HSET", "emq:{q}:meta", "concurrency", "1"]);
    expect(await jobs.isMaxed("q")).toBe("ok");
    await jobs.enqueue("q", newId(), "x");
    await jobs.claim("q", LEASE_MS);
    expect(await jobs.isMaxed("q")).toBe("rate");
  });

  it("tells states apart, and a row that is absent", async () => {
    const { jobs, newId, engine } = setup();
    const id = newId();
    expect(await jobs.getState("q", id)).toBe("absent");
    expect(await jobs.getRow("q", id)).toBeUndefined();
    await jobs.enqueue("q", id, "x");
    await jobs.claim("q", LEASE_MS);
    expect(await jobs.getState("q", id)).toBe("active");
    await engine.command(["ZREM", "emq:{q}:active", id]);
    expect(await jobs.getState("q", id)).toBe("unknown");
  });

  it("passes on what is no outcome of the verb", async () => {
    const engine = new ScriptedEngine();
    engine.answer = () => "nonsense";
    const jobs = new Jobs(engine);
    expect((await errorOf(() => jobs.enqueue("q", "JOB00000000001", "x"))).code).toBe("internal");
  });
});
