/** Flows from their add to their end, over one queue and over several, on virtual time. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
import { QueueEventsCore } from "../../../src/queue/queue-events.ts";
import type { Context } from "../../../src/worker/context.ts";
import type { WorkerJob } from "../../../src/worker/worker-job.ts";
import { FlowWorld } from "./flow-world.ts";

function setup(): FlowWorld {
  const world = new FlowWorld();
  onTestFinished(() => world.closeAll());
  return world;
}

const errorOf = async (promise: Promise<unknown>): Promise<EchoMQError> =>
  (await promise.then(
    () => undefined,
    (error: unknown) => error,
  )) as EchoMQError;

const firstLine = (text: string | undefined) => text?.split("\n")[0];

/** A handler that tells the name of its job and, if it had children, what they left. */
function telling(seen: unknown[]) {
  return async (job: WorkerJob, { children }: Context) => {
    const results = (await children.results()).map(({ result }) => result);
    seen.push(results.length === 0 ? job.name : [job.name, ...results]);
    return `${job.name} done`;
  };
}

describe("a tree in one queue", () => {
  it("runs children before their parent, which finds their results in the order of adding", async () => {
    const world = setup();
    const flows = world.producer();
    const { job, children } = await flows.add({
      name: "top",
      queueName: "q",
      children: [
        { name: "a", queueName: "q" },
        { name: "b", queueName: "q" },
      ],
    });
    expect([job.outcome, await job.getState()]).toEqual(["added", "awaiting_children"]);
    expect(await children[0]?.job.getState()).toBe("pending");
    // One level in one queue is one act.
    expect(world.engine.acts.map(({ verb }) => verb)).toEqual(["FLOW", "STATE", "STATE"]);
    const seen: unknown[] = [];
    world.worker("q", telling(seen));
    await world.settle();
    expect(seen).toEqual(["a", "b", ["top", "a done", "b done"]]);
    expect(await world.flowKeys("q")).toEqual([]);
    expect(await world.violations("q")).toEqual([]);
  });
});

describe("a tree over three queues", () => {
  it("runs level by level without a beat passing", async () => {
    const world = setup();
    const seen: unknown[] = [];
    for (const queue of ["a", "b", "c"]) world.worker(queue, telling(seen));
    await world.settle();
    await world.producer().add({
      name: "top",
      queueName: "a",
      children: [
        { name: "left", queueName: "b", children: [{ name: "leaf", queueName: "c" }] },
        { name: "right", queueName: "c" },
      ],
    });
    await world.settle();
    expect(world.elapsedMs).toBe(0);
    expect(seen.at(-1)).toEqual(["top", "left done", "right done"]);
    for (const queue of ["a", "b", "c"]) expect(await world.flowKeys(queue)).toEqual([]);
    expect(await world.violations("a", "b", "c")).toEqual([]);
  });
});

