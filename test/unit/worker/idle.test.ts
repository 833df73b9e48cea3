/**
 * What an idle worker sends: one act a beat, a turn and a sweep by turns. What the one finds, the other finds as fast.
 */

import { describe, expect, test } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { explainJob } from "../../../src/queue/explain.ts";
import { readWorkers } from "../../../src/queue/roster.ts";
import { QueueKeys } from "../../../src/queue/verb-call.ts";
import { BEATS_PER_SWEEP } from "../../../src/worker/sweeper.ts";
import { broken } from "./remote-engine.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

const BEAT_MS = 1000;

function setup() {
  const world = new WorkerWorld();
  const startedAt: number[] = [];
  const run = () => void startedAt.push(world.elapsedMs);
  /** An id that an act of the wire may enqueue, since no job holds it. */
  const freeId = async (): Promise<string> => {
    const [id = ""] = await world.add({ dueInMs: 900_000 });
    await world.jobs.removeJob(QUEUE, id);
    await world.advance(10);
    return id;
  };
  /** Lets time pass until the next act is an ask of this kind, to the millisecond. */
  const untilJustBefore = async (verb: "TURN" | "SWEEP"): Promise<void> => {
    const count = world.engine.sent(verb).length;
    while (world.engine.sent(verb).length === count) await world.advance(1);
    await world.advance(BEATS_PER_SWEEP * BEAT_MS - 2);
  };
  return { world, startedAt, run, freeId, untilJustBefore };
}

describe("an idle worker", () => {
  test("sends one act a beat, a turn and a sweep by turns, whatever is scheduled", async () => {
    const { world, run } = setup();
    await world.add(...Array.from({ length: 200 }, (_, at) => ({ dueInMs: 3_600_000 + at })));
    world.worker(run);
    await world.advance(5000);
    const before = world.engine.acts.length;
    const beats = 600;
    await world.advance(beats * BEAT_MS);
    const acts = world.engine.acts.slice(before);
    expect(acts.length).toBeLessThanOrEqual(beats);
    expect(acts.length).toBeGreaterThanOrEqual(beats - 1);
    const verbs = acts.map(({ verb }) => verb);
    expect(new Set(verbs)).toEqual(new Set(["TURN", "SWEEP"]));
    expect(verbs.filter((verb, at) => verb === verbs[at + 1])).toEqual([]);
    await world.closeAll();
  });

  test("sends no more while the server takes its time to answer", async () => {
    const { world, run } = setup();
    world.engine.latencyMs = 40;
    world.worker(run);
    await world.advance(5000);
    const before = world.engine.acts.length;
    await world.advance(100 * BEAT_MS);
    expect(world.engine.acts.length - before).toBeLessThanOrEqual(100);
    await world.closeAll();
  });

  test("with free slots beside a long handler sends one act a beat too, but for the renewals", async () => {
    const { world } = setup();
    world.worker(() => world.pause(3_600_000), { concurrency: 2 });
    await world.add();
    await world.advance(5000);
    const before = world.engine.acts.length;
    await world.advance(300 * BEAT_MS);
    const acts = world.engine.acts.slice(before).filter(({ verb }) => verb !== "EXTENDM");
    expect(acts.length).toBeLessThanOrEqual(300);
    await world.closeAll();
  });

  test.each(["TURN", "SWEEP"] as const)("finds a job that woke nobody by the %s of the next beat", async (verb) => {
    const { world, startedAt, run, freeId, untilJustBefore } = setup();
    world.worker(run);
    const id = await freeId();
    await world.advance(5000);
    await untilJustBefore(verb);
    expect(startedAt).toEqual([]);
    await world.jobs.enqueue(QUEUE, id, "{}");
    await world.advance(10);
    expect(startedAt).toHaveLength(1);
    expect(world.engine.sent(verb).at(-1)?.at).toBeGreaterThanOrEqual(world.ports.clock.now() - 10);
    await world.closeAll();
  });

  test("finds it by a sweep also when no token ever reaches it", async () => {
    const { world, startedAt, run, freeId, untilJustBefore } = setup();
    world.worker(run);
    const id = await freeId();
    await world.advance(5000);
    world.engine.losesTokens = true;
    await untilJustBefore("SWEEP");
    await world.jobs.enqueue(QUEUE, id, "{}");
    await world.advance(10);
    expect(startedAt).toHaveLength(1);
    await world.closeAll();
  });

  test("takes over the schedule within a beat of the due time when the one that kept it has died", async () => {
    for (const verb of ["TURN", "SWEEP"] as const) {
      const { world, run, startedAt, untilJustBefore } = setup();
      const keeperEngine = world.otherEngine();
      const keeper = world.workerOn(keeperEngine, run);
      await world.advance(50);
      await world.add({ dueInMs: 20_000 });
      await world.advance(10);
      keeperEngine.setState("closed");
      world.worker(run);
      await world.advance(19_000);
      await untilJustBefore(verb);
      await world.advance(BEATS_PER_SWEEP * BEAT_MS);
      expect(startedAt).toHaveLength(1);
      expect(startedAt[0]).toBeLessThanOrEqual(20_050 + BEAT_MS);
      await keeper.close({ timeout: 0 });
      await world.closeAll();
    }
  });

  test("takes back a lapsed lease within two beats", async () => {
    const { world, run, startedAt } = setup();
    world.worker(run);
    await world.advance(5000);
    for (let at = 0; at < 10; at++) {
      await world.advance(330);
      await world.add();
      await world.jobs.claim(QUEUE, 1);
      const lapsedAt = world.elapsedMs + 1;
      await world.advance(BEATS_PER_SWEEP * BEAT_MS + 1);
      expect(startedAt).toHaveLength(at + 1);
      expect((startedAt.at(-1) ?? 0) - lapsedAt).toBeLessThanOrEqual(BEATS_PER_SWEEP * BEAT_MS);
    }
    await world.closeAll();
  });

  test("asks by a turn when its sweep fails, and says once a minute that it does", async () => {
    const { world, startedAt, run, freeId } = setup();
    const worker = world.worker(run);
    const id = await freeId();
    await world.advance(5000);
    const error = new EchoMQError("internal", "WRONGTYPE Operation against a key holding the wrong kind of value");
    world.engine.faultOf = ({ verb }) => (verb === "SWEEP" ? { error, when: "before" } : undefined);
    await world.advance(10_000);
    const from = world.elapsedMs;
    await world.jobs.enqueue(QUEUE, id, "{}");
    await world.advance(BEAT_MS);
    expect(startedAt).toHaveLength(1);
    expect((startedAt[0] ?? 0) - from).toBeLessThanOrEqual(BEAT_MS);
    expect(worker.health().isConsuming).toBe(true);
    await world.advance(30_000);
    expect(world.ports.logger.messages("warn").filter((line) => line.includes("sweeping failed"))).toHaveLength(1);
    await world.closeAll();
  });

  test("is listed among the workers at every moment, and is no silent one to whoever asks why a job waits", async () => {
    const { world, run } = setup();
    const source = { engine: world.engine.store, keys: new QueueKeys(QUEUE) };
    const [id = ""] = await world.add({ dueInMs: 3_600_000 });
    world.worker(run);
    await world.advance(1500);
    for (let at = 0; at < 40; at++) {
      await world.advance(270);
      expect(await readWorkers(source)).toHaveLength(1);
      expect((await explainJob(source, id)).reasons.map(({ kind }) => kind)).toEqual(["delayed"]);
    }
    await world.closeAll();
  });
});

