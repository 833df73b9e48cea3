/** The engine on a real cluster of three primaries with a replica each. */

import { Cluster as IoRedisCluster } from "ioredis";
import { Cluster as IoValkeyCluster } from "iovalkey";
import { describe, expect, it, onTestFinished } from "vitest";
import { EventStream, Queue, StreamConsumer, Worker } from "../../src/index.ts";
import { slot } from "../../src/protocol/slot.ts";
import { Jobs } from "../../src/queue/jobs.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import type { LibraryClient } from "../../src/valkey/client.ts";
import { WAKE_LINES_MAX } from "../../src/valkey/cluster/cluster-site.ts";
import { accessCommands, PASSWORD } from "../integration/connection/access-lines.ts";
import { newIds, operate, produce, read, runClasses, work } from "../integration/connection/whole-api.ts";
import { errorOf, openEngine, recordingPorts, until } from "../integration/valkey/setup-engine.ts";
import type { TestCluster } from "../server/start-cluster.ts";
import { startServer, type TestServer } from "../server/start-server.ts";
import { useCluster } from "../server/use-server.ts";

const NAMES = Array.from({ length: 20 }, (_, at) => `queue-${at}`);

/** How many connections of clients a node has, the one that asks and the cluster's own left out. */
async function connectionCount(node: TestServer): Promise<number> {
  const lines = String(await node.command("CLIENT", "LIST"))
    .trim()
    .split("\n");
  return lines.filter((line) => !/ flags=[MS] | cmd=client\|list /.test(line)).length;
}

const ownersOf = async (cluster: TestCluster) =>
  new Set(await Promise.all(NAMES.map(async (name) => (await cluster.ownerOf(slot(`emq:{${name}}:`))).port)));

