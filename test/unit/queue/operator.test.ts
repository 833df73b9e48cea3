import { describe, expect, it, vi } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import type { CleanOptions } from "../../../src/queue/operator.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import type { ListedState } from "../../../src/queue/read-verbs.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import type { Argument, Command, Server, Transition } from "../../../src/transition/server.ts";
import { TRANSITIONS } from "../../../src/transition/transitions.generated.ts";
import { errorOf } from "./scripted-engine.ts";

const LEASE_MS = 60_000;
type AnyQueue = QueueCore<Record<string, unknown>>;

/** An engine that remembers the most members that any one act took out of sorted sets, by verb. */
function countingEngine() {
  const ports = createTestPorts();
  const most = new Map<Verb, number>();
  const counted = (verb: Verb): Transition => {
    return (server, keys, args) => {
      let members = 0;
      const call = (command: Command, ...parts: Argument[]): unknown => {
        if (command === "ZREM") members += parts.length - 1;
        return server.call(command, ...parts);
      };
      const reply = TRANSITIONS[verb]({ ...server, call: call as Server["call"] }, keys, args);
      most.set(verb, Math.max(most.get(verb) ?? 0, members));
      return reply;
    };
  };
  const transitions = Object.fromEntries((Object.keys(TRANSITIONS) as Verb[]).map((verb) => [verb, counted(verb)]));
  return { ports, most, engine: new EmbeddedEngine({ ports, transitions }) };
}

function setup(name = "q") {
  const { ports, most, engine } = countingEngine();
  const queue: AnyQueue = new QueueCore(name, { engine, release: () => Promise.resolve() });
  const keys = async () => (await engine.command(["KEYS", "emq:{*"])) as string[];
  const addMany = async (count: number, lanes: readonly string[] = []) => {
    const opts = (at: number) => (lanes.length === 0 ? {} : { opts: { lane: lanes[at % lanes.length] as string } });
    const jobs = await queue.addBulk(Array.from({ length: count }, (_, at) => ({ name: "a", data: at, ...opts(at) })));
    return jobs.map(({ id }) => id);
  };
  const kill = async (count: number) => {
    const claimed = await queue.jobs.claimBatch(name, count, LEASE_MS);
    const failure = { delayMs: 0, maxAttempts: 1, error: "e" };
    for (const { id, attempts } of claimed) await queue.jobs.retry(name, id, attempts, failure);
    return claimed.map(({ id }) => id);
  };
  /** Commands of one name that some work sends. */
  const commandsOf = async (name: string, work: () => Promise<unknown>) => {
    const spy = vi.spyOn(engine, "command");
    await work();
    const count = spy.mock.calls.filter(([parts]) => parts[0] === name).length;
    spy.mockRestore();
    return count;
  };
  return { ports, clock: ports.clock, engine, most, queue, jobs: queue.jobs, keys, addMany, kill, commandsOf };
}

describe("drain", () => {
  it("removes flat jobs, and those of lanes and the schedule only when asked", async () => {
    const { queue, engine, addMany } = setup();
    await addMany(3);
    await addMany(4, ["x", "y"]);
    await queue.add("a", 1, { delay: "1h" });
    expect(await queue.drain()).toBe(3);
    expect(await queue.drain({ lanes: true })).toBe(4);
    expect(await queue.getJobCounts("pending", "lanes", "schedule")).toEqual({ pending: 0, lanes: 0, schedule: 1 });
    expect(await queue.drain({ schedule: true })).toBe(1);
    expect(await checkInvariants(engine, "q")).toEqual([]);
  });

  it("keeps active and dead jobs, pauses and limits", async () => {
    const { queue, jobs, addMany, kill, engine } = setup();
    await addMany(5);
    const [dead] = await kill(1);
    const active = await jobs.claim("q", LEASE_MS);
    await engine.command(["SADD", "emq:{q}:paused", "quiet"]);
    await engine.command(["HSET", "emq:{q}:glimit", "quiet", "3"]);
    await addMany(2, ["quiet"]);
    expect(await queue.drain({ lanes: true })).toBe(5);
    expect([await queue.getState(dead ?? ""), await queue.getState(active?.id ?? "")]).toEqual(["dead", "active"]);
    expect(await engine.command(["SISMEMBER", "emq:{q}:paused", "quiet"])).toBe(1);
    expect(await engine.command(["HGET", "emq:{q}:glimit", "quiet"])).toBe("3");
  });

  it("finds the work of a lane behind a thousand that have none", async () => {
    const { queue, engine, addMany } = setup();
    const names = Array.from({ length: 2500 }, (_, at) => `quiet-${at}`);
    await engine.command(["SADD", "emq:{q}:paused", ...names]);
    await addMany(30, ["quiet-7", "quiet-1800", "quiet-2499"]);
    expect((await queue.getJobCounts("lanes")).lanes).toBe(30);
    expect(await queue.drain({ lanes: true })).toBe(30);
    expect((await queue.getJobCounts("lanes")).lanes).toBe(0);
  });

  it("works in slices of 100 jobs", async () => {
    const { queue, most, addMany } = setup();
    await addMany(1100);
    await addMany(900, ["x", "y", "z"]);
    expect(await queue.drain({ lanes: true })).toBe(2000);
    expect(most.get("DRAIN")).toBe(100);
  });

  it("ends although a producer goes on adding", async () => {
    const { queue, addMany, engine } = setup();
    await addMany(600);
    const act = engine.act.bind(engine);
    engine.act = async (verb, ...rest) => {
      if (verb === "DRAIN") await addMany(100);
      return await act(verb, ...rest);
    };
    expect(await queue.drain()).toBe(600);
    expect(await queue.getJobCounts("pending")).toEqual({ pending: 600 });
  });
});

