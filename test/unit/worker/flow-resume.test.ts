/** Flows whose add broke half-way, and flows that are added again: on virtual time. */

import { describe, expect, it, onTestFinished } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import type { FlowJob } from "../../../src/queue/flow-literal.ts";
import type { FlowProducerCore } from "../../../src/queue/flow-producer.ts";
import { FlowWorld } from "./flow-world.ts";

const QUEUES = ["a", "b", "c"];

function setup(): FlowWorld {
  const world = new FlowWorld();
  onTestFinished(() => world.closeAll());
  return world;
}

/** Lets the n-th act of flows fail, before or after it is done. */
function breakAt(world: FlowWorld, n: number, when: "before" | "after"): void {
  const verbs: readonly Verb[] = ["FLOW", "HOLD", "CHILD", "EXPECT"];
  let acts = 0;
  world.engine.faultOf = ({ verb }) => {
    if (!verbs.includes(verb)) return undefined;
    acts += 1;
    return acts === n ? { error: new EchoMQError("disconnected", "cut"), when } : undefined;
  };
}

/** Runs everything to its end; answers how often each name ran. */
async function runAll(world: FlowWorld): Promise<Record<string, number>> {
  world.engine.faultOf = () => undefined;
  const runs: Record<string, number> = {};
  for (const queue of QUEUES) {
    world.worker(queue, async ({ name }) => {
      runs[name] = (runs[name] ?? 0) + 1;
    });
  }
  await world.advance(3000);
  return runs;
}

const tree: FlowJob = {
  name: "top",
  queueName: "a",
  children: [
    {
      name: "mid",
      queueName: "b",
      children: [
        { name: "leaf", queueName: "c" },
        { name: "twin", queueName: "b" },
      ],
    },
    { name: "side", queueName: "a" },
  ],
};

const graph = {
  nodes: {
    top: { name: "top", queueName: "a" },
    mid: { name: "mid", queueName: "b" },
    side: { name: "side", queueName: "a" },
    twin: { name: "twin", queueName: "b" },
    leaf: { name: "leaf", queueName: "c" },
  },
  deps: { top: ["mid", "side"], mid: ["leaf", "twin"], side: ["leaf"] },
} as const;

const once = { top: 1, mid: 1, leaf: 1, twin: 1, side: 1 };

const adds: readonly (readonly [string, (flows: FlowProducerCore, again?: unknown) => Promise<unknown>])[] = [
  ["tree", (flows, again) => flows.add((again as FlowJob | undefined) ?? tree)],
  ["graph", (flows, again) => flows.addDAG((again as typeof graph | undefined) ?? graph)],
];

describe.each(adds)("a %s", (_, add) => {
  // Two jobs wait and three do not; each is one act.
  const places = [1, 2, 3, 4, 5].flatMap((n) => [[n, "before"] as const, [n, "after"] as const]);

  it.each(places)("whose act %i failed %s it was done is resumed by details.flow, each job once", async (n, when) => {
    const world = setup();
    const flows = world.producer();
    breakAt(world, n, when);
    const error = await add(flows).then(
      () => undefined,
      (fault: unknown) => fault as EchoMQError,
    );
    expect(error).toMatchObject({ code: "disconnected", retryable: true });
    world.engine.faultOf = () => undefined;
    await add(flows, error?.details["flow"]);
    expect(await runAll(world)).toEqual(once);
    for (const queue of QUEUES) expect(await world.flowKeys(queue)).toEqual([]);
    expect(await world.violations(...QUEUES)).toEqual([]);
  });

  it.each(places)("whose act %i failed %s it was done is resumed by itself, where it may", async (n, when) => {
    const world = setup();
    breakAt(world, n, when);
    const added = add(world.producer({ retryOnDisconnect: true }));
    await world.advance(1000);
    const outcomes = JSON.stringify(await added).match(/"outcome":"\w+"/g);
    expect(new Set(outcomes)).toEqual(new Set(['"outcome":"added"']));
    expect(await runAll(world)).toEqual(once);
  });

  it("waits, however long nobody resumes it, and runs nothing early", async () => {
    const world = setup();
    breakAt(world, 4, "before");
    await add(world.producer()).catch(() => {});
    const runs = await runAll(world);
    expect(runs["top"]).toBeUndefined();
    expect(await world.violations(...QUEUES)).toEqual([]);
  });
});

describe("a flow that is added again", () => {
  const withId = { ...tree, opts: { id: "JOB0Nb1VTbfnu4" } };

  it("is a duplicate while it waits, and stores nothing twice", async () => {
    const world = setup();
    const flows = world.producer();
    const first = await flows.add(withId);
    const again = await flows.add({ ...withId, children: [] });
    expect([again.job.outcome, again.job.existing]).toEqual([
      "duplicate",
      { id: first.job.id, state: "awaiting_children" },
    ]);
    expect(await runAll(world)).toEqual(once);
  });

  it("is a duplicate after it ran, while it is kept", async () => {
    const world = setup();
    const flows = world.producer();
    world.worker("q", async () => {}, { removeOnComplete: false });
    const flow = {
      name: "top",
      queueName: "q",
      opts: { id: "JOB0Nb1VTbfnu4" },
      children: [{ name: "c", queueName: "q" }],
    };
    await flows.add(flow);
    await world.settle();
    const again = await flows.add(flow);
    expect(again.job.existing).toEqual({ id: "JOB0Nb1VTbfnu4", state: "completed" });
    await world.settle();
    expect(await world.queue("q").getJobCounts("completed", "pending")).toEqual({ completed: 2, pending: 0 });
  });
});

