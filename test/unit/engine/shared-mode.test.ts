/** What is refused, and what goes on, where programs of wire 3 may share the queues. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { assertOwnWire, isSharedMode } from "../../../src/engine/shared-mode.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { errorOf } from "../queue/scripted-engine.ts";

const QUEUE = "mail";

function setup(wireVersion = "echomq:3.0.0") {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports, wireVersion });
  const lease = { engine, release: async () => {} };
  const queue = new QueueCore<Record<string, unknown>>(QUEUE, lease, { node: 1 });
  const worker = (options: WorkerOptions = {}) => new WorkerCore(QUEUE, () => {}, lease, options);
  const keys = async () => await engine.command(["KEYS", `emq:{${QUEUE}}:*`]);
  return { ports, engine, lease, queue, worker, keys };
}

describe("isSharedMode", () => {
  it.each([
    ["echomq:3.0.0", true],
    ["echomq:3.7.1", true],
    ["echomq:4.0.0", false],
    ["echomq:30.0.0", false],
    ["acme:3.0.0", false],
  ])("of %s is %s", (wireVersion, isShared) => {
    expect(isSharedMode({ wireVersion })).toBe(isShared);
  });

  it("is said in the refusal, with what to do", () => {
    expect(() => assertOwnWire({ wireVersion: "echomq:3.0.0" }, "Limits")).toThrow(
      /^Limits cannot be used with wireVersion echomq:3\.0\.0: .*docs\/operate\/shared-mode\.md/,
    );
  });
});

describe("in shared mode", () => {
  it("refuses limits, rates and retention before anything is written", async () => {
    const { queue, worker, lease, keys } = setup();
    const refused: Readonly<Record<string, () => unknown>> = {
      "setLimits of a ceiling": () => queue.setLimits({ concurrency: 1 }),
      "setLimits of a rate": () => queue.setLimits({ rate: { max: 1, duration: 1 } }),
      "setLimits of a name": () => queue.setLimits({ names: { a: { max: 1, duration: 1 } } }),
      "a rate of a lane": () => queue.lane("a").rate({ max: 1, duration: 1 }),
      setRetention: () => queue.setRetention({ removeOnComplete: 5 }),
      "removeOnComplete of a job": () => queue.add("a", 1, { removeOnComplete: 5 }),
      "removeOnFail of a job": () => queue.add("a", 1, { removeOnFail: true }),
      "removeOnComplete of a worker": () => worker({ removeOnComplete: false }),
      "removeOnFail of a worker": () => worker({ removeOnFail: 5 }),
      "removeOnFail of a queue": () =>
        new QueueCore(QUEUE, lease, { node: 1, defaultJobOptions: { removeOnFail: { age: "1d" } } }),
    };
    for (const [what, call] of Object.entries(refused)) {
      const error = await errorOf(call);
      expect([what, error.code, error.retryable]).toEqual([what, "shared_mode", false]);
    }
    expect(await keys()).toEqual([]);
  });

  it("judges the values first, so that a wrong one is told as such", async () => {
    const { queue } = setup();
    expect((await errorOf(() => queue.setLimits({ rate: { max: 0, duration: 1 } }))).code).toBe("invalid_rate");
    expect((await errorOf(() => queue.setRetention({ removeOnComplete: -1 }))).code).toBe("invalid_option");
  });

  it("takes what programs of wire 3 do anyway, and keeps every dead job", async () => {
    const { ports, engine, queue, worker } = setup();
    await queue.add("a", 1, { removeOnComplete: true, removeOnFail: false, attempts: 1 });
    await queue.lane("a").limit(3);
    await queue.setRetention({ removeOnComplete: null });
    const running = worker({ removeOnComplete: true, removeOnFail: false });
    await ports.clock.settle();
    expect(await queue.getJobCounts("completed")).toEqual({ completed: 1 });
    const before = await engine.command(["ZCARD", `emq:{${QUEUE}}:dead`]);
    expect(before).toBe(0);
    const closing = running.close();
    await ports.clock.advance(5000);
    await closing;
  });
});

it("limits and keeps as it is told on its own wire", async () => {
  const { queue } = setup("echomq:4.0.0");
  await queue.setLimits({ concurrency: 1, rate: { max: 1, duration: 1 } });
  await queue.setRetention({ removeOnComplete: 5 });
  expect(await queue.retention()).toEqual({ removeOnComplete: 5 });
});