/** Lets some acts of others go by. */
async function letActsPass(queue: AnyQueue, acts: number): Promise<void> {
  for (let act = 0; act < acts; act++) await queue.getJobCounts();
}

describe("obliterate", () => {
  it("leaves no key of the queue, and every key of its neighbours", async () => {
    const { queue, engine, keys, addMany, kill, jobs } = setup("a*");
    for (const name of ["ab", "a", "a*b"]) await jobs.enqueue(name, jobsId(engine), "p");
    const neighbours = (await keys()).filter((key) => !key.startsWith("emq:{a*}:")).sort();
    await addMany(1200);
    await addMany(800, ["x", "y", "z"]);
    await kill(20);
    await engine.command(["SET", "emq:{a*}:de:d", "x"]);
    await engine.command(["SET", "emq:{a*}:of-nobody", "x"]);
    await queue.pause();
    await queue.obliterate();
    expect((await keys()).sort()).toEqual(neighbours);
  });

  it("is refused while the queue runs or has active jobs, and changes nothing", async () => {
    const { queue, jobs, addMany, keys } = setup();
    await addMany(2);
    await jobs.claim("q", LEASE_MS);
    const before = (await keys()).sort();
    expect((await errorOf(() => queue.obliterate())).code).toBe("not_paused");
    await queue.pause();
    expect((await errorOf(() => queue.obliterate())).code).toBe("jobs_active");
    expect((await keys()).sort()).toEqual([...before, "emq:{q}:meta"].sort());
  });

  it("pauses and takes active jobs when it is forced, and their holder finds them gone", async () => {
    const { queue, jobs, addMany, keys } = setup();
    await addMany(2);
    const active = await jobs.claim("q", LEASE_MS);
    await queue.obliterate({ force: true });
    expect(await keys()).toEqual([]);
    expect(await jobs.complete("q", active?.id ?? "", 1)).toBe("gone");
    expect(await keys()).toEqual([]);
  });

  it("takes a queue whose sets are of foreign types, when it is forced", async () => {
    const { queue, engine, keys } = setup();
    await engine.command(["SET", "emq:{q}:pending", "x"]);
    await queue.obliterate({ force: true });
    expect(await keys()).toEqual([]);
  });

  it("works in slices of 250 jobs, also in lanes that are paused or at their limit", async () => {
    const { queue, engine, most, addMany } = setup();
    await engine.command(["SADD", "emq:{q}:paused", "p"]);
    await engine.command(["HSET", "emq:{q}:glimit", "f", "1"]);
    await engine.command(["HSET", "emq:{q}:gactive", "f", "1"]);
    await addMany(3000, ["p", "f", "free"]);
    await queue.obliterate({ force: true });
    expect(most.get("OBLITERATE")).toBe(100);
    expect(await engine.command(["KEYS", "emq:{q}:*"])).toEqual([]);
  });

  it("takes the queue off the list of queues, and its next add puts it back", async () => {
    const { queue, addMany } = setup();
    await addMany(1);
    expect(await queue.queues()).toEqual(["q"]);
    await queue.obliterate({ force: true });
    expect(await queue.queues()).toEqual([]);
    await addMany(1);
    expect(await queue.queues()).toEqual(["q"]);
  });

  it("is done by each of several who obliterate at the same time, forced or not", async () => {
    const { queue, keys, addMany } = setup();
    for (const force of [true, false]) {
      await addMany(1200, ["x", "y", "z"]);
      if (!force) await queue.pause();
      const late = letActsPass(queue, 1).then(() => queue.obliterate({ force }));
      await Promise.all([queue.obliterate({ force }), queue.obliterate({ force }), late]);
      expect(await keys()).toEqual([]);
    }
  });

  it("forced, pauses again a queue that is resumed meanwhile", async () => {
    const { queue, keys, addMany } = setup();
    await addMany(600);
    const obliterated = queue.obliterate({ force: true });
    await letActsPass(queue, 1);
    await queue.resume();
    await obliterated;
    expect(await keys()).toEqual([]);
  });

  it("that is not forced tells that the queue was resumed meanwhile", async () => {
    const { queue, addMany } = setup();
    await addMany(600);
    await queue.pause();
    const code = errorOf(() => queue.obliterate()).then((error) => error.code);
    await letActsPass(queue, 1);
    await queue.resume();
    expect(await code).toBe("not_paused");
    expect(await queue.count()).toBeGreaterThan(0);
  });
});

