/** Limits as a queue takes and tells them: what is refused, and by which code. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Queue } from "../../../src/index.ts";

function setup() {
  const queue = new Queue("mail", { connection: "memory:" });
  onTestFinished(() => queue.close());
  return queue;
}

describe("limits of a queue", () => {
  it.each([
    [{ concurrency: 0 }, "invalid_limit"],
    [{ concurrency: 1.5 }, "invalid_limit"],
    [{ concurrency: "3" }, "invalid_limit"],
    [{ concurrency: 2 ** 31 + 1 }, "invalid_limit"],
    [{ rate: { max: 0, duration: 1000 } }, "invalid_rate"],
    [{ rate: { max: 1_048_577, duration: 1000 } }, "invalid_rate"],
    [{ rate: { max: 1 } }, "invalid_rate"],
    [{ rate: { max: 1, duration: 0 } }, "invalid_rate"],
    [{ rate: { max: 1, duration: "25d" } }, "invalid_rate"],
    [{ rate: { max: 1, duration: 1000, way: "leaky" } }, "invalid_rate"],
    [{ rate: { max: 1, duration: 1000, burst: 2 } }, "invalid_rate"],
    [{ rate: { max: 1, duration: 1000, way: "bucket", burst: 0 } }, "invalid_rate"],
    [{ rate: 5 }, "invalid_rate"],
    [{ rate: { max: 1, duration: 1000, limit: 3 } }, "unknown_option"],
    [{ limiter: { max: 1, duration: 1000 } }, "unknown_option"],
    [{ concurency: 3 }, "unknown_option"],
    [{ names: ["sms"] }, "invalid_option"],
    [{ names: { "a{b": null } }, "invalid_lane"],
    [{ names: { sms: { max: 0, duration: 1 } } }, "invalid_rate"],
  ])("refuse %j with %s, and nothing is set", async (change, code) => {
    const queue = setup();
    await expect(queue.setLimits({ concurrency: 5, ...change } as never)).rejects.toMatchObject({ code });
    expect(await queue.limits()).toEqual({ concurrency: undefined, rate: undefined, names: {}, restsUntil: 0 });
  });

  it("keep what a change does not name", async () => {
    const queue = setup();
    const rate = { max: 3, duration: 1000, way: "sliding" } as const;
    await queue.setLimits({ rate });
    await queue.setLimits({ concurrency: 5 });
    await queue.setLimits({});
    expect(await queue.limits()).toMatchObject({ concurrency: 5, rate });
    await queue.setLimits({ rate: null });
    expect(await queue.limits()).toMatchObject({ concurrency: 5, rate: undefined });
  });

  it("are the queue's: a worker that is given one says where it belongs", async () => {
    const { Worker } = await import("../../../src/index.ts");
    const options = { connection: "memory:", limiter: { max: 1, duration: 1000 } } as object;
    expect(() => new Worker("mail", () => {}, options)).toThrow("queue.setLimits({ rate: { max, duration } })");
  });

  it("let a resting lane be listed once, drained and counted", async () => {
    const queue = setup();
    await queue.lane("ada").rate({ max: 1, duration: "1h" });
    await queue.addBulk(Array.from({ length: 3 }, () => ({ name: "x", data: {}, opts: { lane: "ada" } })));
    await queue.jobs.turn("mail", { worker: "w", leaseMs: 30_000, want: 5 });
    const listed: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await queue.lanes(cursor === undefined ? {} : { cursor });
      listed.push(...page.lanes.map(({ lane, depth }) => [lane, depth]));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(listed).toEqual([["ada", 2]]);
    const second = await queue.lane("ada").counts();
    expect([second.depth, second.restMs > 0]).toEqual([2, true]);
    expect((await queue.getJobCounts()).lanes).toBe(2);
    expect(await queue.drain({ lanes: true })).toBe(2);
  });
});
