/** Limits on a real server: order and counts. The times are in `test/unit/worker/limits.test.ts`, on virtual time. */

import { describe, expect, it } from "vitest";
import { RateLimitError } from "../../../src/index.ts";
import { useServer } from "../../server/use-server.ts";
import { until, WorkerSetup } from "./setup-worker.ts";

const server = useServer();

const setup = (name: string) => new WorkerSetup(server(), name);

/** Jobs that a handler counts: how many began, and the most at once. */
class Tally {
  readonly data: unknown[] = [];
  most = 0;
  #running = 0;

  async run(data: unknown, work: () => Promise<unknown>): Promise<void> {
    this.data.push(data);
    this.#running += 1;
    this.most = Math.max(this.most, this.#running);
    await work();
    this.#running -= 1;
  }
}

describe("the limits of a queue", () => {
  it("hold over four processes and let all jobs be done, also when they change meanwhile (PB-023)", async () => {
    const test = setup("ceiling");
    const tally = new Tally();
    await test.queue.setLimits({ concurrency: 3 });
    await test.queue.addBulk(Array.from({ length: 200 }, (_, at) => ({ name: "x", data: { at } })));
    for (let at = 0; at < 4; at++) {
      test.worker(({ data }) => tally.run(data, () => new Promise((resolve) => setImmediate(resolve))), {
        concurrency: 10,
        lookAhead: 0,
      });
    }
    await until(() => tally.data.length >= 100, "half of the jobs");
    expect(tally.most).toBeLessThanOrEqual(3);
    await test.queue.setLimits({ concurrency: null });
    await until(async () => (await test.queue.getJobCounts()).completed === 200, "all jobs");
    expect(tally.data).toHaveLength(200);
  });

  it("let no more start in a window than they may, over four processes, and lose none (PB-155)", async () => {
    const test = setup("rate");
    const tally = new Tally();
    await test.queue.setLimits({ rate: { max: 25, duration: "1h" } });
    await test.queue.addBulk(Array.from({ length: 100 }, (_, at) => ({ name: "x", data: { at } })));
    for (let at = 0; at < 4; at++) test.worker(({ data }) => tally.run(data, async () => {}), { concurrency: 10 });
    for (const max of [25, 50, 75]) {
      await test.queue.setLimits({ rate: { max, duration: "1h" } });
      await until(() => tally.data.length >= max, `${max} jobs`);
      expect(tally.data).toHaveLength(max);
      expect((await test.queue.getJobCounts()).pending).toBe(100 - max);
    }
    await test.queue.setLimits({ rate: null });
    await until(async () => (await test.queue.getJobCounts()).completed === 100, "all jobs");
    expect(new Set(tally.data.map((data) => JSON.stringify(data))).size).toBe(100);
  });

  it("end by themselves, in order, without a beat of the worker (PB-107)", async () => {
    const test = setup("ends");
    const tally = new Tally();
    await test.queue.setLimits({ rate: { max: 1, duration: 50 } });
    await test.queue.addBulk(Array.from({ length: 5 }, (_, at) => ({ name: "x", data: { at } })));
    const attempts: number[] = [];
    test.worker(
      ({ data, attempt }) => {
        attempts.push(attempt);
        return tally.run(data, async () => {});
      },
      { beat: 60_000 },
    );
    await until(() => tally.data.length === 5, "all jobs");
    expect(tally.data).toEqual([0, 1, 2, 3, 4].map((at) => ({ at })));
    expect(attempts).toEqual([1, 1, 1, 1, 1]);
  });

  it("that a handler asks for put its job first again (PB-152)", async () => {
    const test = setup("asked");
    const order: unknown[] = [];
    await test.queue.addBulk(["p1", "p2"].map((name) => ({ name, data: {} })));
    test.worker(
      ({ name }) => {
        order.push(name);
        if (order.length === 1) throw new RateLimitError(200);
      },
      { lookAhead: 0, beat: 60_000 },
    );
    await until(() => order.length === 3, "both jobs");
    expect(order).toEqual(["p1", "p1", "p2"]);
  });
});

describe("the rates of lanes and names", () => {
  it("give each of ten lanes its one job, then its next (PB-139)", async () => {
    const test = setup("lanes");
    const tally = new Tally();
    const lanes = Array.from({ length: 10 }, (_, at) => `g${at}`);
    for (const lane of lanes) await test.queue.lane(lane).rate({ max: 1, duration: "1h" });
    await test.queue.addBulk(
      lanes.flatMap((lane) => [1, 2].map(() => ({ name: "x", data: { lane }, opts: { lane } }))),
    );
    test.worker(({ data }) => tally.run(data, async () => {}), { concurrency: 10 });
    await until(() => tally.data.length >= 10, "the first job of each lane");
    expect(tally.data.map((data) => (data as { lane: string }).lane).sort()).toEqual(lanes);
    for (const lane of lanes) await test.queue.lane(lane).rate(null);
    await until(() => tally.data.length === 20, "all jobs");
  });

  it("keep 10,000 jobs of a name back while ten others run, and tell of themselves (PB-158)", async () => {
    const test = setup("names");
    const tally = new Tally();
    await test.queue.setLimits({ names: { mail: { max: 1, duration: "1h" } } });
    for (let page = 0; page < 10; page++) {
      await test.queue.addBulk(Array.from({ length: 1000 }, () => ({ name: "mail", data: {} })));
    }
    await test.queue.addBulk(Array.from({ length: 10 }, () => ({ name: "live", data: {} })));
    test.worker(({ name }) => tally.run(name, async () => {}), { concurrency: 5 });
    await until(() => tally.data.filter((name) => name === "live").length === 10, "the ten others");
    expect(tally.data.filter((name) => name === "mail")).toHaveLength(1);
    expect(await test.queue.limits()).toEqual({
      concurrency: undefined,
      rate: undefined,
      names: { mail: { max: 1, duration: 3_600_000, way: "window" } },
      restsUntil: 0,
    });
  });
});
