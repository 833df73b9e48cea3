/** Schedulers as their users meet them: one job a slot, whatever pauses, crashes, stalls or is down meanwhile. */

import { describe, expect, test } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { createRandom } from "../../../src/testing/test-ports.ts";
import type { RemoteEngine } from "./remote-engine.ts";
import { QUEUE, SchedulerWorld } from "./scheduler-world.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The multiples of a period from one to another, both included. */
function grid(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
}

const slotsOf = (runs: readonly { readonly slot: number }[]) => runs.map(({ slot }) => slot);

describe("a scheduler", () => {
  test("runs each second on its grid while the event loop is blocked again and again (PB-071)", async () => {
    const world = new SchedulerWorld();
    const random = createRandom(71);
    world.worker({ concurrency: 2 }, () => world.pause(10));
    await world.queue.upsertJobScheduler("tick", { every: 1000 });
    for (let round = 0; round < 600; round++) {
      world.engine.latencyMs = random() < 0.2 ? Math.floor(random() * 150) : 0;
      await world.advance(100);
    }
    const slots = slotsOf(world.runs);
    expect(slots.length).toBeGreaterThanOrEqual(59);
    expect(slots.length).toBeLessThanOrEqual(61);
    expect(slots.filter((slot) => slot % 1000 !== 0)).toEqual([]);
    expect(new Set(slots).size).toBe(slots.length);
    await world.closeAll();
  });

  test("leaves out the occurrence that is removed by hand, and has the following one (PB-073)", async () => {
    const world = new SchedulerWorld();
    world.worker();
    const scheduler = await world.queue.upsertJobScheduler("hourly", { pattern: "0 * * * *" });
    const left = await scheduler.skipNext();
    expect(left?.toISOString()).toBe("2024-07-01T01:00:00.000Z");
    expect(await world.nextOf("hourly")).toBe(2 * HOUR);
    await world.advance(3 * HOUR);
    expect(slotsOf(world.runs)).toEqual([2 * HOUR, 3 * HOUR]);
    const facts = (await world.queue.getJobScheduler("hourly"))?.facts;
    expect(facts?.skipped).toMatchObject({ count: 1, why: "hand", lastAt: left });
    await world.closeAll();
  });

  test("with immediately runs now and at its first slot (PB-091)", async () => {
    const world = new SchedulerWorld();
    world.worker();
    await world.queue.upsertJobScheduler("daily", { pattern: "0 1 * * *", immediately: true });
    await world.advance(90 * MINUTE);
    expect(slotsOf(world.runs)).toEqual([0, HOUR]);
    await world.queue.upsertJobScheduler("daily", { pattern: "0 1 * * *", immediately: true });
    await world.advance(MINUTE);
    expect(world.runs.length).toBe(2);
    await world.closeAll();
  });

  test("goes on when a deduplication id holds its jobs back, and counts what it left out (PB-095)", async () => {
    const world = new SchedulerWorld();
    world.worker({}, () => world.pause(250));
    const template = { opts: { deduplication: { id: "one" } } };
    await world.queue.upsertJobScheduler("quick", { every: 100 }, template);
    await world.advance(3 * SECOND + 50);
    const facts = (await world.queue.getJobScheduler("quick"))?.facts;
    expect(facts?.skipped.why).toBe("dedup");
    expect((facts?.fired ?? 0) + (facts?.skipped.count ?? 0)).toBe(30);
    expect(facts?.fired).toBe(world.runs.length);
    expect(await world.nextOf("quick")).toBe(3100);
    await world.closeAll();
  });

  test.each([
    ["skip", []],
    ["last", [3 * HOUR]],
    [{ all: 9 }, [HOUR, 2 * HOUR, 3 * HOUR]],
    [{ all: 2 }, [2 * HOUR, 3 * HOUR]],
  ] as const)(
    "after three hours and a half without anybody runs by its policy %j (PB-097)",
    async (missed, expected) => {
      const world = new SchedulerWorld();
      for (const repeat of [{ pattern: "0 * * * *" }, { every: "1h" as const }]) {
        await world.queue.upsertJobScheduler(JSON.stringify(repeat).replace(/[{}]/g, ""), { ...repeat, missed });
      }
      await world.advance(3.5 * HOUR);
      world.worker();
      await world.advance(10 * SECOND);
      expect(slotsOf(world.runs).sort((a, b) => a - b)).toEqual(expected.flatMap((slot) => [slot, slot]));
      const left = 3 - expected.length;
      for (const { facts } of (await world.queue.getJobSchedulers()).schedulers) {
        expect(facts.skipped.count).toBe(left);
        if (left > 0) expect(facts.skipped.why).toBe("missed");
      }
      await world.advance(HOUR);
      expect(slotsOf(world.runs).slice(-2)).toEqual([4 * HOUR, 4 * HOUR]);
      await world.closeAll();
    },
  );

  test("lives beside another of the same job name, each with a window of deduplication (PB-098)", async () => {
    const world = new SchedulerWorld();
    world.worker();
    for (const id of ["a", "b"]) {
      const opts = { deduplication: { id, ttl: "90s" as const } };
      await world.queue.upsertJobScheduler(id, { every: "1m" }, { name: "report", data: id, opts });
    }
    await world.advance(4 * MINUTE + SECOND);
    // Each window of a minute and a half lets every second slot pass.
    expect(world.runs.map(({ name }) => name)).toEqual(["report", "report", "report", "report"]);
    expect(slotsOf(world.runs)).toEqual([MINUTE, MINUTE, 3 * MINUTE, 3 * MINUTE]);
    await world.closeAll();
  });

  test("is fired once a slot by three instances of the same program (PB-100)", async () => {
    const world = new SchedulerWorld();
    for (let instance = 0; instance < 3; instance++) {
      const engine = world.otherEngine();
      engine.latencyMs = instance * 7;
      world.worker({}, () => undefined, engine);
      await world.queue.upsertJobScheduler("minute", { pattern: "* * * * *" }, { name: "n" });
    }
    await world.advance(10 * MINUTE + SECOND);
    expect(slotsOf(world.runs)).toEqual(grid(MINUTE, 10 * MINUTE, MINUTE));
    await world.closeAll();
  });

  test("is fired once a slot though one that fires stops for a minute in the middle (PB-101)", async () => {
    const world = new SchedulerWorld();
    const stopped = world.otherEngine();
    world.keeper(stopped);
    await world.queue.upsertJobScheduler("ten", { every: "10s" });
    // It has read what is due, and its next act leaves a minute late.
    stopped.faultOf = ({ verb }) => {
      if (verb === "FIRE" && stopped.latencyMs === 0) stopped.latencyMs = MINUTE;
      return undefined;
    };
    await world.advance(5 * SECOND);
    world.worker();
    await world.advance(3 * MINUTE + SECOND);
    const slots = slotsOf(world.runs);
    expect(new Set(slots).size).toBe(slots.length);
    expect(slots).toEqual(grid(10 * SECOND, 180 * SECOND, 10 * SECOND));
    stopped.latencyMs = 0;
    await world.closeAll();
  });

  test("with overlap skip never runs two jobs at once, whatever their time-out (PB-103)", async () => {
    const world = new SchedulerWorld();
    let running = 0;
    let most = 0;
    const handler = async () => {
      running += 1;
      most = Math.max(most, running);
      await world.pause(3000);
      running -= 1;
    };
    for (let instance = 0; instance < 2; instance++) {
      world.worker({ concurrency: 5, timeout: 1000, backoff: 100 }, handler, world.otherEngine());
    }
    await world.queue.upsertJobScheduler("slow", { every: "1s", overlap: "skip" });
    await world.advance(MINUTE);
    expect(world.runs.length).toBeGreaterThan(5);
    expect(most).toBe(1);
    const facts = (await world.queue.getJobScheduler("slow"))?.facts;
    expect(facts?.skipped).toMatchObject({ why: "overlap" });
    await world.closeAll();
  });

  test("with overlap queue runs every slot, one job after another in their order", async () => {
    const world = new SchedulerWorld();
    let running = 0;
    let most = 0;
    world.worker({ concurrency: 5 }, async () => {
      running += 1;
      most = Math.max(most, running);
      await world.pause(1500);
      running -= 1;
    });
    await world.queue.upsertJobScheduler("slow", { every: "1s", overlap: "queue", limit: 8 });
    await world.advance(20 * SECOND);
    expect(slotsOf(world.runs)).toEqual(grid(SECOND, 8 * SECOND, SECOND));
    expect(most).toBe(1);
    expect(await world.nextOf("slow")).toBeUndefined();
    await world.closeAll();
  });

  test("makes the job of each slot while the queue is paused, once, and they run when it is resumed", async () => {
    const world = new SchedulerWorld();
    world.worker();
    await world.queue.upsertJobScheduler("minute", { every: "1m" });
    await world.queue.pause();
    await world.advance(5 * MINUTE + SECOND);
    expect(world.runs).toEqual([]);
    expect(await world.waitingSlots()).toEqual(grid(MINUTE, 5 * MINUTE, MINUTE));
    await world.queue.resume();
    await world.advance(SECOND);
    expect(slotsOf(world.runs)).toEqual(grid(MINUTE, 5 * MINUTE, MINUTE));
    await world.closeAll();
  });

  test("goes by the server's clock, however wrong those of the hosts are", async () => {
    const world = new SchedulerWorld();
    for (const skewMs of [5 * MINUTE, -2 * MINUTE]) world.worker({}, () => undefined, world.otherEngine(skewMs));
    await world.queue.upsertJobScheduler("minute", { pattern: "* * * * *" });
    await world.advance(10 * MINUTE + 50);
    expect(slotsOf(world.runs)).toEqual(grid(MINUTE, 10 * MINUTE, MINUTE));
    for (const { slot, at } of world.runs) expect(at - slot).toBeLessThan(50);
    await world.closeAll();
  });

  test("ends at its limit and at its end, and says the same again without beginning anew", async () => {
    const world = new SchedulerWorld();
    world.worker();
    const upsert = async () => [
      (await world.queue.upsertJobScheduler("three", { every: "1m", limit: 3 })).outcome,
      (await world.queue.upsertJobScheduler("until", { every: "1m", endDate: "2024-07-01T00:02:00Z" })).outcome,
    ];
    expect(await upsert()).toEqual(["added", "added"]);
    await world.advance(10 * MINUTE);
    expect(slotsOf(world.runs)).toEqual([MINUTE, MINUTE, 2 * MINUTE, 2 * MINUTE, 3 * MINUTE]);
    expect(await upsert()).toEqual(["unchanged", "unchanged"]);
    await world.advance(10 * MINUTE);
    expect(world.runs.length).toBe(5);
    expect((await world.queue.upsertJobScheduler("three", { every: "1m", limit: 4 })).outcome).toBe("replaced");
    await world.advance(10 * MINUTE);
    expect(world.runs.length).toBe(6);
    await world.closeAll();
  });

  test("has another content from the very next slot on, and the same instant", async () => {
    const world = new SchedulerWorld();
    const seen: unknown[] = [];
    world.worker({}, (job) => void seen.push([job.name, job.data]));
    const repeat = { pattern: "0 * * * *", tz: "Europe/Berlin" };
    await world.queue.upsertJobScheduler("s", repeat, { name: "one", data: 1 });
    await world.advance(30 * MINUTE);
    const { outcome } = await world.queue.upsertJobScheduler("s", repeat, { name: "two", data: 2 });
    expect([outcome, await world.nextOf("s")]).toEqual(["replaced", HOUR]);
    await world.advance(HOUR);
    expect(seen).toEqual([["two", 2]]);
    await world.queue.upsertJobScheduler("s", { ...repeat, pattern: "45 * * * *" }, { name: "two", data: 2 });
    expect(await world.nextOf("s")).toBe(HOUR + 45 * MINUTE);
    await world.closeAll();
  });

  test("lets its jobs fall due within the jitter after their slots, which stay", async () => {
    const world = new SchedulerWorld();
    world.worker();
    await world.queue.upsertJobScheduler("s", { every: "1m", jitter: "20s" });
    await world.advance(HOUR);
    const late = world.runs.map(({ at, slot }) => at - slot);
    expect(slotsOf(world.runs)).toEqual(grid(MINUTE, HOUR, MINUTE).slice(0, world.runs.length));
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(20 * SECOND + 100);
    expect(new Set(late).size).toBeGreaterThan(40);
    await world.closeAll();
  });

  test("can be run by hand, which moves no slot", async () => {
    const world = new SchedulerWorld();
    world.worker();
    const scheduler = await world.queue.upsertJobScheduler("s", { every: "1h", limit: 1 }, { data: 7 });
    await world.advance(MINUTE);
    const result = await scheduler.runNow();
    await world.advance(SECOND);
    expect(world.runs).toMatchObject([{ id: result.id, slot: MINUTE }]);
    expect(await world.nextOf("s")).toBe(HOUR);
    expect(await world.queue.runJobScheduler("nobody")).toEqual({ outcome: "gone", id: undefined });
    await world.advance(2 * HOUR);
    expect(slotsOf(world.runs)).toEqual([MINUTE, HOUR]);
    await world.closeAll();
  });
});

