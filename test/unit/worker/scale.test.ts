/**
 * What grows with the number of queues and of workers, counted on virtual time: timers, acts a beat, and who wakes.
 * docs/internals/scale.md is made of these counts.
 */

import { describe, expect, test } from "vitest";
import { WorkerCore } from "../../../src/worker/worker.ts";
import { WorkerWorld } from "./worker-world.ts";

const BEAT_MS = 1000;
const THOUSAND = 1000;

/** The most acts that leave within one window of so many ms. */
function busiestWindow(acts: readonly { readonly at: number }[], windowMs: number): number {
  const counts = new Map<number, number>();
  for (const { at } of acts) {
    const window = Math.floor(at / windowMs);
    counts.set(window, (counts.get(window) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

describe("a thousand queues in one process", () => {
  test("take three timers and one act a beat each, and do not send in step", async () => {
    const world = new WorkerWorld();
    const timersBefore = world.ports.clock.timerCount;
    for (let at = 0; at < THOUSAND; at++) {
      const lease = { engine: world.engine, release: async () => {} };
      world.workers.push(new WorkerCore(`queue-${at}`, () => {}, lease));
    }
    await world.advance(5 * BEAT_MS);
    // The beat, the renewal of leases, the sweep. Delivery and schedulers set none while there is nothing of theirs.
    expect(world.ports.clock.timerCount - timersBefore).toBeLessThanOrEqual(3 * THOUSAND);
    const before = world.engine.acts.length;
    const beats = 10;
    await world.advance(beats * BEAT_MS);
    const acts = world.engine.acts.slice(before);
    expect(acts.length).toBeLessThanOrEqual(beats * THOUSAND);
    // All were started in one step; in step they would send a thousand acts at once, evenly spread ten in 10 ms.
    expect(busiestWindow(acts, 10)).toBeLessThanOrEqual(30);
    await world.closeAll();
    expect(world.ports.clock.timerCount).toBe(timersBefore);
  });
});

describe("a thousand idle workers of one queue", () => {
  test("do not herd: a job wakes one of them, and that one settles and looks once more", async () => {
    const world = new WorkerWorld();
    let runs = 0;
    for (let at = 0; at < THOUSAND; at++) world.worker(() => void runs++, { beat: "60s" });
    await world.advance(200_000);
    const actsOf = async (jobs: number): Promise<number> => {
      const before = world.engine.acts.length;
      await world.addMany(jobs);
      await world.advance(0);
      return world.engine.acts.length - before;
    };
    for (let at = 1; at <= 20; at++) {
      // One turn claims it, one settles it.
      expect(await actsOf(1)).toBe(2);
      expect(runs).toBe(at);
    }
    // Whoever takes a token takes one job, and its turn pushes the next token: a chain, and no crowd.
    expect(await actsOf(100)).toBeLessThanOrEqual(200);
    expect(runs).toBe(120);
    await world.closeAll();
  });
});