function jobsId(engine: EmbeddedEngine): string {
  return `JOB${String(engine.ports.random()).slice(2, 13).padEnd(11, "0")}`;
}

describe("clean", () => {
  it("removes what has been in a state for longer than an age", async () => {
    const { queue, clock, addMany } = setup();
    await addMany(3);
    clock.shift(10_000);
    const young = await addMany(2);
    expect(await queue.clean({ state: "pending", olderThan: "5s" })).toBe(3);
    expect((await queue.listIds("pending")).ids).toEqual(young);
  });

  it("counts the age of dead jobs from their end", async () => {
    const { queue, clock, addMany, kill } = setup();
    await addMany(4);
    await kill(2);
    clock.shift(10_000);
    const young = await kill(2);
    expect(await queue.clean({ state: "dead", olderThan: 10_000 })).toBe(2);
    expect((await queue.listIds("dead")).ids).toEqual([...young].sort());
  });

  it("stops at its limit, the first first, and works in slices", async () => {
    const { queue, most, addMany } = setup();
    const ids = await addMany(900);
    expect(await queue.clean({ state: "pending", limit: 10 })).toBe(10);
    expect((await queue.listIds("pending", { limit: 1 })).ids).toEqual([ids[10]]);
    expect(await queue.clean({ state: "pending", limit: 600 })).toBe(600);
    expect(await queue.clean({ state: "pending" })).toBe(290);
    // Each erased job is asked for in seven sets.
    expect(most.get("CLEAN")).toBeLessThanOrEqual(100 * 7);
  });

  /** Old jobs behind so many young ones of a higher rank, which stay. */
  async function behindYoung(young: number) {
    const all = setup();
    const rank = (priority: number, count: number) =>
      all.queue.addBulk(Array.from({ length: count }, (_, at) => ({ name: "a", data: at, opts: { priority } })));
    const old = await rank(2, 450);
    all.clock.shift(10_000);
    await rank(1, young);
    return { ...all, rank, old: old.length };
  }

  it.each([0, 130])("finds the place of each slice by one command, behind %i jobs that stay", async (young) => {
    const { queue, old, commandsOf } = await behindYoung(young);
    const ranges = await commandsOf("ZRANGE", async () => {
      expect(await queue.clean({ state: "pending", olderThan: "5s" })).toBe(old);
    });
    expect(ranges).toBe(Math.floor((old + young) / 100) + 1);
    expect(await queue.getJobCounts("pending")).toEqual({ pending: young });
  });

  it("leaves nothing out where jobs before the place come and go between two slices", async () => {
    const { queue, old, engine } = await behindYoung(330);
    const key = "emq:{q}:pending";
    const scored = (await engine.command(["ZRANGE", key, "0", "59", "WITHSCORES"])) as string[];
    const ids = scored.filter((_, at) => at % 2 === 0);
    const pairs = ids.flatMap((id, at) => [scored[2 * at + 1] ?? "", id]);
    let slices = 0;
    const onProgress = () => {
      slices += 1;
      void engine.command(slices % 2 === 1 ? ["ZREM", key, ...ids] : ["ZADD", key, ...pairs]);
    };
    expect(await queue.clean({ state: "pending", olderThan: "5s", onProgress })).toBe(old);
    expect(slices).toBeGreaterThan(6);
  });

  it("cleans one lane, and leaves the flat jobs and the other lanes", async () => {
    const { queue, addMany, engine } = setup();
    await addMany(2);
    await addMany(6, ["x", "y"]);
    expect(await queue.clean({ state: "pending", lane: "x" })).toBe(3);
    expect(await queue.getJobCounts("pending", "lanes")).toEqual({ pending: 2, lanes: 3 });
    expect(await checkInvariants(engine, "q")).toEqual([]);
  });

  it("leaves locked jobs", async () => {
    const { queue, engine, addMany } = setup();
    const [id = ""] = await addMany(2);
    await engine.command(["SET", `emq:{q}:job:${id}:lock`, "w"]);
    expect(await queue.clean({ state: "pending" })).toBe(1);
    expect(await queue.getState(id)).toBe("pending");
  });

  it.each([
    [{ state: "failed" }, "unknown_state"],
    [{}, "unknown_state"],
    [undefined, "unknown_state"],
    [{ state: "active" }, "unknown_state"],
    [{ state: "dead", olderThan: -1 }, "invalid_option"],
    [{ state: "dead", limit: 0 }, "invalid_option"],
    [{ state: "dead", lane: "x" }, "invalid_option"],
    [{ state: "pending", lane: "a{b" }, /^invalid_(?:lane|name)$/],
    [{ state: "dead", grace: 5 }, "unknown_option"],
  ])("refuses %j with a code, before anything is removed", async (options, code) => {
    const { queue, addMany, kill } = setup();
    await addMany(1);
    await kill(1);
    expect((await errorOf(() => queue.clean(options as unknown as CleanOptions))).code).toMatch(code);
    expect(await queue.getJobCounts("dead")).toEqual({ dead: 1 });
  });

  it.each<[call: string, habit: (queue: AnyQueue) => Promise<unknown>, advice: string]>([
    ["clean(0)", (queue) => queue.clean(0 as never), 'write clean({ state: "dead", olderThan: "1d" })'],
    ["clean of failed", (queue) => queue.clean({ state: "failed" } as never), "use dead"],
    ["clean of delayed", (queue) => queue.clean({ state: "delayed" } as never), "use scheduled"],
    ["clean with count", (queue) => queue.clean({ state: "dead", count: 5 } as never), "use limit"],
    ["drain(true)", (queue) => queue.drain(true as never), "write drain({ schedule: true })"],
    ["drain with delayed", (queue) => queue.drain({ delayed: true } as never), "give schedule: true"],
    ["throughput(60)", (queue) => queue.throughput(60 as never), "write throughput({ minutes: 60 })"],
    ["counts of paused", (queue) => queue.getJobCounts("paused" as never), "use pending"],
    ["jobs of delayed", (queue) => queue.getJobs("delayed" as never), "use scheduled"],
  ])("answers %s, a habit of another queue, with what to write", async (_call, habit, advice) => {
    expect((await errorOf(() => habit(setup().queue))).message).toContain(advice);
  });

  it("takes an undefined cursor for the first page, so that a loop need not tell the two apart", async () => {
    const { queue, addMany } = setup();
    const [id] = await addMany(1);
    expect((await queue.listIds("pending", { cursor: undefined, limit: undefined })).ids).toEqual([id]);
  });
});