describe("what a failing child does", () => {
  /** A parent with one child that fails and one that takes 400 ms longer. */
  async function run(onFailure: "fail-parent" | "ignore" | "continue" | "remove", childQueue: string) {
    const world = setup();
    const runs: unknown[] = [];
    const handlers = {
      top: async (_: unknown, { children }: Context) => {
        const [results, failures, pending] = await Promise.all([
          children.results(),
          children.failures(),
          children.pending(),
        ]);
        runs.push({
          at: world.elapsedMs,
          results: results.map(({ result }) => result),
          failures: failures.map(({ error, policy }) => [firstLine(error), policy]),
          pending: pending.length,
        });
      },
      bad: async () => {
        await world.pause(100);
        throw new Error("no such file");
      },
      good: async () => {
        await world.pause(500);
        return 7;
      },
    };
    for (const queue of new Set(["p", childQueue])) world.worker(queue, handlers, { attempts: 1, concurrency: 2 });
    const { job } = await world.producer().add({
      name: "top",
      queueName: "p",
      children: [
        { name: "bad", queueName: childQueue, opts: { onFailure } },
        { name: "good", queueName: childQueue },
      ],
    });
    await world.advance(1000);
    const stored = await world.queue("p").getJob(job.id);
    expect(await world.violations("p", childQueue)).toEqual([]);
    return { runs, state: stored?.state ?? "absent", error: firstLine(stored?.lastError) };
  }

  describe.each(["p", "c"])("in the queue %s", (queue) => {
    it("ends the parent by default, which never runs", async () => {
      expect(await run("fail-parent", queue)).toEqual({ runs: [], state: "dead", error: "Error: no such file" });
    });

    it("lets the parent wait for the others and find the error, with ignore", async () => {
      const failures = [["Error: no such file", "ignore"]];
      expect((await run("ignore", queue)).runs).toEqual([{ at: 500, results: [7], failures, pending: 0 }]);
    });

    it("lets the parent run at once, with continue", async () => {
      const failures = [["Error: no such file", "continue"]];
      expect((await run("continue", queue)).runs).toEqual([{ at: 100, results: [], failures, pending: 1 }]);
    });

    it("is forgotten, with remove", async () => {
      expect((await run("remove", queue)).runs).toEqual([{ at: 500, results: [7], failures: [], pending: 0 }]);
    });
  });

  it("ends the parent once, lets the other complete, and leaves no key behind (PB-112)", async () => {
    const world = setup();
    const failed: string[] = [];
    const completed: string[] = [];
    world.worker("p", async () => {}, { removeOnFail: true });
    const children = world.worker(
      "c",
      async ({ name }) => {
        await world.pause(name === "A" ? 100 : 500);
        if (name === "A") throw new Error("A failed");
      },
      { attempts: 1, concurrency: 2, removeOnFail: true },
    );
    children.on("failed", (job) => void failed.push(job.name));
    children.on("completed", (job) => void completed.push(job.name));
    const { job } = await world.producer().add({
      name: "top",
      queueName: "p",
      children: [
        { name: "A", queueName: "c" },
        { name: "B", queueName: "c" },
      ],
    });
    await world.advance(100);
    expect(await job.getState()).toBe("dead");
    expect(await world.queue("p").getJobCounts("failed")).toEqual({ failed: 1 });
    await world.advance(10_000);
    expect([failed, completed]).toEqual([["A"], ["B"]]);
    expect(await world.queue("p").getJobCounts("failed", "dead")).toEqual({ failed: 1, dead: 0 });
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });

  it("ends its grandparent too, through a queue that nobody works on", async () => {
    const world = setup();
    world.worker("leaf", async () => Promise.reject(new Error("gone")), { attempts: 1 });
    const { job, children } = await world.producer().add({
      name: "top",
      queueName: "top",
      children: [{ name: "mid", queueName: "mid", children: [{ name: "leaf", queueName: "leaf" }] }],
    });
    await world.settle();
    expect(await children[0]?.job.getState()).toBe("dead");
    expect(await job.getState()).toBe("dead");
    expect(firstLine((await world.queue("top").getJob(job.id))?.lastError)).toBe("Error: gone");
    expect(world.elapsedMs).toBe(0);
  });
});

describe("a rate on the queue of the children", () => {
  it("delays the parent and nothing else (PB-115)", async () => {
    const world = setup();
    const ranAt: number[] = [];
    await world.queue("c").setLimits({ rate: { max: 1, duration: "1s" } });
    world.worker("p", async () => void ranAt.push(world.elapsedMs));
    world.worker("c", async () => {}, { concurrency: 5 });
    const children = Array.from({ length: 5 }, () => ({ name: "one", queueName: "c" }));
    await world.producer().add({ name: "all", queueName: "p", children });
    await world.advance(10_000);
    expect(ranAt).toHaveLength(1);
    expect(ranAt[0]).toBeGreaterThanOrEqual(4000);
    expect(ranAt[0]).toBeLessThanOrEqual(5000);
  });
});

describe("a graph", () => {
  const diamond = {
    nodes: {
      A: { name: "A", queueName: "x" },
      B: { name: "B", queueName: "y" },
      C: { name: "C", queueName: "z" },
      D: { name: "D", queueName: "x" },
    },
    deps: { B: ["A"], C: ["A"], D: ["B", "C"] },
  } as const;

  it("keeps its order however quick its jobs are, with ids of both kinds (PB-116)", async () => {
    const world = setup();
    const ran: string[] = [];
    const seen: (string | undefined)[][] = [];
    const handler = async (job: WorkerJob, { children }: Context) => {
      const results = await children.results<string>();
      ran.push(job.name);
      if (job.name === "D") seen.push(results.map(({ result }) => result));
      return job.name;
    };
    for (const queue of ["x", "y", "z"]) world.worker(queue, handler, { concurrency: 10 });
    const flows = world.producer();
    for (let round = 0; round < 1000; round++) {
      const nodes =
        round % 100 === 0
          ? { ...diamond.nodes, A: { ...diamond.nodes.A, opts: { jobId: `${round / 100 + 1}` } } }
          : diamond.nodes;
      await flows.addDAG({ nodes, deps: { B: ["A"], C: ["A"], D: ["B", "C"] } });
      if (round % 50 === 49) await world.settle();
    }
    await world.settle();
    expect(ran).toHaveLength(4000);
    expect(seen).toHaveLength(1000);
    for (const results of seen) expect([...results].sort()).toEqual(["B", "C"]);
    for (const queue of ["x", "y", "z"]) expect(await world.flowKeys(queue)).toEqual([]);
    expect(await world.violations("x", "y", "z")).toEqual([]);
  }, 200_000);

  it("releases all that wait for one job, and refuses one that is there already (PB-110)", async () => {
    const world = setup();
    const ran: string[] = [];
    const flows = world.producer();
    const id = "JOB0Nb1VTbfnu4";
    world.worker("c", async ({ name }) => name, { removeOnComplete: false });
    await flows.add({ name: "p1", queueName: "p", children: [{ name: "c1", queueName: "c", opts: { id } }] });
    await world.settle();
    expect(await world.queue("c").getState(id)).toBe("completed");
    const refused = await errorOf(
      flows.add({ name: "p2", queueName: "p", children: [{ name: "c1", queueName: "c", opts: { id } }] }),
    );
    expect(refused).toMatchObject({ code: "flow_child_exists", details: { id, at: "children[0]" } });
    const node = (name: string, queueName: string) => ({ name, queueName });
    await flows.addDAG({
      nodes: { c5: node("c5", "c"), p3: node("p3", "p"), p4: node("p4", "p") },
      deps: { p3: ["c5"], p4: ["c5"] },
    });
    world.worker("p", async (job, { children }) => {
      ran.push(`${job.name} ${(await children.results()).map(({ result }) => result).join()}`);
    });
    await world.settle();
    expect(ran.sort()).toEqual(["p1 c1", "p3 c5", "p4 c5"]);
    expect(await world.flowKeys("p")).toEqual([]);
  });
});

