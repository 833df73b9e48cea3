import { describe, expect, test } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { WorkerJob } from "../../../src/worker/worker-job.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { broken } from "./remote-engine.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

function setup() {
  return new WorkerWorld();
}

/** What a call throws. */
function failing(): never {
  throw new Error("listener or logger");
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a worker at construction", () => {
  const bad: readonly (readonly [string, WorkerOptions, string])[] = [
    ["concurrency 0", { concurrency: 0 }, "invalid_option"],
    ["concurrency 1.5", { concurrency: 1.5 }, "invalid_option"],
    ["concurrency NaN", { concurrency: Number.NaN }, "invalid_option"],
    ["concurrency Infinity", { concurrency: Number.POSITIVE_INFINITY }, "invalid_option"],
    ["concurrency as text", { concurrency: "5" as unknown as number }, "invalid_option"],
    ["a negative lease", { lease: -1 }, "invalid_option"],
    ["a lease too short to renew", { lease: 1 }, "invalid_option"],
    ["an infinite lease", { lease: Number.POSITIVE_INFINITY }, "invalid_option"],
    ["a beat of nothing", { beat: 0 }, "invalid_option"],
    ["a timeout that is no time", { timeout: "soon" as never }, "invalid_option"],
    ["no attempts", { attempts: 0 }, "invalid_option"],
    ["no crash limit", { crashLimit: 0 }, "invalid_option"],
    ["a backoff of an unknown type", { backoff: { type: "linear" as never } }, "invalid_option"],
    ["look-ahead below 0", { lookAhead: -1 }, "invalid_option"],
    ["autorun as text", { autorun: "no" as unknown as boolean }, "invalid_option"],
    ["a schema that is none", { schemas: { welcome: {} as never } }, "invalid_option"],
    ["a logger without methods", { logger: {} as never }, "invalid_option"],
    ["a retention of less than none", { removeOnComplete: -1 }, "invalid_option"],
    ["a retention of no time", { removeOnFail: { age: 0 } }, "invalid_option"],
    ["a retention as text", { removeOnFail: "never" as never }, "invalid_option"],
    ["a misspelt retention", { removeOnComplete: { cuont: 1 } as never }, "unknown_option"],
    ...["concurrency", "attempts", "crashLimit", "lookAhead", "sizeLimit", "autorun", "lease", "beat", "timeout"].map(
      (option): [string, WorkerOptions, string] => [`null as ${option}`, { [option]: null }, "invalid_option"],
    ),
    ["an unknown option", { concurency: 5 } as WorkerOptions, "unknown_option"],
    ["an option of another queue", { lockDuration: 5 } as WorkerOptions, "unknown_option"],
  ];

  test.each(bad)("refuses %s, and sends nothing", async (_name, options, code) => {
    const world = setup();
    expect(thrownBy(() => world.worker(() => {}, options))).toMatchObject({ code });
    await world.advance(5000);
    expect(world.engine.acts).toEqual([]);
    expect(world.ports.clock.timerCount).toBe(0);
  });

  test("names the nearest option, and the word for one of another queue", () => {
    const world = setup();
    const misspelt = thrownBy(() => world.worker(() => {}, { concurency: 5 } as WorkerOptions)) as Error;
    expect(misspelt.message).toContain("did you mean concurrency?");
    const foreign = thrownBy(() => world.worker(() => {}, { lockDuration: 5 } as WorkerOptions)) as Error;
    expect(foreign.message).toContain("it is called lease");
  });

  test.each([undefined, null, "send", {}, 7])(
    "refuses a handler that is neither a function nor has one: %s",
    (handler) => {
      const world = setup();
      expect(thrownBy(() => world.worker(handler as never))).toMatchObject({ code: "invalid_handler" });
    },
  );

  test.each(["", "emq", "a{b", "a\u0000b", "x".repeat(257)])("refuses the queue name %j", (name) => {
    const world = setup();
    const lease = { engine: world.engine, release: async () => {} };
    expect(thrownBy(() => new WorkerCore(name, () => {}, lease))).toMatchObject({ code: "invalid_queue" });
  });

  test("has an id that no other worker of the process has", () => {
    const world = setup();
    const ids = [1, 2, 3].map(() => world.worker(() => {}, { autorun: false }).id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id.startsWith(world.ports.processName)).toBe(true);
  });
});

