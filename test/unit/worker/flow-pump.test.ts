/** How the ends of children reach parents in other queues: who carries them, when, and through which trouble. */

import { describe, expect, it, onTestFinished } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { deliverSignals } from "../../../src/queue/flow-delivery.ts";
import type { FlowJob } from "../../../src/queue/flow-literal.ts";
import { FlowPumpCore, type FlowPumpOptions } from "../../../src/worker/flow-pump.ts";
import { PUMP_REST_MS_MAX } from "../../../src/worker/outbox-pump.ts";
import { FlowWorld } from "./flow-world.ts";
import type { RemoteEngine } from "./remote-engine.ts";

function setup(): FlowWorld {
  const world = new FlowWorld();
  onTestFinished(() => world.closeAll());
  return world;
}

function pumpOn(world: FlowWorld, engine: RemoteEngine, options: FlowPumpOptions = {}): FlowPumpCore {
  const pump = new FlowPumpCore(["c"], { engine, release: async () => {} }, options);
  onTestFinished(async () => {
    const end = pump.close();
    await world.advance(1000);
    await end;
  });
  return pump;
}

const flow = (children: number): FlowJob => ({
  name: "top",
  queueName: "p",
  children: Array.from({ length: children }, () => ({ name: "one", queueName: "c" })),
});

/** Completes every job of a queue by hand, so that nobody of ours delivers. */
async function completeAll(world: FlowWorld, queue: string): Promise<number> {
  let count = 0;
  for (;;) {
    const job = await world.jobs.claim(queue, 30_000);
    if (job === undefined) return count;
    await world.jobs.complete(queue, job.id, job.attempts, "1");
    count += 1;
  }
}

const outboxOf = async (world: FlowWorld) => await world.engine.store.command(["LLEN", "emq:{c}:flow:outbox"]);

describe("a worker", () => {
  it("carries a signal within 50 ms at rest, over a way of 10 ms, and asks for nothing meanwhile", async () => {
    const world = setup();
    const engine = world.otherEngine();
    engine.latencyMs = 10;
    const endedAt: number[] = [];
    const ranAt: number[] = [];
    const children = world.worker("c", async () => {}, {}, engine);
    children.on("completed", () => void endedAt.push(world.elapsedMs));
    world.worker("p", async () => void ranAt.push(world.elapsedMs), {}, engine);
    await world.advance(10_000);
    const idle = engine.acts.length;
    await world.advance(10_000);
    // An act a beat for each of two workers, and none by their pumps.
    expect(engine.acts.length - idle).toBeLessThanOrEqual(22);
    await world.producer().add(flow(1));
    await world.advance(900);
    expect(ranAt).toHaveLength(1);
    expect((ranAt[0] ?? 0) - (endedAt[0] ?? 0)).toBeLessThanOrEqual(50);
  });

  it("finds by a sweep what no message told it of", async () => {
    const world = setup();
    const engine = world.otherEngine();
    engine.losesMessages = true;
    const ran: number[] = [];
    world.worker("p", async () => void ran.push(world.elapsedMs), {}, engine);
    world.worker("c", async () => {}, {}, engine);
    await world.advance(5000);
    await world.producer().add(flow(3));
    await world.advance(2500);
    expect(ran).toHaveLength(1);
    expect(await outboxOf(world)).toBe(0);
  });

  it("carries what its last settlements told before it is closed", async () => {
    const world = setup();
    const engine = world.otherEngine();
    engine.losesMessages = true;
    const worker = world.worker("c", async () => world.pause(100), { concurrency: 3 }, engine);
    const { job } = await world.producer().add(flow(3));
    await world.settle();
    const closed = worker.close();
    await world.advance(200);
    await closed;
    expect(await job.getState()).toBe("pending");
    expect(await outboxOf(world)).toBe(0);
  });

  it("waits longer each time while it cannot deliver, and delivers once it can", async () => {
    const world = setup();
    const { job } = await world.producer().add(flow(5));
    await completeAll(world, "c");
    const tries: number[] = [];
    const engine = world.otherEngine();
    engine.faultOf = ({ verb }) => {
      if (verb !== "FDELIVER") return undefined;
      tries.push(world.elapsedMs);
      return { error: new EchoMQError("server_busy", "BUSY"), when: "before" };
    };
    pumpOn(world, engine);
    await world.advance(60_000);
    const rests = [...new Set(tries)].map((at, index, all) => at - (all[index - 1] ?? at)).slice(1);
    expect(rests.slice(0, 3)).toEqual([50, 100, 200]);
    expect(Math.max(...rests)).toBe(PUMP_REST_MS_MAX);
    expect(tries.length).toBeLessThan(200);
    expect(await outboxOf(world)).toBe(5);
    engine.faultOf = () => undefined;
    await world.advance(PUMP_REST_MS_MAX);
    expect(await job.getState()).toBe("pending");
    expect(await outboxOf(world)).toBe(0);
  });
});

