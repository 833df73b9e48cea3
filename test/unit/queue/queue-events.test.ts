/** QueueEvents on virtual time: what is told, to whom, from when on, and what ends it. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Engine, EngineState } from "../../../src/engine/engine.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { LISTENERS_BEAT_MS, LISTENERS_MS } from "../../../src/queue/listening.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import type { AnyQueueEvent } from "../../../src/queue/queue-event.ts";
import { QueueEventsCore, type QueueEventsOptions } from "../../../src/queue/queue-events.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { errorOf } from "./scripted-engine.ts";

const LISTENERS = "emq:{q}:listeners";

function setup() {
  const ports = createTestPorts();
  const store = new EmbeddedEngine({ ports });
  const release = async () => {};
  const lease = { engine: store, release };
  const queue = new QueueCore<Record<string, unknown>>("q", lease);
  const listen = (options: QueueEventsOptions = {}, engine: Engine = store) =>
    new QueueEventsCore("q", { engine, release }, options);
  const worker = (handler: Handler, options: WorkerOptions = {}) => new WorkerCore("q", handler, lease, options);
  return { ports, clock: ports.clock, store, queue, listen, worker, jobs: new Jobs(store) };
}

/** Everything that a reader hears, in a list that grows. */
function heardBy(events: QueueEventsCore): AnyQueueEvent[] {
  const heard: AnyQueueEvent[] = [];
  events.on("any", (event) => heard.push(event));
  return heard;
}

/** An engine in front of another whose commands and subscriptions can fail. */
function faulty(inner: Engine) {
  const faults: { error: EchoMQError | undefined; noSubscription?: EchoMQError } = { error: undefined };
  const listeners = new Set<(state: EngineState) => void>();
  const engine: Engine = {
    kind: inner.kind,
    wireVersion: inner.wireVersion,
    ports: inner.ports,
    state: "ready",
    ready: () => inner.ready(),
    act: (verb, keys, args) => inner.act(verb, keys, args),
    command: async (parts) => {
      if (faults.error !== undefined) throw faults.error;
      return await inner.command(parts);
    },
    listenForWake: (key, listener) => inner.listenForWake(key, listener),
    listenForEntries: (key, listener) => inner.listenForEntries(key, listener),
    subscribe: async (channel, onMessage) => {
      if (faults.noSubscription !== undefined) throw faults.noSubscription;
      return await inner.subscribe(channel, onMessage);
    },
    onState: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => inner.close(),
  };
  return { engine, faults, comeBack: () => listeners.forEach((listener) => listener("ready")) };
}

