/** Waiting for results on virtual time: who waits, what wakes, and what is left when nobody or nothing does. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Engine, EngineState, Reply } from "../../../src/engine/engine.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { RESULT_WAITS_MAX } from "../../../src/queue/defaults.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import type { QueueOptions } from "../../../src/queue/queue-options.ts";
import { LINGER_MS } from "../../../src/queue/result-waits.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { UnrecoverableError } from "../../../src/worker/control-error.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { away, errorOf } from "./scripted-engine.ts";

/** An engine that counts what is asked about results, and whose messages or acts can be kept away. */
class WatchedEngine {
  readonly inner: EmbeddedEngine;
  looks = 0;
  subscriptions = 0;
  refusesMessages = false;
  /** Set while a subscription takes too long. */
  isSlow = false;
  isAway = false;
  /** How long a question about a result is on its way, in ms. */
  lookDelayMs = 0;
  /** How long a command is on its way, in ms. */
  commandDelayMs = 0;
  readonly #listeners = new Set<(state: EngineState) => void>();

  constructor(inner: EmbeddedEngine) {
    this.inner = inner;
  }

  comeBack(): void {
    this.isAway = false;
    for (const listener of this.#listeners) listener("ready");
  }

  get engine(): Engine {
    const { inner } = this;
    return {
      kind: inner.kind,
      wireVersion: inner.wireVersion,
      ports: inner.ports,
      state: "ready",
      ready: () => inner.ready(),
      act: async (verb, keys, args): Promise<Reply> => {
        if (verb === "RESULT") {
          this.looks++;
          if (this.lookDelayMs > 0) await later(inner.ports.clock, this.lookDelayMs);
        }
        if (this.isAway) throw away();
        return await inner.act(verb, keys, args);
      },
      command: async (parts) => {
        if (this.commandDelayMs > 0) await later(inner.ports.clock, this.commandDelayMs);
        return await inner.command(parts);
      },
      listenForWake: (key, listener) => inner.listenForWake(key, listener),
      listenForEntries: (key, listener) => inner.listenForEntries(key, listener),
      subscribe: async (channel, onMessage) => {
        if (this.refusesMessages) throw new EchoMQError("permission", "NOPERM no channel");
        if (this.isSlow) {
          await later(inner.ports.clock, 5000);
          throw new EchoMQError("timeout", "the subscription did not hold");
        }
        const subscription = await inner.subscribe(channel, (message) => {
          if (!this.isAway) onMessage(message);
        });
        this.subscriptions++;
        return {
          close: async () => {
            this.subscriptions--;
            await subscription.close();
          },
        };
      },
      onState: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      close: () => inner.close(),
    };
  }
}

function setup(options: QueueOptions = {}) {
  const ports = createTestPorts();
  const store = new EmbeddedEngine({ ports });
  const watched = new WatchedEngine(store);
  const release = async () => {};
  const queueOf = (engine: Engine) => new QueueCore<Record<string, unknown>>("q", { engine, release }, options);
  const worker = (handler: Handler, workerOptions: WorkerOptions = {}) =>
    new WorkerCore("q", handler, { engine: store, release }, workerOptions);
  return { clock: ports.clock, store, watched, queue: queueOf(watched.engine), other: queueOf(store), worker };
}

/** Follows a promise, so that virtual time may pass before it ends. */
function followed<Value>(promise: Promise<Value>) {
  const ending: { value?: Value; error?: unknown; isOver: boolean } = { isOver: false };
  promise.then(
    (value) => Object.assign(ending, { value, isOver: true }),
    (error: unknown) => Object.assign(ending, { error, isOver: true }),
  );
  return ending;
}

const later = (clock: { after(ms: number, action: () => void): unknown }, ms: number) =>
  new Promise<void>((resolve) => {
    clock.after(ms, resolve);
  });

describe("result", () => {
  it("resolves to what the handler returned, in every process that waits, although the row goes", async () => {
    const { clock, queue, other, worker, store } = setup();
    const job = await queue.add("a", 1);
    const waits = [followed(job.result()), followed(job.result()), followed(other.result(job.id))];
    await clock.settle();
    worker(async () => {
      await later(clock, 500);
      return { sum: 3, text: "ü" };
    });
    await clock.advance(499);
    expect(waits.map(({ isOver }) => isOver)).toEqual([false, false, false]);
    await clock.advance(1);
    expect(waits.map(({ value }) => value)).toEqual(waits.map(() => ({ sum: 3, text: "ü" })));
    expect(await store.command(["EXISTS", `emq:{q}:job:${job.id}`])).toBe(0);
  });

  it("goes on through failures and resolves when a later run returns", async () => {
    const { clock, queue, worker } = setup();
    const wait = followed((await queue.add("a", 1)).result());
    let runs = 0;
    worker(() => {
      runs += 1;
      if (runs < 3) throw new Error("not yet");
      return "done";
    });
    await clock.advance(1500);
    expect(wait.isOver).toBe(false);
    await clock.advance(1500);
    expect(wait.value).toBe("done");
  });

  it("resolves to undefined for a handler that returned nothing", async () => {
    const { clock, queue, worker } = setup();
    const wait = followed((await queue.add("a", 1)).result());
    await clock.settle();
    worker(() => {});
    await clock.settle();
    expect(wait).toMatchObject({ isOver: true, value: undefined });
    expect(wait.error).toBeUndefined();
  });

  it("rejects with job_failed and the error's text when the job is dead, kept or not", async () => {
    const { clock, queue, worker } = setup();
    const kept = await queue.add("a", 1);
    const gone = await queue.add("a", 1, { removeOnFail: true });
    const waits = [followed(kept.result()), followed(gone.result())];
    await clock.settle();
    worker(() => {
      throw new UnrecoverableError("no such card");
    });
    await clock.settle();
    for (const [at, wait] of waits.entries()) {
      const id = [kept, gone][at]?.id;
      expect(wait.error).toMatchObject({
        code: "job_failed",
        details: { id, error: expect.stringContaining("no such card") },
      });
    }
    expect(await errorOf(() => kept.result())).toMatchObject({ code: "job_failed" });
  });

  it("rejects with job_removed when the job is removed or cancelled, and when there is none", async () => {
    const { clock, queue } = setup();
    const [removed, cancelled] = [await queue.add("a", 1), await queue.add("a", 1)];
    const waits = [followed(removed.result()), followed(cancelled.result())];
    await clock.settle();
    await removed.remove();
    await queue.jobs.cancel("q", cancelled.id, "enough");
    await clock.settle();
    for (const wait of waits) expect(wait.error).toMatchObject({ code: "job_removed" });
    for (const id of ["JOB00000000001", "an alias of none"]) {
      expect(await errorOf(() => queue.result(id))).toMatchObject({ code: "job_removed", details: { id } });
    }
  });

  it("rejects with result_timeout, the job goes on, and a second wait finds its result", async () => {
    const { clock, queue, worker } = setup();
    const job = await queue.add("a", 1);
    const wait = followed(job.result({ timeout: "2s" }));
    worker(async () => {
      await later(clock, 5000);
      return "late";
    });
    await clock.advance(1999);
    expect(wait.isOver).toBe(false);
    await clock.advance(1);
    expect(wait.error).toMatchObject({ code: "result_timeout", retryable: true, details: { id: job.id } });
    const second = followed(job.result({ timeout: "1m" }));
    await clock.advance(3000);
    expect(second.value).toBe("late");
  });

  it("only looks with a timeout of 0", async () => {
    const { queue, watched, store } = setup();
    const job = await queue.add("a", 1);
    expect(await errorOf(() => job.result({ timeout: 0 }))).toMatchObject({ code: "result_timeout" });
    expect([watched.looks, watched.subscriptions]).toEqual([1, 0]);
    expect(await store.command(["HEXISTS", `emq:{q}:job:${job.id}`, "wait"])).toBe(0);
  });

  it("reads a kept job at any time, and one that was added with keepResult until that has passed", async () => {
    const { clock, queue, worker } = setup();
    worker((job) => job.data);
    const kept = await queue.add("a", "kept", { removeOnComplete: false });
    const left = await queue.add("a", "left", { keepResult: "10s" });
    const gone = await queue.add("a", "gone");
    await clock.advance(9000);
    expect(await kept.result({ timeout: 0 })).toBe("kept");
    expect(await left.result({ timeout: 0 })).toBe("left");
    expect(await errorOf(() => gone.result({ timeout: 0 }))).toMatchObject({ code: "job_removed" });
    await clock.advance(2000);
    expect(await errorOf(() => left.result({ timeout: 0 }))).toMatchObject({ code: "job_removed" });
  });

  it("tells of a result that was too large to be left", async () => {
    const { clock, queue, worker } = setup();
    const job = await queue.add("a", 1);
    const wait = followed(job.result());
    await clock.settle();
    worker(() => "x".repeat(2 ** 20));
    await clock.settle();
    expect(wait.error).toMatchObject({ code: "result_too_large", details: { id: job.id } });
  });

  it.each([
    [{ timeout: -1 }, "invalid_option"],
    [{ timeout: "soon" }, "invalid_option"],
    [{ timeout: "30d" }, "invalid_option"],
    [{ ttl: 5 }, "unknown_option"],
    [5, "invalid_option"],
  ])("refuses %o as %s", async (options, code) => {
    const { queue, watched } = setup();
    const job = await queue.add("a", 1);
    expect(await errorOf(() => job.result(options as never))).toMatchObject({ code });
    expect(watched.looks).toBe(0);
  });

  it("cannot be waited for by the job's own handler", async () => {
    const { clock, queue, worker } = setup();
    let code: unknown;
    worker(async (job) => {
      code = (await errorOf(() => job.result())).code;
    });
    await queue.add("a", 1);
    await clock.settle();
    expect(code).toBe("unsupported");
  });
});

describe("addAndWait", () => {
  it("resolves to the result of a thousand of a thousand jobs whose rows go at once", async () => {
    const { clock, queue, worker, store } = setup();
    worker((job) => (job.data as number) * 2, { concurrency: 50 });
    const numbers = Array.from({ length: 1000 }, (_, n) => n);
    const waits = followed(Promise.all(numbers.map((n) => queue.addAndWait("double", n))));
    await clock.advance(2000);
    expect(waits.value).toEqual(numbers.map((n) => n * 2));
    expect(await store.command(["ZCARD", "emq:{q}:completed"])).toBe(0);
    // A minute, and the grace of a wait.
    await clock.advance(66_000);
    expect(await store.command(["KEYS", "emq:{q}:job:*"])).toEqual([]);
  });

  it("resolves also when the job has ended before its caller could ask", async () => {
    const { clock, queue, watched, worker } = setup();
    worker(() => "quick");
    watched.lookDelayMs = 20_000;
    const wait = followed(queue.addAndWait("a", 1, { timeout: "30s" }));
    await clock.advance(10);
    expect(await queue.getJobCounts("pending", "completed")).toEqual({ pending: 0, completed: 1 });
    await clock.advance(25_000);
    expect(wait.value).toBe("quick");
  });

  it("waits for the job that lives when its own is a duplicate", async () => {
    const { clock, queue, worker } = setup();
    const { id } = await queue.add("a", "first");
    const wait = followed(queue.addAndWait("a", "second", { opts: { id } }));
    await clock.settle();
    worker((job) => job.data);
    await clock.settle();
    expect(wait.value).toBe("first");
  });

  it("takes what it is told of the job, and keeps the queue's own word about results", async () => {
    const { queue, store } = setup({ defaultJobOptions: { keepResult: "5m", attempts: 7 } });
    const optsOf = async (wait: Promise<unknown>) => {
      await expect(wait).rejects.toMatchObject({ code: "result_timeout" });
      const [id] = (await store.command(["ZRANGE", "emq:{q}:pending", "-1", "-1"])) as string[];
      return JSON.parse(String(await store.command(["HGET", `emq:{q}:job:${id}`, "opts"]))) as unknown;
    };
    expect(await optsOf(queue.addAndWait("a", 1, { timeout: 0 }))).toEqual({ attempts: 7, keepResult: 300_000 });
    const opts = { keepResult: "1s" } as const;
    expect(await optsOf(queue.addAndWait("a", 1, { timeout: 0, opts }))).toEqual({ attempts: 7, keepResult: 1000 });
  });

  it("refuses what it does not take before anything is stored", async () => {
    const { queue, store } = setup();
    expect(await errorOf(() => queue.addAndWait("a", 1, { attempts: 3 } as never))).toMatchObject({
      code: "unknown_option",
    });
    expect(await errorOf(() => queue.addAndWait("a", 1, { timeout: -1 }))).toMatchObject({ code: "invalid_option" });
    expect(await store.command(["KEYS", "emq:{q}:*"])).toEqual([]);
  });
});

describe("a wait", () => {
  it("is woken by the message and does not ask again meanwhile", async () => {
    const { clock, queue, watched, worker } = setup();
    const wait = followed((await queue.add("a", 1)).result());
    await clock.settle();
    worker(() => 1);
    await clock.settle();
    expect([wait.value, watched.looks]).toEqual([1, 2]);
  });

  it("finds the result by looking where messages are refused", async () => {
    const { clock, queue, watched, worker } = setup();
    watched.refusesMessages = true;
    const wait = followed((await queue.add("a", 1)).result());
    await clock.settle();
    worker(() => 1);
    await clock.settle();
    expect(wait.isOver).toBe(false);
    await clock.advance(1000);
    expect(wait.value).toBe(1);
  });

  it("is woken again by messages after a subscription that took too long", async () => {
    const { clock, queue, watched, worker } = setup();
    watched.isSlow = true;
    const early = followed((await queue.add("a", 1)).result({ timeout: "5m" }));
    await clock.advance(60_000);
    expect(watched.subscriptions).toBe(0);
    watched.isSlow = false;
    const late = followed((await queue.add("a", 2)).result({ timeout: "5m" }));
    await clock.settle();
    worker((job) => job.data);
    await clock.settle();
    expect([early.value, late.value, watched.subscriptions]).toEqual([1, 2, 1]);
  });

  it("subscribes again when the connection is back, for those who wait since before", async () => {
    const { clock, queue, watched, worker } = setup();
    watched.isSlow = true;
    const wait = followed((await queue.add("a", 1)).result({ timeout: "5m" }));
    await clock.advance(60_000);
    watched.isSlow = false;
    watched.comeBack();
    await clock.settle();
    worker(() => 1);
    await clock.settle();
    expect([wait.value, watched.subscriptions]).toEqual([1, 1]);
  });

  it("holds up no close while a subscription is on its way", async () => {
    const { clock, queue, watched } = setup();
    watched.isSlow = true;
    const wait = followed((await queue.add("a", 1)).result({ timeout: "5m" }));
    await clock.settle();
    const ending = followed(queue.close({ timeout: 0 }));
    await clock.advance(1);
    expect([ending.isOver, wait.error]).toEqual([true, expect.objectContaining({ code: "closed" })]);
  });

  it("looks at most once in ten seconds after a while", async () => {
    const { clock, queue, watched } = setup();
    const wait = followed((await queue.add("a", 1)).result({ timeout: "10m" }));
    await clock.advance(60_000);
    const before = watched.looks;
    await clock.advance(100_000);
    expect([watched.looks - before, wait.isOver]).toEqual([10, false]);
  });

  it("outlasts a server that goes away, and looks soon after it is back", async () => {
    const { clock, queue, watched, worker } = setup();
    const wait = followed((await queue.add("a", 1)).result({ timeout: "5m" }));
    await clock.settle();
    watched.isAway = true;
    worker(() => 1);
    await clock.advance(60_000);
    expect(wait.isOver).toBe(false);
    watched.comeBack();
    await clock.advance(1000);
    expect(wait.value).toBe(1);
  });

  it("listens while somebody waits, and a little longer", async () => {
    const { clock, queue, watched, worker } = setup();
    worker(() => 1);
    const waits = [followed(queue.addAndWait("a", 1)), followed(queue.addAndWait("a", 1))];
    await clock.advance(10);
    expect([waits.map(({ value }) => value), watched.subscriptions]).toEqual([[1, 1], 1]);
    await clock.advance(LINGER_MS - 20);
    expect(watched.subscriptions).toBe(1);
    const third = followed(queue.addAndWait("a", 1));
    await clock.advance(LINGER_MS - 1);
    expect([third.value, watched.subscriptions]).toEqual([1, 1]);
    await clock.advance(1000);
    expect(watched.subscriptions).toBe(0);
  });

  it("ends with closed when its queue is closed, and leaves no timer", async () => {
    const { clock, queue, watched } = setup();
    const wait = followed((await queue.add("a", 1)).result());
    await clock.settle();
    const ending = queue.close();
    await clock.advance(1);
    await ending;
    expect(wait.error).toMatchObject({ code: "closed" });
    expect([watched.subscriptions, clock.timerCount]).toEqual([0, 0]);
    expect(await errorOf(() => queue.result("JOB00000000001"))).toMatchObject({ code: "closed" });
  });

  it("ends with closed when its queue is closed while the job is looked up, and leaves nothing behind", async () => {
    const { clock, queue, watched } = setup();
    await queue.add("a", 1, { jobId: "invoice 7" });
    watched.commandDelayMs = 100;
    const wait = followed(queue.result("invoice 7"));
    await queue.close();
    await clock.advance(1000);
    expect(wait.error).toMatchObject({ code: "closed" });
    expect([watched.subscriptions, watched.looks, clock.timerCount]).toEqual([0, 0, 0]);
  });

  it("is refused beyond the bound of all", async () => {
    const { clock, queue } = setup();
    const job = await queue.add("a", 1);
    const waits = Array.from({ length: RESULT_WAITS_MAX }, () => followed(job.result({ timeout: "1s" })));
    expect(await errorOf(() => job.result())).toMatchObject({ code: "overloaded", retryable: true });
    await clock.advance(1000);
    expect(waits.every(({ error }) => (error as EchoMQError).code === "result_timeout")).toBe(true);
    expect(followed(job.result({ timeout: "1s" })).isOver).toBe(false);
  });
});
