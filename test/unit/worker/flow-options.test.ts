/** What a flow producer is given, and what it refuses. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
import { FlowProducerCore, type FlowProducerOptions } from "../../../src/queue/flow-producer.ts";
import type { Codec } from "../../../src/queue/payload-codec.ts";
import { FlowWorld } from "./flow-world.ts";

function setup(): FlowWorld {
  const world = new FlowWorld();
  onTestFinished(() => world.closeAll());
  return world;
}

async function errorOf(promise: Promise<unknown>): Promise<EchoMQError | undefined> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error as EchoMQError,
  );
}

/** Text turned round: readable by nobody who does not know. */
const mirror: Codec = {
  name: "mirror",
  encode: (data) => [...JSON.stringify(data)].reverse().join(""),
  decode: (bytes) => JSON.parse([...new TextDecoder().decode(bytes)].reverse().join("")) as unknown,
};

const refusing = {
  "~standard": { version: 1 as const, vendor: "test", validate: () => ({ issues: [{ message: "no such month" }] }) },
};

describe("a flow producer", () => {
  it.each([
    ["an unknown option", { maxDept: 3 }, "unknown_option", /did you mean maxDepth/],
    ["an option of BullMQ", { prefix: "bull" }, "unknown_option", /emq:/],
    ["a depth of nothing", { maxDepth: 0 }, "invalid_option", /maxDepth/],
    ["a node number that there is not", { node: 1024 }, "invalid_option", /node/],
    ["a time that is none", { retryOnDisconnect: "soon" }, "invalid_option", /retryOnDisconnect/],
    ["a queue that cannot be", { queues: { "a{b": {} } }, "invalid_queue", /brace/],
    ["an option that its queue does not have", { queues: { a: { attempts: 3 } } }, "unknown_option", /attempts/],
    ["a default that no job has", { queues: { a: { defaultJobOptions: { tries: 3 } } } }, "unknown_option", /tries/],
  ])("refuses %s", (_, options, code, text) => {
    const lease = { engine: new FlowWorld().engine, release: async () => {} };
    let fault: EchoMQError | undefined;
    try {
      void new FlowProducerCore(lease, options as FlowProducerOptions).close();
    } catch (error) {
      fault = error as EchoMQError;
    }
    expect(fault?.code).toBe(code);
    expect(fault?.message).toMatch(text);
  });

  it("gives jobs the defaults, the schema and the codec of their queue", async () => {
    const world = setup();
    const queues = {
      c: { defaultJobOptions: { attempts: 7, priority: 2 }, codec: mirror },
      judged: { schemas: { month: refusing } },
    };
    const flows = world.producer({ queues });
    const judged = flows.add({ name: "month", queueName: "judged" });
    expect(await errorOf(judged)).toMatchObject({ code: "invalid_payload", details: { at: "" } });
    const seen: unknown[] = [];
    world.worker("p", async (_, { children }) => void seen.push(await children.results()), { codec: [mirror] });
    const { children } = await flows.add({
      name: "top",
      queueName: "p",
      children: [{ name: "one", queueName: "c", data: { n: 1 }, opts: { priority: 3 } }],
    });
    const stored = await world.queue("c").getJob(children[0]?.job.id ?? "");
    expect([stored?.priority, stored?.options.attempts]).toEqual([3, 7]);
    world.worker("c", async (job) => job.data, { codec: mirror });
    await world.settle();
    expect(seen).toEqual([[expect.objectContaining({ queueName: "c", result: { n: 1 } })]]);
  });

  it("adds many flows, and none when one is bad", async () => {
    const world = setup();
    const flows = world.producer();
    const good = { name: "top", queueName: "p", children: [{ name: "a", queueName: "c" }] };
    const bad = await errorOf(flows.addBulk([good, { ...good, queueName: "" }]));
    expect(bad).toMatchObject({ code: "invalid_bulk", details: { index: 1 }, cause: { code: "invalid_queue" } });
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
    expect(await errorOf(flows.addBulk(good as never))).toMatchObject({ code: "invalid_option" });
    const added = await flows.addBulk(Array.from({ length: 40 }, () => good));
    expect(added.map(({ job }) => job.outcome)).toEqual(Array.from({ length: 40 }, () => "added"));
    expect(await world.queue("p").getJobCounts("awaiting")).toEqual({ awaiting: 40 });
    expect(await flows.addBulk([])).toEqual([]);
  });

  it("takes a flow of one job for a job, with all that a job may have", async () => {
    const world = setup();
    const opts = { delay: 1000, jobId: "mine", deduplication: { id: "x", replace: true } } as const;
    const { job, children } = await world.producer().add({ name: "one", queueName: "p", opts });
    expect([await job.getState(), children]).toEqual(["scheduled", []]);
    const again = await world.producer().add({ name: "one", queueName: "p", opts });
    expect([again.job.outcome, again.job.id]).toEqual(["replaced", job.id]);
  });

  it.each([
    ["jobId", { jobId: "x" }],
    ["deduplication", { deduplication: { id: "x" } }],
    ["deduplication.policy", { deduplication: { id: "x", policy: "singleton" } }],
  ])("refuses %s of a job that waits for others", async (option, opts) => {
    const world = setup();
    const flow = { name: "top", queueName: "p", opts: opts as object, children: [{ name: "a", queueName: "p" }] };
    expect(await errorOf(world.producer().add(flow))).toMatchObject({
      code: "invalid_option",
      details: { option, at: "" },
    });
    expect(await world.flowKeys("p")).toEqual([]);
  });

  it.each([
    ["in one act", "p"],
    ["act by act", "c"],
  ])("lets a job that waits for others rest for its delay when they have ended (%s)", async (_, childQueue) => {
    const world = setup();
    const started: [string, number][] = [];
    const handler = async ({ name }: { readonly name: string }) => {
      started.push([name, world.elapsedMs - beganAt]);
      await world.pause(500);
    };
    for (const queue of ["p", "c"]) world.worker(queue, handler);
    const beganAt = world.elapsedMs;
    const children = [{ name: "part", queueName: childQueue }];
    const opts = { delay: "2s", priority: 3 } as const;
    const { job } = await world.producer().add({ name: "whole", queueName: "p", opts, children });
    await world.advance(1000);
    expect(await job.getState()).toBe("scheduled");
    await world.advance(10_000);
    expect(started).toEqual([
      ["part", 0],
      ["whole", 2500],
    ]);
    expect(await world.flowKeys("p")).toEqual([]);
  });

  it("waits for ids through an outage as long as it may", async () => {
    const world = setup();
    // Without a number of its own, a producer leases one by plain commands.
    const engine = world.otherEngine();
    const flows = new FlowProducerCore({ engine, release: async () => {} }, { retryOnDisconnect: "10s" });
    engine.goDown();
    const added = flows.add({ name: "one", queueName: "p", children: [{ name: "a", queueName: "p" }] });
    await world.advance(2000);
    engine.comeBack();
    await world.advance(5000);
    expect((await added).job.outcome).toBe("added");
    const closed = flows.close();
    await world.advance(1000);
    await closed;
  });

  it("takes nothing once it is closed, and closes when what is on its way has ended", async () => {
    const world = setup();
    const engine = world.otherEngine();
    engine.latencyMs = 50;
    const flows = world.producer({}, engine);
    const flow = { name: "top", queueName: "p", children: [{ name: "a", queueName: "c" }] };
    const added = flows.add(flow);
    const closed = flows.close();
    expect(await errorOf(flows.add(flow))).toMatchObject({ code: "closed" });
    expect(await errorOf(flows.getFlow({ id: "x", queueName: "p" }))).toMatchObject({ code: "closed" });
    await world.advance(1000);
    await closed;
    expect((await added).children[0]?.job.outcome).toBe("added");
    await flows[Symbol.asyncDispose]();
  });
});
