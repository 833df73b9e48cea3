/**
 * A world for one test: queues and workers of production on time, chance and faults that the test holds in its hand.
 */

import { setTimeout as realWork } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FlowProducer, Queue, QueueEvents, snooze, UnrecoverableError, Worker } from "../../../src/index.ts";
import { isEchoMQError } from "../../../src/protocol/errors.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createTestWorld, type TestWorldOptions } from "../../../src/testing/test-world.ts";

interface Mail {
  welcome: { to: string; tags?: string[] };
  digest: { day: number };
}

function setup(options: TestWorldOptions = {}) {
  const world = createTestWorld(options);
  return { world, mail: world.queue<Mail>("mail") };
}

/** What a promise rejects with, as text. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return isEchoMQError(error) ? `${error.code}: ${error.message}` : String(error);
  }
  return "nothing";
}

describe("time", () => {
  it("runs what is due when the clock moves", async () => {
    const { world, mail } = setup();
    const ran: string[] = [];
    world.worker<Mail>("mail", (job) => void ran.push(job.name));
    await mail.add("welcome", { to: "ada" }, { delay: "1h" });
    await world.clock.advance("59m");
    expect(ran).toEqual([]);
    await world.clock.advance("1m");
    expect(ran).toEqual(["welcome"]);
    await world.close();
  });

  it("is the same for the same seed, ids included", async () => {
    const run = async (seed: number) => {
      const { world, mail } = setup({ seed });
      const { id } = await mail.add("digest", { day: 1 });
      await world.close();
      return id;
    };
    expect(await run(7)).toBe(await run(7));
    expect(await run(7)).not.toBe(await run(8));
  });

  it("may be stepped as an operator steps a clock, and moves nothing that was set", async () => {
    const { world, mail } = setup();
    const ran: number[] = [];
    world.worker<Mail>("mail", () => void ran.push(world.clock.now()));
    const begin = world.clock.now();
    world.clock.shift(-3_600_000);
    await mail.add("digest", { day: 1 }, { delay: "1h" });
    await world.clock.advance("1h");
    expect(ran).toEqual([begin]);
    await world.close();
  });
});

describe("drain", () => {
  it("runs what waits and what that adds, and says what ran", async () => {
    const { world, mail } = setup();
    world.worker<Mail>("mail", {
      welcome: async (job) => {
        if (job.data.to === "nobody") throw new UnrecoverableError("no such user");
        await mail.add("digest", { day: 1 });
      },
      digest: () => {},
    });
    await mail.add("welcome", { to: "ada" });
    await mail.add("welcome", { to: "nobody" });
    const later = await mail.add("digest", { day: 2 }, { delay: "1d" });
    const { completed, failed } = await world.drain();
    expect(completed).toBe(2);
    expect(failed).toMatchObject([{ name: "welcome", outcome: "dead", error: { message: "no such user" } }]);
    expect(await later.getState()).toBe("scheduled");
    await world.close();
  });

  it("alone runs the workers that do not run by themselves", async () => {
    const { world, mail } = setup();
    world.worker<Mail>("mail", () => {}, { autorun: false });
    await mail.add("digest", { day: 1 });
    await world.clock.advance("1h");
    expect(await mail.count()).toBe(1);
    expect(await world.drain()).toEqual({ completed: 1, failed: [] });
    await mail.add("digest", { day: 2 });
    await world.clock.advance("1h");
    expect(await mail.count()).toBe(1);
    expect(await world.drain()).toEqual({ completed: 1, failed: [] });
    expect(await checkInvariants(world.connection, "mail")).toEqual([]);
    await world.close();
  });

  it("goes on with retries and delayed jobs when asked, through all of their time", async () => {
    const { world, mail } = setup();
    const begin = world.clock.now();
    const hours: number[] = [];
    world.worker<Mail>(
      "mail",
      (job) => {
        hours.push(Math.round((world.clock.now() - begin) / 3_600_000));
        if (job.attempt < 3) throw new Error(`attempt ${job.attempt}`);
      },
      { attempts: 5, backoff: { type: "fixed", delay: "2h" } },
    );
    await mail.add("welcome", { to: "ada" });
    await mail.add("digest", { day: 1 }, { delay: "3d" });
    const { completed, failed } = await world.drain({ scheduled: true });
    expect(completed).toBe(2);
    expect(failed.map(({ error, outcome }) => [String(error), outcome])).toEqual([
      ["Error: attempt 1", "scheduled"],
      ["Error: attempt 2", "scheduled"],
      ["Error: attempt 1", "scheduled"],
      ["Error: attempt 2", "scheduled"],
    ]);
    expect(hours).toEqual([0, 2, 4, 72, 74, 76]);
    await world.close();
  });

  it("waits for real work of handlers, over which time stands still", async () => {
    const { world, mail } = setup();
    const begin = world.clock.now();
    world.worker<Mail>("mail", async () => await realWork(20, "done"), { timeout: "1s", lease: "1s" });
    const job = await mail.add("digest", { day: 1 }, { keepResult: "1h" });
    expect(await world.drain({ scheduled: true })).toEqual({ completed: 1, failed: [] });
    expect(await job.result()).toBe("done");
    expect(world.clock.now() - begin).toBeLessThan(1000);
    await world.close();
  });

  it("says which jobs nobody takes, and why", async () => {
    const { world, mail } = setup();
    await mail.add("digest", { day: 1 });
    expect(await refusal(world.drain())).toMatch(/^Error: 1 jobs of queue "mail" are left .*: .*no worker/i);
    expect(await refusal(world.drain({ scheduled: true }))).toMatch(/no worker/i);
    world.worker<Mail>("mail", () => {});
    await mail.pause();
    expect(await refusal(world.drain({ scheduled: true }))).toMatch(/paused/);
    await mail.resume();
    await mail.add("digest", { day: 2 }, { delay: "8d" });
    expect(await refusal(world.drain({ scheduled: true }))).toMatch(/1 jobs of queue "mail" are left/);
    await world.close();
  });

  it("lets the test's own timers fire while jobs make jobs without end", async () => {
    const { world, mail } = setup();
    let isStopped = false;
    world.worker<Mail>("mail", async (job) => {
      if (!isStopped) await mail.add("digest", { day: job.attempt });
    });
    await mail.add("digest", { day: 0 });
    // What a test runner does when a test takes too long; without a turn of the event loop it would never come to it.
    const stop = realWork(50).then(() => {
      isStopped = true;
    });
    const { completed } = await world.drain();
    await stop;
    expect(completed).toBeGreaterThan(1);
    await world.close();
  });

  it("says which handler does not end, within its patience", async () => {
    const { world, mail } = setup({ patience: 50 });
    world.worker<Mail>("mail", () => new Promise(() => {}));
    const { id } = await mail.add("digest", { day: 1 });
    expect(await refusal(world.drain())).toContain(`the handler of job ${id} of queue "mail" is still at work`);
    await world.close();
  });

  it("drains flows across queues, snoozed jobs and rates", async () => {
    const { world, mail } = setup();
    const flows = new FlowProducer({ connection: world.connection });
    const ran: string[] = [];
    let isSnoozed = false;
    world.worker("mail", (job) => {
      if (job.name === "welcome" && !isSnoozed) {
        isSnoozed = true;
        throw snooze("1h");
      }
      ran.push(job.name);
    });
    world.worker("pages", (job) => void ran.push(job.name));
    await mail.setLimits({ rate: { max: 1, duration: "10m" } });
    await mail.add("welcome", { to: "ada" });
    await flows.add({
      queueName: "mail",
      name: "digest",
      data: {},
      children: [{ queueName: "pages", name: "page", data: {} }],
    });
    expect((await world.drain({ scheduled: true })).failed).toEqual([]);
    expect([...ran].sort()).toEqual(["digest", "page", "welcome"]);
    await flows.close();
    await world.close();
  });
});

describe("inline", () => {
  it("add runs the job, and what it adds, before it resolves", async () => {
    const { world, mail } = setup({ inline: true });
    const ran: string[] = [];
    world.worker<Mail>("mail", {
      welcome: async ({ data }) => {
        ran.push(`welcome ${data.to}`);
        await mail.add("digest", { day: 1 });
        await realWork(5);
        ran.push("welcomed");
      },
      digest: ({ data }) => void ran.push(`digest ${data.day}`),
    });
    const job = await mail.add("welcome", { to: "ada" });
    expect(ran).toEqual(["welcome ada", "welcomed", "digest 1"]);
    expect(await job.getState()).toBe("absent");
    await mail.addBulk([
      { name: "digest", data: { day: 2 } },
      { name: "digest", data: { day: 3 } },
    ]);
    expect(ran.slice(3)).toEqual(["digest 2", "digest 3"]);
    await world.close();
  });

  it("add rejects with the very error of the handler, and the job stands as in production", async () => {
    const { world, mail } = setup({ inline: true });
    const fault = new Error("no connection");
    world.worker<Mail>("mail", () => {
      throw fault;
    });
    await expect(mail.add("digest", { day: 1 })).rejects.toBe(fault);
    await expect(mail.addBulk([{ name: "digest", data: { day: 2 } }])).rejects.toBe(fault);
    expect(await mail.getJobCounts("schedule")).toEqual({ schedule: 2 });
    await world.close();
  });

  it("holds for queues that others make on the connection too", async () => {
    const { world } = setup({ inline: true });
    const connection = world.connection;
    const queue = new Queue("app", { connection });
    let runs = 0;
    const run = async (): Promise<void> => {
      await realWork(5);
      runs++;
    };
    const worker = new Worker("app", run, { connection });
    await queue.add("x", {});
    expect(runs).toBe(1);
    expect(await queue.addAndWait("x", {})).toBeUndefined();
    await worker.close({ timeout: 0 });
    await queue.close();
    await world.close();
  });

  it("leaves a delayed job to its time", async () => {
    const { world, mail } = setup({ inline: true });
    world.worker<Mail>("mail", () => {});
    const job = await mail.add("digest", { day: 1 }, { delay: "1h" });
    expect(await job.getState()).toBe("scheduled");
    await world.close();
  });
});

describe("waiting for a state", () => {
  it("moves time as far as it takes", async () => {
    const { world, mail } = setup();
    const begin = world.clock.now();
    world.worker<Mail>(
      "mail",
      () => {
        throw new Error("no connection");
      },
      { attempts: 3, backoff: { type: "fixed", delay: "1d" } },
    );
    const job = await mail.add("digest", { day: 1 });
    await world.waitForState(job, "dead");
    expect(world.clock.now() - begin).toBe(2 * 86_400_000);
    expect(await job.getState()).toBe("dead");
    await world.close();
  });

  it("sees every state on the way, also of jobs of which nothing is kept", async () => {
    const { world, mail } = setup();
    const job = await mail.add("digest", { day: 1 }, { delay: "1h" });
    const gone = await mail.add("welcome", { to: "nobody" }, { removeOnFail: true, attempts: 1 });
    await world.waitForState(job, "scheduled");
    await world.waitForState(gone.id, "pending");
    let go = (): void => {};
    world.worker<Mail>("mail", async ({ name }) => {
      if (name === "welcome") throw new Error("no");
      await new Promise<void>((resolve) => {
        go = resolve;
      });
    });
    await world.waitForState(gone, "dead");
    await world.waitForState(job, "active");
    go();
    await world.waitForState(job, "completed");
    await world.waitForState(job, "completed");
    expect(await refusal(world.waitForState(gone, "completed", { within: 0 }))).toContain("is absent");
    await world.close();
  });

  it("goes along with a clock that the test moves itself", async () => {
    const { world, mail } = setup();
    world.worker<Mail>("mail", () => {});
    const job = await mail.add("digest", { day: 1 }, { delay: "1h" });
    const done = world.waitForState(job, "completed");
    await world.clock.advance("2h");
    await done;
    await world.close();
  });

  it("says where the job is and why it does not get there", async () => {
    const { world, mail } = setup();
    const job = await mail.add("digest", { day: 1 });
    expect(await refusal(world.waitForState(job, "completed"))).toMatch(
      /^Error: job JOB\w+ of queue "mail" is pending and did not become completed within 7d\. .*no worker/i,
    );
    expect(await refusal(world.waitForState("JOB0000000000x", "dead"))).toMatch(/no job .* was added in this world/);
    expect(await refusal(world.waitForState(job, "complete" as "completed"))).toMatch(
      /^unknown_state: .*did you mean completed\?/,
    );
    await world.close();
  });
});

describe("what was added", () => {
  it("is found by any part of it, whatever became of it since", async () => {
    const { world, mail } = setup();
    world.worker<Mail>("mail", () => {});
    await mail.add("welcome", { to: "ada", tags: ["a", "b"] }, { priority: 3, jobId: "first" });
    await mail.add("digest", { day: 1 }, { delay: "90m" });
    await world.drain({ scheduled: true });
    expect(await mail.count()).toBe(0);
    const found = await world.assertAdded(mail, { name: "welcome", data: { to: "ada" } });
    expect(found).toMatchObject({ queue: "mail", state: "pending", priority: 3, jobId: "first", delayMs: 0 });
    await world.assertAdded(mail, { name: "digest", delay: "1.5h" }, { times: 1 });
    await world.assertAdded("mail", { data: { tags: [expect.any(String), "b"] } });
    await world.assertNotAdded(mail, { name: "welcome", data: { to: "bob" } });
    await world.assertNotAdded("other", {});
    expect((await world.added(mail)).map(({ name, data }) => [name, data])).toEqual([
      ["welcome", { to: "ada", tags: ["a", "b"] }],
      ["digest", { day: 1 }],
    ]);
    await world.close();
  });

  it("that is missed shows the nearest job and where it differs", async () => {
    const { world, mail } = setup();
    expect(await refusal(world.assertAdded(mail, { name: "welcome" }))).toBe(
      'AssertionError: no job of queue mail was added like {"name":"welcome"}: none was added to it at all',
    );
    await mail.add("digest", { day: 1 });
    await mail.add("welcome", { to: "bob", tags: ["a"] }, { delay: "1m" });
    const text = await refusal(world.assertAdded(mail, { name: "welcome", data: { to: "ada" }, delay: "1h" }));
    expect(text.replaceAll(/JOB\w{11}/g, "JOB…")).toBe(
      [
        'AssertionError: no job of queue mail was added like {"name":"welcome","data":{"to":"ada"},"delay":"1h"}',
        "2 were added, the nearest is JOB… (welcome, scheduled):",
        '  data.to: "ada" wanted, "bob" is',
        "  delayMs: 3600000 wanted, 60000 is",
      ].join("\n"),
    );
    expect(await refusal(world.assertAdded(mail, {}, { times: 3 }))).toMatch(
      /^AssertionError: 2 jobs of queue mail and not 3 were added like \{\}\n {2}JOB\w+ \(digest, pending\): /,
    );
    expect(await refusal(world.assertNotAdded(mail, { name: "digest" }))).toMatch(
      /^AssertionError: a job was added to queue mail like \{"name":"digest"\}:\n {2}JOB/,
    );
    expect(await refusal(world.assertAdded("mail", { nam: "x" } as object))).toMatch(/^unknown_option: .*name\?/);
    await world.close();
  });

  it("counts children of flows, jobs of schedulers and of other producers, and no job that was held back", async () => {
    const { world, mail } = setup();
    const { connection } = world;
    const flows = new FlowProducer({ connection });
    await flows.add({
      queueName: "mail",
      name: "digest",
      data: { day: 1 },
      children: [{ queueName: "pages", name: "page", data: {} }],
    });
    await world.assertAdded("pages", { name: "page" });
    await world.assertAdded("mail", { name: "digest", state: "awaiting_children" });
    world.worker("tick", () => {});
    const tick = world.queue("tick");
    await tick.upsertJobScheduler("hourly", { every: "1h" }, { name: "tock" });
    await world.clock.advance("3h");
    expect((await world.added(tick)).length).toBeGreaterThanOrEqual(3);
    await world.assertAdded(tick, { name: "tock", schedulerId: "hourly" });
    await mail.add("welcome", { to: "a" }, { jobId: "one" });
    await mail.add("welcome", { to: "b" }, { jobId: "one" });
    await world.assertAdded(mail, { name: "welcome" }, { times: 1 });
    await flows.close();
    await world.close();
  });
});

describe("faults", () => {
  it("refuses a fault that could meet nothing", async () => {
    const { world } = setup();
    const arm = (options: object) => refusal((async () => world.faults.refuseNext(options))());
    expect(await arm({ verb: "ADMTI" })).toContain('verb of a fault is not known: "ADMTI": did you mean ADMIT?');
    expect(await arm({ verb: "toString" })).toContain("invalid_option");
    expect(await arm({ code: "server_bussy" })).toContain("did you mean server_busy?");
    await world.close();
  });

  it("refuse the next act, which is not done", async () => {
    const { world, mail } = setup();
    world.faults.refuseNext({ verb: "ADMIT" });
    expect(await refusal(mail.add("digest", { day: 1 }))).toMatch(/^server_busy: /);
    expect(await mail.count()).toBe(0);
    await mail.add("digest", { day: 1 });
    world.faults.refuseNext({ verb: "ADMIT", code: "out_of_memory", times: 2 });
    expect(await refusal(mail.add("digest", { day: 1 }))).toMatch(/^out_of_memory: /);
    expect(await refusal(mail.add("digest", { day: 1 }))).toMatch(/^out_of_memory: /);
    expect(await mail.count()).toBe(1);
    await world.close();
  });

  it("lose the answer of the next act, which is done", async () => {
    const { world, mail } = setup();
    world.faults.loseNextAnswer({ verb: "ADMIT" });
    expect(await refusal(mail.add("digest", { day: 1 }))).toMatch(/^disconnected: /);
    expect(await mail.count()).toBe(1);
    await world.close();
  });

  it("of a settlement make a worker settle again, and no job runs twice", async () => {
    const { world, mail } = setup();
    let runs = 0;
    const worker = world.worker<Mail>("mail", () => void runs++);
    await world.drain();
    const job = await mail.add("digest", { day: 1 });
    await world.clock.settle();
    expect(runs).toBe(1);
    worker.on("active", () => world.faults.loseNextAnswer({ verb: "TURN" }));
    const second = await mail.add("digest", { day: 2 });
    await world.waitForState(job, "completed");
    await world.waitForState(second, "completed");
    // The store has it; the worker hears of it when it asks again.
    await world.clock.advance("10s");
    expect(await world.drain()).toEqual({ completed: 2, failed: [] });
    expect(runs).toBe(2);
    await world.close();
  });

  it("keep the server away: calls wait for it and are refused after their time, workers go on when it is back", async () => {
    const { world, mail } = setup();
    const ran: number[] = [];
    world.worker<Mail>("mail", { digest: ({ data }) => void ran.push(data.day) });
    await world.drain();
    const outage = world.faults.outage();
    const refused = refusal(mail.add("digest", { day: 1 }));
    await world.clock.advance("5s");
    expect(await refused).toMatch(/^disconnected: /);
    const added = mail.add("digest", { day: 2 });
    await world.clock.advance("1s");
    outage.end();
    await added;
    await world.drain();
    expect(ran).toEqual([2]);
    world.faults.outage("1m");
    const third = mail.add("digest", { day: 3 }, { retryOnDisconnect: "5m" });
    await world.clock.advance("2m");
    await third;
    await world.drain();
    expect(ran).toEqual([2, 3]);
    expect(await checkInvariants(world.connection, "mail")).toEqual([]);
    await world.close();
  });
});

describe("the end of a world", () => {
  it("ends workers, also over handlers that never end, queues and the store, and leaves no timer", async () => {
    const { world, mail } = setup();
    const reasons: unknown[] = [];
    const worker = world.worker<Mail>("mail", async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", () => resolve(reasons.push(signal.reason))));
      await new Promise(() => {});
    });
    const events = new QueueEvents("mail", { connection: world.connection });
    await mail.add("digest", { day: 1 });
    await world.clock.settle();
    world.faults.outage();
    await events.close();
    await world.close();
    await world.close();
    expect(reasons).toMatchObject([{ code: "closing" }]);
    expect(worker.isRunning()).toBe(false);
    expect(await refusal(mail.add("digest", { day: 2 }))).toMatch(/^closed: /);
    expect(world.clock.timerCount).toBe(0);
  });

  it("comes at the end of its block", async () => {
    let worker: Worker | undefined;
    {
      await using world = createTestWorld();
      worker = world.worker("mail", () => {});
    }
    expect(worker.isRunning()).toBe(false);
  });

  it("is not asked of queues, jobs and states that cannot be", async () => {
    await using world = createTestWorld();
    const mail = world.queue("mail");
    const { id } = await mail.add("welcome", {});
    const odd = (value: unknown) => value as string;
    await expect(world.added(odd(5))).rejects.toMatchObject({ code: "invalid_queue" });
    await expect(world.added(odd({}))).rejects.toMatchObject({ code: "invalid_queue" });
    await expect(world.assertNotAdded(odd(null), {})).rejects.toMatchObject({ code: "invalid_queue" });
    await expect(world.assertNotAdded(mail, { state: "waiting" })).rejects.toMatchObject({ code: "unknown_state" });
    await expect(world.assertAdded(mail, { state: "pendign" })).rejects.toThrow(/did you mean pending\?/);
    await expect(world.waitForState(odd(undefined), "pending")).rejects.toThrow(TypeError);
    const inOdd = world.waitForState(id, "pending", { queue: odd(5) });
    await expect(inOdd).rejects.toMatchObject({ code: "invalid_queue" });
    await expect(world.clock.advance("-1h")).rejects.toMatchObject({ code: "invalid_option" });
    await expect(world.clock.advance("soon" as "1h")).rejects.toMatchObject({ code: "invalid_option" });
    await expect(world.clock.runUntilIdle({ limitMs: -1 })).rejects.toThrow(/0 ms or more/);
    await world.assertAdded(mail, { state: "pending" });
  });

  it("is not refused for options that there are not", () => {
    expect(() => createTestWorld({ inlined: true } as object)).toThrow(/did you mean inline\?/);
    expect(() => createTestWorld({ connection: "memory:" } as object)).toThrow(/a store of its own/);
  });
});
