/** How a client is cut from a whole cluster: for a moment in `npm test`, for half a minute in `npm run test:long`. */

import { expect, onTestFinished } from "vitest";
import { QueueCore } from "../../src/queue/queue.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { WorkerCore } from "../../src/worker/worker.ts";
import { openEngine, recordingPorts } from "../integration/valkey/setup-engine.ts";
import { type FaultProxy, type LinkKind, startFaultProxy } from "../server/fault-proxy.ts";
import type { TestCluster } from "../server/start-cluster.ts";
import { last, PATIENCE, report } from "./fault-world.ts";

/** A proxy in front of each node, which the client takes for the nodes themselves. */
async function startProxies(cluster: TestCluster): Promise<FaultProxy[]> {
  const nodes = [...cluster.primaries, ...cluster.replicas];
  const proxies = await Promise.all(nodes.map(({ port }) => startFaultProxy({ port: port as number })));
  onTestFinished(async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))));
  const ports = new Map(nodes.map(({ port }, at) => [port as number, (proxies[at] as FaultProxy).port]));
  for (const proxy of proxies) proxy.ports = ports;
  return proxies;
}

/** Cuts a client from all six nodes for a while, with three queues on as many primaries. */
export async function cutFromAll(cluster: TestCluster, outageMs: number): Promise<void> {
  const proxies = await startProxies(cluster);
  const ports = recordingPorts();
  const seeds = proxies.slice(0, 2).map(({ port }) => ({ host: "127.0.0.1", port }));
  const engine = openEngine({ connection: { cluster: seeds }, ports, commandTimeoutMs: 60_000 });
  await engine.ready();
  const lease = { engine, release: () => Promise.resolve() };
  const runs: string[] = [];
  const names = ["mail", "bills", "images"];
  const pairs = names.map((name, at) => {
    const queue = new QueueCore(name, lease, { node: at, retryOnDisconnect: "60s" });
    const worker = new WorkerCore(name, (job) => void runs.push(`${name} ${String(job.data)}`), lease);
    onTestFinished(async () => {
      await worker.close({ timeout: 0 });
      await queue.close({ timeout: 0 });
    });
    return { name, queue, worker };
  });
  const addAll = (what: string) => Promise.all(pairs.map(({ queue }) => queue.add("letter", what)));
  await addAll("before");
  await expect.poll(() => runs.length, PATIENCE).toBe(3);
  const openLinks = (kind?: LinkKind) => proxies.reduce((sum, proxy) => sum + proxy.links(kind).length, 0);
  await expect.poll(() => openLinks("blocking"), PATIENCE).toBe(names.length);
  const socketsBefore = openLinks();

  const refusals = proxies.map((proxy) => proxy.inject({ does: "refuse" }));
  for (const proxy of proxies) proxy.cut();
  await expect.poll(() => engine.state, PATIENCE).toBe("down");
  const during = addAll("during");
  await last(outageMs);
  // Each worker says of its queue that it is not consumed.
  for (const { worker } of pairs) expect(worker.health()).toMatchObject({ state: "running", isConsuming: false });
  for (const refusal of refusals) refusal.lift();
  const backAt = performance.now();
  await during;
  await addAll("after");
  await expect.poll(() => runs.length, { timeout: 100_000, interval: 5 }).toBe(9);
  report(`a client cut from all nodes for ${outageMs} ms is at work again in`, performance.now() - backAt);
  expect([...runs].sort()).toEqual(
    names.flatMap((name) => ["after", "before", "during"].map((what) => `${name} ${what}`)).sort(),
  );
  for (const { name, worker } of pairs) {
    await expect.poll(() => worker.health().isConsuming, PATIENCE).toBe(true);
    expect(await checkInvariants(engine, name)).toEqual([]);
  }
  await expect.poll(() => openLinks(), PATIENCE).toBe(socketsBefore);
  const lines = ports.logger.messages("warn");
  expect(lines.length, lines.join("\n")).toBeLessThanOrEqual(20);
}
