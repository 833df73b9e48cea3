/** The native half on a cluster: what each node knows of the wire's version, and a slot that moves under its acts. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../../src/index.ts";
import { slot } from "../../../src/protocol/slot.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startCluster, type TestCluster } from "../../server/start-cluster.ts";
import type { TestServer } from "../../server/start-server.ts";
import { openEngine } from "../valkey/setup-engine.ts";
import { answerOf, claimOf, enqueueOf } from "./native-world.ts";

const VERSION_KEY = "{emq}:version";
const VERSION_SLOT = slot(VERSION_KEY);
const OWN = "echomq:4.0.0";
const OTHER = "echomq:3.0.0";
const MOVES = 2;
const KEYS_PER_MIGRATE = 5;
const BACKLOG_MAX = 100;

const why = whyNoNative();

describe.skipIf(why !== undefined)(`the native half on a cluster${why === undefined ? "" : ` (${why})`}`, () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startCluster({ hasReplicas: false, server: { args: ["--loadmodule", nativeModule()] } });
  }, 180_000);

  afterAll(async () => await cluster?.stop());

  it("is sent on by a node that does not own the queue, and waits while the slot is on its way", async () => {
    const { owner, others } = await setup();
    const [to] = others as [TestServer];
    const queue = await queueOn(owner);
    const place = String(slot(`emq:{${queue}}:`));
    const counts = ["EMQ.COUNTS", "2", `emq:{${queue}}:`, `emq:{${queue}}:pending`, "pending"];
    const [here, there] = await Promise.all([owner.client(), to.client()]);
    onTestFinished(() => [here, there].forEach((client) => void client.close()));
    for (const call of [enqueueOf(queue), claimOf(queue), counts]) {
      expect(await answerOf(there, call)).toBe(`MOVED ${place} 127.0.0.1:${owner.port}`);
    }
    expect(await here.command(...enqueueOf(queue))).toBe(1);
    await there.command("CLUSTER", "SETSLOT", place, "IMPORTING", await cluster.idOf(owner));
    await here.command("CLUSTER", "SETSLOT", place, "MIGRATING", await cluster.idOf(to));
    // The base key never exists, so no act of several keys finds all of them on either side.
    expect(await answerOf(here, claimOf(queue))).toMatch(/^TRYAGAIN /);
    await there.command("ASKING");
    expect(await answerOf(there, claimOf(queue))).toMatch(/^TRYAGAIN /);
    const next = "JOB0Nb1VTbfnu5";
    expect(await answerOf(here, enqueueOf(queue, next))).toMatch(/^TRYAGAIN /);
    await here.command("CLUSTER", "SETSLOT", place, "STABLE");
    await there.command("CLUSTER", "SETSLOT", place, "STABLE");
    expect(await here.command("EXISTS", `emq:{${queue}}:job:${next}`)).toBe(0);
    expect(await there.command("DBSIZE")).toBe(0);
  }, 60_000);

  it("verifies a version on every node, remembers a yes where the key is foreign, and never writes there", async () => {
    const { owner, others } = await setup();
    expect(await owner.command("SET", VERSION_KEY, OWN)).toBe("OK");
    const refusal = `EMQFENCE wire version is ${OTHER}, this server speaks ${OWN}`;
    for (const node of others) {
      await expect(node.command("EMQ.FENCE", "0", OTHER)).rejects.toThrow(refusal);
      expect(await verdictOf(node)).toBe("0");
      expect(await node.command("EMQ.FENCE", "0", OWN)).toBe("OK");
      expect(await verdictOf(node)).toBe("1");
      // Whoever comes with another version does not turn the yes into a no.
      await expect(node.command("EMQ.FENCE", "0", OTHER)).rejects.toThrow(refusal);
      expect(await verdictOf(node)).toBe("1");
      expect(await node.command(...enqueueOf(await queueOn(node)))).toBe(1);
      expect(await node.command("DBSIZE")).toBe(2);
    }
    expect(await owner.command("EMQ.FENCE", "0", OWN)).toBe("OK");
    expect(await verdictOf(owner)).toBe("0");
  }, 60_000);

  it("claims the version at the node that owns it, after the first act there, and nowhere else", async () => {
    const { owner, others } = await setup();
    for (const node of cluster.primaries) expect(await node.command(...enqueueOf(await queueOn(node)))).toBe(1);
    await expect.poll(() => owner.command("GET", VERSION_KEY), { timeout: 60_000 }).toBe(OWN);
    for (const node of others) expect(await node.command("DBSIZE")).toBe(2);
  }, 60_000);

  it("refuses acts at the node that owns a version of another wire", async () => {
    const { owner } = await setup();
    await owner.command("SET", VERSION_KEY, OTHER);
    const refusal = `EMQFENCE wire version is ${OTHER}, this server speaks ${OWN}`;
    // Whoever asks, and were it with the version that stands, lets the node read it.
    await expect(owner.command("EMQ.FENCE", "0", OTHER)).rejects.toThrow(refusal);
    const queue = await queueOn(owner);
    await expect(owner.command(...enqueueOf(queue))).rejects.toThrow(refusal);
    expect(await owner.command("DBSIZE")).toBe(1);
  }, 60_000);

  it("is told by a host at each connection, and again when a slot has got another owner", async () => {
    const { others } = await setup();
    const [first, second] = others as [TestServer, TestServer];
    const engine = openEngine({ connection: cluster.url });
    await engine.ready();
    for (const node of others) expect(await verdictOf(node)).toBe("1");
    await second.restart();
    await expect.poll(() => verdictOf(second), { timeout: 60_000 }).toBe("1");
    await engine.ready();
    const told = await fencesAt(first);
    const queue = await queueOn(second);
    await move(queue, second, first);
    // The next act goes to the old owner and is sent on, so the host learns of the move and tells every primary.
    await engine.act("ENQUEUE", enqueueOf(queue).slice(2, 4), enqueueOf(queue).slice(4));
    await expect.poll(() => fencesAt(first), { timeout: 60_000 }).toBeGreaterThan(told);
  }, 120_000);

  it("loses no job and runs none twice while the slot of the queue goes round the nodes", async () => {
    const { owner: start } = await setup();
    const name = await queueOn(start);
    const connection = { url: cluster.url, native: "require", commandTimeoutMs: 60_000 } as const;
    const queue = new Queue(name, { connection });
    const runs = new Map<string, number>();
    const handler = async (job: { id: string }) => void runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
    const workers = [1, 2].map(() => new Worker(name, handler, { connection, concurrency: 5 }));
    onTestFinished(async () => void (await Promise.all([...workers, queue].map((each) => each.close()))));
    const added: string[] = [];
    const flow = { isOn: true };
    const produce = async () => {
      while (flow.isOn) {
        await expect.poll(() => added.length - runs.size, { timeout: 60_000 }).toBeLessThan(BACKLOG_MAX);
        added.push((await queue.add("each", {}, { delay: added.length % 20 })).id);
      }
    };
    const produced = produce();
    let holder = start;
    for (let count = 0; count < MOVES; count++) {
      const others = cluster.primaries.filter((node) => node !== holder);
      const next = others[count % others.length] as TestServer;
      const before = added.length;
      await move(name, holder, next);
      holder = next;
      await expect.poll(() => added.length, { timeout: 60_000 }).toBeGreaterThan(before + 20);
    }
    flow.isOn = false;
    await produced;
    await expect.poll(() => runs.size, { timeout: 120_000 }).toBe(added.length);
    expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
    await Promise.all(workers.map((worker) => worker.close()));
    expect(await checkInvariants(openEngine({ connection: cluster.url, native: "require" }), name)).toEqual([]);
    for (const node of cluster.primaries) {
      const stats = String(await node.command("INFO", "commandstats"));
      expect(stats).toMatch(/cmdstat_emq\.fence:/);
      expect(stats).not.toMatch(/cmdstat_evalsha:/);
    }
  }, 300_000);

  /** The nodes, empty and without a verdict: a module knows nothing after a restart. */
  async function setup(): Promise<{ owner: TestServer; others: readonly TestServer[] }> {
    for (const node of cluster.primaries) {
      await node.command("FLUSHALL");
      await node.restart();
    }
    for (const node of cluster.primaries) {
      await expect.poll(() => node.command("CLUSTER", "INFO"), { timeout: 60_000 }).toContain("cluster_state:ok");
    }
    const owner = await cluster.ownerOf(VERSION_SLOT);
    return { owner, others: cluster.primaries.filter((node) => node !== owner) };
  }

  /** A queue whose keys a node owns. */
  async function queueOn(node: TestServer): Promise<string> {
    for (let at = 0; ; at++) {
      const queue = `queue-${at}`;
      if ((await cluster.ownerOf(slot(`emq:{${queue}}:`))) === node) return queue;
    }
  }

  /** Moves the slot of a queue, key by key, until every node knows of it. */
  async function move(queue: string, from: TestServer, to: TestServer): Promise<void> {
    const place = slot(`emq:{${queue}}:`);
    const [fromId, toId] = [await cluster.idOf(from), await cluster.idOf(to)];
    await to.command("CLUSTER", "SETSLOT", String(place), "IMPORTING", fromId);
    await from.command("CLUSTER", "SETSLOT", String(place), "MIGRATING", toId);
    for (;;) {
      const keys = await from.command("CLUSTER", "GETKEYSINSLOT", String(place), String(KEYS_PER_MIGRATE));
      if ((keys as string[]).length === 0) break;
      await from.command("MIGRATE", "127.0.0.1", String(to.port), "", "0", "5000", "KEYS", ...(keys as string[]));
    }
    for (const node of [to, ...cluster.primaries.filter((each) => each !== to)]) {
      await node.command("CLUSTER", "SETSLOT", String(place), "NODE", toId);
    }
    await cluster.untilHeard();
    for (const viewer of cluster.primaries) {
      await expect.poll(() => cluster.ownerOf(place, viewer), { timeout: 30_000, interval: 5 }).toBe(to);
    }
  }
});

/** Whether a node holds a verdict about the version that it cannot read. */
async function verdictOf(node: TestServer): Promise<string | undefined> {
  const info = String(await node.command("INFO", "trafikey"));
  return /trafikey_fence_verified:(\d)/.exec(info)?.[1];
}

/** How often a node was asked for the version. */
async function fencesAt(node: TestServer): Promise<number> {
  const stats = String(await node.command("INFO", "commandstats"));
  return Number(/cmdstat_emq\.fence:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}
