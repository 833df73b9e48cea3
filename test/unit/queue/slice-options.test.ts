/** Long work tells its caller how far it is, and ends where the caller ends it. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import type { SliceOptions } from "../../../src/queue/slice-options.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { errorOf } from "./scripted-engine.ts";

const JOBS = 600;

/** Six hundred jobs in a state that the work is about. */
const WORKS = {
  drain: { lane: undefined, isDead: false, run: (queue, options) => queue.drain(options) },
  "drain of a lane": { lane: "x", isDead: false, run: (queue, options) => queue.lane("x").drain(options) },
  clean: { lane: undefined, isDead: false, run: (queue, options) => queue.clean({ state: "pending", ...options }) },
  retryDead: { lane: undefined, isDead: true, run: (queue, options) => queue.retryDead(options) },
  obliterate: {
    lane: undefined,
    isDead: false,
    run: async (queue, options) => await queue.obliterate({ force: true, ...options }),
  },
} satisfies Record<
  string,
  { lane: string | undefined; isDead: boolean; run: (queue: QueueCore, options: SliceOptions) => Promise<unknown> }
>;

type Work = keyof typeof WORKS;

async function setup(work: Work) {
  const { lane, isDead, run } = WORKS[work];
  const engine = new EmbeddedEngine({ ports: createTestPorts() });
  const queue = new QueueCore("q", { engine, release: () => Promise.resolve() });
  const opts = lane === undefined ? {} : { opts: { lane } };
  await queue.addBulk(Array.from({ length: JOBS }, (_, data) => ({ name: "a", data, ...opts })));
  if (isDead) {
    for (const { id, attempts } of await queue.jobs.claimBatch("q", JOBS, 60_000)) {
      await queue.jobs.retry("q", id, attempts, { delayMs: 0, maxAttempts: 1, error: "e" });
    }
  }
  return { queue, engine, run: (options: SliceOptions) => run(queue, options) };
}

const ALL = Object.keys(WORKS) as Work[];

describe("onProgress", () => {
  it.each(ALL)("of %s is told between slices of 100 jobs how many are done", async (work) => {
    const { run } = await setup(work);
    const told: number[] = [];
    await run({ onProgress: (done) => told.push(done) });
    expect(told.slice(0, 2)).toEqual([100, 200]);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    if (work !== "obliterate") expect(told.at(-1)).toBe(JOBS);
  });

  it.each(ALL)("of %s ends the work by what it throws, and what was done stays done", async (work) => {
    const { queue, run } = await setup(work);
    const enough = new Error("enough");
    const ended = run({
      onProgress: () => {
        throw enough;
      },
    });
    await expect(ended).rejects.toBe(enough);
    const { pending, lanes, dead } = await queue.getJobCounts("pending", "lanes", "dead");
    expect(work === "retryDead" ? dead : pending + lanes).toBe(JOBS - 100);
  });

  it.each(ALL)("of %s must be a function, and nothing is done otherwise", async (work) => {
    const { queue, run } = await setup(work);
    const wrong = { onProgress: "yes" } as unknown as SliceOptions;
    expect((await errorOf(() => run(wrong))).code).toBe("invalid_option");
    const { pending, lanes, dead } = await queue.getJobCounts("pending", "lanes", "dead");
    expect([pending + lanes + dead, await queue.isPaused()]).toEqual([JOBS, false]);
  });
});

describe("clean with dryRun", () => {
  it("counts by state, age and limit, and removes nothing", async () => {
    const { queue } = await setup("clean");
    expect(await queue.clean({ state: "pending", dryRun: true })).toBe(JOBS);
    expect(await queue.clean({ state: "pending", dryRun: true, limit: 300 })).toBe(300);
    expect(await queue.clean({ state: "pending", dryRun: true, olderThan: "1h" })).toBe(0);
    expect((await queue.getJobCounts("pending")).pending).toBe(JOBS);
    expect((await errorOf(() => queue.clean({ state: "pending", dryRun: 1 as unknown as boolean }))).code).toBe(
      "invalid_option",
    );
  });
});

describe("retryDead", () => {
  it("ends although jobs die on and on", async () => {
    const { queue, engine } = await setup("retryDead");
    const act = engine.act.bind(engine);
    engine.act = async (verb, keys, args) => {
      const reply = await act(verb, keys, args);
      if (verb !== "REVIVE") return reply;
      // As many as the act revived, new ones among them, are dead at once, behind those that are walked over.
      await queue.addBulk(Array.from({ length: 250 }, (_, data) => ({ name: "a", data, opts: { priority: 0 } })));
      for (const { id, attempts } of await queue.jobs.claimBatch("q", 1000, 60_000)) {
        await queue.jobs.retry("q", id, attempts, { delayMs: 0, maxAttempts: 1, error: "e" });
      }
      return reply;
    };
    expect(await queue.retryDead()).toBe(JOBS);
  });
});