describe("a worker", () => {
  test("runs what waits, in order, and settles it", async () => {
    const world = setup();
    await world.addMany(3);
    const seen: unknown[] = [];
    world.worker((job) => void seen.push(job.data));
    await world.advance(10);
    expect(seen).toEqual([0, 1, 2]);
    expect(await world.counts()).toMatchObject({ pending: 0, active: 0, completed: 3 });
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
    expect(world.ports.clock.timerCount).toBe(0);
  });

  test("starts a job as soon as it is added", async () => {
    const world = setup();
    const startedAt: number[] = [];
    world.worker(() => void startedAt.push(world.elapsedMs));
    await world.advance(345);
    await world.add();
    await world.settle();
    expect(startedAt).toEqual([345]);
    await world.closeAll();
  });

  test("never runs more handlers than its concurrency, and uses all of it", async () => {
    const world = setup();
    let running = 0;
    let most = 0;
    world.worker(
      async () => {
        running += 1;
        most = Math.max(most, running);
        await world.pause(7);
        running -= 1;
      },
      { concurrency: 5 },
    );
    await world.addMany(40);
    await world.advance(1000);
    expect(most).toBe(5);
    expect(await world.counts()).toMatchObject({ completed: 40, active: 0 });
    await world.closeAll();
  });

  test("starts a second job beside one that runs for long (PB-050)", async () => {
    const world = setup();
    const startedAt: number[] = [];
    world.worker(
      async () => {
        startedAt.push(world.elapsedMs);
        await world.pause(5000);
      },
      { concurrency: 2 },
    );
    await world.add();
    await world.advance(100);
    await world.add();
    await world.advance(50);
    expect(startedAt).toEqual([0, 100]);
    await world.closeAll();
  });

  test("takes up a changed concurrency at once", async () => {
    const world = setup();
    let running = 0;
    const worker = world.worker(async () => {
      running += 1;
      await world.pause(10_000);
      running -= 1;
    });
    await world.addMany(10);
    await world.advance(10);
    expect(running).toBe(1);
    worker.concurrency = 4;
    await world.advance(10);
    expect(running).toBe(4);
    expect(thrownBy(() => (worker.concurrency = 0))).toMatchObject({ code: "invalid_option" });
    expect(worker.concurrency).toBe(4);
    await world.closeAll();
  });

  test("starts each job within 50 ms of its due time (PB-008)", async () => {
    const world = setup();
    const latenessMs: number[] = [];
    world.worker((job) => void latenessMs.push(world.elapsedMs - (job.data as number)));
    await world.advance(17);
    const dueInMs = [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 400, 60_000];
    await world.add(...dueInMs.map((ms) => ({ data: 17 + ms, dueInMs: ms })));
    await world.advance(70_000);
    expect(latenessMs).toHaveLength(dueInMs.length);
    expect(Math.max(...latenessMs)).toBeLessThanOrEqual(2);
    expect(Math.min(...latenessMs)).toBeGreaterThanOrEqual(0);
    await world.closeAll();
  });

  test("starts each job of many in the very millisecond in which it falls due, whatever lies between two", async () => {
    const world = setup();
    const latenessMs: number[] = [];
    world.worker((job) => void latenessMs.push(world.elapsedMs - (job.data as number)), { concurrency: 100 });
    await world.advance(17);
    let dueInMs = 50;
    const jobs = Array.from({ length: 400 }, (_, at) => {
      dueInMs += at % 100 < 50 ? 1 : at % 5;
      return { data: 17 + dueInMs, dueInMs };
    });
    await world.add(...jobs);
    await world.advance(dueInMs + 10);
    expect(latenessMs).toHaveLength(jobs.length);
    expect(new Set(latenessMs)).toEqual(new Set([0]));
    await world.closeAll();
  });

  test("lets one worker of many keep time for the schedule", async () => {
    const world = setup();
    const latenessMs: number[] = [];
    for (let index = 0; index < 6; index++) {
      world.workerOn(world.otherEngine(), (job) => void latenessMs.push(world.elapsedMs - (job.data as number)));
    }
    await world.advance(5);
    await world.add(...Array.from({ length: 50 }, (_, at) => ({ data: 5 + at * 20 + 1, dueInMs: at * 20 + 1 })));
    await world.advance(1100);
    expect(latenessMs).toHaveLength(50);
    expect(Math.max(...latenessMs)).toBeLessThanOrEqual(2);
    await world.closeAll();
  });

  test("starts a job on time although the worker that kept time for it was closed meanwhile", async () => {
    const world = setup();
    const startedAt: number[] = [];
    const keeper = world.worker(() => void startedAt.push(world.elapsedMs));
    await world.advance(100);
    await world.add({ dueInMs: 650 });
    await world.advance(50);
    world.workerOn(world.otherEngine(), () => void startedAt.push(world.elapsedMs));
    // Its own first turns are over, and its next beat comes too late.
    await world.advance(550);
    expect(startedAt).toEqual([]);
    const closed = keeper.close();
    await world.settle();
    await closed;
    await world.advance(60);
    expect(startedAt).toEqual([750]);
    await world.closeAll();
  });

  test("finds a job of a foreign producer, which wakes nobody, within a beat", async () => {
    const world = setup();
    const startedAt: number[] = [];
    world.worker(() => void startedAt.push(world.elapsedMs));
    await world.advance(300);
    const [id] = await world.add({ dueInMs: 900_000 });
    await world.jobs.removeJob(QUEUE, id ?? "");
    await world.advance(10);
    await world.jobs.enqueue(QUEUE, id ?? "", "{}");
    await world.advance(1010);
    expect(startedAt).toHaveLength(1);
    await world.closeAll();
  });

  test("is not started by its constructor when autorun is false", async () => {
    const world = setup();
    await world.add();
    const worker = world.worker(() => {}, { autorun: false });
    await world.advance(3000);
    expect(worker.isRunning()).toBe(false);
    expect(world.engine.acts).toEqual([]);
    void worker.run();
    await world.advance(10);
    expect(worker.isRunning()).toBe(true);
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
    expect(worker.isRunning()).toBe(false);
  });

  test("is closed also when its connection cannot be given back, which close tells", async () => {
    const { engine } = setup();
    const release = () => Promise.reject(new Error("cannot be ended"));
    const worker = new WorkerCore("q", () => {}, { engine, release }, { autorun: false });
    let isTold = false;
    worker.on("closed", () => {
      isTold = true;
    });
    const run = worker.run();
    await expect(worker.close({ timeout: 0 })).rejects.toThrow("cannot be ended");
    await run;
    expect(worker.health().state).toBe("closed");
    expect(isTold).toBe(true);
  });

  test("resolves run when it is closed", async () => {
    const world = setup();
    const worker = world.worker(() => {}, { autorun: false });
    let ended = false;
    void worker.run().then(() => {
      ended = true;
    });
    await world.advance(2000);
    expect(ended).toBe(false);
    await world.closeAll();
    expect(ended).toBe(true);
  });

  test("keeps the process alive while it runs, and not after its close", async () => {
    const world = setup();
    world.worker(() => {});
    await world.advance(2000);
    // Only timers that keep a process alive let this go on to its limit.
    expect(await world.ports.clock.runUntilIdle({ limitMs: 5000 })).toBeGreaterThan(3);
    await world.closeAll();
    expect(world.ports.clock.timerCount).toBe(0);
  });

  test("serves lanes as well as flat work", async () => {
    const world = setup();
    await world.add({ data: 1, lane: "a" }, { data: 2, lane: "b" }, { data: 3 });
    const seen: unknown[] = [];
    world.worker((job) => void seen.push([job.data, job.lane]));
    await world.advance(10);
    expect(seen).toHaveLength(3);
    expect(seen).toContainEqual([1, "a"]);
    expect(seen).toContainEqual([3, undefined]);
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });
});