describe("events", () => {
  it("tell of parents that wait, of children, and of what ends with them", async () => {
    const world = setup();
    const heard: string[] = [];
    for (const queue of ["p", "c"]) {
      const events = new QueueEventsCore(queue, { engine: world.engine.store, release: async () => {} });
      onTestFinished(() => events.close());
      events.on(
        "any",
        (event) => void heard.push(`${queue} ${event.event} ${"state" in event ? event.state : ""}`.trim()),
      );
      await events.waitUntilReady();
    }
    world.worker("c", async () => Promise.reject(new Error("gone")), { attempts: 1 });
    await world.producer().add({ name: "top", queueName: "p", children: [{ name: "one", queueName: "c" }] });
    await world.settle();
    expect(heard.slice(0, 2)).toEqual(["p added awaiting_children", "c added pending"]);
    expect(heard).toContain("c dead");
    expect(heard).toContain("p dead");
  });
});

describe("a chain", () => {
  it("hands on what each step returned, and ends with the step that fails", async () => {
    const world = setup();
    const seen: unknown[] = [];
    world.worker("q", async (job, { children }) => {
      const [before] = await children.results<number>();
      seen.push([job.name, before?.result]);
      return (before?.result ?? 0) + 1;
    });
    const flows = world.producer();
    const steps = ["one", "two", "three"].map((name) => ({ name, queueName: "q" }));
    const jobs = await flows.chain(steps);
    expect(jobs.map(({ name }) => name)).toEqual(["one", "two", "three"]);
    await world.settle();
    expect(seen).toEqual([
      ["one", undefined],
      ["two", 1],
      ["three", 2],
    ]);
    await errorOf(flows.chain([])).then(({ code }) => expect(code).toBe("invalid_option"));
  });
});

describe("a child that another job stands for", () => {
  it("waits for the job that holds its deduplication id or its name (PB-119)", async () => {
    const world = setup();
    const seen: unknown[] = [];
    const queue = world.queue("c");
    const waiting = await queue.add("shared", {}, { deduplication: { id: "one" } });
    const named = await queue.add("named", {}, { jobId: "mine" });
    const { children } = await world.producer().add({
      name: "top",
      queueName: "p",
      children: [
        { name: "again", queueName: "c", opts: { deduplication: { id: "one" } } },
        { name: "again", queueName: "c", opts: { jobId: "mine" } },
      ],
    });
    expect(children.map(({ job }) => [job.outcome, job.id])).toEqual([
      ["deduplicated", waiting.id],
      ["duplicate", named.id],
    ]);
    world.worker("p", telling(seen));
    world.worker("c", telling(seen));
    await world.settle();
    expect(seen).toEqual(["shared", "named", ["top", "shared done", "named done"]]);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });

  it("leaves no lock behind when an add throws half-way (PB-119)", async () => {
    const world = setup();
    const flow = {
      name: "top",
      queueName: "p",
      children: [
        { name: "a", queueName: "c", opts: { deduplication: { id: "one" } } },
        { name: "b", queueName: "c", data: { n: 1n } },
      ],
    };
    expect(await errorOf(world.producer().add(flow))).toMatchObject({ code: "invalid_payload" });
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
    expect((await world.queue("c").add("a", {}, { deduplication: { id: "one" } })).outcome).toBe("added");
  });
});
