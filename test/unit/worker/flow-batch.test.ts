/** Batches with callbacks from their add to their end, on virtual time. */

import { describe, expect, it, onTestFinished } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import type { FlowBatch } from "../../../src/queue/flow-literal.ts";
import type { AddedBatch } from "../../../src/queue/flow-producer.ts";
import { BatchWorkerCore } from "../../../src/worker/batch-worker.ts";
import type { Context } from "../../../src/worker/context.ts";
import type { WorkerJob } from "../../../src/worker/worker-job.ts";
import { FlowWorld } from "./flow-world.ts";

function setup(): FlowWorld {
  const world = new FlowWorld();
  onTestFinished(() => world.closeAll());
  return world;
}

const job = (name: string, opts: FlowBatch["jobs"][number]["opts"] = {}) => ({
  name,
  queueName: "work",
  opts: { attempts: 1, ...opts },
});

const callbacks = {
  onComplete: { name: "complete", queueName: "calls" },
  onSuccess: { name: "success", queueName: "calls" },
  onDeath: { name: "death", queueName: "calls" },
} as const;

/** Runs jobs, of which those whose name begins with `bad` fail, and callbacks; answers the names as they begin. */
function runAll(world: FlowWorld, seen: string[] = []): string[] {
  const handler = async ({ name }: WorkerJob) => {
    seen.push(name);
    if (name.startsWith("bad")) throw new Error(`${name} failed`);
    return name;
  };
  world.worker("work", handler);
  world.worker("calls", handler);
  return seen;
}

async function errorOf(promise: Promise<unknown>): Promise<EchoMQError | undefined> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error as EchoMQError,
  );
}

const statesOf = async ({ onComplete, onSuccess, onDeath }: AddedBatch) =>
  await Promise.all([onComplete?.getState(), onSuccess?.getState(), onDeath?.getState()]);

