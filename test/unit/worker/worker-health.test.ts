/** How a worker says that it does not work: the words, and when a restart is all that is left. */

import { describe, expect, it, test } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { type HealthFacts, judgeHealth } from "../../../src/worker/worker-health.ts";
import { WorkerWorld } from "./worker-world.ts";

const FACTS: HealthFacts = {
  state: "running",
  engine: "ready",
  now: 100_000,
  beatMs: 1000,
  begunAt: 10_000,
  lastAskedAt: 99_500,
  lastAnsweredAt: 99_501,
  isFailing: false,
  lastError: undefined,
  concurrency: 4,
  running: 1,
  stuck: 0,
  buffered: 0,
  unsettled: 0,
};

const AWAY = new EchoMQError("disconnected", "connect ECONNREFUSED");

describe("a judgement", () => {
  it("of a worker that is answered is that it consumes", () => {
    expect(judgeHealth(FACTS)).toMatchObject({
      isConsuming: true,
      reason: undefined,
      reasonText: undefined,
      notConsumingSince: undefined,
      needsRestart: false,
    });
  });

  it.each([
    [{ state: "idle" }, "idle", "the worker has not begun"],
    [{ state: "starting", lastError: AWAY }, "starting", "the server has not answered yet: connect ECONNREFUSED"],
    [{ state: "paused" }, "paused", "the worker is paused"],
    [{ state: "closing" }, "closing", "the worker is closing"],
    [{ state: "closed" }, "closing", "the worker is closed"],
    [{ state: "failed", lastError: AWAY }, "failed", "the server will not serve this worker: connect ECONNREFUSED"],
    [
      { engine: "down", isFailing: true, lastError: AWAY },
      "away",
      "there is no connection to the server, it last answered at 1970-01-01T00:01:39.501Z: connect ECONNREFUSED",
    ],
    [
      { isFailing: true, lastError: new Error("WRONGTYPE no set") },
      "refused",
      "the server does not take the turns of this worker, it last answered at 1970-01-01T00:01:39.501Z: WRONGTYPE no set",
    ],
    [
      { lastAnsweredAt: 96_000 },
      "silent",
      "the server was asked for work and it last answered at 1970-01-01T00:01:36.000Z",
    ],
    [{ begunAt: 99_000, lastAnsweredAt: 0 }, "starting", "the server has not answered yet"],
    [{ lastAnsweredAt: 0 }, "silent", "the server was asked for work and it has never answered"],
    [{ running: 4, stuck: 4 }, "stuck", "all slots are taken by 4 handlers that were told to stop and go on"],
  ] as readonly (readonly [Partial<HealthFacts>, string, string])[])("of %j is %s", (facts, reason, reasonText) => {
    expect(judgeHealth({ ...FACTS, ...facts })).toMatchObject({ isConsuming: false, reason, reasonText });
  });

  it("takes a worker whose slots are all busy for one that consumes, however long ago it asked", () => {
    expect(judgeHealth({ ...FACTS, running: 4, lastAnsweredAt: 20_000 }).isConsuming).toBe(true);
  });

  it("asks for a restart where it helps, and never because the server is away", () => {
    const needs = (facts: Partial<HealthFacts>) => judgeHealth({ ...FACTS, ...facts }).needsRestart;
    expect(needs({ engine: "down", isFailing: true, lastError: AWAY, lastAnsweredAt: 20_000 })).toBe(false);
    expect(needs({ isFailing: true, lastError: AWAY, lastAnsweredAt: 20_000 })).toBe(false);
    expect(needs({ state: "starting" })).toBe(false);
    expect(needs({ state: "paused" })).toBe(false);
    expect(needs({ lastAnsweredAt: 96_000 })).toBe(false);
    expect(needs({ lastAnsweredAt: 39_999 })).toBe(true);
    expect(needs({ state: "failed" })).toBe(true);
    expect(needs({ running: 4, stuck: 4 })).toBe(true);
  });
});