describe("batching", () => {
  test("settles and claims in one act, at most 128 of each, two at once", async () => {
    const world = setup();
    world.engine.latencyMs = 3;
    let inFlight = 0;
    let most = 0;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN") return undefined;
      inFlight += 1;
      most = Math.max(most, inFlight);
      world.ports.clock.after(6, () => {
        inFlight -= 1;
      });
      return undefined;
    };
    await world.addMany(1000);
    world.worker(async () => {}, { concurrency: 200 });
    await world.advance(2000);
    expect(await world.counts()).toMatchObject({ completed: 1000 });
    expect(most).toBe(2);
    let settled = 0;
    for (const { args } of world.engine.sent("TURN")) {
      expect(Number(args[2])).toBeLessThanOrEqual(128);
      const at = args[3] === "w" ? 8 : 3;
      const count = args.length > at ? Number(args[at + 1]) : 0;
      expect(count).toBeLessThanOrEqual(128);
      settled += count;
    }
    expect(settled).toBe(1000);
    // Far fewer acts than jobs.
    expect(world.engine.sent("TURN").length).toBeLessThan(120);
    await world.closeAll();
  });

  test("sends no small TURN beside another while there are jobs to start", async () => {
    const world = setup();
    world.engine.latencyMs = 1;
    await world.addMany(1000);
    world.worker(async () => {}, { concurrency: 10 });
    await world.advance(1000);
    expect(await world.counts()).toMatchObject({ completed: 1000 });
    // Of the 110 that it holds two fifths and more go together, but for the first few.
    expect(world.engine.sent("TURN").length).toBeLessThan(30);
    await world.closeAll();
  });

  test("settles at once when no TURN is on its way, and with the next answer otherwise", async () => {
    const world = setup();
    world.engine.latencyMs = 1;
    await world.addMany(60);
    let slowFrom = Number.POSITIVE_INFINITY;
    const ended: number[] = [];
    const settled: number[] = [];
    const worker = world.worker(
      async (job) => {
        if (Number(job.data) < slowFrom) return;
        await world.pause(3);
        ended.push(world.elapsedMs);
      },
      { concurrency: 2 },
    );
    worker.on("completed", (job) => Number(job.data) >= slowFrom && settled.push(world.elapsedMs));
    slowFrom = 40;
    await world.advance(500);
    expect(settled).toHaveLength(20);
    // Two ways of the TURN itself, and at most as many of the one before it.
    expect(settled.every((at, index) => at - (ended[index] ?? 0) <= 4)).toBe(true);
    await world.closeAll();
  });

  test("leases ahead only after handlers have proved quick", async () => {
    const world = setup();
    world.engine.latencyMs = 1;
    await world.addMany(60);
    const worker = world.worker(() => {});
    const wants: number[] = [];
    world.engine.faultOf = (act) => {
      if (act.verb === "TURN") wants.push(Number(act.args[2]));
      return undefined;
    };
    await world.advance(400);
    expect(wants[0]).toBe(1);
    // Its one slot, and 25 ahead.
    expect(Math.max(...wants)).toBe(26);
    expect(worker.health().buffered).toBe(0);
    expect(await world.counts()).toMatchObject({ completed: 60 });
    await world.closeAll();
  });

  test("leases nothing ahead for slow handlers", async () => {
    const world = setup();
    await world.addMany(20);
    const worker = world.worker(async () => await world.pause(50), { concurrency: 2 });
    for (let step = 0; step < 40; step++) {
      await world.advance(10);
      expect(worker.health().buffered).toBe(0);
    }
    await world.closeAll();
  });

  test("gives back what waits behind a handler that turned slow, spending nothing", async () => {
    const world = setup();
    await world.addMany(30);
    const others: unknown[] = [];
    world.worker(async (job) => {
      if (job.data === 20) await world.pause(60_000);
    });
    await world.advance(2);
    await world.advance(20);
    const counts = await world.counts();
    expect(counts).toMatchObject({ active: 1 });
    world.workerOn(world.otherEngine(), (job) => void others.push([job.data, job.attempt]));
    await world.advance(50);
    expect(others).toContainEqual([29, 1]);
    expect(await world.counts()).toMatchObject({ completed: 29, active: 1 });
    await world.closeAll();
  });

  test("leases nothing ahead when look-ahead is switched off", async () => {
    const world = setup();
    await world.addMany(50);
    world.worker(() => {}, { lookAhead: 0 });
    await world.advance(100);
    expect(world.engine.sent("TURN").every(({ args }) => Number(args[2]) <= 1)).toBe(true);
    await world.closeAll();
  });

  test("lets microtasks run out between bursts of handlers", async () => {
    const world = setup();
    await world.addMany(600);
    let startedAtOnce = 0;
    let most = 0;
    world.worker(
      async () => {
        startedAtOnce += 1;
        most = Math.max(most, startedAtOnce);
        await Promise.resolve();
        startedAtOnce = 0;
      },
      { concurrency: 500 },
    );
    await world.advance(100);
    expect(await world.counts()).toMatchObject({ completed: 600 });
    expect(most).toBeLessThanOrEqual(64);
    await world.closeAll();
  });
});

