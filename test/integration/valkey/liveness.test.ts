/**
 * Liveness on a real server: what a worker says of itself, and what a queue says of its workers, while the server goes
 * away and comes back, and while a worker dies.
 */

import { describe, expect, it, onTestFinished } from "vitest";
import { QueueCore } from "../../../src/queue/queue.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { WorkerProcess } from "../../crash/worker-process.ts";
import { startServer } from "../../server/start-server.ts";
import { openEngine, until } from "./setup-engine.ts";

const BEAT_MS = 50;

async function setup(options: WorkerOptions = {}) {
  const server = await startServer({ tcp: true, config: { appendonly: "yes", appendfsync: "always" } });
  onTestFinished(() => server.stop());
  const queue = new QueueCore("mail", {
    engine: openEngine({ connection: server.url, commandTimeoutMs: 30_000 }),
    release: () => Promise.resolve(),
  });
  const create = () => {
    // A turn that has no answer is over soon.
    const engine = openEngine({ connection: server.url, commandTimeoutMs: 500 });
    const worker = new WorkerCore(
      "mail",
      async () => {},
      { engine, release: () => engine.close() },
      {
        beat: BEAT_MS,
        ...options,
      },
    );
    onTestFinished(() => worker.close({ timeout: 0 }));
    return worker;
  };
  return { server, queue, create };
}

describe("a worker", () => {
  it("says why it does not consume while the server is gone or frozen, and consumes by itself afterwards", async () => {
    const { server, queue, create } = await setup();
    const worker = create();
    await until(() => worker.health().isConsuming);
    const before = worker.health().lastAnsweredAt ?? 0;
    await server.kill();
    await until(() => worker.health().reason === "away");
    expect(worker.health()).toMatchObject({ isConsuming: false, needsRestart: false });
    expect(worker.health().reasonText).toMatch(/^there is no connection to the server, it last answered at 2/);
    expect(worker.health().notConsumingSince).toBeGreaterThanOrEqual(before);
    await server.restart();
    await until(() => worker.health().isConsuming);
    server.freeze();
    await until(() => !worker.health().isConsuming);
    server.thaw();
    await until(() => worker.health().isConsuming);
    const { id } = await queue.add("letter", {});
    await until(async () => (await queue.getState(id)) === "absent");
  });

  it("says with which words the server refuses its turns, and works once it does not", async () => {
    const { server, queue, create } = await setup();
    const worker = create();
    await until(() => worker.health().isConsuming);
    await server.command("RENAMENX", "emq:{mail}:workers", "elsewhere");
    await server.command("SET", "emq:{mail}:workers", "a slip at a console");
    await until(() => worker.health().reason === "refused");
    expect(worker.health().reasonText).toContain("WRONGTYPE");
    expect(worker.health().needsRestart).toBe(false);
    await server.command("DEL", "emq:{mail}:workers");
    const { id } = await queue.add("letter", {});
    await until(async () => (await queue.getState(id)) === "absent");
    await until(() => worker.health().isConsuming);
  });
});

describe("a worker on a full server", () => {
  it("goes on asking and telling that it does, and settles what it has", async () => {
    const { server, queue, create } = await setup();
    const { id } = await queue.add("letter", {});
    await server.command("CONFIG", "SET", "maxmemory", "1");
    const worker = create();
    await until(async () => (await queue.getState(id)) === "absent");
    const [first] = await queue.workers();
    await until(async () => ((await queue.workers())[0]?.askedAt ?? 0) > (first?.askedAt ?? Number.MAX_SAFE_INTEGER));
    await until(() => worker.health().isConsuming && worker.health().lastError === undefined);
  });
});

describe("a queue", () => {
  it("lists a worker while it asks, and forgets it when it pauses or closes", async () => {
    const { queue, create } = await setup({ concurrency: 7 });
    const worker = create();
    await until(async () => (await queue.workers()).length === 1);
    expect(await queue.workers()).toEqual([
      {
        id: worker.id,
        askedAt: expect.any(Number),
        beatMs: BEAT_MS,
        concurrency: 7,
        names: undefined,
        isPaused: false,
      },
    ]);
    await worker.pause();
    await until(async () => (await queue.workers()).length === 0);
    worker.resume();
    await until(async () => (await queue.workers()).length === 1);
    await worker.close();
    expect(await queue.workers()).toEqual([]);
  });

  it("knows that a worker was killed by its silence, and tells who holds its job until the lease is over", async () => {
    const { server, queue } = await setup();
    const child = new WorkerProcess({
      url: server.url,
      queue: "mail",
      worker: { beat: BEAT_MS, lease: 60_000, concurrency: 1 },
      onLine: () => {},
    });
    onTestFinished(() => child.signal("SIGKILL"));
    const owner = await child.ready;
    const held = await queue.add("step", { ms: 60_000 });
    const next = await queue.add("step", { ms: 1 });
    await until(async () => (await queue.getState(held.id)) === "active");
    expect((await queue.explain(held.id)).reasons).toMatchObject([{ kind: "active", worker: owner, token: 1 }]);
    await until(async () => (await queue.explain(next.id)).reasons[0]?.kind === "busy" || "it is not busy");
    child.signal("SIGKILL");
    await child.ended;
    await until(async () => (await queue.explain(next.id)).reasons[0]?.kind === "no-worker");
    const { reasons, text } = await queue.explain(held.id);
    expect(reasons[0]).toMatchObject({ kind: "active", worker: owner });
    expect(text).toMatch(/^It is active: worker ".+" has it under token 1, with \d+ ms of its lease left\./);
  });
});