describe("a worker that is not idle", () => {
  test("sweeps every second beat, with all slots taken and with a thousand turns a second", async () => {
    const { world } = setup();
    world.engine.latencyMs = 1;
    world.worker(() => world.pause(3_600_000));
    await world.add();
    const busy = world.otherEngine();
    busy.latencyMs = 1;
    world.workerOn(busy, () => {}, { concurrency: 10 });
    for (let second = 0; second < 20; second++) {
      await world.addMany(500);
      await world.advance(1000);
    }
    for (const engine of [world.engine, busy]) {
      expect(engine.sent("SWEEP").length).toBeGreaterThanOrEqual(9);
      expect(engine.sent("SWEEP").length).toBeLessThanOrEqual(11);
    }
    await world.closeAll();
  });

  test("sweeps while it is paused, and does not ask", async () => {
    const { world, run } = setup();
    const worker = world.worker(run);
    await world.advance(3000);
    await worker.pause();
    await world.advance(10);
    const turns = world.engine.sent("TURN").length;
    const sweeps = world.engine.sent("SWEEP").length;
    await world.add();
    await world.advance(20_000);
    expect(world.engine.sent("TURN").length).toBe(turns);
    expect(world.engine.sent("SWEEP").length - sweeps).toBeGreaterThanOrEqual(9);
    await world.closeAll();
  });
});

describe("jobs that did not begin in time", () => {
  test("end by the sweeps of a worker that takes none, which says how many", async () => {
    const { world, run, freeId } = setup();
    const worker = world.worker(run);
    await worker.pause();
    await world.jobs.admit(QUEUE, [{ id: await freeId(), payload: "{}", expireInMs: 100 }]);
    await world.advance(BEATS_PER_SWEEP * BEAT_MS + 200);
    expect(await world.counts()).toMatchObject({ pending: 0, dead: 1 });
    expect(world.ports.logger.messages("warn")).toEqual([
      `queue ${QUEUE}: 1 jobs are dead, because they did not begin in time`,
    ]);
    await world.closeAll();
  });
});

describe("the health of an idle worker", () => {
  test("counts an answered sweep, so no beat passes without an answer", async () => {
    const { world, run } = setup();
    const worker = world.worker(run);
    await world.advance(5000);
    for (let at = 0; at < 20; at++) {
      await world.advance(530);
      const { lastAnsweredAt = 0, lastAskedAt = 0, isConsuming } = worker.health();
      expect(isConsuming).toBe(true);
      expect(world.ports.clock.now() - lastAnsweredAt).toBeLessThanOrEqual(BEAT_MS);
      expect(world.ports.clock.now() - lastAskedAt).toBeLessThanOrEqual(BEAT_MS);
    }
    await world.closeAll();
  });

  test("does not let sweeps speak for turns that are refused, or that get no answer", async () => {
    for (const fault of [{ error: broken(), when: "before" } as const, "never" as const]) {
      const { world, run } = setup();
      const worker = world.worker(run);
      await world.advance(5000);
      world.engine.faultOf = ({ verb }) => (verb === "TURN" ? fault : undefined);
      await world.advance(10_000);
      expect(worker.health()).toMatchObject({
        isConsuming: false,
        reason: fault === "never" ? "silent" : "refused",
      });
      expect(world.engine.sent("SWEEP").length).toBeGreaterThanOrEqual(6);
      world.engine.faultOf = () => undefined;
      await world.closeAll();
    }
  });
});
