/** Flows over two queues on a real server: order and counts, with workers of both and with one that dies. */

import { describe, expect, it, onTestFinished } from "vitest";
import { type Context, FlowProducer, Worker, type WorkerJob } from "../../../src/index.ts";
import { dumpQueue } from "../../../src/testing/dump.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { useServer } from "../../server/use-server.ts";
import { openEngine, until } from "../valkey/setup-engine.ts";

const server = useServer({ tcp: true });

/** Producers, workers and an engine to look with, on queues of this test alone. */
function setup(prefix: string) {
  const connection = server().url;
  const flows = new FlowProducer({ connection });
  onTestFinished(() => flows.close());
  const engine = openEngine({ connection });
  const queues = [`${prefix}-parents`, `${prefix}-children`] as const;
  const open = (queue: string, handler: (job: WorkerJob, context: Context) => Promise<unknown>) => {
    const worker = new Worker(queue, handler, { connection, concurrency: 20, beat: "200ms", lease: "1s" });
    onTestFinished(() => worker.close({ timeout: 0 }));
    return worker;
  };
  const left = async () => {
    const dumps = await Promise.all(queues.map((queue) => dumpQueue(engine, queue)));
    return dumps.flat().flatMap(({ key }) => (/\}:(?:job:|flow:|awaiting)/.test(key) ? [key] : []));
  };
  return { flows, engine, queues, open, left };
}

describe("flows over two queues", () => {
  it("run each parent once, behind all its children, and leave no key", async () => {
    const { flows, engine, queues, open, left } = setup("plain");
    const [parents, children] = queues;
    const ended: number[] = [];
    const sums: number[] = [];
    open(children, async (job) => {
      ended.push(Number(job.data));
      return Number(job.data);
    });
    open(parents, async (job, { children: of }) => {
      const results = (await of.results<number>()).map(({ result }) => result);
      expect(results).toHaveLength(3);
      expect(results.every((result) => ended.includes(result))).toBe(true);
      sums.push(results.reduce((sum, result) => sum + result, 0));
      return job.name;
    });
    const trees = Array.from({ length: 200 }, (_, at) => ({
      name: "sum",
      queueName: parents,
      children: [0, 1, 2].map((part) => ({ name: "part", queueName: children, data: at * 3 + part })),
    }));
    expect(await flows.addBulk(trees)).toHaveLength(200);
    await until(() => sums.length === 200);
    await until(async () => (await left()).length === 0);
    expect(ended).toHaveLength(600);
    expect(sums.reduce((sum, each) => sum + each, 0)).toBe((600 * 599) / 2);
    for (const queue of queues) expect(await checkInvariants(engine, queue)).toEqual([]);
  });

  it("come to their end although the worker that carries signals goes away at any moment", async () => {
    const { flows, engine, queues, open, left } = setup("torn");
    const [parents, children] = queues;
    const done = new Set<string>();
    open(parents, async (job) => void done.add(job.id));
    let worker = open(children, async () => {});
    const ids: string[] = [];
    for (let round = 0; round < 10; round++) {
      for (let count = 0; count < 10; count++) {
        const part = { name: "part", queueName: children };
        ids.push((await flows.add({ name: "all", queueName: parents, children: [part, part] })).job.id);
      }
      // Without a deadline: what it has in hand goes to the next one.
      const closed = worker.close({ timeout: 0 });
      worker = open(children, async () => {});
      await closed;
    }
    await until(() => ids.every((id) => done.has(id)));
    await until(async () => (await left()).length === 0);
    for (const queue of queues) expect(await checkInvariants(engine, queue)).toEqual([]);
  });
});

describe("batches over two queues", () => {
  it("run each callback whose time comes once, behind what it waits for, and no other", async () => {
    const { flows, engine, queues, open } = setup("batch");
    const [calls, work] = queues;
    const seen: string[] = [];
    open(work, async ({ data }) => {
      if (data === "bad") throw new Error("bad");
    });
    open(calls, async ({ name }, { children }) => {
      const { length } = await children.pending();
      seen.push(name.startsWith("death") ? name : `${name}, ${length} open`);
    });
    const batchOf = (round: number, odd: string) => ({
      jobs: Array.from({ length: 30 }, (_, at) => ({
        name: "part",
        queueName: work,
        data: at === 7 ? odd : "good",
        opts: { attempts: 1 },
      })),
      onComplete: { name: `complete ${round}`, queueName: calls },
      onSuccess: { name: `success ${round}`, queueName: calls },
      onDeath: { name: `death ${round}`, queueName: calls },
    });
    const rounds = Array.from({ length: 20 }, (_, round) => round);
    const batches = await Promise.all(
      rounds.map((round) => flows.addBatch(batchOf(round, round % 2 === 0 ? "good" : "bad"))),
    );
    const callbacks = batches.flatMap(({ onComplete, onSuccess, onDeath }) =>
      [onComplete ?? [], onSuccess ?? [], onDeath ?? []].flat(),
    );
    await until(async () => {
      const states = await Promise.all(callbacks.map((callback) => callback.getState()));
      return states.every((state) => state === "completed");
    });
    const expected = rounds.flatMap((round) => [
      `complete ${round}, 0 open`,
      round % 2 === 0 ? `success ${round}, 0 open` : `death ${round}`,
    ]);
    expect(seen.sort()).toEqual(expected.sort());
    expect(await Promise.all(batches.slice(0, 2).map((batch) => batch.progress()))).toEqual([
      { total: 30, done: 30, failed: 0, pending: 0 },
      { total: 30, done: 29, failed: 1, pending: 0 },
    ]);
    for (const queue of queues) expect(await checkInvariants(engine, queue)).toEqual([]);
  });
});
