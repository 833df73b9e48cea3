import { describe, expect, it } from "vitest";
import { type JobOptions, JobPlanner, readOverrides, type SharedJobOptions } from "../../../src/queue/job-options.ts";
import { errorOf } from "./scripted-engine.ts";

const plan = (options: JobOptions, defaults?: SharedJobOptions) => new JobPlanner(defaults).plan(options);
const optsOf = (options: JobOptions, defaults?: SharedJobOptions) => {
  const { shape, values } = plan(options, defaults);
  const at = shape.indexOf("o");
  return at < 0 ? undefined : (JSON.parse(values[at] ?? "") as unknown);
};

describe("JobPlanner", () => {
  it("stores nothing for a job without options", () => {
    const { shape, namedShape, values } = new JobPlanner().plan(undefined);
    expect({ shape, namedShape, values }).toEqual({ shape: "", namedShape: "n", values: [] });
  });

  it("stores nothing for values that are the defaults of the wire", () => {
    const { shape } = plan({ priority: 0, delay: 0, sizeLimit: 5 });
    expect(shape).toBe("");
  });

  it("puts the values in the order of the wire", () => {
    const { shape, namedShape, values } = plan({ delay: "1s", attempts: 5, lane: "tenant", priority: 7 });
    expect(shape).toBe("pgoi");
    expect(namedShape).toBe("npgoi");
    expect(values).toEqual(["7", "tenant", '{"attempts":5,"delay":1000}', "1000"]);
  });

  it("writes text as UTF-8", () => {
    expect(plan({ lane: "ü" }).values).toEqual(["\u00c3\u00bc"]);
  });

  it("stores what the caller overrode and nothing else", () => {
    const backoff = { type: "exponential", delay: "1s", cap: "1m" } as const;
    expect(optsOf({ attempts: 4, backoff, timeout: "30s", keepLogs: 9, priority: 1 })).toEqual({
      attempts: 4,
      backoff: { type: "exponential", delay: 1000, cap: 60_000 },
      timeout: 30_000,
      keepLogs: 9,
    });
    expect(optsOf({ backoff: { type: "fixed", delay: "2s" } })).toEqual({ backoff: 2000 });
    const kept = { removeOnComplete: { count: 5, age: "1m" }, removeOnFail: false, keepResult: "1s" } as const;
    const stored = { removeOnComplete: { count: 5, age: 60_000 }, removeOnFail: false, keepResult: 1000 };
    expect(optsOf(kept)).toEqual(stored);
    expect(readOverrides(JSON.stringify(stored))).toEqual({
      keepCompleted: { count: 5, ms: 60_000 },
      keepDead: { count: Number.MAX_SAFE_INTEGER, ms: 0 },
      keepResultMs: 1000,
    });
  });

  it("stores how long a job is put off, which a worker takes from what it says of a wait", () => {
    expect(optsOf({ delay: "5s" })).toEqual({ delay: 5000 });
    expect(optsOf({ debounce: { id: "x", wait: 300 } })).toEqual({ delay: 300 });
    expect(readOverrides('{"delay":5000}')).toEqual({ delayMs: 5000 });
    expect(readOverrides('{"delay":-1}')).toEqual({});
  });

  it("takes a cost, of which 1 says nothing", () => {
    expect(plan({ cost: 5, lane: "a" })).toMatchObject({ shape: "gc", values: ["a", "5"] });
    expect(plan({ cost: 1 }, { cost: 7 }).shape).toBe("");
    expect(plan({}, { cost: 7 }).values).toEqual(["7"]);
    for (const cost of [0, -1, 0.5, 1_048_577, "5"]) {
      expect(() => plan({ cost } as JobOptions)).toThrow(expect.objectContaining({ code: "invalid_option" }));
    }
  });

  it("lets the job win over its queue, and undefined over nothing", () => {
    const defaults = { attempts: 9, priority: 2, timeout: "1s" } as const;
    expect(optsOf({ attempts: 1 }, defaults)).toEqual({ attempts: 1, timeout: 1000 });
    expect(optsOf({ attempts: undefined } as unknown as JobOptions, defaults)).toEqual({ attempts: 9, timeout: 1000 });
    expect(plan({ priority: 0 }, defaults).shape).toBe("o");
  });

  it.each([
    [{ delay: -1 }, "invalid_option"],
    [{ delay: Number.NaN }, "invalid_option"],
    [{ delay: Number.POSITIVE_INFINITY }, "invalid_option"],
    [{ delay: 1.5 }, "invalid_option"],
    [{ delay: "5" }, "invalid_option"],
    [{ delay: 2 ** 53 }, "invalid_option"],
    [{ priority: -1 }, "invalid_option"],
    [{ priority: 2 ** 21 + 1 }, "invalid_option"],
    [{ priority: Number.NaN }, "invalid_option"],
    [{ priority: "1" }, "invalid_option"],
    [{ attempts: 0 }, "invalid_option"],
    [{ attempts: 1.5 }, "invalid_option"],
    [{ attempts: 2 ** 31 + 1 }, "invalid_option"],
    [{ attempts: "3" }, "invalid_option"],
    [{ timeout: -1 }, "invalid_option"],
    [{ keepLogs: 0 }, "invalid_option"],
    [{ sizeLimit: 0 }, "invalid_option"],
    [{ backoff: { type: "fixed", delay: -1 } }, "invalid_option"],
    [{ lane: "" }, "invalid_lane"],
    [{ lane: "a{b" }, "invalid_lane"],
    [{ id: "nonsense" }, "invalid_id"],
    [{ id: 5 }, "invalid_id"],
    [{ id: "ORD00000000001" }, "kind"],
    [{ removeOnComplete: -1 }, "invalid_option"],
    [{ removeOnComplete: 1.5 }, "invalid_option"],
    [{ removeOnComplete: "1h" }, "invalid_option"],
    [{ removeOnComplete: null }, "invalid_option"],
    [{ removeOnComplete: {} }, "invalid_option"],
    [{ removeOnComplete: { age: 0 } }, "invalid_option"],
    [{ removeOnComplete: { age: "soon" } }, "invalid_option"],
    [{ removeOnFail: { count: -1 } }, "invalid_option"],
    [{ removeOnFail: { limit: 5 } }, "unknown_option"],
    [{ keepResult: "2d" }, "invalid_option"],
    [{ keepResult: -1 }, "invalid_option"],
    [{ lifo: true }, "unknown_option"],
    [{ failParentOnFailure: true }, "unknown_option"],
    [{ prefix: "x" }, "unknown_option"],
    [{ jobId: "" }, "invalid_job_id"],
    [{ deduplication: { id: "" } }, "invalid_deduplication"],
    [{ atempts: 3 }, "unknown_option"],
  ])("refuses %o as %s", async (options, code) => {
    expect((await errorOf(() => plan(options as JobOptions))).code).toBe(code);
  });

  it("refuses bad defaults when it is made, an id among them", async () => {
    expect((await errorOf(() => new JobPlanner({ attempts: 0 }))).code).toBe("invalid_option");
    const defaults = { id: "JOB00000000001" } as SharedJobOptions;
    expect((await errorOf(() => new JobPlanner(defaults))).code).toBe("unknown_option");
  });
});