describe("whoever fires", () => {
  /** What may happen to one act of the one that fires first. */
  const ends = ["before", "after", "never"] as const;

  test.each(ends.flatMap((when) => (["DUE", "FIRE"] as const).map((verb) => [when, verb] as const)))(
    "may die %s its %s, and another fires the slot once",
    async (when, verb) => {
      const world = new SchedulerWorld();
      const dying = world.otherEngine();
      world.keeper(dying);
      // Whoever has died is not closed.
      world.keepers.length = 0;
      await world.queue.upsertJobScheduler("s", { every: "1m" });
      await world.advance(30 * SECOND);
      dying.faultOf = (act) => {
        if (act.verb !== verb) return undefined;
        dying.goDown();
        return when === "never" ? "never" : { error: lost(), when };
      };
      world.worker();
      await world.advance(5 * MINUTE);
      expect(slotsOf(world.runs)).toEqual(grid(MINUTE, 5 * MINUTE, MINUTE));
      await world.closeAll();
    },
  );

  test("asks nothing while nothing is due, and once a slot otherwise", async () => {
    const world = new SchedulerWorld();
    world.keeper();
    await world.advance(SECOND);
    expect(world.engine.acts.map(({ verb }) => verb)).toEqual(["DUE"]);
    await world.queue.upsertJobScheduler("s", { every: "1h" });
    world.keepers[0]?.kick();
    await world.advance(DAY + SECOND);
    const verbs = world.engine.acts.map(({ verb }) => verb);
    expect(verbs.filter((verb) => verb === "FIRE").length).toBe(24);
    expect(verbs.filter((verb) => verb === "DUE").length).toBeLessThanOrEqual(2 + 24 * 2);
    expect(verbs.length).toBeLessThanOrEqual(2 + 24 * 3);
    await world.closeAll();
  });

  test("hears of an earlier slot by a message, or else by the next sweep", async () => {
    for (const losesMessages of [false, true]) {
      const world = new SchedulerWorld();
      world.engine.losesMessages = losesMessages;
      world.worker();
      await world.queue.upsertJobScheduler("day", { every: "1d" });
      await world.advance(10 * SECOND);
      await world.queue.upsertJobScheduler("soon", { every: "15s" });
      await world.advance(6 * SECOND);
      expect(slotsOf(world.runs)).toEqual([15 * SECOND]);
      await world.closeAll();
    }
  });

  test("fires many at one instant, each once, also with others", async () => {
    const world = new SchedulerWorld();
    for (let at = 0; at < 350; at++) await world.queue.upsertJobScheduler(`s${at}`, { every: "1h" });
    const engines: RemoteEngine[] = [world.otherEngine(), world.otherEngine()];
    for (const engine of engines) world.keeper(engine);
    await world.advance(HOUR + SECOND);
    expect((await world.queue.getJobCounts("pending")).pending).toBe(350);
    const fires = engines.flatMap((engine) => engine.sent("FIRE")).length;
    expect(fires).toBeLessThan(700);
    await world.closeAll();
  });

  test("is kept from nothing by a scheduler that it cannot read, and says so", async () => {
    const world = new SchedulerWorld();
    const store = world.engine.store;
    for (let at = 0; at < 130; at++) {
      const rule = at % 2 === 0 ? "no JSON" : '{"pattern":"* * * * *","tz":"Mars/Olympus"}';
      const pairs = ["rule", rule];
      await world.repeats.put(QUEUE, `bad${at}`, { everyMs: 0, template: "1", firstAtMs: 1, pairs });
    }
    await world.queue.upsertJobScheduler("good", { every: "1m" });
    world.worker();
    await world.advance(3 * MINUTE + SECOND);
    expect(slotsOf(world.runs)).toEqual([MINUTE, 2 * MINUTE, 3 * MINUTE]);
    expect(world.ports.logger.messages("error").join("\n")).toContain("Mars/Olympus");
    expect(await store.command(["ZCARD", `emq:{${QUEUE}}:cron`])).toBe(131);
    const looks = world.engine.sent("DUE").length;
    expect(looks).toBeLessThan(60);
    await world.closeAll();
  });

  test("fires repeats of the wire before this one too, on their grid", async () => {
    const world = new SchedulerWorld();
    world.worker();
    await world.repeats.register(QUEUE, "old", { everyMs: MINUTE, template: '"x"', firstInMs: MINUTE });
    await world.advance(3 * MINUTE + SECOND);
    expect(slotsOf(world.runs)).toEqual([MINUTE, 2 * MINUTE, 3 * MINUTE]);
    await world.closeAll();
  });

  test("plays a year of schedules in no time, each slot once", async () => {
    const world = new SchedulerWorld();
    const tz = "America/New_York";
    await world.queue.upsertJobScheduler("daily", { pattern: "30 2 * * *", tz });
    await world.queue.upsertJobScheduler("weekly", { pattern: "0 6 * * 0", tz });
    await world.queue.upsertJobScheduler("monthly", { pattern: "0 0 L * *", tz: "Australia/Lord_Howe" });
    await world.queue.upsertJobScheduler("yearly", { pattern: "@yearly" });
    await world.queue.upsertJobScheduler("sixHours", { every: "6h" });
    world.keeper(world.engine.store);
    await world.advance(366 * DAY);
    const fired = Object.fromEntries(
      (await world.queue.getJobSchedulers()).schedulers.map(({ id, facts }) => [id, facts.fired]),
    );
    expect(fired).toEqual({ daily: 366, weekly: 52, monthly: 12, yearly: 1, sixHours: 1464 });
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });
});

function lost(): EchoMQError {
  return new EchoMQError("disconnected", "The connection was lost");
}