describe("QueueEvents", () => {
  it("tells the whole life of a job, with its name, its worker and its jobId", async () => {
    const { clock, queue, listen, worker } = setup();
    const events = listen();
    const heard = heardBy(events);
    await events.waitUntilReady();
    const job = await queue.add("welcome", { to: "ada" }, { jobId: "order 7" });
    const own = worker(async (running) => {
      await running.updateProgress({ half: true });
      return "secret";
    });
    await clock.settle();
    const about = { id: job.id, jobId: "order 7" };
    expect(heard).toEqual([
      { event: "added", ...about, state: "pending", name: "welcome", lane: undefined },
      { event: "active", ...about, name: "welcome", lane: undefined, worker: expect.any(String) },
      { event: "drained" },
      { event: "progress", ...about, progress: { half: true } },
      { event: "completed", ...about, attempts: 1, result: undefined, resultBytes: undefined },
    ]);
    await own.close({ timeout: 0 });
  });

  it("tells failures, delays and deaths by their own names", async () => {
    const { clock, queue, listen, worker } = setup();
    const events = listen();
    const told: unknown[] = [];
    events.on("failed", ({ error, attempts }) => told.push(["failed", error, attempts]));
    events.on("scheduled", ({ dueAt }) => told.push(["scheduled", dueAt - clock.now()]));
    events.on("dead", ({ error }) => told.push(["dead", error]));
    await events.waitUntilReady();
    await queue.add("a", 1, { attempts: 2, backoff: { type: "fixed", delay: 1000 } });
    const own = worker(() => {
      throw new Error("no such card");
    });
    await clock.settle();
    expect(told.slice(0, 2)).toEqual([
      ["failed", expect.stringContaining("no such card"), 1],
      ["scheduled", 1000],
    ]);
    await clock.advance(2000);
    expect(told.slice(2)).toEqual([
      ["failed", expect.stringContaining("no such card"), 2],
      ["dead", expect.stringContaining("no such card")],
    ]);
    await own.close({ timeout: 0 });
  });

  it("hears 100 of each event of 100 jobs that are added at once when it is ready (PB-178)", async () => {
    const { clock, queue, listen, worker } = setup();
    const events = listen();
    const heard = heardBy(events);
    await events.waitUntilReady();
    await Promise.all(Array.from({ length: 100 }, (_, n) => queue.add("a", n)));
    const own = worker(() => {}, { concurrency: 10 });
    await clock.settle();
    for (const name of ["added", "active", "completed"]) {
      const ids = heard.flatMap((event) => (event.event === name && "id" in event ? [event.id] : []));
      expect(new Set(ids).size).toBe(100);
      expect(ids.length).toBe(100);
    }
    await own.close({ timeout: 0 });
  });

  it("tells each of 1,000 jobs as added, active and completed, in this order (PB-179)", async () => {
    const { clock, queue, listen, worker } = setup();
    const events = listen();
    const lives = new Map<string, string[]>();
    events.on("any", (event) => {
      if ("id" in event) lives.set(event.id, [...(lives.get(event.id) ?? []), event.event]);
    });
    await events.waitUntilReady();
    const own = worker(() => {}, { concurrency: 50 });
    await queue.addBulk(Array.from({ length: 1000 }, (_, n) => ({ name: "a", data: n })));
    await clock.settle();
    expect(lives.size).toBe(1000);
    for (const life of lives.values()) expect(life).toEqual(["added", "active", "completed"]);
    await own.close({ timeout: 0 });
  });

  it("carries results only for who asks, and only while that reader lives", async () => {
    const { clock, queue, listen, worker, store } = setup();
    const plain = listen();
    const results: unknown[] = [];
    plain.on("completed", ({ result }) => results.push(result));
    await plain.waitUntilReady();
    const own = worker((job) => job.data);
    await queue.add("a", 1);
    await clock.settle();
    const curious = listen({ results: true });
    await curious.waitUntilReady();
    await queue.add("a", 2);
    await clock.settle();
    await curious.close();
    await clock.advance(LISTENERS_MS + 1);
    await queue.add("a", 3);
    await clock.settle();
    expect(results).toEqual([undefined, "2", undefined]);
    expect(await store.command(["EXISTS", LISTENERS])).toBe(1);
    await own.close({ timeout: 0 });
  });

  it("keeps its mark while it lives, and lets it expire when it is closed", async () => {
    const { clock, listen, store } = setup();
    const events = listen();
    await events.waitUntilReady();
    await clock.advance(10 * LISTENERS_MS);
    expect(await store.command(["EXISTS", LISTENERS])).toBe(1);
    const end: string[] = [];
    events.on("closed", () => end.push("closed"));
    await events.close();
    await events.close();
    expect(end).toEqual(["closed"]);
    await clock.advance(LISTENERS_MS + 1);
    expect(await store.command(["EXISTS", LISTENERS])).toBe(0);
  });

  it("writes its mark again as soon as a connection has come back", async () => {
    const { clock, listen, store } = setup();
    const { engine, comeBack } = faulty(store);
    const events = listen({}, engine);
    await events.waitUntilReady();
    await store.command(["DEL", LISTENERS]);
    comeBack();
    await clock.settle();
    expect(await store.command(["EXISTS", LISTENERS])).toBe(1);
    await events.close();
  });

  it("waits through an outage at its start, and tells a lack of rights at once", async () => {
    const { clock, listen, store } = setup();
    const { engine, faults } = faulty(store);
    faults.error = new EchoMQError("timeout", "no reply");
    const events = listen({}, engine);
    let isReady = false;
    void events.waitUntilReady().then(() => {
      isReady = true;
    });
    await clock.advance(5000);
    expect(isReady).toBe(false);
    faults.error = undefined;
    await clock.advance(1000);
    expect(isReady).toBe(true);
    const told: unknown[] = [];
    events.on("error", (error) => told.push(error));
    faults.error = new EchoMQError("permission", "NOPERM no key");
    await clock.advance(LISTENERS_BEAT_MS);
    expect(told).toEqual([faults.error]);
    const other = listen({}, engine);
    expect(await errorOf(() => other.waitUntilReady())).toBe(faults.error);
    await Promise.all([events.close(), other.close()]);
  });

  it("subscribes again when the server was away for longer than a subscription may take", async () => {
    const { clock, listen, store, queue } = setup();
    const { engine, faults } = faulty(store);
    faults.noSubscription = new EchoMQError("timeout", "the subscription did not hold");
    const events = listen({}, engine);
    const heard = heardBy(events);
    const told: unknown[] = [];
    events.on("error", (error) => told.push(error));
    await clock.advance(60_000);
    delete faults.noSubscription;
    await clock.advance(1000);
    await events.waitUntilReady();
    await queue.add("a", 1);
    await clock.settle();
    expect([heard.map(({ event }) => event), told]).toEqual([["added"], []]);
    await events.close();
  });

  it("leaves neither a subscription nor a mark when it was closed before the server came back", async () => {
    const { clock, listen, store } = setup();
    const { engine, faults } = faulty(store);
    faults.noSubscription = new EchoMQError("timeout", "the subscription did not hold");
    const events = listen({}, engine);
    const ready = errorOf(() => events.waitUntilReady());
    await clock.settle();
    await events.close();
    delete faults.noSubscription;
    await clock.advance(60_000);
    expect(await ready).toMatchObject({ code: "closed" });
    expect(await store.command(["PUBLISH", "emq:{q}:events", "anybody?"])).toBe(0);
    expect(await store.command(["EXISTS", LISTENERS])).toBe(0);
  });

  it("calls the listener of one job, by its id or its jobId, until it is ended", async () => {
    const { clock, queue, listen, jobs } = setup();
    const events = listen();
    await events.waitUntilReady();
    const heard: string[] = [];
    const stop = events.onJob("order 7", (event) => heard.push(event.event));
    const job = await queue.add("a", 1, { jobId: "order 7" });
    events.onJob(job.id, (event) => heard.push(`by id ${event.event}`));
    await queue.add("a", 2);
    await jobs.cancel("q", job.id, "enough");
    await clock.settle();
    expect(heard).toEqual(["added", "by id cancelled", "cancelled"]);
    stop();
    await events.close();
  });

  it("survives what anybody may publish on its channel, and listeners that throw", async () => {
    const { clock, listen, store, jobs, ports } = setup();
    const events = listen();
    const heard = heardBy(events);
    events.on("removed", () => {
      throw new Error("a bad listener");
    });
    await events.waitUntilReady();
    const junk = ["", "{", "[]", "null", '{"event":"removed"}', '{"event":"mine","job":"x"}', '{"event":1,"job":2}'];
    for (const text of junk) await store.command(["PUBLISH", "emq:{q}:events", text]);
    await jobs.publish("q", "removed", "JOB0Nb1VTbfnu4", { state: "pending" });
    await clock.settle();
    expect(heard).toEqual([{ event: "removed", id: "JOB0Nb1VTbfnu4", jobId: undefined, state: "pending" }]);
    expect(ports.logger.lines.some(({ message }) => message.includes("listener"))).toBe(true);
    await events.close();
  });

  it.each([
    ["waiting", "added"],
    ["delayed", "scheduled"],
    ["retries-exhausted", "dead"],
    ["duplicated", "deduplicated"],
    ["compleeted", "completed"],
  ])("refuses the event %s with the word to use", (foreign, own) => {
    const { listen } = setup();
    const events = listen();
    const on = () => events.on(foreign as "added", () => {});
    expect(on).toThrow(expect.objectContaining({ code: "unknown_event", message: expect.stringContaining(own) }));
  });

  it("refuses options that it does not have, each with its code", () => {
    const { listen } = setup();
    const code = (options: object) => {
      try {
        listen(options);
        return undefined;
      } catch (error) {
        return (error as EchoMQError).code;
      }
    };
    expect(code({ result: true })).toBe("unknown_option");
    expect(code({ autorun: false })).toBe("unknown_option");
    expect(code({ results: 1 })).toBe("invalid_option");
    expect(code({ logger: {} })).toBe("invalid_option");
  });
});