describe("local events", () => {
  test("tell of each step of a job, and of running out of work", async () => {
    const world = setup();
    const told: unknown[] = [];
    const worker = world.worker(
      (job) => {
        if (job.data === 1) throw new Error("no");
        return { sent: job.data };
      },
      { attempts: 1 },
    );
    worker.on("active", (job) => told.push(["active", job.data]));
    worker.on("completed", (job, result) => told.push(["completed", job.data, result]));
    worker.on("failed", (job, error, outcome) => told.push(["failed", job.data, (error as Error).message, outcome]));
    worker.on("drained", () => told.push(["drained"]));
    await world.addMany(2);
    await world.advance(10);
    expect(told).toEqual([
      ["active", 0],
      ["completed", 0, { sent: 0 }],
      ["active", 1],
      ["failed", 1, "no", "dead"],
      ["drained"],
    ]);
    await world.closeAll();
  });

  test("need no listener, and survive one that throws", async () => {
    const world = setup();
    const worker = world.worker(() => {});
    let later = 0;
    worker.on("completed", () => {
      throw new Error("listener");
    });
    worker.on("completed", () => {
      later += 1;
    });
    await world.addMany(3);
    await world.advance(10);
    expect(later).toBe(3);
    expect(await world.counts()).toMatchObject({ completed: 3 });
    expect(world.ports.logger.messages("error")).toHaveLength(3);
    await world.closeAll();
  });
});

describe("pause and resume", () => {
  test("takes no job while it is paused, and all of them afterwards", async () => {
    const world = setup();
    let ran = 0;
    const worker = world.worker(() => {
      ran += 1;
    });
    await world.advance(10);
    await worker.pause();
    expect(worker.isPaused()).toBe(true);
    await world.addMany(10);
    await world.advance(5000);
    expect(ran).toBe(0);
    expect(worker.isRunning()).toBe(true);
    worker.resume();
    await world.advance(10);
    expect(ran).toBe(10);
    await world.closeAll();
  });

  test("passes a token on that comes while it is paused", async () => {
    const world = setup();
    world.engine.latencyMs = 2;
    const worker = world.worker(() => {});
    await world.advance(100);
    const added = world.add();
    const paused = worker.pause();
    await added;
    await paused;
    const seen: unknown[] = [];
    world.workerOn(world.otherEngine(), () => void seen.push(1));
    await world.advance(20);
    expect(seen).toEqual([1]);
    await world.closeAll();
  });

  test("waits for running handlers unless told otherwise", async () => {
    const world = setup();
    const worker = world.worker(async () => await world.pause(300));
    await world.add();
    await world.advance(10);
    let paused = false;
    const pausing = worker.pause().then(() => {
      paused = true;
    });
    await worker.pause({ waitForActive: false });
    await world.advance(200);
    expect(paused).toBe(false);
    await world.advance(100);
    await pausing;
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
  });

  test("pauses five workers on empty queues at once (PB-065)", async () => {
    const world = setup();
    const workers = [1, 2, 3, 4, 5].map(() => world.workerOn(world.otherEngine(), () => {}));
    await world.advance(500);
    for (const worker of workers) await worker.pause();
    expect(workers.every((worker) => worker.isPaused())).toBe(true);
    await world.closeAll();
  });

  test("stays silent on a paused queue, and starts when it is resumed", async () => {
    const world = setup();
    let ran = 0;
    world.worker(() => {
      ran += 1;
    });
    await world.advance(10);
    await world.jobs.pause(QUEUE);
    await world.addMany(10);
    await world.advance(3000);
    expect(ran).toBe(0);
    await world.jobs.resume(QUEUE);
    await world.settle();
    expect(ran).toBe(10);
    await world.closeAll();
  });
});

