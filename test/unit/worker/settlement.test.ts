import { describe, expect, test } from "vitest";
import { type EchoMQError, isEchoMQError } from "../../../src/protocol/errors.ts";
import { STOP_GRACE_MS_DEFAULT } from "../../../src/queue/defaults.ts";
import type { StandardSchema } from "../../../src/queue/schema.ts";
import {
  DelayedError,
  GiveBackError,
  RateLimitError,
  snooze,
  UnrecoverableError,
} from "../../../src/worker/control-error.ts";
import { BACKOFF_ANSWER_MS_MAX } from "../../../src/worker/handler-runner.ts";
import type { Handler } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { type Added, QUEUE, WorkerWorld } from "./worker-world.ts";

/** One worker that runs one job; `row` reads it again. */
async function setup(handler: Handler, options: WorkerOptions = {}, added: Added = {}) {
  const world = new WorkerWorld();
  const [id = ""] = await world.add(added);
  const worker = world.worker(handler, options);
  const failures: { error: unknown; outcome: string; at: number }[] = [];
  const results: unknown[] = [];
  worker.on("failed", (_job, error, outcome) => failures.push({ error, outcome, at: world.elapsedMs }));
  worker.on("completed", (_job, result) => results.push(result));
  const row = async () => await world.jobs.getRow(QUEUE, id);
  return { world, worker, id, failures, results, row };
}

/** Throws anything, where only an expression may stand. */
function raise(thrown: unknown): never {
  throw thrown as Error;
}

/** An object that is no promise and has a `then`. */
function thenable(then: PropertyDescriptor): object {
  // biome-ignore lint/suspicious/noThenProperty: an object with a then that misbehaves is what these tests are about.
  return Object.defineProperty({}, "then", then); // oxlint-disable-line unicorn/no-thenable
}

/** A validator that wants a text `to` and adds a mark. */
function addressSchema(): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: async (value: unknown) => {
        const to = (value as { to?: unknown }).to;
        return typeof to === "string" ? { value: { to, isChecked: true } } : { issues: [{ message: "to is missing" }] };
      },
    },
  };
}

