/**
 * The invariant check: a queue that only acts have touched is clean, and each rule sees the damage that it is for.
 */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { checkInvariants, type InvariantOptions } from "../../../src/testing/invariants.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

const key = (suffix: string) => `emq:{q}:${suffix}`;

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const mint = createMinter({ node: 1, clock: () => ports.clock.now() });
  const run = (...parts: string[]) => engine.command(parts);
  const bundle = {
    ports,
    engine,
    run,
    /** A job as an act would write it. */
    job: async (fields: Record<string, string> = {}) => {
      const id = mint("JOB");
      const row = { state: "pending", attempts: "0", payload: "p", ...fields };
      await run("HSET", key(`job:${id}`), ...Object.entries(row).flat());
      return id;
    },
    put: (set: string, score: number, id: string) => run("ZADD", key(set), String(score), id),
    rules: async (options?: InvariantOptions) => {
      const violations = await checkInvariants(engine, "q", options);
      return [...new Set(violations.map((violation) => violation.rule))];
    },
  };
  return bundle;
}

type Bundle = ReturnType<typeof setup>;

describe("a clean queue", () => {
  it("is one that is empty", async () => {
    const { rules } = setup();
    expect(await rules({ idle: true })).toEqual([]);
  });

  it("is one with a job in each state", async () => {
    const { job, put, run, rules } = setup();
    await put("pending", 0, await job());
    await put("pending", 7, await job({ priority: "7" }));
    await put("pending", 0, await job({ owner: "", stalled: "1", attempts: "1" }));
    await put("active", 1_000, await job({ state: "active", attempts: "1", owner: "h:1:a" }));
    await put("schedule", 2_000, await job({ state: "scheduled", deferred: "1", attempts: "1" }));
    await put("dead", 0, await job({ state: "dead", attempts: "3", last_error: "boom" }));
    await put("completed", 99, await job({ state: "completed", finished_at: "99", result: "r" }));
    const parent = await job({ state: "awaiting_children" });
    await put("awaiting", 1_000, parent);
    await run("SET", key(`job:${parent}:dependencies`), "1");
    await run("LPUSH", key("wake"), "1");
    expect(await rules({ idle: true })).toEqual([]);
  });

  it("is one with lanes at rest, paused and at their limit", async () => {
    const { job, put, run, rules } = setup();
    for (const lane of ["open", "closed", "full"]) await put(`g:${lane}:pending`, 0, await job({ group: lane }));
    await put("active", 1_000, await job({ group: "full", state: "active", attempts: "1" }));
    await run("HSET", key("gactive"), "full", "1");
    await run("HSET", key("glimit"), "full", "1", "open", "5");
    await run("SADD", key("paused"), "closed");
    await run("RPUSH", key("ring"), "open");
    await run("LPUSH", key("wake"), "1");
    expect(await rules({ idle: true })).toEqual([]);
  });

  it("is one whose neighbour is damaged", async () => {
    const { run, rules } = setup();
    await run("SET", "emq:{q2}:nonsense", "1");
    expect(await rules()).toEqual([]);
  });
});

