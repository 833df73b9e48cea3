import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { LaneCounts } from "../../../src/queue/lanes.ts";
import { Lanes } from "../../../src/queue/lanes.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { errorOf, ScriptedEngine } from "./scripted-engine.ts";

const QUEUE = "q";
const LEASE_MS = 60_000;

/** What no lane can be called. */
const BAD_NAMES: readonly unknown[] = ["", "a{b", "a}b", "a\0b", "x".repeat(257), "é".repeat(129), "\udc00", 7, null];

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const queue = new QueueCore(QUEUE, { engine, release: async () => {} });
  const fill = async (lane: string, count: number) => {
    const jobs = await queue.addBulk(Array.from({ length: count }, () => ({ name: "j", data: 1, opts: { lane } })));
    return jobs.map((job) => job.id);
  };
  return { ports, clock: ports.clock, engine, queue, lanes: new Lanes(engine), fill };
}

/** Every page, and the names in the order in which they came. */
async function walk(queue: QueueCore, limit: number): Promise<{ lanes: LaneCounts[]; names: string[]; pages: number }> {
  const lanes: LaneCounts[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await queue.lanes(cursor === undefined ? { limit } : { limit, cursor });
    lanes.push(...page.lanes);
    cursor = page.cursor;
    pages += 1;
  } while (cursor !== undefined);
  return { lanes, names: lanes.map(({ lane }) => lane), pages };
}

describe("a name that no lane can have", () => {
  it.each(BAD_NAMES)("is refused before the wire: %j", async (name) => {
    const engine = new ScriptedEngine();
    const lanes = new Lanes(engine);
    const lane = name as string;
    const calls = [
      () => lanes.enqueue(QUEUE, lane, { id: "JOB00000000001", payload: "p" }),
      () => lanes.weight(QUEUE, lane, 1),
      () => lanes.limit(QUEUE, lane, 1),
      () => lanes.order(QUEUE, lane, true),
      () => lanes.pause(QUEUE, lane),
      () => lanes.resume(QUEUE, lane),
      () => lanes.reassign(QUEUE, "JOB00000000001", lane),
      () => lanes.drain(QUEUE, lane, 1),
      () => lanes.reap(QUEUE, lane),
      () => lanes.depth(QUEUE, lane),
      () => lanes.counts(QUEUE, [lane]),
      () => lanes.turnsAway(QUEUE, lane),
    ];
    for (const call of calls) expect((await errorOf(call)).code).toBe("invalid_lane");
    expect(engine.asks).toEqual([]);
  });

  it.each(BAD_NAMES)("is refused by queue.lane and by add: %j", async (name) => {
    const { queue } = setup();
    expect((await errorOf(() => queue.lane(name as string))).code).toBe("invalid_lane");
    expect((await errorOf(() => queue.add("j", 1, { lane: name as string }))).code).toBe("invalid_lane");
  });
});

describe("settings of a lane", () => {
  it.each([0, -1, 1.5, Number.NaN, 2 ** 31 + 1, "3", undefined])("refuse the limit %s", async (limit) => {
    const { queue } = setup();
    const error = await errorOf(() => queue.lane("a").limit(limit as number));
    expect([error.code, error.message]).toEqual(["invalid_limit", expect.stringContaining("1 to 2147483648")]);
  });

  it.each([0, -1, 1.5, 1_000_001, "3", undefined])("refuse the weight %s", async (weight) => {
    const { queue } = setup();
    expect((await errorOf(() => queue.lane("a").weight(weight as number))).code).toBe("invalid_weight");
  });

  it("are read back, and null takes them away", async () => {
    const { queue } = setup();
    const lane = queue.lane("tenant é");
    await lane.limit(2 ** 31);
    await lane.weight(1_000_000);
    await lane.pause();
    expect(await lane.counts()).toEqual({
      lane: "tenant é",
      depth: 0,
      active: 0,
      limit: 2 ** 31,
      weight: 1_000_000,
      isPaused: true,
      isOrdered: false,
      restMs: 0,
    });
    await lane.limit(null);
    await lane.weight(null);
    await lane.resume();
    expect(await lane.counts()).toMatchObject({ limit: undefined, weight: 1, isPaused: false });
  });

  it("of an ordered lane are one limit of 1, and another limit is refused with a code", async () => {
    const { queue } = setup();
    const lane = queue.lane("o");
    await lane.limit(5);
    await lane.ordered(true);
    expect(await lane.counts()).toMatchObject({ limit: 1, isOrdered: true });
    expect((await errorOf(() => lane.limit(5))).code).toBe("state");
    expect((await errorOf(() => lane.limit(null))).code).toBe("state");
    await lane.limit(1);
    await lane.ordered(false);
    expect(await lane.counts()).toMatchObject({ limit: undefined, isOrdered: false });
    expect((await errorOf(() => lane.ordered(1 as unknown as boolean))).code).toBe("invalid_option");
  });

  it("beyond 100,000 lanes are refused with a code, and taking one away makes room", async () => {
    const { queue, engine } = setup();
    const fields = Array.from({ length: 100_000 }, (_, at) => [`l${at}`, "1"]);
    await engine.command(["HSET", `emq:{${QUEUE}}:gweight`, ...fields.flat()]);
    const error = await errorOf(() => queue.lane("more").weight(2));
    expect([error.code, error.message]).toEqual(["full", "EMQFULL settings of lanes"]);
    await queue.lane("l7").weight(3);
    await queue.lane("l8").weight(null);
    await queue.lane("more").weight(2);
    expect((await queue.lane("more").counts()).weight).toBe(2);
  });
});