describe("many pumps on one queue", () => {
  it("deliver each signal and count it once", async () => {
    const world = setup();
    const { job } = await world.producer().add(flow(300));
    const pumps = [1, 2, 3].map(() => {
      const engine = world.otherEngine();
      engine.latencyMs = 3;
      return pumpOn(world, engine);
    });
    expect(await completeAll(world, "c")).toBe(300);
    await world.advance(3000);
    expect(pumps).toHaveLength(3);
    expect(await job.getState()).toBe("pending");
    expect(await world.engine.store.command(["GET", `emq:{p}:job:${job.id}:dependencies`])).toBe("0");
    expect(await outboxOf(world)).toBe(0);
  });

  it("count a child once that ends twice, an hour apart (PB-118)", async () => {
    const world = setup();
    const { job } = await world.producer().add(flow(2));
    const outbox = "emq:{c}:flow:outbox";
    await completeAll(world, "c");
    const entries = (await world.engine.store.command(["LRANGE", outbox, "0", "-1"])) as string[];
    await deliverSignals(world.engine, "c", 100);
    const runs: string[] = [];
    world.worker("p", async ({ id }) => void runs.push(id));
    await world.settle();
    await world.advance(60_000);
    // A process that stopped between delivery and clearing delivers the same again.
    await world.engine.store.command(["RPUSH", outbox, ...entries]);
    const again = await deliverSignals(world.engine, "c", 100);
    expect([again.delivered, again.left]).toEqual([2, 0]);
    await world.advance(1000);
    expect(runs).toEqual([job.id]);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });
});

describe("an outbox", () => {
  it("sets aside what nobody can read, and goes on behind it", async () => {
    const world = setup();
    const { job } = await world.producer().add(flow(1));
    const outbox = "emq:{c}:flow:outbox";
    const bad = [
      "no entry",
      "\0fail\0p",
      `\0FAIL\0p\0${job.id}\0${job.id}\0fp\0x`,
      `a{b\0${job.id}\0${job.id}\0x`,
      "\0\0\0",
    ];
    await world.engine.store.command(["RPUSH", outbox, ...bad]);
    await completeAll(world, "c");
    const pass = await deliverSignals(world.engine, "c", 100);
    expect(pass).toEqual({ delivered: 1, bad: 5, left: 0, error: undefined, further: [] });
    expect(await world.engine.store.command(["LRANGE", `${outbox}:bad`, "0", "-1"])).toEqual(bad);
    expect(await job.getState()).toBe("pending");
  });

  it("sets aside a signal whose parent's keys are damaged, with a warning", async () => {
    const world = setup();
    const { job } = await world.producer().add(flow(1));
    await world.engine.store.command(["DEL", `emq:{p}:job:${job.id}:children`]);
    await world.engine.store.command(["SET", `emq:{p}:job:${job.id}:children`, "damage"]);
    const engine = world.otherEngine();
    pumpOn(world, engine);
    await completeAll(world, "c");
    await world.advance(2000);
    expect(await outboxOf(world)).toBe(0);
    expect(await world.engine.store.command(["LLEN", "emq:{c}:flow:outbox:bad"])).toBe(1);
    expect(engine.ports.logger.messages("warn").join()).toContain("set aside");
  });

  it("goes on to other queues while one is away, and comes back to it", async () => {
    const world = setup();
    const children = [{ name: "one", queueName: "c" }];
    const flows = world.producer();
    const away = await flows.add({ name: "top", queueName: "away", children });
    const there = await flows.add({ name: "top", queueName: "p", children });
    await completeAll(world, "c");
    world.engine.faultOf = ({ verb }) => {
      const isAway = verb === "FDELIVER" && world.engine.acts.at(-1)?.args[2] === away.job.id;
      return isAway ? { error: new EchoMQError("disconnected", "cut"), when: "before" } : undefined;
    };
    const pass = await deliverSignals(world.engine, "c", 100);
    expect([pass.delivered, pass.left, (pass.error as EchoMQError).code]).toEqual([1, 1, "disconnected"]);
    expect(await there.job.getState()).toBe("pending");
    world.engine.faultOf = () => undefined;
    expect((await deliverSignals(world.engine, "c", 100)).left).toBe(0);
    expect(await away.job.getState()).toBe("pending");
  });

  it("is emptied in passes of a bounded size", async () => {
    const world = setup();
    await world.producer().add(flow(250));
    await completeAll(world, "c");
    const passes = [];
    for (let left = 1; left > 0; ) {
      const pass = await deliverSignals(world.engine, "c", 100);
      passes.push([pass.delivered, pass.left]);
      left = pass.left;
    }
    expect(passes).toEqual([
      [100, 150],
      [100, 50],
      [50, 0],
    ]);
  });
});

describe("a flow pump", () => {
  it.each([
    ["no queue", []],
    ["no list", "files"],
    ["a bad name", ["a{b"]],
    ["an empty name", [""]],
  ])("refuses %s", (_, names) => {
    const world = setup();
    const lease = { engine: world.engine, release: async () => {} };
    expect(() => new FlowPumpCore(names as string[], lease)).toThrow(EchoMQError);
  });

  it("refuses options that it does not have", () => {
    const world = setup();
    const lease = { engine: world.engine, release: async () => {} };
    expect(() => new FlowPumpCore(["c"], lease, { every: 5 } as never)).toThrow(/no option "every"/);
    expect(() => new FlowPumpCore(["c"], lease, { beat: 0 })).toThrow(EchoMQError);
  });
});