describe("a cluster", () => {
  const cluster = useCluster();

  it("serves every verb on twenty queues that lie on all three primaries, without a refusal", async () => {
    expect((await ownersOf(cluster())).size).toBe(3);
    const ports = recordingPorts();
    const engine = openEngine({ connection: cluster().url, ports });
    for (const name of NAMES) {
      await produce(engine, name);
      await work(engine, name);
      await read(engine, name);
      await operate(engine, name);
      expect(await checkInvariants(engine, name)).toEqual([]);
    }
    expect(ports.logger.lines).toEqual([]);
    for (const node of cluster().primaries) {
      // Every refusal that a server ever gave is counted there, by its first word.
      expect(String(await node.command("INFO", "errorstats"))).not.toMatch(/CROSSSLOT|TRYAGAIN/);
    }
    await engine.close();
  });

  it("runs queues and workers, each woken on its own socket, and leaves nothing after close", async () => {
    const { url, primaries } = cluster();
    const before = await Promise.all(primaries.map(connectionCount));
    const seen = new Set<string>();
    const workers = NAMES.map(
      (name) => new Worker(name, async () => void seen.add(name), { connection: url, beat: "60s" }),
    );
    const queues = NAMES.map((name) => new Queue(name, { connection: url }));
    const close = async () => void (await Promise.all([...workers, ...queues].map((each) => each.close())));
    onTestFinished(close);
    await until(async () => {
      const lists = await Promise.all(primaries.map((node) => node.command("CLIENT", "LIST")));
      return lists.join("\n").split("cmd=blpop").length - 1 === NAMES.length;
    });
    // The beat is a minute away, so only a token can have woken the workers.
    await Promise.all(queues.map((queue) => queue.add("job", {})));
    await until(() => seen.size === NAMES.length || [...seen].join(" "));
    const open = await Promise.all(primaries.map(connectionCount));
    const opened = open.reduce((sum, count) => sum + count, 0) - before.reduce((sum, count) => sum + count, 0);
    // One for the acts on each node, one a worker that waits, and one that listens for all of them.
    expect(opened).toBe(primaries.length + NAMES.length + 1);
    await close();
    await until(async () => {
      const left = await Promise.all(primaries.map(connectionCount));
      return left.every((count, at) => count === before[at]) || left.join(" ");
    });
  });

  it("costs each node the acts and bytes of its own queues' jobs, and the others nothing", async () => {
    const { url, primaries } = cluster();
    const jobs = 200;
    const counted = async (node: TestServer) => {
      const text = String(await node.command("INFO", "all"));
      const numberOf = (field: string): number => Number(new RegExp(`${field}(\\d+)`).exec(text)?.[1] ?? 0);
      return {
        acts: numberOf("cmdstat_evalsha:calls="),
        bytes: numberOf("total_net_input_bytes:"),
        answered: numberOf("total_net_output_bytes:"),
        // It leaves after it was counted.
        own: Buffer.byteLength(text),
      };
    };
    const spentBy = async (names: readonly string[]) => {
      const queues = names.map((name) => new Queue(name, { connection: url }));
      await Promise.all(queues.map((queue) => queue.add("first", {})));
      const before = await Promise.all(primaries.map(counted));
      let left = (jobs + 1) * names.length;
      await Promise.all(
        queues.map((queue) => queue.addBulk(Array.from({ length: jobs }, (_, n) => ({ name: "job", data: { n } })))),
      );
      const workers = names.map(
        (name) => new Worker(name, () => void left--, { connection: url, beat: "60s", concurrency: 20 }),
      );
      await until(() => left === 0 || `${left} left`);
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(queues.map((queue) => queue.close()));
      const after = await Promise.all(primaries.map(counted));
      return after.map(({ acts, bytes, answered }, at) => ({
        acts: (acts - (before[at]?.acts ?? 0)) / jobs,
        bytes: (bytes - (before[at]?.bytes ?? 0)) / jobs,
        answered: (answered - (before[at]?.answered ?? 0) - (before[at]?.own ?? 0)) / jobs,
      }));
    };
    const nodeOf = async (name: string) => primaries.indexOf(await cluster().ownerOf(slot(`emq:{${name}}:`)));
    const homes: string[][] = primaries.map(() => []);
    for (let at = 0; homes.some((names) => names.length < 2); at++) {
      const name = `cost-${at}`;
      const names = homes[await nodeOf(name)];
      if (names !== undefined && names.length < 2) names.push(name);
    }
    const [home = []] = homes;
    // The first jobs of a node bring it the scripts.
    await spentBy(homes.map((names) => names[0] as string));
    const one = await spentBy(home.slice(0, 1));
    const spread = await spentBy(homes.map((names) => names[1] as string));
    console.log("one queue", one, "a queue a node", spread);
    for (const { acts, bytes, answered } of [...one.slice(0, 1), ...spread]) {
      expect(acts).toBeLessThan(0.5);
      expect(answered).toBeGreaterThan(0);
      expect(answered).toBeLessThan(500);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(500);
    }
    // Nothing of a job goes to a node that its queue does not lie on; what is left is the connection's own talk.
    for (const { acts } of one.slice(1)) expect(acts).toBeLessThan(0.03);
  });

  it("has at most a set number of blocking sockets, and gives one that is free again to who has none", async () => {
    const { url, primaries } = cluster();
    const engine = openEngine({ connection: url });
    await engine.ready();
    const keys = Array.from({ length: WAKE_LINES_MAX + 2 }, (_, at) => `emq:{line-${at}}:wake`);
    const tokens: string[] = [];
    const places = keys.map((key) => engine.listenForWake(key, { onToken: () => tokens.push(key), onLost() {} }));
    for (const place of places) place.arm();
    const waiting = async () => {
      const lists = await Promise.all(primaries.map((node) => node.command("CLIENT", "LIST")));
      return lists.join("\n").split("cmd=blpop").length - 1;
    };
    await until(async () => (await waiting()) === WAKE_LINES_MAX);
    const last = keys.at(-1) as string;
    await engine.command(["LPUSH", last, "1"]);
    // The others were asked later, so a token for the last would have come by now.
    for (const key of keys.slice(0, 5)) await engine.command(["LPUSH", key, "1"]);
    await until(() => tokens.length === 5);
    expect(tokens).not.toContain(last);
    await Promise.all(places.slice(0, 2).map((place) => place.close()));
    await until(() => tokens.includes(last));
    expect(await waiting()).toBeLessThanOrEqual(WAKE_LINES_MAX);
  });

  it("serves users with the rights of the page and the two that a cluster needs beside them", async () => {
    const { url, primaries } = cluster();
    for (const node of primaries) {
      for (const parts of accessCommands("queue-3")) await node.command(...parts);
      for (const name of ["producer", "worker", "operator", "reader"]) {
        await node.command("ACL", "SETUSER", name, "+cluster|slots", "+asking");
      }
    }
    const engineOf = (username: string) =>
      openEngine({ connection: { url, username, password: PASSWORD }, isReadonly: username === "reader" });
    const admin = openEngine({ connection: url });
    await produce(engineOf("producer"), "queue-3");
    await work(engineOf("worker"), "queue-3", admin);
    await read(engineOf("reader"), "queue-3", admin);
    await operate(engineOf("operator"), "queue-3", admin);
    const foreign = new Jobs(engineOf("producer")).enqueue("queue-4", newIds()(), "x");
    expect(await errorOf(foreign)).toMatchObject({ code: "permission" });
    const wrong = openEngine({ connection: { url, username: "producer", password: "wrong" } });
    expect(await errorOf(wrong.ready())).toMatchObject({ code: "auth", retryable: false });
  });

  it("keeps streams in the slots of their queues, and hands their records to groups as they come", {
    timeout: 60_000,
  }, async () => {
    const { url } = cluster();
    const names = NAMES.slice(0, 6);
    const handled = new Map<string, string[]>(names.map((name) => [name, []]));
    const streams = names.map((name) => new EventStream(name, "facts", { connection: url }));
    const consumers = names.map(
      (name) =>
        new StreamConsumer(name, "facts", ({ fields }) => void handled.get(name)?.push(fields["n"] ?? ""), {
          connection: url,
          group: "g",
          from: "start",
          idle: "1h",
        }),
    );
    await Promise.all(consumers.map((consumer) => consumer.waitUntilReady()));
    for (const n of ["a", "b", "c"]) {
      await Promise.all(streams.map((stream) => stream.append({ n })));
      // Each record wakes its reader: the next look by itself would be half an hour away.
      await until(() => [...handled.values()].every((seen) => seen.at(-1) === n));
    }
    expect([...handled.values()]).toEqual(names.map(() => ["a", "b", "c"]));
    await Promise.all([...consumers, ...streams].map((each) => each.close()));
  });

  it("delivers what is published on any node", async () => {
    const engine = openEngine({ connection: cluster().url });
    const heard: string[] = [];
    await engine.subscribe("emq:{queue-1}:events", (payload) => heard.push(payload));
    for (const [at, node] of cluster().primaries.entries())
      await node.command("PUBLISH", "emq:{queue-1}:events", `${at}`);
    await until(() => heard.length === 3);
    expect([...heard].sort()).toEqual(["0", "1", "2"]);
  });

  it("is fenced on every primary by the one that has the key", async () => {
    const owner = await cluster().ownerOf(slot("{emq}:version"));
    await openEngine({ connection: cluster().url }).ready();
    expect(await owner.command("GET", "{emq}:version")).toBe("echomq:4.0.0");
    const other = openEngine({ connection: cluster().url, wireVersion: "echomq:9.0.0" });
    expect(await errorOf(other.ready())).toMatchObject({ code: "fence", details: { found: "echomq:4.0.0" } });
    expect(await errorOf(new Jobs(other).enqueue("queue-1", newIds()(), "x"))).toMatchObject({ code: "fence" });
  });

  it("tells a single server from a cluster, and refuses it for good", async () => {
    const single = await startServer({ tcp: true });
    onTestFinished(() => single.stop());
    const engine = openEngine({ connection: { cluster: [{ host: "127.0.0.1", port: single.port as number }] } });
    expect(await errorOf(engine.ready())).toMatchObject({
      code: "invalid_connection",
      message: expect.stringContaining("no node of a cluster"),
    });
  });

  it.each([
    ["iovalkey", (ports: number[]) => new IoValkeyCluster(ports.map((port) => ({ host: "127.0.0.1", port })))],
    ["ioredis", (ports: number[]) => new IoRedisCluster(ports.map((port) => ({ host: "127.0.0.1", port })))],
  ])("is used through a cluster client of %s, which stays open", async (_name, make) => {
    const client = make([cluster().primaries[0]?.port as number]) as unknown as LibraryClient & {
      get(key: string): Promise<string | null>;
    };
    onTestFinished(() => client.disconnect());
    const engine = openEngine({ connection: client });
    await engine.ready();
    for (const name of NAMES.slice(0, 6)) await produce(engine, name);
    await engine.close();
    await runClasses(client, "borrowed");
    expect(client.status).toBe("ready");
    expect(await client.get("{emq}:version")).toBe("echomq:4.0.0");
  });

  it("refuses a cluster client with a key prefix", async () => {
    const options = { keyPrefix: "app:", lazyConnect: true };
    const client = new IoValkeyCluster([{ host: "127.0.0.1", port: 1 }], options) as unknown as LibraryClient;
    expect(() => openEngine({ connection: client })).toThrow(
      expect.objectContaining({ code: "invalid_connection", message: expect.stringContaining("keyPrefix") }),
    );
  });
});