describe("retryDead", () => {
  it("lets every dead job wait again with a fresh budget, in slices of 100", async () => {
    const { queue, most, addMany, kill, engine } = setup();
    await addMany(700);
    await kill(600);
    expect(await queue.retryDead()).toBe(600);
    expect(await queue.getJobCounts("pending", "dead")).toEqual({ pending: 700, dead: 0 });
    // Each leaves two sets: the dead and those that go after a time.
    expect(most.get("REVIVE")).toBe(200);
    expect(await checkInvariants(engine, "q")).toEqual([]);
    expect(await queue.retryDead()).toBe(0);
  });
});

describe("changeDelay and changePriority", () => {
  it("move a scheduled job to another time, from queue and job alike", async () => {
    const { queue, clock, jobs } = setup();
    const job = await queue.add("a", 1, { delay: "1h" });
    expect(await job.changeDelay("1m")).toBe("ok");
    clock.shift(60_000);
    expect(await jobs.promote("q", 10)).toBe(1);
    expect(await queue.changeDelay(job.id, 5)).toBe("not_scheduled");
    expect((await errorOf(() => queue.changeDelay(job.id, -1))).code).toBe("invalid_option");
  });

  it("move a waiting job to the front or the back, and keep it in its row", async () => {
    const { queue, addMany, jobs } = setup();
    const [first = "", second = ""] = await addMany(2);
    expect(await queue.changePriority(first, 5)).toBe("ok");
    expect((await queue.getJob(first))?.priority).toBe(5);
    expect((await jobs.claim("q", LEASE_MS))?.id).toBe(second);
    expect(await (await queue.getJob(second))?.changePriority(1)).toBe("not_waiting");
    for (const bad of [-1, 2_097_153, 1.5, "1", { priority: 1 }]) {
      expect((await errorOf(() => queue.changePriority(first, bad as number))).code).toBe("invalid_option");
    }
  });
});