describe("the callbacks of a batch", () => {
  it("are complete and success, once each, when all jobs are done; death goes without a run", async () => {
    const world = setup();
    const seen = runAll(world);
    const batch = await world.producer().addBatch({ jobs: [job("a"), job("b"), job("c")], ...callbacks });
    await world.advance(60_000);
    expect(seen.slice(0, 3).sort()).toEqual(["a", "b", "c"]);
    expect(seen.slice(3).sort()).toEqual(["complete", "success"]);
    expect(await statesOf(batch)).toEqual(["completed", "completed", "completed"]);
    expect(await world.violations("work", "calls")).toEqual([]);
  });

  it("are death and complete, once each, when jobs have died; success goes without a run", async () => {
    const world = setup();
    const seen = runAll(world);
    const batch = await world.producer().addBatch({ jobs: [job("bad 1"), job("b"), job("bad 2")], ...callbacks });
    await world.advance(60_000);
    expect(seen.filter((name) => Object.hasOwn({ complete: 1, success: 1, death: 1 }, name)).sort()).toEqual([
      "complete",
      "death",
    ]);
    expect(await statesOf(batch)).toEqual(["completed", "completed", "completed"]);
    expect(await world.queue("calls").getJobCounts("dead")).toEqual({ dead: 0 });
    expect(await world.violations("work", "calls")).toEqual([]);
  });

  it("tell of a death at once, and of the whole when the last job has ended", async () => {
    const world = setup();
    const seen = runAll(world);
    const batch = await world.producer().addBatch({ jobs: [job("bad"), job("slow", { delay: "1h" })], ...callbacks });
    await world.advance(1000);
    expect(seen).toEqual(["bad", "death"]);
    expect(await statesOf(batch)).toEqual(["awaiting_children", "awaiting_children", "completed"]);
    expect(await batch.progress()).toEqual({ total: 2, done: 0, failed: 1, pending: 1 });
    await world.advance(3_600_000);
    expect(seen).toEqual(["bad", "death", "slow", "complete"]);
  });

  it("do not count a failure after which the job is tried again", async () => {
    const world = setup();
    const seen: string[] = [];
    world.worker("work", async (_, { token }) => {
      if (token === 1) throw new Error("not yet");
    });
    world.worker("calls", async ({ name }) => void seen.push(name));
    await world.producer().addBatch({ jobs: [job("a", { attempts: 2 })], ...callbacks });
    await world.advance(60_000);
    expect(seen.sort()).toEqual(["complete", "success"]);
  });

  it("are a success when a dead job is tried again, and done, before the batch has ended", async () => {
    const world = setup();
    const seen: string[] = [];
    let isBroken = true;
    world.worker("work", async ({ name }) => {
      if (name === "late" && isBroken) throw new Error("broken");
    });
    world.worker("calls", async ({ name }) => void seen.push(name));
    const jobs = [job("late"), job("slow", { delay: "1h" })];
    const { onComplete, onSuccess } = callbacks;
    const batch = await world.producer().addBatch({ jobs, onComplete, onSuccess });
    await world.advance(1000);
    isBroken = false;
    expect(await batch.jobs[0]?.retry()).toBe("ok");
    await world.advance(3_600_000);
    expect(seen.sort()).toEqual(["complete", "success"]);
  });

  it("judge how things stand when they begin", async () => {
    const world = setup();
    let isBroken = true;
    const seen: string[] = [];
    const batch = await world.producer().addBatch({ jobs: [job("a")], ...callbacks });
    world.worker("work", async () => {
      if (isBroken) throw new Error("broken");
    });
    await world.advance(500);
    expect(await batch.jobs[0]?.getState()).toBe("dead");
    isBroken = false;
    expect(await batch.jobs[0]?.retry()).toBe("ok");
    await world.advance(500);
    world.worker("calls", async ({ name }) => void seen.push(name));
    await world.advance(60_000);
    expect(seen.sort()).toEqual(["complete", "success"]);
    expect(await statesOf(batch)).toEqual(["completed", "completed", "completed"]);
    expect(await world.violations("work", "calls")).toEqual([]);
  });

  it("are not run again when a dead job is tried again after the batch has ended", async () => {
    const world = setup();
    let isBroken = true;
    const seen: string[] = [];
    world.worker("work", async () => {
      if (isBroken) throw new Error("broken");
    });
    world.worker("calls", async ({ name }) => void seen.push(name));
    const batch = await world.producer().addBatch({ jobs: [job("a")], ...callbacks });
    await world.advance(1000);
    expect(seen.sort()).toEqual(["complete", "death"]);
    isBroken = false;
    expect(await batch.jobs[0]?.retry()).toBe("ok");
    await world.advance(60_000);
    expect(seen).toHaveLength(2);
    expect(await batch.progress()).toEqual({ total: 1, done: 1, failed: 0, pending: 0 });
  });

  it("find what the jobs left, and a job that was removed among the failures", async () => {
    const world = setup();
    const told: unknown[] = [];
    const batch = await world.producer().addBatch({ jobs: [job("a"), job("gone"), job("bad")], ...callbacks });
    expect(await batch.jobs[1]?.remove()).toBe("ok");
    world.worker("work", async ({ name }) => {
      if (name === "bad") throw new Error("no");
      return name;
    });
    world.worker("calls", async ({ name }, { children }: Context) => {
      const results = (await children.results()).map(({ result }) => result);
      const errors = (await children.failures()).map(({ error }) => error.split("\n")[0]);
      if (name === "complete") told.push(results, errors);
      else told.push(name);
    });
    await world.advance(60_000);
    expect(told).toContainEqual(["a"]);
    expect(told).toContainEqual(["removed", "Error: no"]);
    expect(told).toContain("death");
    expect(told).not.toContain("success");
  });

  it("run when a worker of batches has them, and one that goes is not among its members", async () => {
    const world = setup();
    const seen: string[][] = [];
    const lease = { engine: world.engine, release: async () => {} };
    const worker = new BatchWorkerCore("calls", (jobs) => void seen.push(jobs.map(({ name }) => name).sort()), lease);
    onTestFinished(async () => {
      const closed = worker.close({ timeout: 0 });
      await world.advance(5000);
      await closed;
    });
    world.worker("work", async () => {});
    await world.producer().addBatch({ jobs: [job("a")], ...callbacks });
    await world.advance(60_000);
    expect(seen.flat().sort()).toEqual(["complete", "success"]);
  });

  it("that wait for children of their own run to their end, also when one of those fails", async () => {
    const world = setup();
    const runs: string[] = [];
    world.worker("work", async ({ name }) => {
      if (name !== "bad") return;
      // It ends when the callback rests.
      await world.pause(100);
      throw new Error("no");
    });
    world.worker("calls", async ({ name }, { children }: Context) => {
      runs.push(name);
      await children.run({ extra: { ...job("bad"), opts: { attempts: 1, onFailure: "ignore" } } });
      runs.push("through");
    });
    await world.producer().addBatch({ jobs: [job("a")], onSuccess: callbacks.onSuccess });
    await world.advance(60_000);
    expect(runs).toEqual(["success", "success", "through"]);
  });

  it("are put off without an attempt while it cannot be read how the batch ended", async () => {
    const world = setup();
    const seen: string[] = [];
    world.worker("work", async () => {});
    const engine = world.otherEngine();
    const { command } = engine;
    let faults = 1;
    engine.command = async (parts) => {
      if (parts[1]?.endsWith(":dependencies") === true && faults-- > 0) throw new EchoMQError("disconnected", "away");
      return await command.call(engine, parts);
    };
    world.worker("calls", async (one) => void seen.push(`${one.name} ${one.attempt}`), {}, engine);
    await world.producer().addBatch({ jobs: [job("a")], onSuccess: callbacks.onSuccess });
    await world.advance(500);
    expect(seen).toEqual([]);
    await world.advance(60_000);
    expect(seen).toEqual(["success 1"]);
    expect(faults).toBeLessThan(1);
  });
});

