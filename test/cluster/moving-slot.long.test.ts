/** A loaded slot that goes round all primaries, many times, key by key, under producers and workers that never stop. */

import { expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../src/index.ts";
import { slot } from "../../src/protocol/slot.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { openEngine } from "../integration/valkey/setup-engine.ts";
import { startCluster } from "../server/start-cluster.ts";
import type { TestServer } from "../server/start-server.ts";

const QUEUE = "round";
const SLOT = String(slot(`emq:{${QUEUE}}:`));
const MOVES = 60;
const KEYS_PER_MIGRATE = 10;
/** Jobs that may wait, so that a move takes less than a lease. */
const BACKLOG_MAX = 300;

it("loses no job and runs none twice in sixty moves", async () => {
  const cluster = await startCluster({ hasReplicas: false });
  onTestFinished(() => cluster.stop());
  let movedCount = 0;
  const move = async (from: TestServer, to: TestServer) => {
    const [fromId, toId] = [await cluster.idOf(from), await cluster.idOf(to)];
    await to.command("CLUSTER", "SETSLOT", SLOT, "IMPORTING", fromId);
    await from.command("CLUSTER", "SETSLOT", SLOT, "MIGRATING", toId);
    for (;;) {
      const keys = (await from.command("CLUSTER", "GETKEYSINSLOT", SLOT, String(KEYS_PER_MIGRATE))) as string[];
      if (keys.length === 0) break;
      movedCount += keys.length;
      await from.command("MIGRATE", "127.0.0.1", String(to.port), "", "0", "5000", "KEYS", ...keys);
    }
    for (const node of [to, ...cluster.primaries.filter((each) => each !== to)]) {
      await node.command("CLUSTER", "SETSLOT", SLOT, "NODE", toId);
    }
    // The next move must not begin while an older view of a node is still on its way to another: servers give a slot
    // away by such a view, with its keys.
    await cluster.untilHeard();
    for (const viewer of cluster.primaries) {
      await expect.poll(() => cluster.ownerOf(Number(SLOT), viewer), { timeout: 10_000, interval: 5 }).toBe(to);
    }
  };

  // Views of others may lag behind; a node knows best whether it owns the slot itself.
  const holder = async (): Promise<TestServer> => {
    for (;;) {
      for (const node of cluster.primaries) if ((await cluster.ownerOf(Number(SLOT), node)) === node) return node;
    }
  };

  // A move may take longer than a call has time by default.
  const connection = { url: cluster.url, commandTimeoutMs: 60_000 };
  const queue = new Queue(QUEUE, { connection });
  const runs = new Map<string, number>();
  const handler = async (job: { id: string }) => void runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
  const workers = [1, 2, 3].map(() => new Worker(QUEUE, handler, { connection, concurrency: 10, beat: "1s" }));
  onTestFinished(async () => void (await Promise.all([...workers, queue].map((each) => each.close()))));
  const added: string[] = [];
  const flow = { isOn: true };
  const produce = async () => {
    while (flow.isOn) {
      await expect.poll(() => added.length - runs.size, { timeout: 60_000 }).toBeLessThan(BACKLOG_MAX);
      const items = Array.from({ length: 10 }, (_, n) => ({ name: "job", data: { n }, opts: { delay: n * 10 } }));
      added.push(...(await queue.addBulk(items)).map((job) => job.id));
    }
  };
  const producers = [produce(), produce(), produce()];
  for (let count = 0; count < MOVES; count++) {
    const from = await holder();
    const others = cluster.primaries.filter((node) => node !== from);
    await move(from, others[count % others.length] as TestServer);
  }
  flow.isOn = false;
  await Promise.all(producers);
  await expect.poll(() => runs.size, { timeout: 120_000 }).toBe(added.length);
  // More keys than moves: the queue was loaded while it moved.
  expect(movedCount).toBeGreaterThan(MOVES * 10);
  expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
  await Promise.all(workers.map((worker) => worker.close()));
  expect(await checkInvariants(openEngine({ connection: cluster.url }), QUEUE)).toEqual([]);
});
