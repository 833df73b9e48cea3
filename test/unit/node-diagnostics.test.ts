/** What monitoring hears of a program's own queues and workers by `node:diagnostics_channel`. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, it, onTestFinished } from "vitest";
import type { EngineState } from "../../src/engine/engine.ts";
import { connect, FlowProducer, Queue, Worker } from "../../src/index.ts";
import { tellOfWorker } from "../../src/node-diagnostics.ts";
import { QueueCore } from "../../src/queue/queue.ts";
import { away, ScriptedEngine } from "./queue/scripted-engine.ts";
import { QUEUE, WorkerWorld } from "./worker/worker-world.ts";

/** Every message of our channels about one queue, with the name of its channel. */
function hear(queue: string): [string, Record<string, unknown>][] {
  const heard: [string, Record<string, unknown>][] = [];
  const listener = (message: unknown, name: string | symbol) => {
    const told = message as Record<string, unknown>;
    if (told["queue"] === queue) heard.push([String(name), told]);
  };
  const names = ["job:add", "job:start", "job:complete", "job:fail", "job:lost", "worker:start", "worker:stop"];
  names.push(...["open", "close", "pause", "resume", "drain", "obliterate"].map((act) => `queue:${act}`));
  for (const name of names) subscribe(`emq:${name}`, listener);
  onTestFinished(() => {
    for (const name of names) unsubscribe(`emq:${name}`, listener);
  });
  return heard;
}

it("tells of the life of a job and its worker, each with its documented members", async () => {
  const heard = hear("diagnosed");
  const connection = "memory:diagnosed";
  const queue = new Queue<Record<string, unknown>>("diagnosed", { connection });
  const handler = (job: { readonly data: unknown }) => {
    if (job.data === "bad") throw new Error("no such card");
  };
  const [good] = await queue.addBulk([{ name: "a", data: "good" }]);
  const bad = await queue.add("b", "bad", { attempts: 1 });
  const worker = new Worker("diagnosed", handler, { connection, concurrency: 1 });
  await new Promise<void>((resolve) => worker.on("failed", () => resolve()));
  await worker.close();
  await queue.close();
  const own = { queue: "diagnosed", worker: worker.id };
  const [a, b] = [
    { id: good?.id, name: "a" },
    { id: bad.id, name: "b" },
  ];
  const durationMs = expect.any(Number) as number;
  expect(heard.filter(([name]) => name === "emq:job:add")).toEqual([
    ["emq:job:add", { queue: "diagnosed", ...a, outcome: "added" }],
    ["emq:job:add", { queue: "diagnosed", ...b, outcome: "added" }],
  ]);
  expect(
    heard
      .filter(([, { worker: by }]) => by === worker.id)
      .map(([name]) => name)
      .sort(),
  ).toEqual([
    "emq:job:complete",
    "emq:job:fail",
    "emq:job:start",
    "emq:job:start",
    "emq:worker:start",
    "emq:worker:stop",
  ]);
  expect(heard).toContainEqual(["emq:job:complete", { ...own, ...a, durationMs }]);
  const error = expect.objectContaining({ message: "no such card" }) as Error;
  expect(heard).toContainEqual(["emq:job:fail", { ...own, ...b, durationMs, error, outcome: "dead" }]);
});

it("tells of each job of a flow, and of the children that a handler adds", async () => {
  const heard = [hear("told-wholes"), hear("told-parts")];
  const connection = "memory:told";
  const flows = new FlowProducer({ connection });
  onTestFinished(() => flows.close());
  const children = [{ name: "part", queueName: "told-parts" }];
  const { job, children: parts } = await flows.add({ name: "whole", queueName: "told-wholes", children });
  const workers = [
    new Worker("told-parts", () => {}, { connection }),
    new Worker("told-wholes", (_, own) => own.children.run({ x: { name: "late", queueName: "told-parts" } }), {
      connection,
    }),
  ];
  await new Promise<void>((resolve) => workers[1]?.on("completed", () => resolve()));
  await Promise.all(workers.map((worker) => worker.close()));
  const adds = heard.map((messages) => messages.filter(([name]) => name === "emq:job:add").map(([, told]) => told));
  const added = { outcome: "added" };
  expect(adds).toEqual([
    [{ queue: "told-wholes", id: job.id, name: "whole", ...added }],
    [
      { queue: "told-parts", id: parts[0]?.job.id, name: "part", ...added },
      { queue: "told-parts", id: expect.any(String) as string, name: "late", ...added },
    ],
  ]);
});

