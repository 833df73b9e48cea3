/** Flows from their add to their end, over one queue and over several, on virtual time. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
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