describe("each rule sees its damage", () => {
  const damage: readonly (readonly [string, string, (bundle: Bundle) => Promise<unknown>])[] = [
    ["key-known", "a key of no known type", ({ run }) => run("SET", key("nonsense"), "1")],
    ["key-known", "the base key itself", ({ run }) => run("SET", key(""), "1")],
    ["key-known", "a row whose id is none", ({ run }) => run("HSET", key("job:short"), "state", "dead")],
    ["key-type", "a set where a list belongs", ({ run }) => run("SADD", key("ring"), "lane")],
    ["key-type", "a key where only a channel belongs", ({ run }) => run("SET", key("events"), "1")],
    [
      "row-empty",
      "a row without a payload",
      async ({ run, job, put }) => {
        const id = await job();
        await run("HDEL", key(`job:${id}`), "payload");
        await put("pending", 0, id);
      },
    ],
    ["row-fields", "a field that no row has", async ({ job, put }) => put("pending", 0, await job({ colour: "red" }))],
    ["row-fields", "a state that is no word of the wire", async ({ job }) => job({ state: "waiting" })],
    [
      "row-numbers",
      "a token that is not canonical",
      async ({ job, put }) => put("pending", 0, await job({ attempts: "01" })),
    ],
    [
      "row-numbers",
      "a counter that counts nothing",
      async ({ job, put }) => put("pending", 0, await job({ stalled: "0" })),
    ],
    [
      "row-numbers",
      "a priority beyond its range",
      async ({ job, put }) => put("pending", 2_097_153, await job({ priority: "2097153" })),
    ],
    [
      "row-owner",
      "a dead job with a holder",
      async ({ job, put }) => put("dead", 0, await job({ state: "dead", owner: "w" })),
    ],
    ["row-owner", "a pending job with a holder", async ({ job, put }) => put("pending", 0, await job({ owner: "w" }))],
    ["row-place", "a row that lies nowhere", async ({ job }) => job()],
    [
      "row-place",
      "a job in two sets",
      async ({ job, put }) => {
        const id = await job();
        await put("pending", 0, id);
        await put("active", 5, id);
      },
    ],
    [
      "row-place",
      "a job in the set of another state",
      async ({ job, put }) => put("dead", 0, await job({ state: "active" })),
    ],
    [
      "row-place",
      "a lane's job in the flat queue",
      async ({ job, put }) => put("pending", 0, await job({ group: "g" })),
    ],
    [
      "row-place",
      "a waiting parent that can be claimed",
      async ({ job, put, run }) => {
        const parent = await job({ state: "awaiting_children" });
        await run("SET", key(`job:${parent}:dependencies`), "1");
        await put("awaiting", 1_000, parent);
        await put("pending", 0, parent);
      },
    ],
    [
      "flow-count",
      "a parent that counts more children than are open",
      async ({ job, put, run }) => {
        const parent = await job({ state: "awaiting_children" });
        await put("awaiting", 1_000, parent);
        await run("SET", key(`job:${parent}:dependencies`), "2");
        await run("HSET", key(`job:${parent}:children`), "JOB0NgWEfAEJfs", "fp\0");
      },
    ],
    [
      "flow-count",
      "a parent that waits for nobody",
      async ({ job, put, run }) => {
        const parent = await job({ state: "awaiting_children" });
        await put("awaiting", 1_000, parent);
        await run("SET", key(`job:${parent}:dependencies`), "0");
      },
    ],
    ["member-row", "a member without a row", async ({ put }) => put("pending", 0, "JOB0NgWEfAEJfs")],
    ["member-row", "a member that is no id", async ({ put }) => put("dead", 0, "nonsense")],
    ["member-score", "a score that is not the priority", async ({ job, put }) => put("pending", 3, await job())],
    ["member-score", "a dead job with a score", async ({ job, put }) => put("dead", 1, await job({ state: "dead" }))],
    [
      "member-score",
      "a deadline that is no whole number",
      async ({ job, put }) => put("active", 1.5, await job({ state: "active" })),
    ],
    ["lane-active", "a count without active jobs", async ({ run }) => run("HSET", key("gactive"), "g", "1")],
    ["lane-active", "a count of nothing", async ({ run }) => run("HSET", key("gactive"), "g", "0")],
    [
      "lane-active",
      "active jobs without a count",
      async ({ job, put }) => put("active", 1, await job({ state: "active", group: "g" })),
    ],
    ["lane-settings", "a limit of nothing", async ({ run }) => run("HSET", key("glimit"), "g", "0")],
    ["lane-settings", "a weight that is no number", async ({ run }) => run("HSET", key("gweight"), "g", "heavy")],
    ["lane-ring", "a lane without work on the ring", async ({ run }) => run("RPUSH", key("ring"), "g")],
    [
      "lane-ring",
      "a lane with work off the ring",
      async ({ job, put }) => put("g:g:pending", 0, await job({ group: "g" })),
    ],
    [
      "lane-ring",
      "a lane twice on the ring",
      async ({ run, job, put }) => {
        await put("g:g:pending", 0, await job({ group: "g" }));
        await run("RPUSH", key("ring"), "g", "g");
      },
    ],
    [
      "lane-ring",
      "a paused lane on the ring",
      async ({ run, job, put }) => {
        await put("g:g:pending", 0, await job({ group: "g" }));
        await run("RPUSH", key("ring"), "g");
        await run("SADD", key("paused"), "g");
      },
    ],
    [
      "side-key",
      "lines of a job that is gone",
      async ({ run }) => run("RPUSH", key("job:JOB0NgWEfAEJfs:logs"), "line"),
    ],
    [
      "side-key",
      "a result that would stay for ever",
      async ({ run }) => run("SET", key("job:JOB0NgWEfAEJfs:result"), "r"),
    ],
    ["wake-tokens", "two tokens", async ({ run }) => run("LPUSH", key("wake"), "1", "1")],
    ["wake-tokens", "a token that is none", async ({ run }) => run("LPUSH", key("wake"), "go")],
  ];

  it.each(damage)("%s: %s", async (rule, _, act) => {
    const bundle = setup();
    await act(bundle);
    expect(await bundle.rules()).toEqual([rule]);
  });
});

describe("what is no damage", () => {
  it("a result that expires outlives its row", async () => {
    const { run, rules } = setup();
    await run("SET", key("job:JOB0NgWEfAEJfs:result"), "r", "PX", "1000");
    expect(await rules()).toEqual([]);
  });

  it("lanes let foreign speakers leave up to 64 tokens", async () => {
    const { run, rules } = setup();
    await run("SADD", key("paused"), "g");
    await run("LPUSH", key("wake"), ...new Array<string>(64).fill("1"));
    expect(await rules()).toEqual([]);
    await run("LPUSH", key("wake"), "1");
    expect(await rules()).toEqual(["wake-tokens"]);
  });
});

describe("claimable work without a token", () => {
  it("is damage only when the queue is said to be idle", async () => {
    const { job, put, rules } = setup();
    await put("pending", 0, await job());
    expect(await rules()).toEqual([]);
    expect(await rules({ idle: true })).toEqual(["wake-idle"]);
  });

  it("is right while the queue rests because of its rate, and is not mended then", async () => {
    const { ports, engine, job, put, run, rules } = setup();
    await put("pending", 0, await job());
    await put("rest", ports.clock.now() + 50, "");
    const mend = async () => await engine.act("REPAIR", [key("pending"), key("")], ["wake", "", "", "keep"]);
    expect([await rules({ idle: true }), await mend(), await run("LLEN", key("wake"))]).toEqual([[], 0, 0]);
    ports.clock.shift(50);
    expect(await rules({ idle: true })).toEqual(["wake-idle"]);
    expect([await mend(), await run("LLEN", key("wake"))]).toEqual([1, 1]);
  });

  it("is right while the queue is paused or at its ceiling", async () => {
    const { job, put, run, rules } = setup();
    await put("pending", 0, await job());
    await run("HSET", key("meta"), "paused", "1");
    expect(await rules({ idle: true })).toEqual([]);
    await run("DEL", key("meta"));
    await put("active", 1, await job({ state: "active" }));
    await run("HSET", key("meta"), "concurrency", "1");
    expect(await rules({ idle: true })).toEqual([]);
    await run("HSET", key("meta"), "concurrency", "2");
    expect(await rules({ idle: true })).toEqual(["wake-idle"]);
  });
});