it("ends no process by an add that nobody awaits, while somebody listens and the server is away", async () => {
  hear("away");
  const engine = new ScriptedEngine();
  engine.answer = () => {
    throw away();
  };
  const queue = new Queue("away", { connection: engine });
  const errors: unknown[] = [];
  queue.on("error", (error) => errors.push(error));
  // An unhandled rejection would fail the test run.
  void queue.add("a", {});
  await engine.ports.clock.settle();
  expect(errors).toHaveLength(1);
});

it("leaves the rejection of an add as it is, whether or not anybody listens", async () => {
  hear("refused");
  const queue = new Queue("refused", { connection: "memory:refused" });
  await queue.close();
  await expect(queue.add("a", {})).rejects.toThrow(expect.objectContaining({ code: "closed" }));
});

it("tells what this process does to a queue, once the server has acknowledged it", async () => {
  const heard = hear("governed");
  const queue = new Queue("governed", { connection: "memory:governed" });
  await queue.addBulk([
    { name: "a", data: 1 },
    { name: "a", data: 2 },
  ]);
  await queue.pause();
  await queue.drain();
  await queue.resume();
  await queue.obliterate({ force: true });
  await queue.close();
  await expect(queue.pause()).rejects.toThrow(expect.objectContaining({ code: "closed" }));
  expect(heard.filter(([name]) => name.startsWith("emq:queue:"))).toEqual([
    ["emq:queue:open", { queue: "governed" }],
    ["emq:queue:pause", { queue: "governed" }],
    ["emq:queue:drain", { queue: "governed", removed: 2 }],
    ["emq:queue:resume", { queue: "governed" }],
    ["emq:queue:obliterate", { queue: "governed" }],
    ["emq:queue:close", { queue: "governed" }],
  ]);
});

it("tells how long a job waited for its first run, and of a later run nothing", async () => {
  const heard = hear("waited");
  const connection = "memory:waited";
  const queue = new Queue("waited", { connection });
  await queue.add("a", 1, { attempts: 2, backoff: 1 });
  const worker = new Worker("waited", () => Promise.reject(new Error("no")), { connection });
  await new Promise<void>((resolve) =>
    worker.on("failed", (_, __, outcome) => (outcome === "dead" ? resolve() : undefined)),
  );
  await worker.close();
  await queue.close();
  const waits = heard.filter(([name]) => name === "emq:job:start").map(([, { waitMs }]) => waitMs);
  expect(waits).toEqual([expect.any(Number), undefined]);
});

it("leaves the delay that was asked for out of what a job waited", async () => {
  const world = new WorkerWorld();
  const lease = { engine: world.engine, release: async () => {} };
  const queue = new QueueCore<Record<string, unknown>>(QUEUE, lease, { node: 1 });
  const worker = world.worker(() => {});
  const waits: unknown[] = [];
  const listener = (message: unknown) => {
    const { worker: by, waitMs } = message as { readonly worker: string; readonly waitMs: number };
    if (by === worker.id) waits.push(waitMs);
  };
  subscribe("emq:job:start", listener);
  onTestFinished(() => void unsubscribe("emq:job:start", listener));
  tellOfWorker(worker, world.ports.clock);
  await queue.pause();
  await queue.add("a", 1, { delay: 5000 });
  await queue.add("a", 2);
  await world.advance(7000);
  await queue.resume();
  await world.advance(10);
  // The delayed job was due 5 s later, and is first by its id.
  expect(waits).toEqual([2000, 7000]);
  await world.closeAll();
});

it("tells once of a connection that several share, when it comes, goes and is closed", () => {
  const heard: unknown[] = [];
  const listener = (message: unknown, name: string | symbol) => {
    const { kind } = message as { readonly kind: string };
    if (kind === "valkey") heard.push([name, message]);
  };
  const names = ["emq:connection:up", "emq:connection:down", "emq:connection:close"];
  for (const name of names) subscribe(name, listener);
  onTestFinished(() => {
    for (const name of names) unsubscribe(name, listener);
  });
  const listeners = new Set<(state: EngineState) => void>();
  const why = new Error("connect ECONNREFUSED");
  const engine = Object.assign(new ScriptedEngine(), {
    kind: "valkey" as const,
    whyDown: why,
    onState: (tell: (state: EngineState) => void) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
  });
  engine.state = "connecting";
  connect(engine);
  connect(engine);
  for (const state of ["ready", "down", "ready", "closed"] as const) for (const tell of listeners) tell(state);
  const connection = expect.any(Number) as number;
  const kind = "valkey";
  expect(heard).toEqual([
    ["emq:connection:up", { connection, kind }],
    ["emq:connection:down", { connection, kind, error: why }],
    ["emq:connection:up", { connection, kind }],
    ["emq:connection:close", { connection, kind }],
  ]);
});