describe("a batch", () => {
  it("without jobs is done at once", async () => {
    const world = setup();
    const seen = runAll(world);
    const batch = await world.producer().addBatch({ jobs: [], ...callbacks });
    await world.settle();
    expect(seen.sort()).toEqual(["complete", "success"]);
    expect(await batch.progress()).toEqual({ total: 0, done: 0, failed: 0, pending: 0 });
  });

  it("of more jobs than one act takes, in lanes and two queues, has each callback once and tells how far it is", async () => {
    const world = setup();
    const jobs = Array.from({ length: 2500 }, (_, at) => ({
      name: "part",
      queueName: at % 2 === 0 ? "work" : "calls",
      opts: { lane: `lane ${at % 7}` },
    }));
    const batch = await world.producer().addBatch({ jobs, ...callbacks });
    expect(batch.jobs).toHaveLength(2500);
    expect(await batch.progress()).toEqual({ total: 2500, done: 0, failed: 0, pending: 2500 });
    const counts: Record<string, number> = {};
    const handler = async ({ name }: WorkerJob) => {
      counts[name] = (counts[name] ?? 0) + 1;
    };
    for (const queue of ["work", "calls"]) world.worker(queue, handler, { concurrency: 100 });
    await world.advance(60_000);
    expect(counts).toEqual({ part: 2500, complete: 1, success: 1 });
    expect(await batch.progress()).toEqual({ total: 2500, done: 2500, failed: 0, pending: 0 });
    expect(await world.violations("work", "calls")).toEqual([]);
  });

  it("leaves nothing once the hour is over for which its callbacks are kept", async () => {
    const world = setup();
    runAll(world);
    const batch = await world.producer().addBatch({ jobs: [job("a")], ...callbacks });
    await world.advance(3_500_000);
    expect(await batch.progress()).toMatchObject({ done: 1 });
    await world.advance(200_000);
    expect(await batch.progress()).toBeUndefined();
    for (const queue of ["work", "calls"]) expect(await world.flowKeys(queue)).toEqual([]);
  });

  // Three callbacks wait and two jobs do not; each is one act.
  const places = [1, 2, 3, 4, 5].flatMap((n) => [[n, "before"] as const, [n, "after"] as const]);

  it.each(places)("whose act %i failed %s it was done is resumed by details.flow, all of it once", async (n, when) => {
    const world = setup();
    const seen = runAll(world);
    let sent = 0;
    world.engine.faultOf = ({ verb }) => {
      if (!["FLOW", "HOLD", "CHILD", "ADMIT"].includes(verb)) return undefined;
      sent += 1;
      return sent === n ? { error: new EchoMQError("disconnected", "cut"), when } : undefined;
    };
    const flows = world.producer();
    const error = await errorOf(flows.addBatch({ jobs: [job("bad"), job("a")], ...callbacks }));
    expect(error?.code).toBe("disconnected");
    world.engine.faultOf = () => undefined;
    // Whatever has landed runs before the rest comes, the first death too.
    await world.advance(60_000);
    await flows.addBatch(error?.details["flow"] as FlowBatch);
    await world.advance(60_000);
    expect(seen.sort()).toEqual(["a", "bad", "complete", "death"]);
    expect(await world.violations("work", "calls")).toEqual([]);
  });

  it.each([
    ["no callback", { jobs: [job("a")] }, "invalid_option", /addBulk/],
    ["no list of jobs", { ...callbacks }, "invalid_option", /jobs/],
    ["a word that is none", { jobs: [], onFailure: callbacks.onDeath }, "unknown_option", /onDeath/],
    ["a policy", { jobs: [job("a", { onFailure: "remove" })], ...callbacks }, "invalid_option", /onFailure/],
    ["a job with children", { jobs: [{ ...job("a"), children: [] }], ...callbacks }, "unknown_option", /waits for/],
    ["a callback with a name", { jobs: [], onDeath: job("d", { jobId: "x" }) }, "invalid_option", /jobId/],
    [
      "too many jobs",
      { jobs: Array.from({ length: 10_000 }, () => job("a")), ...callbacks },
      "flow_too_large",
      /10000/,
    ],
  ])("with %s is refused, and nothing is sent", async (_, batch, code, message) => {
    const world = setup();
    const error = await errorOf(world.producer().addBatch(batch as never));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(world.engine.acts).toEqual([]);
  });

  it("is counted by any of its callbacks, and by nobody else", async () => {
    const world = setup();
    const flows = world.producer();
    const batch = await flows.addBatch({ jobs: [job("a")], ...callbacks });
    const place = { id: batch.onDeath?.id ?? "", queueName: "calls" };
    expect(await flows.getProgress(place)).toEqual({ total: 1, done: 0, failed: 0, pending: 1 });
    expect(await flows.getProgress({ ...place, queueName: "work" })).toBeUndefined();
    expect(await errorOf(flows.getProgress({ id: "no id", queueName: "calls" }))).toMatchObject({ code: "invalid_id" });
  });

  it("of a flow whose child ended its parent counts that child as failed", async () => {
    const world = setup();
    runAll(world);
    const flows = world.producer();
    const children = [job("bad"), job("slow", { delay: "1h" })];
    const { job: top } = await flows.add({ name: "top", queueName: "calls", children });
    await world.advance(1000);
    const place = { id: top.id, queueName: "calls" };
    expect(await flows.getProgress(place)).toEqual({ total: 2, done: 0, failed: 1, pending: 1 });
  });
});
