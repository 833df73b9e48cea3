/** A primary that dies and is followed by its replica: its queues rest meanwhile, the others do not. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../src/index.ts";
import { slot } from "../../src/protocol/slot.ts";
import { Jobs } from "../../src/queue/jobs.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { newIds } from "../integration/connection/whole-api.ts";
import { errorOf, openEngine, recordingPorts, until } from "../integration/valkey/setup-engine.ts";
import { startCluster } from "../server/start-cluster.ts";

const NAMES = Array.from({ length: 20 }, (_, at) => `queue-${at}`);
const FAILOVER = { timeout: 60_000, interval: 20 };

describe("a cluster that loses a primary", () => {
  it("works on at the others, and at the replica that takes over once it was fenced", async () => {
    const server = { config: { "cluster-require-full-coverage": "no" } };
    const cluster = await startCluster({ nodeTimeoutMs: 1500, server });
    onTestFinished(() => cluster.stop());
    const { url } = cluster;
    // The one that has the key of the fence, so that nobody may be connected anew before it is followed.
    const victim = await cluster.ownerOf(slot("{emq}:version"));
    const owners = new Map<string, unknown>();
    for (const name of NAMES) owners.set(name, await cluster.ownerOf(slot(`emq:{${name}}:`)));
    const hit = NAMES.find((name) => owners.get(name) === victim) as string;
    const spared = NAMES.find((name) => owners.get(name) !== victim) as string;

    const ports = recordingPorts();
    const engine = openEngine({ connection: url, ports });
    const jobs = new Jobs(engine);
    const newId = newIds();
    const seen = new Set<string>();
    const worker = new Worker(hit, async (job) => void seen.add(job.name), { connection: url, beat: "1s" });
    const queue = new Queue(hit, { connection: url });
    onTestFinished(async () => void (await Promise.all([worker.close(), queue.close()])));
    await queue.add("before", {});
    await until(() => seen.has("before"));
    await jobs.enqueue(spared, newId(), "x");
    await victim.command("WAIT", "1", "2000");

    const view = cluster.primaries.find((node) => node !== victim);
    await victim.kill();
    const during = queue.add("during", {}, { retryOnDisconnect: "100s" });
    // The others serve their queues while the dead one is not followed yet.
    expect(await jobs.enqueue(spared, newId(), "x")).toBe("enqueued");
    await expect.poll(() => cluster.ownerOf(slot(`emq:{${hit}}:`), view), FAILOVER).not.toBe(victim);
    const add = async () => {
      const job = await queue.add("after", {}).catch(() => undefined);
      return job !== undefined;
    };
    await expect.poll(add, FAILOVER).toBe(true);
    expect((await during).outcome).toBe("added");
    await until(() => seen.has("after") && seen.has("during"));
    await engine.ready();
    for (const name of [hit, spared]) expect(await checkInvariants(engine, name)).toEqual([]);
    expect(await jobs.pendingSize(spared)).toBe(2);
    expect(ports.logger.lines.length).toBeLessThanOrEqual(5);

    const heir = await cluster.ownerOf(slot("{emq}:version"), view);
    await heir.command("SET", "{emq}:version", "echomq:9.0.0");
    const late = openEngine({ connection: url });
    expect(await errorOf(late.ready())).toMatchObject({ code: "fence", details: { found: "echomq:9.0.0" } });
  }, 150_000);
});