describe("the health of a worker", () => {
  test("tells the text with which the server refuses its turns, and that it is over", async () => {
    const world = new WorkerWorld();
    const worker = world.worker(async () => {});
    await world.advance(1500);
    const error = new EchoMQError("internal", "WRONGTYPE Operation against a key holding the wrong kind of value");
    world.engine.faultOf = ({ verb }) => (verb === "TURN" ? { error, when: "before" } : undefined);
    await world.advance(10_000);
    expect(worker.health()).toMatchObject({
      isConsuming: false,
      reason: "refused",
      reasonText: expect.stringContaining("WRONGTYPE Operation"),
      needsRestart: false,
      lastError: error,
    });
    world.engine.faultOf = () => undefined;
    await world.advance(2000);
    expect(worker.health()).toMatchObject({ isConsuming: true, lastError: undefined });
    await world.closeAll();
  });

  test("tells why there is no connection, although an idle worker sends nothing that could fail", async () => {
    const world = new WorkerWorld();
    const worker = world.worker(async () => {});
    await world.advance(1500);
    world.engine.whyDown = new Error("connect ECONNREFUSED");
    world.engine.goDown();
    await world.advance(60_000);
    const { reason, reasonText, lastError } = worker.health();
    expect([reason, lastError]).toEqual(["away", world.engine.whyDown]);
    expect(reasonText).toMatch(/: connect ECONNREFUSED$/);
    world.engine.whyDown = undefined;
    world.engine.comeBack();
    await world.advance(2000);
    expect(worker.health()).toMatchObject({ isConsuming: true, lastError: undefined });
    await world.closeAll();
  });

  test("tells why the server will never serve it", async () => {
    const world = new WorkerWorld();
    const worker = world.worker(async () => {});
    await world.advance(1500);
    const refusal = new EchoMQError("auth", "WRONGPASS invalid username-password pair");
    world.engine.whyDown = refusal;
    world.engine.goDown();
    world.engine.refuse(refusal);
    await world.advance(10);
    expect(worker.health()).toMatchObject({
      reason: "failed",
      reasonText: "the server will not serve this worker: WRONGPASS invalid username-password pair",
      lastError: refusal,
      needsRestart: true,
    });
    await world.closeAll();
  });

  test("follows an outage, and a pause is no outage", async () => {
    const world = new WorkerWorld();
    const worker = world.worker(async () => {});
    expect(worker.health()).toMatchObject({ reason: "starting", isConsuming: false });
    await world.advance(1500);
    expect(worker.health()).toMatchObject({ isConsuming: true, lastAskedAt: expect.any(Number) });
    world.engine.goDown();
    const { lastAnsweredAt } = worker.health();
    await world.advance(3_600_000);
    expect(worker.health()).toMatchObject({ reason: "away", notConsumingSince: lastAnsweredAt, needsRestart: false });
    world.engine.comeBack();
    await world.advance(2000);
    expect(worker.health()).toMatchObject({ isConsuming: true });
    await worker.pause();
    expect(worker.health()).toMatchObject({ reason: "paused", isConsuming: false, notConsumingSince: undefined });
    await world.closeAll();
    expect(worker.health()).toMatchObject({ reason: "closing", isConsuming: false });
  });

  test("counts handlers that were told to stop and go on, and is stuck when they hold every slot", async () => {
    const world = new WorkerWorld();
    const [first = ""] = await world.addMany(2);
    const worker = world.worker(() => world.pause(120_000), { concurrency: 2, stopGrace: "1h" });
    await world.advance(1000);
    await world.jobs.cancel("mail", first, "enough");
    await world.advance(11_000);
    expect(worker.health()).toMatchObject({ running: 2, stuck: 1, isConsuming: true });
    for (const id of await world.jobs.getIds("mail", "active", { start: 0, end: 9, ascending: true })) {
      await world.jobs.cancel("mail", id, "enough");
    }
    await world.advance(11_000);
    expect(worker.health()).toMatchObject({ running: 2, stuck: 2, reason: "stuck", needsRestart: true });
    await world.advance(120_000);
    expect(worker.health()).toMatchObject({ running: 0, stuck: 0, isConsuming: true });
    await world.closeAll();
  });
});