describe("a lane", () => {
  it("tells its depth and drains exactly what waited, in steps", async () => {
    const { queue, fill, lanes } = setup();
    await fill("a", 601);
    await fill("b", 2);
    await lanes.claim(QUEUE, LEASE_MS);
    expect(await queue.lane("a").depth()).toBe(600);
    expect(await queue.lane("a").drain()).toBe(600);
    expect(await queue.lane("a").drain()).toBe(0);
    expect(await queue.lane("a").counts()).toMatchObject({ depth: 0, active: 1 });
    expect(await queue.lane("b").depth()).toBe(2);
  });

  it("drains no more than waited when it began, however fast others add", async () => {
    const { engine, queue, fill } = setup();
    await fill("a", 500);
    const act = engine.act.bind(engine);
    engine.act = async (verb, keys, args) => {
      const reply = await act(verb, keys, args);
      if (verb === "GDRAIN") await fill("a", 300);
      return reply;
    };
    expect(await queue.lane("a").drain()).toBe(500);
    expect(await queue.lane("a").depth()).toBe(1500);
  });

  it("takes jobs of other lanes, with every outcome", async () => {
    const { queue, fill, lanes } = setup();
    const [first = "", second = ""] = await fill("a", 2);
    const flat = await queue.add("j", 1);
    expect((await lanes.claim(QUEUE, LEASE_MS))?.id).toBe(first);
    const lane = queue.lane("b");
    expect(await lane.reassign(first)).toBe("not_pending");
    expect(await lane.reassign(second)).toBe("reassigned");
    expect(await lane.reassign(second)).toBe("noop");
    expect(await lane.reassign(flat.id)).toBe("not_found");
    expect((await errorOf(() => lane.reassign("nope"))).code).toBe("invalid_id");
    expect((await queue.getJob(second))?.lane).toBe("b");
  });

  it("of a closed queue refuses", async () => {
    const { queue } = setup();
    const lane = queue.lane("a");
    await queue.close();
    for (const call of [() => lane.pause(), () => lane.drain(), () => lane.depth(), () => queue.lanes()]) {
      expect((await errorOf(call)).code).toBe("closed");
    }
  });

  it("claims by the low-level verbs hold what the wire says", async () => {
    const { lanes, fill, queue } = setup();
    await fill("a", 5);
    await queue.lane("a").weight(2);
    expect(await lanes.claimWeighted(QUEUE, LEASE_MS)).toHaveLength(2);
    const batch = await lanes.claimBatch(QUEUE, 2, LEASE_MS);
    expect(batch.map(({ lane, attempts }) => [lane, attempts])).toEqual([
      ["a", 1],
      ["a", 1],
    ]);
    expect(batch[0]?.payload).toEqual(new TextEncoder().encode("1"));
    expect(await lanes.turnsAway(QUEUE, "a")).toBe(0);
    expect((await lanes.claim(QUEUE, LEASE_MS))?.lane).toBe("a");
    expect(await lanes.claim(QUEUE, LEASE_MS)).toBeUndefined();
    expect(await lanes.turnsAway(QUEUE, "a")).toBeUndefined();
    expect((await errorOf(() => lanes.claim(QUEUE, 0))).code).toBe("refused");
  });
});