describe("a flow that is added again while an end is on its way", () => {
  const ids = { top: "JOB0SUSFWev8IC", mid: "JOB0SUSFWev8ID", leaf: "JOB0SUSFWev8IE", side: "JOB0SUSFWev8IF" };
  const flow: FlowJob = {
    name: "top",
    queueName: "a",
    opts: { id: ids.top },
    children: [
      {
        name: "mid",
        queueName: "b",
        opts: { id: ids.mid },
        children: [{ name: "leaf", queueName: "c", opts: { id: ids.leaf } }],
      },
      { name: "side", queueName: "a", opts: { id: ids.side } },
    ],
  };

  it.each([["leaf"], ["mid"]])("does not run the %s again, whose row is gone", async (unheard) => {
    const world = setup();
    const runs: string[] = [];
    const flows = world.producer();
    await flows.add(flow);
    const handler = async ({ name }: { readonly name: string }) => void runs.push(name);
    world.worker("c", handler, { pump: unheard !== "leaf" });
    if (unheard === "mid") world.worker("b", handler, { pump: false });
    await world.settle();
    const before = unheard === "leaf" ? ["leaf"] : ["leaf", "mid"];
    expect(runs).toEqual(before);
    const { job } = await flows.add(flow);
    expect(job.outcome).toBe("duplicate");
    await world.settle();
    expect(runs).toEqual(before);
    expect(await runAll(world)).toEqual(unheard === "leaf" ? { mid: 1, side: 1, top: 1 } : { side: 1, top: 1 });
    expect(runs).toEqual(before);
    for (const queue of QUEUES) expect(await world.flowKeys(queue)).toEqual([]);
  });
});

describe("a child that is stored by an act without an answer", () => {
  it.each(["one", "two"])(
    "runs once, also when it is over before the act is tried again (%s at a time)",
    async (many) => {
      const world = setup();
      const runs: string[] = [];
      for (const queue of ["b", "a"]) world.worker(queue, async ({ name }) => void runs.push(name));
      await world.settle();
      let isCut = false;
      world.engine.faultOf = ({ verb }) => {
        if (verb !== "CHILD" || isCut) return undefined;
        isCut = true;
        return { error: new EchoMQError("timeout", "late"), when: "after" };
      };
      const names = many === "one" ? ["first"] : ["first", "second"];
      const children = names.map((name) => ({ name, queueName: "b" }));
      const added = world.producer({ retryOnDisconnect: true }).add({ name: "top", queueName: "a", children });
      await world.advance(3000);
      expect((await added).job.outcome).toBe("added");
      expect(isCut).toBe(true);
      expect(runs.sort()).toEqual([...names, "top"]);
      for (const queue of ["a", "b"]) expect(await world.flowKeys(queue)).toEqual([]);
    },
  );
});

describe("a job whose storing act was lost, when the job above it is over by the next try", () => {
  it.each(["child", "parent"])("is stored all the same, as a %s", async (kind) => {
    const world = setup();
    const runs: string[] = [];
    const isChild = kind === "child";
    let isCut = false;
    world.engine.faultOf = ({ verb, args }) => {
      if (verb !== (isChild ? "CHILD" : "HOLD") || !args.includes("late") || isCut) return undefined;
      isCut = true;
      return { error: new EchoMQError("disconnected", "cut"), when: "before" };
    };
    const handler = async ({ name }: { readonly name: string }) => {
      runs.push(name);
      if (name === "bad") throw new Error("broken");
    };
    // A child is stored again by what the row above it says; one that waits itself needs no such word.
    for (const queue of QUEUES) world.worker(queue, handler, { removeOnFail: !isChild });
    const bad = { name: "bad", queueName: "b", opts: { attempts: 1 } };
    const late = { name: "late", queueName: "c", children: isChild ? [] : [{ name: "below", queueName: "b" }] };
    const added = world
      .producer({ retryOnDisconnect: true })
      .add({ name: "top", queueName: "a", children: [bad, late] });
    await world.advance(3000);
    await added;
    expect(isCut).toBe(true);
    expect(runs).toEqual(isChild ? ["bad", "late"] : ["bad", "below", "late"]);
  });
});

describe("a flow with more children than one act takes", () => {
  it("is stored and runs", async () => {
    const world = setup();
    const children = Array.from({ length: 2500 }, () => ({ name: "one", queueName: "b" }));
    await world.producer().add({ name: "all", queueName: "a", children });
    const runs = await runAll(world);
    expect(runs).toEqual({ one: 2500, all: 1 });
    expect(await world.flowKeys("a")).toEqual([]);
  }, 200_000);
});