describe("what a handler returns", () => {
  test.each([[{ a: 1 }], ["text"], [null], [0], [[1, 2]], [true]])("completes the job: %j", async (value) => {
    const { world, results } = await setup(() => value);
    await world.advance(10);
    expect(results).toEqual([value]);
    expect(await world.counts()).toMatchObject({ completed: 1, active: 0 });
    await world.closeAll();
  });

  test("completes the job without a result when it is undefined", async () => {
    const { world, results } = await setup(async () => {});
    await world.advance(10);
    expect(results).toEqual([undefined]);
    expect(world.engine.sent("TURN").some(({ args }) => args[3] === "c")).toBe(true);
    await world.closeAll();
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  test.each([
    ["a BigInt", 1n],
    ["a function", () => 1],
    ["a cycle", cycle],
    ["a symbol", Symbol("s")],
  ])("fails the attempt when JSON cannot hold it: %s", async (_name, value) => {
    const { world, failures, row } = await setup(() => value, { attempts: 1 });
    await world.advance(10);
    expect(failures[0]?.error).toMatchObject({ code: "invalid_payload" });
    expect((await row())?.get("last_error")).toContain("What the handler returned cannot be stored");
    await world.closeAll();
  });

  const unreadable = new Proxy(
    {},
    {
      get() {
        throw new Error("trap");
      },
    },
  );
  test.each([
    ["a thenable that throws", thenable({ value: () => raise(new Error("then")) }), "Error: then"],
    ["one whose then cannot be read", thenable({ get: () => raise(new Error("getter")) }), "Error: getter"],
    ["an object that cannot be read", unreadable, "Error: trap"],
    [
      "a member that cannot be read",
      {
        get a() {
          return raise(new Error("member"));
        },
      },
      "What the handler returned",
    ],
    ["a toJSON that throws no error", { toJSON: () => raise(Object.create(null)) }, "What the handler returned"],
  ])("fails the attempt when it breaks on being looked at, and the worker goes on: %s", async (_name, value, text) => {
    const { world, failures, results, row } = await setup((job) => (job.attempt === 1 ? value : "second"));
    await world.advance(10);
    expect(failures).toMatchObject([{ outcome: "scheduled" }]);
    expect((await row())?.get("last_error")).toContain(text);
    await world.advance(1000);
    expect(results).toEqual(["second"]);
    await world.closeAll();
  });

  type Answer = (value: unknown) => void;
  test.each([
    ["answers twice", thenable({ value: (done: Answer, fail: Answer) => [done(1), fail(2)] })],
    ["throws after it answered", thenable({ value: (done: Answer) => [done(1), raise(new Error("late"))] })],
    ["answers a thenable", thenable({ value: (done: Answer) => done(thenable({ value: (end: Answer) => end(1) })) })],
  ])("is awaited as the platform would: a thenable that %s", async (_name, value) => {
    const { world, failures, results } = await setup(() => value);
    await world.advance(10);
    expect([results, failures]).toEqual([[1], []]);
    await world.closeAll();
  });

  test("fails the attempt when it is larger than a payload may be", async () => {
    const { world, failures } = await setup(() => "x".repeat(200), { attempts: 1, sizeLimit: 100 });
    await world.advance(10);
    expect(failures[0]?.error).toMatchObject({ code: "payload_too_large" });
    await world.closeAll();
  });
});

describe("what a handler throws", () => {
  test("is an attempt, until none is left", async () => {
    const attempts: number[] = [];
    const { world, failures, row } = await setup((job) => {
      attempts.push(job.attempt);
      throw new Error(`run ${job.attempt}`);
    });
    await world.advance(10_000);
    expect(attempts).toEqual([1, 2, 3]);
    expect(failures.map(({ outcome }) => outcome)).toEqual(["scheduled", "scheduled", "dead"]);
    // One second between two runs, unless told otherwise.
    expect(failures.map(({ at }) => at)).toEqual([0, 1000, 2000]);
    expect((await row())?.get("last_error")?.split("\n")[0]).toBe("Error: run 3");
    expect(await world.counts()).toMatchObject({ dead: 1, completed: 0 });
    expect(await world.violations()).toEqual([]);
    await world.closeAll();
  });

  test("counts the attempts of the job before those of the worker", async () => {
    const { world, failures } = await setup(
      () => {
        throw new Error("no");
      },
      { attempts: 7, backoff: 5 },
      { opts: { attempts: 2, backoff: 40 } },
    );
    await world.advance(1000);
    expect(failures.map(({ outcome, at }) => [outcome, at])).toEqual([
      ["scheduled", 0],
      ["dead", 40],
    ]);
    await world.closeAll();
  });

  test("waits by the backoff of the worker, exponentially and capped", async () => {
    const { world, failures } = await setup(
      () => {
        throw new Error("no");
      },
      { attempts: 5, backoff: { type: "exponential", delay: 100, cap: 300 } },
    );
    await world.advance(5000);
    expect(failures.map(({ at }) => at)).toEqual([0, 100, 300, 600, 900]);
    await world.closeAll();
  });

  test("waits as a function of the worker says, sync or async, by attempt, error and job", async () => {
    const asked: unknown[] = [];
    const { world, failures, id } = await setup(
      () => {
        throw new Error("no");
      },
      {
        attempts: 4,
        backoff: (attempt, error, job) => {
          asked.push([attempt, (error as Error).message, (job as { id: string }).id]);
          return attempt === 2 ? Promise.resolve(50.5) : 10 * attempt;
        },
      },
    );
    await world.advance(5000);
    expect(asked[0]).toEqual([1, "no", id]);
    expect(failures.map(({ at }) => at)).toEqual([0, 10, 61, 91]);
    await world.closeAll();
  });

  test.each([
    ["NaN", () => Number.NaN],
    ["a negative time", () => -1],
    ["infinity", () => Number.POSITIVE_INFINITY],
    ["text", () => "soon" as unknown as number],
    ["an object without a prototype", () => Object.create(null) as number],
    [
      "an error",
      () => {
        throw new Error("backoff");
      },
    ],
    ["a rejection", async () => await Promise.reject<number>(new Error("backoff"))],
  ])("waits a second when the function answers %s, and says so", async (_name, backoff) => {
    const { world, failures } = await setup(
      () => {
        throw new Error("no");
      },
      { attempts: 2, backoff },
    );
    await world.advance(5000);
    expect(failures.map(({ at }) => at)).toEqual([0, 1000]);
    expect(world.ports.logger.messages("error")).not.toEqual([]);
    await world.closeAll();
  });

  test("waits a second when the function never answers, and lets no time limit call that the handler's", async () => {
    const asked: number[] = [];
    const { world, failures } = await setup(
      () => {
        throw new Error("no");
      },
      {
        attempts: 2,
        timeout: 50,
        backoff: (attempt) => {
          asked.push(attempt);
          return new Promise<number>(() => {});
        },
      },
    );
    await world.advance(BACKOFF_ANSWER_MS_MAX * 3);
    expect(failures.map(({ at, outcome }) => [at, outcome])).toEqual([
      [BACKOFF_ANSWER_MS_MAX, "scheduled"],
      [2 * BACKOFF_ANSWER_MS_MAX + 1000, "dead"],
    ]);
    expect(asked).toEqual([1, 2]);
    expect(world.ports.logger.messages("warn")).toEqual([]);
    expect(world.ports.logger.messages("error").join()).toContain("did not answer");
    await world.closeAll();
  });

  const circular: Record<string, unknown> = { code: 1 };
  circular["self"] = circular;
  test.each([
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a text", "it broke", "it broke"],
    ["a number", 42, "42"],
    ["an object", { status: 503 }, '{"status":503}'],
    ["a cycle", circular, "an object with code, self"],
    ["a BigInt inside", { big: 1n }, "an object with big"],
    ["a message of 5 MB", new Error("x".repeat(5_000_000)), "Error: xxxx"],
  ])("becomes readable, bounded text: %s (PB-106)", async (_name, thrown, text) => {
    const { world, row } = await setup(
      () => {
        // A handler of plain JavaScript may throw anything.
        throw thrown as Error;
      },
      { attempts: 1 },
    );
    await world.advance(10);
    const stored = (await row())?.get("last_error") ?? "";
    expect(stored.startsWith(text)).toBe(true);
    expect(stored.length).toBeLessThanOrEqual(4096);
    expect(await world.counts()).toMatchObject({ dead: 1 });
    await world.closeAll();
  });
});

describe("what cannot be read", () => {
  const trap = (): never => raise(new Error("trap"));
  test.each([
    ["a thrown value whose every property is a trap", new Proxy({}, { get: trap, has: trap, ownKeys: trap })],
    [
      "an error whose brand is a trap",
      Object.defineProperty(new Error("x"), Symbol.for("echomq.control"), { get: trap }),
    ],
  ])("is a failure like any other, and the worker goes on: %s", async (_name, thrown) => {
    const { world, failures, results } = await setup((job) => (job.attempt === 1 ? raise(thrown) : "second"));
    await world.advance(1010);
    expect(failures).toMatchObject([{ outcome: "scheduled" }]);
    expect(results).toEqual(["second"]);
    await world.closeAll();
  });
});

describe("control errors", () => {
  test.each([
    [{ kind: "later" }],
    [5],
    [null],
    [{ kind: "delay", ms: -5 }],
    [{ kind: "delay", ms: "5m" }],
    [{ kind: "delayUntil", atMs: Number.NaN }],
    [{ kind: "delayUntil" }],
  ])("that ask for what no wire takes are failures, and the worker goes on: %j", async (control) => {
    const branded = Object.assign(new Error("foreign"), { [Symbol.for("echomq.control")]: control });
    const { world, failures, results } = await setup((job) => (job.attempt === 1 ? raise(branded) : "second"));
    await world.advance(1010);
    expect(failures).toMatchObject([{ outcome: "scheduled", error: { message: "foreign" } }]);
    expect(results).toEqual(["second"]);
    await world.closeAll();
  });

  test("unrecoverable: dead at once, whatever attempts are left", async () => {
    const { world, failures, row } = await setup(
      () => {
        throw new UnrecoverableError("no such address");
      },
      { attempts: 10 },
    );
    await world.advance(10);
    expect(failures).toMatchObject([{ outcome: "dead", error: { message: "no such address" } }]);
    expect((await row())?.get("last_error")?.split("\n")[0]).toBe("UnrecoverableError: no such address");
    await world.closeAll();
  });

  test("of another copy of the package are known by their brand", async () => {
    const { world, failures } = await setup(
      () => {
        throw Object.assign(new Error("foreign"), { [Symbol.for("echomq.control")]: { kind: "unrecoverable" } });
      },
      { attempts: 10 },
    );
    await world.advance(10);
    expect(failures).toMatchObject([{ outcome: "dead" }]);
    await world.closeAll();
  });

  test.each([
    ["snooze", () => snooze("5s")],
    ["a delay", () => new DelayedError(5000)],
    ["a delay until a date", () => new DelayedError(new Date(1_719_792_000_000 + 5000))],
  ])("%s: again later, and no attempt is spent", async (_name, make) => {
    const runs: unknown[] = [];
    const { world, failures, row } = await setup(
      (job) => {
        runs.push([world.elapsedMs, job.attempt, job.deferred]);
        if (runs.length === 1) throw make();
      },
      { attempts: 1 },
    );
    await world.advance(100);
    expect((await row())?.get("state")).toBe("scheduled");
    await world.advance(10_000);
    expect(runs).toEqual([
      [0, 1, 0],
      [5000, 1, 1],
    ]);
    expect(failures).toEqual([]);
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
  });

  test("a rate limit: first of the queue after that time, and no attempt is spent", async () => {
    const runs: unknown[] = [];
    const { world, failures, row } = await setup(
      (job) => {
        runs.push([world.elapsedMs, job.attempt, job.deferred]);
        if (runs.length === 1) throw new RateLimitError("5s");
      },
      { attempts: 1 },
    );
    await world.advance(100);
    expect((await row())?.get("state")).toBe("pending");
    await world.advance(10_000);
    expect(runs).toEqual([
      [0, 1, 0],
      [5000, 1, 1],
    ]);
    expect(failures).toEqual([]);
    expect(await world.counts()).toMatchObject({ completed: 1 });
    await world.closeAll();
  });

  test("give back: at once, and no attempt is spent", async () => {
    const runs: unknown[] = [];
    const { world } = await setup(
      (job) => {
        runs.push([job.attempt, job.token]);
        if (runs.length < 3) throw new GiveBackError();
      },
      { attempts: 1 },
    );
    await world.advance(10);
    expect(runs).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    await world.closeAll();
  });

  test("refuse what is no time", () => {
    expect(() => snooze(-1)).toThrowError(/whole milliseconds/);
    expect(() => new RateLimitError(Number.NaN)).toThrowError(/whole milliseconds/);
    expect(() => new DelayedError(new Date("never"))).toThrowError(/valid date/);
  });
});

describe("a time limit", () => {
  test("aborts the handler and fails the attempt, however the handler ends", async () => {
    for (const how of ["returns", "throws"]) {
      const codes: string[] = [];
      const { world, failures } = await setup(
        async (_job, { signal }) => {
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          codes.push((signal.reason as EchoMQError).code);
          if (how === "throws") throw new Error("stopped");
          return "too late";
        },
        { attempts: 1, timeout: "2s" },
      );
      await world.advance(1999);
      expect(codes).toEqual([]);
      await world.advance(10);
      expect(codes).toEqual(["job_timeout"]);
      expect(failures).toMatchObject([{ outcome: "dead", at: 2000, error: { code: "job_timeout" } }]);
      await world.closeAll();
    }
  });

  test("of the job goes before that of the worker, and 0 is without limit", async () => {
    const { world, failures } = await setup(
      async () => await world.pause(500),
      { attempts: 1, timeout: 5000 },
      { opts: { timeout: 100 } },
    );
    await world.add({ opts: { timeout: 0 } });
    await world.advance(20_000);
    expect(failures).toMatchObject([{ error: { code: "job_timeout" } }]);
    expect(await world.counts()).toMatchObject({ completed: 1, dead: 1 });
    await world.closeAll();
  });

  test("that a handler ignores takes its slot from it after a grace (PB-055)", async () => {
    let begun = 0;
    const { world, failures, worker } = await setup(
      () => {
        begun += 1;
        return begun === 1 ? new Promise(() => {}) : undefined;
      },
      { attempts: 1, timeout: 1000 },
    );
    await world.add();
    await world.advance(1000 + STOP_GRACE_MS_DEFAULT - 10);
    expect(begun).toBe(1);
    await world.advance(20);
    expect(failures).toMatchObject([{ error: { code: "job_timeout" } }]);
    expect(begun).toBe(2);
    expect(world.ports.logger.messages("warn").join()).toContain("was told to stop (job_timeout) and still runs");
    expect(worker.health().running).toBe(0);
    await world.closeAll();
    expect(world.ports.clock.timerCount).toBe(0);
  });

  test("leaves no timer behind when the handler is in time", async () => {
    const { world } = await setup(() => {}, { timeout: "1h" });
    await world.advance(10);
    await world.closeAll();
    expect(world.ports.clock.timerCount).toBe(0);
  });
});

describe("what comes before the handler", () => {
  test("a payload that is no JSON fails the attempt with a clear error", async () => {
    let ran = 0;
    const { world, failures, row } = await setup(() => void ran++, { attempts: 1 }, { payload: "not json {" });
    await world.advance(10);
    expect(ran).toBe(0);
    expect(failures[0]?.error).toMatchObject({ code: "invalid_payload" });
    expect((await row())?.get("last_error")).toContain("no JSON");
    await world.closeAll();
  });

  test("a payload of any bytes fails one job and no other", async () => {
    const everyByte = Uint8Array.from({ length: 256 }, (_, at) => at);
    const { world } = await setup(() => {}, { attempts: 1 }, { payload: everyByte });
    await world.addMany(3);
    await world.advance(10);
    expect(await world.counts()).toMatchObject({ dead: 1, completed: 3 });
    await world.closeAll();
  });

  test("a validator judges the data, and its answer is what the handler gets", async () => {
    const seen: unknown[] = [];
    const { world, failures } = await setup(
      (job) => void seen.push(job.data),
      { attempts: 1, schemas: { welcome: addressSchema() } },
      { name: "welcome", data: { to: "ada" } },
    );
    await world.add({ name: "welcome", data: {} }, { name: "other", data: {} }, { name: "constructor", data: 1 });
    await world.advance(10);
    expect(seen).toEqual([{ to: "ada", isChecked: true }, {}, 1]);
    expect(failures).toHaveLength(1);
    expect(isEchoMQError(failures[0]?.error, "invalid_payload")).toBe(true);
    expect(String(failures[0]?.error)).toContain("to is missing");
    await world.closeAll();
  });

  test("options that another speaker wrote badly are as if they were not there", async () => {
    const { world, failures } = await setup(
      () => {
        throw new Error("no");
      },
      { attempts: 1 },
      { opts: { attempts: "many", backoff: { type: "odd" }, timeout: -4 } },
    );
    await world.advance(10);
    expect(failures).toMatchObject([{ outcome: "dead" }]);
    await world.closeAll();
  });
});