describe("JobPlanner, asked again", () => {
  it("gives options that are the same one plan", () => {
    const planner = new JobPlanner();
    const first = planner.plan({ attempts: 5, priority: 3, delay: "1s" });
    expect(planner.plan({ attempts: 5, priority: 3, delay: "1s" })).toBe(first);
  });

  it.each<[string, JobOptions]>([
    ["another value", { attempts: 5, priority: 4 }],
    ["fewer", { attempts: 5 }],
    ["more", { attempts: 5, priority: 3, lane: "tenant" }],
    ["another id", { attempts: 5, priority: 3, id: "JOB00000000001" }],
  ])("looks anew at options with %s", (_, other) => {
    const planner = new JobPlanner();
    planner.plan({ attempts: 5, priority: 3 });
    expect(planner.plan(other)).toEqual(plan(other));
  });

  it("looks anew at what an object among the options holds", () => {
    const planner = new JobPlanner();
    const backoff = { type: "fixed" as const, delay: 1000 };
    planner.plan({ backoff });
    backoff.delay = 2000;
    expect(planner.plan({ backoff })).toEqual(plan({ backoff }));
  });

  it("still refuses what is no object of options and has the same members", async () => {
    const planner = new JobPlanner();
    planner.plan({ priority: 3 });
    const list = Object.assign([], { priority: 3 }) as JobOptions;
    expect((await errorOf(() => planner.plan(list))).code).toBe("invalid_option");
    expect((await errorOf(() => planner.plan({ prioritty: 3 } as JobOptions))).code).toBe("unknown_option");
  });
});

describe("readOverrides", () => {
  it("reads back what a plan stores", () => {
    const stored = optsOf({ attempts: 4, backoff: 50, timeout: 0, keepLogs: 9 });
    const overrides = readOverrides(JSON.stringify(stored));
    expect(overrides).toMatchObject({
      attempts: 4,
      timeoutMs: 0,
      keepLogs: 9,
      backoff: { type: "fixed", delayMs: 50 },
    });
  });

  it.each(["", "no json", "null", "5", "[]", '{"attempts":0,"backoff":"soon","timeout":-1,"keepLogs":"x"}'])(
    "takes %s for no override at all",
    (opts) => {
      expect(readOverrides(opts)).toEqual({});
    },
  );

  it("keeps what is good beside what is bad", () => {
    expect(readOverrides('{"attempts":"x","timeout":5}')).toEqual({ timeoutMs: 5 });
  });
});
