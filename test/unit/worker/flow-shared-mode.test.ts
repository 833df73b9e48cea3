/** Flows beside programs of wire 3: who carries signals there, and what is refused. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { FlowProducerCore } from "../../../src/queue/flow-producer.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports, wireVersion: "echomq:3.0.0" });
  const lease = { engine, release: async () => {} };
  return { ports, engine, lease, flows: new FlowProducerCore(lease, { node: 1 }), jobs: new Jobs(engine) };
}

describe("in shared mode", () => {
  it.each([
    [undefined, "awaiting_children"],
    [true, "pending"],
  ])("a worker with pump %s leaves a parent elsewhere %s", async (pump, state) => {
    const { ports, lease, flows, jobs } = setup();
    const { job } = await flows.add({ name: "top", queueName: "p", children: [{ name: "one", queueName: "c" }] });
    const worker = new WorkerCore("c", async () => {}, lease, pump === undefined ? {} : { pump });
    await ports.clock.advance(5000);
    expect(await jobs.getState("c", "JOB0Nb1VTbfnu4")).toBe("absent");
    expect(await job.getState()).toBe(state);
    const closed = worker.close();
    await ports.clock.advance(5000);
    await closed;
  });

  it("a graph with a job that several wait for is refused, and nothing is stored", async () => {
    const { flows, engine } = setup();
    const node = { name: "one", queueName: "p" };
    const graph = { nodes: { a: node, b: node, c: node }, deps: { a: ["c"], b: ["c"] } } as const;
    await expect(flows.addDAG(graph)).rejects.toMatchObject({ code: "shared_mode" });
    expect(await engine.command(["KEYS", "emq:{p}:*"]).catch(() => [])).toEqual([]);
  });

  it("a batch is refused, with one callback too, and nothing is stored", async () => {
    const { flows, engine } = setup();
    const node = { name: "one", queueName: "p" };
    await expect(flows.addBatch({ jobs: [node], onDeath: node })).rejects.toMatchObject({ code: "shared_mode" });
    expect(await engine.command(["EXISTS", "emq:{p}:awaiting", "emq:{p}:pending"])).toBe(0);
  });
});

it("a worker refuses a pump that is neither true nor false", () => {
  const { lease } = setup();
  expect(() => new WorkerCore("c", async () => {}, lease, { pump: "no" as never })).toThrow(
    /pump must be true or false/,
  );
});