describe("pages of lanes", () => {
  /** One lane of each kind, and more on the ring. */
  const world = async () => {
    const bundle = setup();
    const { queue, fill, lanes } = bundle;
    await fill("full", 2);
    await lanes.claim(QUEUE, LEASE_MS);
    await queue.lane("full").limit(1);
    await fill("busy", 1);
    await lanes.claim(QUEUE, LEASE_MS);
    for (const name of ["parked", "parked-empty"]) await queue.lane(name).pause();
    await fill("parked", 3);
    await queue.lane("limited").limit(4);
    await queue.lane("heavy").weight(9);
    await queue.lane("strict").ordered(true);
    await queue.lane("rated").rate({ max: 5, duration: "1m" });
    await queue.lane("bucket").rate({ max: 5, duration: "1m", way: "bucket", burst: 9 });
    for (let at = 0; at < 25; at++) await fill(`ring-${at}`, 1);
    await queue.lane("ring-7").rate({ max: 5, duration: "1m" });
    return bundle;
  };

  const ALL = ["full", "busy", "parked", "parked-empty", "limited", "heavy", "strict", "rated", "bucket"].concat(
    Array.from({ length: 25 }, (_, at) => `ring-${at}`),
  );

  it.each([1, 2, 7, 100, 1000])("of %i hold each lane once, those on the ring first", async (limit) => {
    const { queue } = await world();
    const { names, lanes, pages } = await walk(queue, limit);
    expect([...names].sort()).toEqual([...ALL].sort());
    expect(names.slice(0, 25)).toEqual(Array.from({ length: 25 }, (_, at) => `ring-${at}`));
    expect(pages).toBeGreaterThanOrEqual(6);
    expect(lanes.find(({ lane }) => lane === "parked")).toMatchObject({ depth: 3, isPaused: true });
    expect(lanes.find(({ lane }) => lane === "full")).toMatchObject({ depth: 1, active: 1, limit: 1 });
  });

  it("miss no lane of the ring and repeat none while the ring turns between them", async () => {
    const { queue, fill, lanes } = setup();
    for (let at = 0; at < 40; at++) await fill(`ring-${at}`, 9);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await queue.lanes(cursor === undefined ? { limit: 6 } : { limit: 6, cursor });
      names.push(...page.lanes.map(({ lane }) => lane));
      cursor = page.cursor;
      for (let turn = 0; turn < 13; turn++) await lanes.claim(QUEUE, LEASE_MS);
    } while (names.length < 40);
    expect(new Set(names).size).toBe(40);
  });

  it("go on behind an earlier lane when the last one has left the ring, and end when all have", async () => {
    const { queue, fill } = setup();
    for (let at = 0; at < 10; at++) await fill(`ring-${at}`, 1);
    const first = await queue.lanes({ limit: 4 });
    await queue.lane("ring-3").drain();
    const second = await queue.lanes({ limit: 4, cursor: String(first.cursor) });
    expect(second.lanes.map(({ lane }) => lane)).toEqual(["ring-4", "ring-5", "ring-6", "ring-7"]);
    for (let at = 0; at < 10; at++) await queue.lane(`ring-${at}`).drain();
    let cursor = second.cursor;
    for (let pages = 0; cursor !== undefined; pages++) {
      expect(pages).toBeLessThan(10);
      const page = await queue.lanes({ cursor });
      expect(page.lanes).toEqual([]);
      cursor = page.cursor;
    }
  });

  it.each([0, 1001, 1.5, "9"])("refuse a page of %s lanes", async (limit) => {
    const { queue } = setup();
    expect((await errorOf(() => queue.lanes({ limit: limit as number }))).code).toBe("invalid_option");
  });

  it.each([
    "",
    "x",
    "null",
    "{}",
    '{"ring":true,"left":0,"anchors":[]}',
    '{"ring":true,"left":1,"anchors":["a","b","c","d","e"]}',
    '{"ring":false,"part":7,"scan":"0"}',
    '{"ring":false,"part":0,"scan":"-1"}',
    7,
  ])("refuse the cursor %j", async (cursor) => {
    const { queue } = setup();
    expect((await errorOf(() => queue.lanes({ cursor: cursor as string }))).code).toBe("invalid_option");
  });

  it("refuse options that other queues page by, with what to do", async () => {
    const { queue } = setup();
    const foreign: object = { start: 0 };
    const error = await errorOf(() => queue.lanes(foreign));
    expect([error.code, error.message]).toEqual(["unknown_option", expect.stringContaining("cursor")]);
  });
});

describe("options of other libraries for groups", () => {
  it.each([
    ["group", { id: "g" }],
    ["groupId", "g"],
    ["ordering", { key: "g", concurrency: 1 }],
  ])("are refused with the word to use: %s", async (name, value) => {
    const { queue } = setup();
    const error = await errorOf(() => queue.add("j", 1, { [name]: value }));
    expect([error.code, error.message]).toEqual(["unknown_option", expect.stringContaining("lane")]);
  });

  it("give way to a lane of defaultJobOptions, which a job may override", async () => {
    const { engine } = setup();
    const lease = { engine, release: async () => {} };
    const queue = new QueueCore(QUEUE, lease, { defaultJobOptions: { lane: "all" } });
    await queue.add("j", 1);
    await queue.add("j", 1, { lane: "own" });
    expect([await queue.lane("all").depth(), await queue.lane("own").depth()]).toEqual([1, 1]);
    expect(await checkInvariants(engine, QUEUE)).toEqual([]);
  });
});
