/** Reading flows from their top down, and removing them. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
import type { FlowTree } from "../../../src/queue/flow-tree.ts";
import { FlowWorld } from "./flow-world.ts";

function setup(): FlowWorld {
  const world = new FlowWorld();
  onTestFinished(() => world.closeAll());
  return world;
}

const node = (name: string, queueName: string) => ({ name, queueName });

/** Two parents that share a child, each with one of its own. */
async function setupShared() {
  const world = setup();
  const flows = world.producer();
  const jobs = await flows.addDAG({
    nodes: { left: node("left", "p"), right: node("right", "p"), own: node("own", "c"), shared: node("shared", "c") },
    deps: { left: ["own", "shared"], right: ["shared"] },
  });
  return { world, flows, jobs };
}

const shape = (tree: FlowTree | undefined): unknown =>
  tree === undefined ? undefined : [tree.key ?? tree.job?.name, tree.state, tree.outcome, ...tree.children.map(shape)];

describe("getFlow", () => {
  it("follows a job that several wait for at its first place only", async () => {
    const world = setup();
    const flows = world.producer();
    const { top } = await flows.addDAG({
      nodes: {
        top: node("top", "p"),
        a: node("a", "p"),
        b: node("b", "c"),
        base: node("base", "c"),
        leaf: node("leaf", "p"),
      },
      deps: { top: ["a", "b"], a: ["base"], b: ["base"], base: ["leaf"] },
    });
    const tree = await flows.getFlow({ id: top.id, queueName: "p" });
    const waits = "awaiting_children";
    expect(shape(tree)).toEqual([
      "top",
      waits,
      undefined,
      ["a", waits, "open", ["base", waits, "open", ["leaf", "pending", "open"]]],
      ["b", waits, "open", ["base", waits, "open"]],
    ]);
  });

  it("tells of jobs that are gone what their parents know", async () => {
    const world = setup();
    const flows = world.producer();
    world.worker(
      "c",
      async ({ name }) => {
        if (name === "bad") throw new Error("broken");
        return { n: 1 };
      },
      { attempts: 1, removeOnFail: true },
    );
    const { job } = await flows.add({
      name: "top",
      queueName: "p",
      children: [node("good", "c"), { ...node("bad", "c"), opts: { onFailure: "ignore" } }],
    });
    await world.settle();
    const tree = await flows.getFlow({ id: job.id, queueName: "p" });
    expect([tree?.state, tree?.childCount]).toEqual(["pending", 2]);
    expect(
      tree?.children.map(({ state, outcome, result, error, job: of }) => [
        state,
        outcome,
        result,
        error?.split("\n")[0],
        of,
      ]),
    ).toEqual([
      ["absent", "done", { n: 1 }, undefined, undefined],
      ["absent", "ignored", undefined, "Error: broken", undefined],
    ]);
  });

  it("reads no more than it is asked for", async () => {
    const { flows, jobs } = await setupShared();
    const place = { id: jobs.left.id, queueName: "p" };
    expect((await flows.getFlow({ ...place, maxChildren: 1 }))?.children).toHaveLength(1);
    const flat = await flows.getFlow({ ...place, depth: 1 });
    expect([flat?.childCount, flat?.children]).toEqual([2, []]);
  });

  it("finds nothing where nothing is, and refuses what is no place", async () => {
    const { flows } = await setupShared();
    expect(await flows.getFlow({ id: "JOB0Nb1VTbfnu4", queueName: "p" })).toBeUndefined();
    const codeOf = async (request: object) =>
      await flows.getFlow(request as never).then(
        () => "none",
        (error: EchoMQError) => error.code,
      );
    expect(await codeOf({ id: "JOB0Nb1VTbfnu4", queueName: "" })).toBe("invalid_queue");
    expect(await codeOf({ id: 7, queueName: "p" })).toBe("invalid_id");
    expect(await codeOf({ id: "x", queueName: "p", depth: 0 })).toBe("invalid_option");
    expect(await codeOf({ id: "x", queueName: "p", levels: 3 })).toBe("unknown_option");
  });
});

describe("removal", () => {
  it("takes a parent and what only it waited for, and leaves no orphan (PB-113)", async () => {
    const { world, flows, jobs } = await setupShared();
    const { removed, kept } = await flows.removeFlow({ id: jobs.left.id, queueName: "p" });
    expect([removed.map(({ id }) => id), kept]).toEqual([[jobs.left.id, jobs.own.id], []]);
    expect(await jobs.shared.getState()).toBe("pending");
    expect((await flows.removeFlow({ id: jobs.right.id, queueName: "p" })).removed).toHaveLength(2);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
    expect(await world.violations("p", "c")).toEqual([]);
  });

  it("of one child tells its parent, which goes on without it (PB-113)", async () => {
    const world = setup();
    const flows = world.producer();
    const seen: unknown[] = [];
    world.worker("p", async (_, { children }) => {
      seen.push(
        (await children.failures()).map(({ error }) => error),
        (await children.results()).length,
      );
    });
    const { children } = await flows.add({ name: "top", queueName: "p", children: [node("a", "c"), node("b", "c")] });
    expect(await children[0]?.job.remove()).toBe("ok");
    world.worker("c", async () => {});
    await world.advance(1);
    expect(seen).toEqual([["removed"], 1]);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });

  it("of one parent leaves its children, which tell nobody (PB-113)", async () => {
    const world = setup();
    const { job } = await world.producer().add({ name: "top", queueName: "p", children: [node("a", "c")] });
    expect(await job.remove()).toBe("ok");
    world.worker("c", async () => {});
    await world.settle();
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
    expect(await world.violations("p", "c")).toEqual([]);
  });

  it("of a child in a queue of its own that is drained, cleaned or obliterated releases the parent", async () => {
    const world = setup();
    const flows = world.producer();
    const ran: string[] = [];
    world.worker("p", async (job) => void ran.push(job.name));
    for (const name of ["drained", "cleaned", "obliterated"]) {
      await flows.add({ name, queueName: "p", children: [node("a", "c")] });
      const queue = world.queue("c");
      if (name === "drained") await queue.drain();
      else if (name === "cleaned") await queue.clean({ state: "pending" });
      else await queue.obliterate({ force: true });
      await world.settle();
    }
    const pump = world.worker("c", async () => {});
    await world.advance(1000);
    expect(pump.isRunning()).toBe(true);
    expect(ran).toEqual(["drained", "cleaned", "obliterated"]);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });
});

describe("a dead child that is retried", () => {
  it("revives nothing that is over, and its own end is told once", async () => {
    const world = setup();
    const flows = world.producer();
    let isBroken = true;
    const ran: string[] = [];
    world.worker(
      "c",
      async () => {
        if (isBroken) throw new Error("broken");
      },
      { attempts: 1 },
    );
    world.worker("p", async (job) => void ran.push(job.name));
    const { job, children } = await flows.add({ name: "top", queueName: "p", children: [node("a", "c")] });
    await world.settle();
    expect(await job.getState()).toBe("dead");
    isBroken = false;
    expect(await children[0]?.job.retry()).toBe("ok");
    await world.settle();
    expect([await job.getState(), ran]).toEqual(["dead", []]);
    // Retried by hand, the parent finds its child done.
    expect(await job.retry()).toBe("ok");
    await world.settle();
    expect(ran).toEqual(["top"]);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });
});
