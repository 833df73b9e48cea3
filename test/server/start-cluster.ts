/**
 * Starts a real cluster for a test: primaries with a replica each, all slots served, ready when the first call is.
 *
 * It is made by the servers' own commands rather than by the command line client, which a machine may lack.
 */

import { setTimeout as pause } from "node:timers/promises";
import { type ServerOptions, startServer, type TestServer } from "./start-server.ts";

const SLOTS = 16_384;
/**
 * Long, because a machine that runs tests leaves a node without the processor for seconds, and it must not count as
 * dead.
 */
const NODE_TIMEOUT_MS_DEFAULT = 15_000;
const READY_MS_MAX = 120_000;

export interface ClusterOptions {
  /** Default 3. */
  readonly primaries?: number;
  /** Whether each primary has a replica; default true. */
  readonly hasReplicas?: boolean;
  /** After how much silence a node counts as failed, in ms; default 15,000. */
  readonly nodeTimeoutMs?: number;
  /** For every node. */
  readonly server?: ServerOptions;
}

export interface TestCluster {
  readonly primaries: readonly TestServer[];
  readonly replicas: readonly TestServer[];
  /** What a connection takes, with the first two nodes as seeds. */
  readonly url: string;
  /** The node that owns a slot by the view of the node given. */
  ownerOf(slot: number, viewer?: TestServer): Promise<TestServer>;
  /**
   * Resolves when every primary has heard from every other after this call. What a node said before has arrived by
   * then, so that no old claim of a slot can overtake a newer one: servers that change owners quickly fall out over
   * that.
   */
  untilHeard(): Promise<void>;
  /** The id of a node. */
  idOf(node: TestServer): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the nodes, makes them one cluster and resolves when all agree that it is whole. */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const count = options.primaries ?? 3;
  const total = options.hasReplicas === false ? count : count * 2;
  const nodes = await Promise.all(Array.from({ length: total }, () => startServer(nodeOptions(options))));
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    await join(nodes, count);
  } catch (error) {
    await stop();
    throw error;
  }
  const primaries = nodes.slice(0, count);
  return {
    primaries,
    replicas: nodes.slice(count),
    url: `valkey-cluster://${primaries.slice(0, 2).map(hostOf).join(",")}`,
    ownerOf: (slot, viewer = nodes[0]) => ownerOf(nodes, slot, viewer as TestServer),
    untilHeard: () => untilHeard(primaries),
    idOf: async (node) => String(await node.command("CLUSTER", "MYID")),
    stop,
  };
}

function nodeOptions({ server: own = {}, nodeTimeoutMs = NODE_TIMEOUT_MS_DEFAULT }: ClusterOptions): ServerOptions {
  const config = {
    "cluster-enabled": "yes",
    "cluster-node-timeout": String(nodeTimeoutMs),
    "cluster-allow-replica-migration": "no",
    ...own.config,
  };
  return { ...own, tcp: true, hasBus: true, config };
}

async function join(nodes: readonly TestServer[], count: number): Promise<void> {
  const [first] = nodes as [TestServer];
  for (const [at, node] of nodes.entries()) {
    await node.command("CLUSTER", "SET-CONFIG-EPOCH", String(at + 1));
    if (at < count) await node.command("CLUSTER", "ADDSLOTSRANGE", ...slotsOf(at, count));
    if (node !== first) await first.command("CLUSTER", "MEET", "127.0.0.1", String(node.port), String(node.busPort));
  }
  await untilAll(nodes, async (node) => Number(await infoOf(node, "cluster_known_nodes")) === nodes.length);
  for (const [at, node] of nodes.slice(count).entries()) {
    const id = String(await (nodes[at] as TestServer).command("CLUSTER", "MYID"));
    // The node may not know its primary as one yet.
    await untilAll([node], async () => (await node.command("CLUSTER", "REPLICATE", id).catch(() => "")) === "OK");
  }
  await untilAll(nodes, async (node) => (await infoOf(node, "cluster_state")) === "ok");
  await untilAll(nodes.slice(count), async (node) =>
    String(await node.command("INFO", "replication")).includes("master_link_status:up"),
  );
  // Every node must know every primary's slots, or a first call may be sent astray.
  await untilAll(nodes, async (node) => ((await node.command("CLUSTER", "SLOTS")) as unknown[]).length === count);
}

function slotsOf(at: number, count: number): [string, string] {
  const share = SLOTS / count;
  return [String(Math.round(at * share)), String(Math.round((at + 1) * share) - 1)];
}

async function infoOf(node: TestServer, field: string): Promise<string | undefined> {
  return new RegExp(`${field}:(\\S+)`).exec(String(await node.command("CLUSTER", "INFO")))?.[1];
}

async function ownerOf(nodes: readonly TestServer[], slot: number, viewer: TestServer): Promise<TestServer> {
  const rows = (await viewer.command("CLUSTER", "SLOTS")) as [number, number, [string, number]][];
  const port = rows.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
  const owner = nodes.find((node) => node.port === port);
  if (owner === undefined) throw new Error(`nobody owns the slot ${slot}`);
  return owner;
}

/** The sixth word of a line of `CLUSTER NODES` is when the last pong of that node came, in Unix ms. */
async function untilHeard(primaries: readonly TestServer[]): Promise<void> {
  const since = Date.now();
  await untilAll(primaries, async (node) => {
    const lines = String(await node.command("CLUSTER", "NODES"))
      .trim()
      .split("\n");
    const others = lines.map((line) => line.split(" ")).filter(([, , flags]) => flags?.includes("myself") === false);
    return others.every(([, , flags, , , heardAt]) => flags?.includes("slave") || Number(heardAt) > since);
  });
}

function hostOf(node: TestServer): string {
  return `127.0.0.1:${node.port}`;
}

async function untilAll(nodes: readonly TestServer[], probe: (node: TestServer) => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  for (const node of nodes) {
    while (!(await probe(node))) {
      if (performance.now() > deadline) throw new Error(`the cluster did not come about:\n${node.log().slice(-2000)}`);
      await pause(10);
    }
  }
}