describe("listIds", () => {
  /** Every id of a state by pages; `between` runs before each further page. */
  async function all(queue: AnyQueue, state: ListedState, options: object, between = async () => {}) {
    const ids: string[] = [];
    for (let cursor: string | undefined, page = 0; ; page++) {
      if (page > 0) await between();
      const found = await queue.listIds(state, { ...options, ...(cursor === undefined ? {} : { cursor }) });
      ids.push(...found.ids);
      if (found.cursor === undefined) return ids;
      cursor = found.cursor;
    }
  }

  it("reads pages from both ends, in every state and in a lane", async () => {
    const { queue, addMany, kill, jobs, clock } = setup();
    await addMany(25);
    const dead = await kill(10);
    const active = (await jobs.claimBatch("q", 5, LEASE_MS)).map(({ id }) => id);
    const pending = await all(queue, "pending", { limit: 3 });
    const lane = await addMany(7, ["x"]);
    const scheduled: string[] = [];
    for (let at = 0; at < 5; at++) {
      scheduled.push((await queue.add("a", 1, { delay: 1000 * (at + 1) })).id);
      clock.shift(1);
    }
    const lists: readonly (readonly [ListedState, readonly string[], object])[] = [
      ["pending", pending, {}],
      ["pending", lane, { lane: "x" }],
      ["dead", [...dead].sort(), {}],
      ["active", [...active].sort(), {}],
      ["scheduled", scheduled, {}],
      ["completed", [], {}],
    ];
    expect(pending).toHaveLength(10);
    for (const [state, ids, options] of lists) {
      for (const limit of [1, 3, 5, 100]) {
        expect(await all(queue, state, { ...options, limit })).toEqual(ids);
        expect(await all(queue, state, { ...options, limit, from: "last" })).toEqual([...ids].reverse());
      }
    }
  });

  it.each(["first", "last"] as const)(
    "meets each job that stays once, while others come and go: from %s",
    async (from) => {
      const { queue, addMany, ports } = setup();
      const ids = await addMany(300);
      for (const [at, id] of ids.entries()) if (at % 3 === 0) await queue.changePriority(id, (at % 5) + 1);
      const gone = new Set<string>();
      const listed = await all(queue, "pending", { limit: 7, from }, async () => {
        for (let at = 0; at < 4; at++) {
          const id = ids[Math.floor(ports.random() * ids.length)] ?? "";
          if ((await queue.remove(id)) === "ok") gone.add(id);
        }
        await addMany(2);
      });
      expect(new Set(listed).size).toBe(listed.length);
      expect(ids.filter((id) => !gone.has(id) && !listed.includes(id))).toEqual([]);
    },
  );

  it("gives jobs as well as ids", async () => {
    const { queue, addMany } = setup();
    const ids = await addMany(3);
    const page = await queue.listJobs("pending", { limit: 2 });
    expect(page.jobs.map((job) => [job.id, job.data])).toEqual([
      [ids[0], 0],
      [ids[1], 1],
    ]);
    const rest = await queue.listJobs("pending", { limit: 2, cursor: page.cursor ?? "" });
    expect([rest.jobs.map(({ id }) => id), rest.cursor]).toEqual([[ids[2]], undefined]);
  });

  it("lists jobs beside a member that another speaker wrote and that is no id", async () => {
    const { queue, engine, addMany } = setup();
    const ids = await addMany(2);
    await engine.command(["ZADD", "emq:{q}:pending", "0", "not an id"]);
    expect((await queue.listJobs("pending")).jobs.map(({ id }) => id)).toEqual(ids);
    expect((await queue.getJobs("pending", 0, 9, true)).map(({ id }) => id)).toEqual(ids);
    expect((await queue.listIds("pending")).ids).toEqual([...ids, "not an id"]);
  });

  it.each<[string, object, string | RegExp]>([
    ["wait", {}, "unknown_state"],
    ["pending", { limit: 0 }, "invalid_option"],
    ["pending", { limit: 1001 }, "invalid_option"],
    ["pending", { cursor: "5" }, "invalid_option"],
    ["pending", { cursor: 5 }, "invalid_option"],
    ["pending", { from: "newest" }, "invalid_option"],
    ["dead", { lane: "x" }, "invalid_option"],
    ["pending", { lane: "" }, /^invalid_(?:lane|name)$/],
    ["pending", { start: 0 }, "unknown_option"],
  ])("refuses %s with %j by a code", async (state, options, code) => {
    const { queue } = setup();
    expect((await errorOf(() => queue.listIds(state as ListedState, options))).code).toMatch(code);
  });
});

