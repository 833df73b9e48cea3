/** A slot that moves from one primary to another while its queue is worked on: nothing is lost or runs twice. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../src/index.ts";
import { slot } from "../../src/protocol/slot.ts";
import { Jobs } from "../../src/queue/jobs.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { newIds } from "../integration/connection/whole-api.ts";
import { openEngine, recordingPorts, until } from "../integration/valkey/setup-engine.ts";
import type { TestCluster } from "../server/start-cluster.ts";
import type { TestServer } from "../server/start-server.ts";
import { useCluster } from "../server/use-server.ts";

const QUEUE = "moving";
const SLOT = slot(`emq:{${QUEUE}}:`);
/** Keys that one MIGRATE takes. */
const KEYS_PER_MOVE = 4;

/** Opens the move: from now on keys may lie on either node. */
async function beginMove(cluster: TestCluster, from: TestServer, to: TestServer): Promise<void> {
  await to.command("CLUSTER", "SETSLOT", String(SLOT), "IMPORTING", await cluster.idOf(from));
  await from.command("CLUSTER", "SETSLOT", String(SLOT), "MIGRATING", await cluster.idOf(to));
}

/** Moves some keys; false when there are none left. */
async function moveSome(from: TestServer, to: TestServer): Promise<boolean> {
  const keys = (await from.command("CLUSTER", "GETKEYSINSLOT", String(SLOT), String(KEYS_PER_MOVE))) as string[];
  if (keys.length === 0) return false;
  await from.command("MIGRATE", "127.0.0.1", String(to.port), "", "0", "5000", "KEYS", ...keys);
  return true;
}

/** Moves the rest; more may come into being meanwhile. Answers how many moves it took. */
async function moveRest(from: TestServer, to: TestServer): Promise<number> {
  let moves = 0;
  while (await moveSome(from, to)) moves += 1;
  return moves;
}

async function endMove(cluster: TestCluster, to: TestServer): Promise<void> {
  const id = await cluster.idOf(to);
  const others = cluster.primaries.filter((node) => node !== to);
  for (const node of [to, ...others]) await node.command("CLUSTER", "SETSLOT", String(SLOT), "NODE", id);
  await cluster.untilHeard();
}

/** How often a node gave a refusal of a class so far. */
async function refusalCount(node: TestServer, word: string): Promise<number> {
  const info = String(await node.command("INFO", "errorstats"));
  return Number(new RegExp(`errorstat_${word}:count=(\\d+)`).exec(info)?.[1] ?? 0);
}

describe("a slot that moves under its queue", () => {
  const cluster = useCluster({ hasReplicas: false });
  const setup = async () => {
    const from = await cluster().ownerOf(SLOT);
    const to = cluster().primaries.find((node) => node !== from) as TestServer;
    return { from, to, url: cluster().url };
  };

  it("loses no job and runs none twice while producers and workers go on", async () => {
    const { from, to, url } = await setup();
    const queue = new Queue(QUEUE, { connection: url });
    const runs = new Map<string, number>();
    const problems: unknown[] = [];
    const handler = async (job: { id: string }) => void runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
    const workers = [1, 2].map(() => new Worker(QUEUE, handler, { connection: url, concurrency: 4, beat: "1s" }));
    for (const worker of workers) worker.on("error", (error) => problems.push(error));
    onTestFinished(async () => void (await Promise.all([...workers, queue].map((each) => each.close()))));
    const added: string[] = [];
    const flow = { isOn: true };
    const produce = async () => {
      while (flow.isOn) {
        const jobs = await queue.addBulk(Array.from({ length: 5 }, () => ({ name: "job", data: { text: "x" } })));
        added.push(...jobs.map((job) => job.id));
        added.push((await queue.add("later", {}, { delay: 50 })).id);
      }
    };
    const producers = [produce(), produce()];
    await until(() => runs.size > 50);

    await beginMove(cluster(), from, to);
    expect(await moveRest(from, to)).toBeGreaterThan(2);
    await endMove(cluster(), to);
    const moved = added.length;
    await until(() => added.length > moved + 50);
    flow.isOn = false;
    await Promise.all(producers);
    await until(() => runs.size === added.length || `${runs.size} of ${added.length}`);

    expect(new Set(added).size).toBe(added.length);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
    expect(problems).toEqual([]);
    expect(await cluster().ownerOf(SLOT)).toBe(to);
    await Promise.all(workers.map((worker) => worker.close()));
    expect(await checkInvariants(openEngine({ connection: url }), QUEUE)).toEqual([]);
    expect(await from.command("CLUSTER", "COUNTKEYSINSLOT", String(SLOT))).toBe(0);
  });

  it("pauses a queue whose keys lie on both nodes, writes nothing meanwhile, and goes on by itself", async () => {
    const { from, to, url } = await setup();
    const ports = recordingPorts();
    const engine = openEngine({ connection: url, ports });
    const jobs = new Jobs(engine);
    const newId = newIds();
    const items = Array.from({ length: 60 }, () => ({ id: newId(), payload: "x" }));
    await jobs.enqueueMany(QUEUE, items);
    await beginMove(cluster(), from, to);
    await moveSome(from, to);
    const before = [await refusalCount(from, "TRYAGAIN"), await refusalCount(from, "ASK")] as const;
    // Its keys are apart now: neither node can do it, and both say that nothing happened.
    const claims = jobs.claimBatch(QUEUE, 60, 30_000);
    const rows = await Promise.all(items.map(({ id }) => jobs.getRow(QUEUE, id)));
    expect(rows.every((row) => row?.get("payload") === "x")).toBe(true);
    await until(
      async () => (await refusalCount(from, "TRYAGAIN")) > before[0] || (await refusalCount(to, "TRYAGAIN")) > 0,
    );
    expect(await refusalCount(from, "ASK")).toBeGreaterThan(before[1]);
    await moveRest(from, to);
    await endMove(cluster(), to);
    expect(await claims).toHaveLength(60);
    for (const { id } of items) expect(await jobs.complete(QUEUE, id, 1)).toBe("ok");
    expect(await checkInvariants(engine, QUEUE)).toEqual([]);
    expect(ports.logger.lines).toEqual([]);
  });
});
