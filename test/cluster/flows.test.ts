/**
 * Flows over queues on three primaries: no act touches two of them, so what a parent learns of a child goes by the
 * outbox. Order and counts are looked at, never time.
 */

import { describe, expect, it, onTestFinished } from "vitest";
import { type Context, FlowProducer, Queue, Worker, type WorkerJob } from "../../src/index.ts";
import { dumpQueue } from "../../src/testing/dump.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { createRandom } from "../../src/testing/test-ports.ts";
import { openEngine, until } from "../integration/valkey/setup-engine.ts";
import { useCluster } from "../server/use-server.ts";
import { KilledFlows } from "./killed-flows.ts";
import { queueNames } from "./queue-names.ts";

const cluster = useCluster();

function connection() {
  const [first] = cluster().primaries;
  return `valkey-cluster://127.0.0.1:${first?.port}`;
}

/** What is left of jobs and flows. */
async function leftKeys(names: readonly string[]): Promise<string[]> {
  const engine = openEngine({ connection: connection() });
  const dumps = await Promise.all(names.map((name) => dumpQueue(engine, name)));
  for (const name of names) expect(await checkInvariants(engine, name)).toEqual([]);
  return dumps.flat().flatMap(({ key }) => (/\}:(?:job:|flow:|awaiting)/.test(key) ? [key] : []));
}

describe("flows over three primaries", () => {
  it("run every job once, children first, while workers come and go", async () => {
    const names = queueNames("flow");
    const flows = new FlowProducer({ connection: connection(), retryOnDisconnect: true });
    onTestFinished(() => flows.close());
    const random = createRandom(5);
    const below = (limit: number) => Math.floor(random() * limit);
    const done = new Set<string>();
    const early: string[] = [];
    const runs = new Map<string, number>();
    const waitsFor = new Map<string, readonly string[]>();
    const handler = async (job: WorkerJob, { children }: Context) => {
      runs.set(job.name, (runs.get(job.name) ?? 0) + 1);
      const keys = (await children.results()).map(({ key }) => key ?? "").sort();
      const expected = [...(waitsFor.get(job.name) ?? [])].sort();
      if (keys.join() !== expected.join() || expected.some((name) => !done.has(name))) early.push(job.name);
      done.add(job.name);
    };
    const open = (name: string) => {
      const worker = new Worker(name, handler, { connection: connection(), concurrency: 4, beat: "200ms" });
      onTestFinished(() => worker.close({ timeout: 0 }));
      return worker;
    };
    let workers = names.map(open);
    for (let round = 0; round < 20; round++) {
      const size = 3 + below(6);
      const nodes: Record<string, { name: string; queueName: string }> = {};
      const deps: Record<string, string[]> = {};
      for (let at = 0; at < size; at++) {
        const name = `r${round}n${at}`;
        nodes[name] = { name, queueName: names[below(3)] ?? "" };
        if (at === 0) continue;
        for (const above of new Set([below(at), below(at)])) {
          const key = `r${round}n${above}`;
          deps[key] = [...(deps[key] ?? []), name];
        }
      }
      for (const [name, children] of Object.entries(deps)) waitsFor.set(name, children);
      await flows.addDAG({ nodes, deps });
      // A deploy in the middle: others take over what was not done.
      if (round % 7 === 6) {
        const leaving = workers;
        workers = names.map(open);
        await Promise.all(leaving.map((worker) => worker.close()));
      }
    }
    await until(() => [...waitsFor.keys()].every((name) => done.has(name)));
    await until(async () => (await leftKeys(names)).length === 0);
    expect(early).toEqual([]);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
  }, 120_000);

  it("come to the ends that their children imply, whatever is killed", async () => {
    const queues = queueNames("killed");
    const killed = new KilledFlows({ connection: connection(), queues, seed: 1, flows: 25, kills: 8 });
    await killed.run();
    expect(killed.kills).toBe(8);
    expect(await killed.clean()).toEqual([]);
  }, 180_000);

  it("end all that wait for a job that fails, and let go on what can do without it", async () => {
    const [first = "", second = "", third = ""] = queueNames("flow");
    const flows = new FlowProducer({ connection: connection() });
    onTestFinished(() => flows.close());
    const told: unknown[] = [];
    const handler = async (job: WorkerJob, { children }: Context) => {
      if (job.name === "fails") throw new Error("no such file");
      if (job.name === "top") told.push((await children.failures()).map(({ error }) => error.split("\n")[0]));
      if (job.name === "grows") told.push(await children.run({ leaf: { name: "leaf", queueName: third, data: 1 } }));
      return job.name;
    };
    for (const name of [first, second, third]) {
      const worker = new Worker(name, handler, { connection: connection(), attempts: 1, removeOnFail: true });
      onTestFinished(() => worker.close({ timeout: 0 }));
    }
    await flows.add({
      name: "top",
      queueName: first,
      children: [
        {
          name: "mid",
          queueName: second,
          opts: { onFailure: "ignore" },
          children: [{ name: "fails", queueName: third }],
        },
        { name: "leaf", queueName: third },
      ],
    });
    const queue = new Queue(first, { connection: connection() });
    onTestFinished(() => queue.close());
    await queue.add("grows", {});
    await until(() => told.length === 2);
    expect(told).toEqual(expect.arrayContaining([["Error: no such file"], { leaf: "leaf" }]));
    await until(async () => (await leftKeys([first, second, third])).length === 0);
  }, 120_000);
});
