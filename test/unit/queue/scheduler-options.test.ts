/** What is refused of a scheduler, each by its code, and that nothing is written then. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { scheduleSlots } from "../../../src/queue/job-schedulers.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { dumpQueue } from "../../../src/testing/dump.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

const QUEUE = "mail";

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const queue = new QueueCore(QUEUE, { engine, release: async () => {} });
  return { ports, engine, queue };
}

const PATTERN = { pattern: "0 6 * * *" };

const REFUSED: readonly (readonly [code: string, what: string, repeat: unknown, template?: unknown])[] = [
  ["invalid_schedule", "nothing", undefined],
  ["invalid_schedule", "neither every nor pattern", {}],
  ["invalid_schedule", "both", { ...PATTERN, every: 1000 }],
  ["invalid_schedule", "a zone for a period", { every: 1000, tz: "UTC" }],
  ["invalid_schedule", "a rule for clocks of a period", { every: 1000, dst: {} }],
  [
    "invalid_schedule",
    "a lane where jobs run one after another",
    { ...PATTERN, overlap: "queue" },
    { opts: { lane: "l" } },
  ],
  ["invalid_pattern", "four fields", { pattern: "* * * *" }],
  ["invalid_pattern", "a minute 60", { pattern: "60 * * * *" }],
  ["invalid_pattern", "no text", { pattern: 5 }],
  ["invalid_time_zone", "an unknown zone", { ...PATTERN, tz: "Europe/Berln" }],
  ["invalid_time_zone", "a zone that is no text", { ...PATTERN, tz: 5 }],
  ["end_before_start", "an end before the start", { ...PATTERN, startDate: 10, endDate: 5 }],
  ["never_occurs", "30 February", { pattern: "0 0 30 2 *" }],
  ["invalid_option", "a period of 9 ms", { every: 9 }],
  ["invalid_option", "a period that is none", { every: "soon" }],
  ["invalid_option", "a limit 0", { ...PATTERN, limit: 0 }],
  ["invalid_option", "an unknown overlap", { ...PATTERN, overlap: "wait" }],
  ["invalid_option", "an unknown policy", { ...PATTERN, missed: "all" }],
  ["invalid_option", "none of the missed", { ...PATTERN, missed: { all: 0 } }],
  ["invalid_option", "too many of the missed", { ...PATTERN, missed: { all: 101 } }],
  ["invalid_option", "an unknown rule", { ...PATTERN, dst: { missing: "later" } }],
  ["invalid_option", "a date in the host's zone", { ...PATTERN, startDate: "2026-01-01T00:00:00" }],
  ["invalid_option", "a date that is none", { ...PATTERN, endDate: "tomorrow" }],
  ["invalid_option", "an invalid Date", { ...PATTERN, endDate: new Date(Number.NaN) }],
  ["invalid_option", "immediately as text", { ...PATTERN, immediately: "yes" }],
  ["invalid_option", "a negative jitter", { ...PATTERN, jitter: -1 }],
  ["unknown_option", "a word of others", { ...PATTERN, timezone: "UTC" }],
  ["unknown_option", "an id for the jobs", PATTERN, { opts: { jobId: "x" } }],
  ["unknown_option", "a misspelt part", PATTERN, { dat: 1 }],
  ["invalid_payload", "data that JSON cannot hold", PATTERN, { data: 1n }],
  ["invalid_option", "bad options of the jobs", PATTERN, { opts: { attempts: 0 } }],
  ["invalid_name", "a name with a brace", PATTERN, { name: "a{b" }],
];

describe("a scheduler", () => {
  it.each(REFUSED)("%s: %s is refused before anything is written", async (code, _what, repeat, template) => {
    const { engine, queue } = setup();
    await expect(queue.upsertJobScheduler("s", repeat as never, template as never)).rejects.toMatchObject({ code });
    expect([...(await dumpQueue(engine, QUEUE))]).toEqual([]);
  });

  it("has an id that a key can hold", async () => {
    const { queue } = setup();
    for (const id of ["", "a{b", "x".repeat(257), 5 as never]) {
      await expect(queue.upsertJobScheduler(id, PATTERN)).rejects.toMatchObject({ code: "invalid_name" });
      await expect(queue.getJobScheduler(id)).rejects.toMatchObject({ code: "invalid_name" });
      await expect(queue.removeJobScheduler(id)).rejects.toMatchObject({ code: "invalid_name" });
    }
  });

  it("names the nearest zone", async () => {
    const { queue } = setup();
    const wrong = queue.upsertJobScheduler("s", { ...PATTERN, tz: "Europe/Berln" });
    await expect(wrong).rejects.toThrow("did you mean Europe/Berlin?");
  });

  it("is refused beside programs of wire 3", async () => {
    const engine = new EmbeddedEngine({ ports: createTestPorts(), wireVersion: "echomq:3.0.0" });
    const queue = new QueueCore(QUEUE, { engine, release: async () => {} });
    await expect(queue.upsertJobScheduler("s", PATTERN)).rejects.toMatchObject({ code: "shared_mode" });
  });

  it("is told with all that was said of it, and with the defaults of the rest", async () => {
    const { queue } = setup();
    const repeat = {
      pattern: "0 6 * * *",
      tz: "Europe/Berlin",
      dst: { missing: "skip", repeated: "both" },
      startDate: "2024-08-01",
      endDate: "2025-01-01T00:00:00+01:00",
      limit: 9,
      offset: "5m",
      jitter: "1s",
      missed: { all: 3 },
      overlap: "queue",
    } as const;
    const template = { name: "digest", data: { a: [1] }, opts: { priority: 4, delay: "2s", attempts: 7 } } as const;
    const { outcome, facts } = await queue.upsertJobScheduler("s", repeat, template);
    expect(outcome).toBe("added");
    expect(facts).toEqual({
      id: "s",
      name: "digest",
      data: { a: [1] },
      every: undefined,
      pattern: "0 6 * * *",
      tz: "Europe/Berlin",
      dst: { missing: "skip", repeated: "both" },
      offset: 300_000,
      jitter: 1000,
      startDate: new Date("2024-08-01T00:00:00Z"),
      endDate: new Date("2024-12-31T23:00:00Z"),
      limit: 9,
      missed: { all: 3 },
      overlap: "queue",
      nextAt: new Date("2024-08-01T04:05:00Z"),
      fired: 0,
      lastSlotAt: undefined,
      lastJobId: undefined,
      skipped: { count: 0, lastAt: undefined, why: undefined },
    });
    const plain = (await queue.upsertJobScheduler("p", { every: "1m" })).facts;
    expect(plain).toMatchObject({ name: "p", data: {}, every: 60_000, missed: "last", overlap: "allow", jitter: 0 });
  });

  it("makes jobs with all that their options say", async () => {
    const { queue } = setup();
    const opts = { priority: 4, lane: "l", attempts: 7, delay: "2s", expireIn: "1h", removeOnFail: 5, timeout: "9s" };
    await queue.upsertJobScheduler("s", { every: "1h" }, { name: "n", data: 1, opts } as never);
    const { id = "" } = await queue.runJobScheduler("s");
    const job = await queue.getJob(id);
    expect(job).toMatchObject({ name: "n", data: 1, state: "scheduled", priority: 4, lane: "l", schedulerId: "s" });
    expect(job?.options).toMatchObject({ attempts: 7, timeoutMs: 9000 });
  });

  it("is listed by pages in the order of next slots, those that have ended last", async () => {
    const { queue } = setup();
    const patterns = ["0 3 * * *", "0 1 * * *", "0 2 * * *", "0 2 * * *"];
    for (const [at, pattern] of patterns.entries()) await queue.upsertJobScheduler(`s${at}`, { pattern });
    await queue.upsertJobScheduler("over", { every: "1h", endDate: "2020-01-01" });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await queue.getJobSchedulers({ limit: 2, cursor });
      seen.push(...page.schedulers.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(["s1", "s2", "s3", "s0", "over"]);
    await expect(queue.getJobSchedulers({ cursor: "x" })).rejects.toMatchObject({ code: "invalid_option" });
    await expect(queue.getJobSchedulers({ limit: 0 })).rejects.toMatchObject({ code: "invalid_option" });
  });

  it("shows its next slots within its limit and its end", async () => {
    const { queue } = setup();
    const repeat = { every: "1h", limit: 3 } as const;
    const preview = async (id: string) => (await queue.previewJobScheduler(id, 5)).map((slot) => slot.toISOString());
    await queue.upsertJobScheduler("s", repeat);
    expect(await preview("s")).toEqual([1, 2, 3].map((hour) => `2024-07-01T0${hour}:00:00.000Z`));
    await queue.upsertJobScheduler("e", { every: "1h", endDate: "2024-07-01T01:59:00Z" });
    expect(await preview("e")).toEqual(["2024-07-01T01:00:00.000Z"]);
    expect(await preview("nobody")).toEqual([]);
    expect(scheduleSlots(repeat, { from: 0 }).map((slot) => slot.getTime() / 3_600_000)).toEqual([1, 2, 3]);
  });
});

describe("every scheduler", () => {
  it("that is enabled has one next slot at all times, whatever is done to it, in 50 rounds (PB-094)", async () => {
    const { ports, engine, queue } = setup();
    const random = ports.random.bind(ports);
    const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const ids = ["a", "b", "c"];
    const repeats = [
      { every: "1m" },
      { every: "7m", overlap: "skip" },
      { pattern: "*/5 * * * *", tz: "Europe/Berlin" },
      { pattern: "0 3 * * *", overlap: "queue" },
      { every: "1m", immediately: true },
    ] as const;
    const there = new Set<string>();
    for (let round = 0; round < 50; round++) {
      const id = one(ids);
      const deed = Math.floor(random() * 6);
      if (deed === 0) {
        await queue.removeJobScheduler(id);
        there.delete(id);
      } else if (deed === 1) await queue.skipJobScheduler(id);
      else if (deed === 2) await queue.runJobScheduler(id);
      else if (deed === 3) await queue.drain({ lanes: true, schedule: true });
      else {
        await queue.upsertJobScheduler(id, one(repeats), { data: Math.floor(random() * 3) });
        there.add(id);
      }
      await ports.clock.advance(Math.floor(random() * 400_000));
      const { schedulers } = await queue.getJobSchedulers();
      expect(schedulers.map((scheduler) => scheduler.id).toSorted()).toEqual([...there].toSorted());
      for (const { nextAt } of schedulers) expect(nextAt).toBeInstanceOf(Date);
      expect(await engine.command(["ZCARD", `emq:{${QUEUE}}:cron`])).toBe(there.size);
      expect((await queue.doctor()).findings).toEqual([]);
    }
  });

  it("that has lost its next slot is found by the doctor, and has it again after the repair", async () => {
    const { engine, ports, queue } = setup();
    await queue.upsertJobScheduler("s", { pattern: "0 3 * * *" });
    await engine.command(["ZREM", `emq:{${QUEUE}}:cron`, "s"]);
    expect((await queue.doctor()).counts).toEqual({ "repeat-place": 1 });
    expect((await queue.doctor({ repair: true })).isClean).toBe(true);
    const { RepeatKeeper } = await import("../../../src/worker/repeat-keeper.ts");
    const { clock, logger } = ports;
    const keeper = new RepeatKeeper({ engine, clock, queue: QUEUE, logger, onError: () => {} });
    keeper.start();
    await clock.advance(1000);
    expect((await queue.getJobScheduler("s"))?.nextAt?.toISOString()).toBe("2024-07-01T03:00:00.000Z");
    expect((await queue.getJobCounts("pending")).pending).toBe(0);
    await keeper.stop();
  });
});