describe("close", () => {
  test("acknowledges what ended right before it, batched or not (PB-064)", async () => {
    const world = setup();
    world.engine.latencyMs = 4;
    await world.addMany(100);
    let ended = 0;
    const ran: Record<string, number> = {};
    const worker = world.worker(
      (job) => {
        ran[job.id] = (ran[job.id] ?? 0) + 1;
        ended += 1;
        if (ended === 100) void worker.close();
      },
      { concurrency: 10 },
    );
    await world.advance(2000);
    await worker.close();
    world.workerOn(world.otherEngine(), (job) => {
      ran[job.id] = (ran[job.id] ?? 0) + 1;
    });
    await world.advance(120_000);
    expect(await world.counts()).toMatchObject({ completed: 100, active: 0, pending: 0 });
    expect(Object.values(ran).every((times) => times === 1)).toBe(true);
    await world.closeAll();
  });

  test.each(["succeeds", "throws"])("lets a handler outlive its lease while closing: it %s (PB-061)", async (how) => {
    const world = setup();
    let runs = 0;
    const worker = world.worker(
      async () => {
        runs += 1;
        await world.pause(3000);
        if (how === "throws") throw new Error("late");
      },
      { lease: 1000, backoff: "1h" },
    );
    world.workerOn(
      world.otherEngine(),
      async () => {
        runs += 1;
      },
      { autorun: false },
    );
    await world.add();
    await world.advance(500);
    const closed = worker.close();
    await world.advance(5000);
    await closed;
    expect(runs).toBe(1);
    const counts = await world.counts();
    expect(counts).toMatchObject(how === "succeeds" ? { completed: 1, active: 0 } : { schedule: 1, active: 0 });
    await world.closeAll();
  });

  test("gives back at its deadline what still runs, without spending an attempt (PB-062)", async () => {
    const world = setup();
    const reasons: unknown[] = [];
    const worker = world.worker(async (_job, { signal }) => {
      signal.addEventListener("abort", () => reasons.push((signal.reason as EchoMQError).code));
      await world.pause(2000);
    });
    const [id] = await world.add({ lane: "g" });
    await world.add({ lane: "g" }, { lane: "g" });
    await world.advance(10);
    const closed = worker.close({ timeout: 100 });
    await world.advance(150);
    await closed;
    expect(reasons).toEqual(["closing"]);
    const row = await world.jobs.getRow(QUEUE, id ?? "");
    expect(row?.get("state")).toBe("pending");
    expect(row?.get("deferred")).toBe("1");
    const next: unknown[] = [];
    world.workerOn(world.otherEngine(), (job) => void next.push([job.id, job.attempt]));
    await world.advance(10);
    expect(next).toHaveLength(3);
    expect(next).toContainEqual([id, 1]);
    expect(await world.violations()).toEqual([]);
    await world.advance(3000);
    expect(await world.counts()).toMatchObject({ completed: 3, dead: 0 });
    await world.closeAll();
  });

  test("gives back at once what has not begun, while handlers finish", async () => {
    const world = setup();
    await world.addMany(40);
    let ran = 0;
    const worker = world.worker(async (job) => {
      ran += 1;
      if (job.data === 20) await world.pause(500);
    });
    await world.advance(1);
    expect(worker.health().buffered).toBeGreaterThan(0);
    const closed = worker.close();
    await world.settle();
    const counts = await world.counts();
    expect(counts).toMatchObject({ active: 1, pending: 40 - ran });
    await world.advance(600);
    await closed;
    expect(await world.counts()).toMatchObject({ completed: ran, active: 0 });
    await world.closeAll();
  });

  test("ends at once when it is idle, twice as well as once, and gives its lease back once", async () => {
    const world = setup();
    const worker = world.worker(() => {});
    await world.advance(1500);
    const first = worker.close();
    const second = worker.close();
    await world.settle();
    await first;
    await second;
    expect(worker.health().state).toBe("closed");
    expect(world.releases).toBe(1);
    expect(world.ports.clock.timerCount).toBe(0);
  });

  test("waits no longer than the most impatient of its callers allows", async () => {
    const world = setup();
    const reasons: unknown[] = [];
    const worker = world.worker(async (_job, { signal }) => {
      signal.addEventListener("abort", () => reasons.push((signal.reason as EchoMQError).code));
      await world.pause(60_000);
    });
    await world.add();
    await world.advance(10);
    const patient = worker.close({ timeout: "20s" });
    await world.advance(1000);
    const later = worker.close({ timeout: "1h" });
    const hasty = worker.close({ timeout: 100 });
    await world.advance(99);
    expect([reasons, worker.health().state]).toEqual([[], "closing"]);
    await world.advance(2);
    await Promise.all([patient, later, hasty]);
    expect(reasons).toEqual(["closing"]);
    expect(await world.counts()).toMatchObject({ pending: 1, active: 0 });
    expect(world.releases).toBe(1);
    // The handler's own timer.
    expect(world.ports.clock.timerCount).toBe(1);
    await world.closeAll();
  });

  test("works before the worker has begun, and keeps it from beginning", async () => {
    const world = setup();
    await world.add();
    const worker = world.worker(() => {}, { autorun: false });
    await worker.close();
    void worker.run();
    await world.advance(3000);
    expect(await world.counts()).toMatchObject({ pending: 1 });
    expect(world.ports.clock.timerCount).toBe(0);
  });

  test("ends within its deadline when the server is away, and leaves nothing (PB-059)", async () => {
    const world = setup();
    const worker = world.worker(() => {});
    await world.advance(1500);
    world.engine.goDown();
    const closed = worker.close();
    await world.advance(1000);
    await closed;
    expect(world.ports.clock.timerCount).toBe(0);
    expect(worker.isRunning()).toBe(false);
  });

  test("settles a job whose server went away and came back meanwhile (PB-058)", async () => {
    const world = setup();
    let runs = 0;
    const worker = world.worker(async () => {
      runs += 1;
      await world.pause(2000);
    });
    await world.add();
    await world.advance(10);
    const closed = worker.close();
    await world.advance(1000);
    world.engine.goDown();
    await world.advance(4000);
    world.engine.comeBack();
    await world.advance(2000);
    await closed;
    expect(runs).toBe(1);
    expect(await world.counts()).toMatchObject({ completed: 1, active: 0 });
    expect(world.ports.clock.timerCount).toBe(0);
  });

  test("gives up at its deadline when the server stays away with a settlement, and says so", async () => {
    const world = setup();
    const worker = world.worker(async () => await world.pause(200));
    await world.add();
    await world.advance(10);
    world.engine.goDown();
    const closed = worker.close({ timeout: 1000 });
    await world.advance(1500);
    await closed;
    expect(world.ports.logger.messages("warn").join()).toContain("1 settlements");
    expect(world.ports.clock.timerCount).toBe(0);
    expect(await world.counts()).toMatchObject({ active: 1 });
  });

  test("answers for a token that came while it closed", async () => {
    const world = setup();
    const worker = world.worker(() => {});
    await world.advance(100);
    const closed = worker.close();
    await world.add();
    await world.settle();
    await closed;
    const seen: unknown[] = [];
    world.workerOn(world.otherEngine(), () => void seen.push(1));
    await world.settle();
    expect(seen).toEqual([1]);
    await world.closeAll();
  });

  test("lets no listener and no logger that fail end the process", async () => {
    const world = setup();
    const logger = {
      debug: failing,
      info: failing,
      warn: failing,
      error: failing,
    };
    const completed: unknown[] = [];
    const worker = world.worker(() => "done", { logger });
    worker.on("completed", failing);
    worker.on("completed", async () => failing());
    worker.on("completed", (_job, result) => completed.push(result));
    await world.addMany(2);
    await world.advance(1000);
    expect(completed).toEqual(["done", "done"]);
    await world.closeAll();
  });

  test("refuses an unknown option and a deadline that is no time", async () => {
    const world = setup();
    const worker = world.worker(() => {}, { autorun: false });
    expect(thrownBy(() => worker.close({ force: true } as never))).toMatchObject({ code: "unknown_option" });
    expect(thrownBy(() => worker.close({ timeout: -1 }))).toMatchObject({ code: "invalid_option" });
    await worker.close();
  });

  test("happens at the end of a block that uses the worker", async () => {
    const world = setup();
    let outside: WorkerCore | undefined;
    {
      await using worker = world.worker(() => {}, { autorun: false });
      outside = worker;
      expect(outside.health().state).toBe("idle");
    }
    expect(outside.health().state).toBe("closed");
  });
});