describe("oldestPendingAge", () => {
  it("is the age of the oldest job, whatever its priority and lane", async () => {
    const { queue, clock } = setup();
    expect(await queue.oldestPendingAge()).toBeUndefined();
    await queue.add("a", 1, { priority: 9 });
    clock.shift(1000);
    await queue.add("a", 1);
    clock.shift(1000);
    expect(await queue.oldestPendingAge()).toBe(2000);
    await queue.drain();
    await queue.add("a", 1, { lane: "x" });
    clock.shift(500);
    await queue.add("a", 1);
    expect(await queue.oldestPendingAge()).toBe(500);
    expect(await queue.oldestPendingAge({ lane: "x" })).toBe(500);
    expect(await queue.oldestPendingAge({ lane: "y" })).toBeUndefined();
  });
});

describe("throughput", () => {
  const MINUTE = 60_000;

  it("counts what ended in each minute, completed and failed apart", async () => {
    const { queue, jobs, clock, addMany, kill } = setup();
    await addMany(9);
    const complete = async (count: number) => {
      for (const { id, attempts } of await jobs.claimBatch("q", count, LEASE_MS))
        await jobs.complete("q", id, attempts);
    };
    await complete(3);
    clock.shift(2 * MINUTE);
    await complete(1);
    await kill(2);
    const minutes = await queue.throughput({ minutes: 4 });
    expect(minutes.map(({ completed, failed }) => [completed, failed])).toEqual([
      [0, 0],
      [3, 0],
      [0, 0],
      [1, 2],
    ]);
    const now = clock.now();
    expect(minutes.map(({ atMs }) => atMs)).toEqual(
      [3, 2, 1, 0].map((ago) => (Math.floor(now / MINUTE) - ago) * MINUTE),
    );
    expect(await queue.throughput()).toHaveLength(60);
    for (const bad of [0, 241, 1.5]) {
      expect((await errorOf(() => queue.throughput({ minutes: bad }))).code).toBe("invalid_option");
    }
  });

  it("keeps no more than four hours", async () => {
    const { jobs, clock, engine, queue } = setup();
    for (let minute = 0; minute < 400; minute++) {
      const { id } = await queue.add("a", 1);
      await jobs.claim("q", LEASE_MS);
      await jobs.complete("q", id, 1);
      clock.shift(MINUTE);
    }
    expect(await engine.command(["HLEN", "emq:{q}:metrics:completed:minutes"])).toBeLessThanOrEqual(241);
    const minutes = await queue.throughput({ minutes: 240 });
    expect(minutes.slice(0, -1).every(({ completed }) => completed === 1)).toBe(true);
    expect(await engine.command(["LLEN", "emq:{q}:metrics:completed:data"])).toBe(0);
  });
});

describe("queues", () => {
  it("are those of the list, and with scan also those that other clients made", async () => {
    const { queue, engine, addMany, jobs } = setup();
    await jobs.enqueue("foreign", jobsId(engine), "p");
    expect(await queue.queues()).toEqual(["foreign"]);
    await addMany(1);
    expect(await queue.queues()).toEqual(["q"]);
    await jobs.enqueue("a b*", jobsId(engine), "p");
    await engine.command(["SET", "emq:{}:x", "1"]);
    expect(await queue.queues({ scan: true })).toEqual(["a b*", "foreign", "q"]);
  });
});