describe("leases", () => {
  test("are renewed for as long as a handler runs", async () => {
    const world = setup();
    let runs = 0;
    world.worker(
      async () => {
        runs += 1;
        await world.pause(20_000);
      },
      { lease: 1000 },
    );
    // It has room, and would take the job as soon as its lease lapsed.
    const waiting = world.workerOn(world.otherEngine(), () => void runs++, { concurrency: 5 });
    await world.advance(10);
    await waiting.pause();
    await world.add();
    await world.advance(10);
    waiting.resume();
    await world.advance(21_000);
    expect(runs).toBe(1);
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
  });

  test("are renewed in acts of at most 1000", async () => {
    const world = setup();
    await world.add(...Array.from({ length: 2300 }, () => ({})).slice(0, 1000));
    await world.add(...Array.from({ length: 1000 }, () => ({})));
    await world.add(...Array.from({ length: 300 }, () => ({})));
    world.worker(async () => await world.pause(3000), { lease: 3000, concurrency: 2300 });
    await world.advance(1500);
    const renewals = world.engine.sent("EXTENDM");
    expect(renewals.map(({ args }) => (args.length - 1) / 2)).toEqual([1000, 1000, 300]);
    await world.advance(3000);
    expect(await world.counts()).toMatchObject({ completed: 2300 });
    await world.closeAll();
  });

  test("that are lost abort the handler before the second one starts or within one renewal (PB-029, PB-052)", async () => {
    const world = setup();
    const told: unknown[] = [];
    const first = world.worker(
      async (_job, { signal }) => {
        signal.addEventListener("abort", () => told.push([(signal.reason as EchoMQError).code, world.elapsedMs]));
        await world.pause(10_000);
        return "late";
      },
      { lease: 1000 },
    );
    first.on("lease-lost", (job, { id }) => told.push(["lease-lost", job?.id === id]));
    first.on("completed", () => told.push("completed"));
    const [id] = await world.add();
    await world.advance(100);
    // The first process is cut off; the rest of the world takes its job over.
    world.engine.setState("down");
    let secondAt = 0;
    const second = world.workerOn(
      world.otherEngine(),
      async () => {
        secondAt = world.elapsedMs;
        await world.pause(20_000);
      },
      { lease: 1000 },
    );
    await world.advance(2500);
    expect(secondAt).toBeGreaterThan(1000);
    const abortedAt = (told.find((entry) => Array.isArray(entry) && entry[0] === "lease_lost") as [string, number])[1];
    expect(abortedAt).toBeLessThanOrEqual(secondAt + 334);
    expect(told).toContainEqual(["lease-lost", true]);
    world.engine.comeBack();
    await world.advance(9000);
    // Nothing of the first changes anything.
    expect(told).not.toContain("completed");
    expect((await world.jobs.getRow(QUEUE, id ?? ""))?.get("owner")).toBe(second.id);
    expect(await world.counts()).toMatchObject({ active: 1, completed: 0 });
    await world.advance(15_000);
    expect(await world.counts()).toMatchObject({ active: 0, completed: 1 });
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("are lost when an operator removes the job, and the end of the handler makes no key (PB-026)", async () => {
    const world = setup();
    const lost: string[] = [];
    const worker = world.worker(async () => await world.pause(5000), { lease: 900 });
    worker.on("lease-lost", (_job, { id }) => lost.push(id));
    const [id = ""] = await world.add();
    await world.advance(50);
    await world.jobs.removeJob(QUEUE, id, "", { force: true });
    await world.advance(6000);
    expect(lost).toEqual([id]);
    expect(await world.jobs.getRow(QUEUE, id)).toBeUndefined();
    expect(await world.counts()).toMatchObject({ completed: 0, active: 0 });
    await world.closeAll();
  });

  test("that are lost by the hundred are told one by one to listeners, and in few lines to the log", async () => {
    const world = setup();
    let lost = 0;
    const worker = world.worker(async () => await world.pause(5000), { lease: 900, concurrency: 200 });
    worker.on("lease-lost", () => {
      lost += 1;
    });
    const ids = await world.addMany(200);
    await world.advance(50);
    for (const id of ids) await world.jobs.removeJob(QUEUE, id, "", { force: true });
    await world.advance(20_000);
    expect(lost).toBe(200);
    expect(world.ports.logger.messages("warn")).toHaveLength(6);
    expect(world.ports.logger.messages("warn").at(-1)).toContain("195 more jobs");
    await world.closeAll();
    // The one that is left is of the store, which forgets the tokens of removed jobs after a day.
    expect(world.ports.clock.timerCount).toBe(1);
  });

  test("that lapse too often end the job, and others run on (PB-031, PB-053)", async () => {
    const world = setup();
    const [poison = ""] = await world.add();
    // A process that claims and dies, three times.
    for (let death = 0; death < 3; death++) {
      const engine = world.otherEngine();
      const doomed = world.workerOn(engine, async () => await world.pause(1_000_000), { lease: 500 });
      await world.advance(200);
      engine.setState("closed");
      await world.advance(2000);
      await doomed.close({ timeout: 0 });
      const sweeping = world.workerOn(world.otherEngine(), () => {});
      void sweeping.pause();
      await world.advance(1500);
      await sweeping.close();
    }
    expect((await world.jobs.getRow(QUEUE, poison))?.get("state")).toBe("dead");
    world.worker(() => {});
    await world.addMany(5);
    await world.advance(100);
    expect(await world.counts()).toMatchObject({ dead: 1, completed: 5 });
    await world.closeAll();
  });
});

describe("a server that fails", () => {
  test("is asked again until it answers, and everything runs once it is back (PB-001)", async () => {
    for (const outageMs of [1000, 6000, 20_000, 60_000]) {
      const world = setup();
      const worker = world.worker(() => {});
      await world.advance(500);
      world.engine.goDown();
      await world.advance(outageMs);
      expect(worker.health()).toMatchObject({ isConsuming: false, state: "running" });
      expect(worker.health().notConsumingSince).toBeLessThanOrEqual(world.ports.clock.now() - outageMs + 1000);
      world.engine.comeBack();
      await world.addMany(3);
      await world.advance(2000);
      expect(await world.counts()).toMatchObject({ completed: 3 });
      expect(worker.health()).toMatchObject({ isConsuming: true, notConsumingSince: undefined });
      await world.closeAll();
    }
  });

  test("makes no flood of lines, and no load (PB-010)", async () => {
    const world = setup();
    world.engine.faultOf = () => ({ error: broken(), when: "before" });
    world.worker(() => {});
    await world.advance(10_000);
    expect(world.ports.logger.messages("warn").length).toBeLessThanOrEqual(8);
    expect(world.ports.logger.messages("warn").length).toBeGreaterThan(1);
    expect(world.engine.acts.length).toBeLessThan(60);
    await world.advance(600_000);
    expect(world.ports.logger.messages("warn").length).toBeLessThanOrEqual(20);
    await world.closeAll();
  });

  test("tells a listener of errors once a step, and then nothing to the log", async () => {
    const world = setup();
    world.engine.faultOf = () => ({ error: broken(), when: "before" });
    const worker = world.worker(() => {});
    let errors = 0;
    worker.on("error", () => {
      errors += 1;
    });
    await world.advance(10_000);
    expect(errors).toBeGreaterThan(1);
    expect(errors).toBeLessThanOrEqual(20);
    expect(world.ports.logger.messages("warn")).toEqual([]);
    await world.closeAll();
  });

  test("starts no worker that it will never serve, and the worker says so", async () => {
    const world = setup();
    world.engine.readyFault = new EchoMQError("fence", "wire version is echomq:3.0.0");
    const worker = world.worker(() => {}, { autorun: false });
    const ended = worker.run();
    await world.advance(100);
    await ended;
    expect(worker.isRunning()).toBe(false);
    expect(worker.health()).toMatchObject({ state: "failed", isConsuming: false });
    expect(world.ports.logger.messages("error").join()).toContain("echomq:3.0.0");
    await expect(worker.waitUntilReady()).rejects.toMatchObject({ code: "fence" });
    expect(world.ports.clock.timerCount).toBe(0);
    await worker.close();
  });

  test("that refuses the worker when it comes back is not asked for ever: the worker has failed and says so", async () => {
    const world = setup();
    const reasons: unknown[] = [];
    const worker = world.worker(async (_job, { signal }) => {
      signal.addEventListener("abort", () => reasons.push((signal.reason as EchoMQError).code));
      await world.pause(60_000);
    });
    const ended = worker.run();
    await world.add();
    await world.advance(10);
    world.engine.goDown();
    await world.advance(500);
    world.engine.comeBack();
    await world.advance(500);
    expect([worker.health().state, reasons]).toEqual(["running", []]);
    world.engine.goDown();
    await world.advance(500);
    world.engine.refuse(new EchoMQError("auth", "WRONGPASS the password was changed"));
    await world.advance(1000);
    await ended;
    expect(worker.health()).toMatchObject({ state: "failed", isConsuming: false });
    expect(world.ports.logger.messages("error").join()).toContain("WRONGPASS");
    expect(reasons).toEqual(["lease_lost"]);
    await worker.close();
  });

  test("that comes only later is waited for", async () => {
    const world = setup();
    world.engine.state = "connecting";
    await world.add();
    const worker = world.worker(() => {});
    await world.advance(10_000);
    expect(worker.health()).toMatchObject({ state: "starting", isConsuming: false });
    world.engine.comeBack();
    await world.advance(10);
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
  });

  test("loses a settlement on its way: it is sent again", async () => {
    const world = setup();
    let failures = 3;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN" || act.args.length === 3 || failures === 0) return undefined;
      failures -= 1;
      return { error: broken(), when: "before" };
    };
    const worker = world.worker(() => "done");
    let completed = 0;
    worker.on("completed", () => {
      completed += 1;
    });
    await world.addMany(5);
    await world.advance(3000);
    expect(completed).toBe(5);
    expect(await world.counts()).toMatchObject({ completed: 5, active: 0 });
    await world.closeAll();
  });

  test("loses the reply to a settlement: the repetition finds the job gone, which is no error", async () => {
    const world = setup();
    let isFirst = true;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN" || act.args.length === 3 || !isFirst) return undefined;
      isFirst = false;
      return { error: broken(), when: "after" };
    };
    const told: unknown[] = [];
    const worker = world.worker(() => "done");
    worker.on("completed", (_job, result) => told.push(result));
    worker.on("lease-lost", () => told.push("lease-lost"));
    await world.add();
    await world.advance(3000);
    expect(told).toEqual(["done"]);
    expect(await world.counts()).toMatchObject({ completed: 1, active: 0 });
    await world.closeAll();
  });

  test("cannot send a settlement: that the job is gone afterwards is nobody's success", async () => {
    const world = setup();
    const [id] = await world.add();
    let isFirst = true;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN" || !act.args.includes("r") || !isFirst) return undefined;
      isFirst = false;
      return { error: new EchoMQError("disconnected", "away", { details: { sent: false } }), when: "before" };
    };
    const told: unknown[] = [];
    const worker = world.worker(() => "done");
    worker.on("completed", () => told.push("completed"));
    worker.on("lease-lost", () => told.push("lease-lost"));
    await world.advance(10);
    await world.engine.store.command(["DEL", `emq:{${QUEUE}}:job:${id}`]);
    await world.engine.store.command(["ZREM", `emq:{${QUEUE}}:active`, id ?? ""]);
    await world.advance(3000);
    expect(told).toEqual(["lease-lost"]);
    expect(world.engine.sent("OWNED")).toEqual([]);
    await world.closeAll();
  });

  test("loses the reply to a failure: the attempt is spent once", async () => {
    const world = setup();
    let isFirst = true;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN" || act.args.length === 3 || !isFirst) return undefined;
      isFirst = false;
      return { error: broken(), when: "after" };
    };
    const runs: number[] = [];
    world.worker(
      (job) => {
        runs.push(job.attempt);
        if (runs.length === 1) throw new Error("once");
      },
      { backoff: 10_000 },
    );
    await world.add();
    await world.advance(30_000);
    expect(runs).toEqual([1, 2]);
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
  });

  test("loses the reply to a claim: the jobs are found again by their owner, at once and with the same token", async () => {
    const world = setup();
    await world.addMany(4);
    let isFirst = true;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN" || !isFirst) return undefined;
      isFirst = false;
      return { error: broken(), when: "after" };
    };
    const tokens: number[] = [];
    world.worker((job) => void tokens.push(job.token), { concurrency: 4 });
    await world.advance(500);
    expect(tokens).toEqual([1, 1, 1, 1]);
    // The second one finds that there are no more.
    expect(world.engine.sent("OWNED")).toHaveLength(2);
    expect(await world.counts()).toMatchObject({ completed: 4, active: 0 });
    await world.closeAll();
  });

  test("loses the reply to a claim while another TURN is on its way: no job runs twice", async () => {
    const world = setup();
    world.engine.latencyMs = 5;
    await world.addMany(200);
    let turns = 0;
    world.engine.faultOf = (act) => {
      if (act.verb !== "TURN") return undefined;
      turns += 1;
      return turns % 3 === 0 ? { error: broken(), when: "after" } : undefined;
    };
    const runs: Record<string, number> = {};
    world.worker(
      async (job) => {
        runs[job.id] = (runs[job.id] ?? 0) + 1;
        await world.pause(3);
      },
      { concurrency: 20 },
    );
    await world.advance(60_000);
    expect(Object.keys(runs)).toHaveLength(200);
    expect(Object.values(runs).every((times) => times === 1)).toBe(true);
    expect(await world.counts()).toMatchObject({ completed: 200, active: 0, pending: 0 });
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("loses the blocking connection: the worker asks by itself (PB-002)", async () => {
    const world = setup();
    let ran = 0;
    world.worker(() => {
      ran += 1;
    });
    await world.advance(100);
    // The token of this add goes down with the connection.
    world.engine.goDown();
    await world.add({}, {}, {}, {}, {}, { dueInMs: 1 }, { dueInMs: 2 }, { dueInMs: 3 });
    await world.advance(200);
    world.engine.comeBack();
    await world.advance(1500);
    expect(ran).toBe(8);
    await world.closeAll();
  });

  test("is busy for a while: nothing is taken for lost", async () => {
    const world = setup();
    let isBusy = false;
    world.engine.faultOf = () =>
      isBusy ? { error: new EchoMQError("server_busy", "LOADING"), when: "before" } : undefined;
    const worker = world.worker(async () => await world.pause(1000), { concurrency: 5 });
    const lost: unknown[] = [];
    worker.on("lease-lost", () => lost.push(1));
    await world.addMany(5);
    await world.advance(100);
    isBusy = true;
    await world.advance(10_000);
    isBusy = false;
    await world.advance(2000);
    expect(lost).toEqual([]);
    expect(world.engine.sent("OWNED")).toEqual([]);
    expect(await world.counts()).toMatchObject({ completed: 5 });
    await world.closeAll();
  });
});

describe("the job in the hand of a handler", () => {
  test("carries its data, name, lane and counts", async () => {
    const world = setup();
    const seen: WorkerJob[] = [];
    world.worker((job) => void seen.push(job));
    const [id] = await world.add({ data: { to: "ada" }, name: "welcome", lane: "tenant" });
    await world.advance(10);
    expect(seen[0]).toMatchObject({ id, name: "welcome", lane: "tenant", data: { to: "ada" }, token: 1, attempt: 1 });
    expect(seen[0]?.createdAt.getTime()).toBe(1_719_792_000_000);
    await world.closeAll();
  });

  test("may take its context apart", async () => {
    const world = setup();
    const told: unknown[] = [];
    world.worker(async (_job, { token, signal, log, progress, children }) => {
      told.push(token, signal.aborted, await log("one"), await progress(50), typeof children);
    });
    await world.add();
    await world.advance(10);
    expect(told).toEqual([1, false, 1, "ok", "object"]);
    await world.closeAll();
  });

  test("writes data, progress and log lines with its token, which a lost lease makes useless", async () => {
    const world = setup();
    const answers: unknown[] = [];
    const errors: unknown[] = [];
    world.worker(
      async (job, context) => {
        answers.push(await context.log("one"), await job.log("two"), await context.progress(50));
        answers.push(await job.updateData({ step: 2 }), await job.getState(), await job.getLogs());
        await world.jobs.giveBack(QUEUE, job.id, job.token);
        await world.jobs.claim(QUEUE, 60_000);
        for (const write of [() => context.log("x"), () => context.progress(1), () => job.updateData({})]) {
          await write().catch((error) => errors.push((error as EchoMQError).code));
        }
      },
      { lease: "1h" },
    );
    const [id = ""] = await world.add();
    await world.advance(10);
    expect(answers).toEqual([1, 2, "ok", "ok", "active", ["one", "two"]]);
    expect(errors).toEqual(["lease_lost", "lease_lost", "lease_lost"]);
    expect((await world.jobs.getRow(QUEUE, id))?.get("payload")).toBe('{"step":2}');
    await world.closeAll();
  });
});
