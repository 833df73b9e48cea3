/** Connections that many share: three sockets a server, for up to a group of queues. */

import { Redis as IoRedis } from "ioredis";
import { Redis as IoValkey } from "iovalkey";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ConnectionInput } from "../../../src/engine-registry.ts";
import { Queue, QueueEvents, Worker } from "../../../src/index.ts";
import type { LibraryClient } from "../../../src/valkey/client.ts";
import type { TestServer } from "../../server/start-server.ts";
import { useServer, whyNoRedis } from "../../server/use-server.ts";
import { until } from "../valkey/setup-engine.ts";
import { runClasses } from "./whole-api.ts";

const NAMES = Array.from({ length: 20 }, (_, at) => `shared-${at}`);

/** Connections of a server, the one that asks left out. */
async function connectionsOf(server: TestServer): Promise<string[]> {
  const client = await server.client();
  try {
    const own = `id=${String(await client.command("CLIENT", "ID"))} `;
    const lines = String(await client.command("CLIENT", "LIST"))
      .trim()
      .split("\n");
    return lines.filter((line) => !line.startsWith(own));
  } finally {
    client.close();
  }
}

/** Twenty queues, workers and readers of events, each with a job that was run and told of, all still open. */
async function runTwenty(connection: ConnectionInput) {
  const seen = new Set<string>();
  const workers = NAMES.map((name) => new Worker(name, async () => void seen.add(name), { connection }));
  const queues = NAMES.map((name) => new Queue(name, { connection }));
  const told = new Set<string>();
  const readers = NAMES.map((name) => {
    const events = new QueueEvents(name, { connection });
    events.on("completed", () => told.add(name));
    return events;
  });
  const close = async () => {
    await Promise.all([...workers, ...queues, ...readers].map((each) => each.close()));
  };
  onTestFinished(close);
  await Promise.all(readers.map((events) => events.waitUntilReady()));
  await Promise.all(queues.map((queue) => queue.add("job", {})));
  await until(() => seen.size === NAMES.length || [...seen].join(" "));
  await until(() => told.size === NAMES.length || [...told].join(" "));
  return { close };
}

describe("one connection of twenty queues, workers and readers of events", () => {
  const server = useServer({ tcp: true });

  it.each([
    ["a URL", (url: string) => url],
    ["options", (url: string) => ({ url, db: 3 })],
  ])("is at most three sockets, by %s, and none after close (PB-176)", async (_name, connectionOf) => {
    const { close } = await runTwenty(connectionOf(server().url));
    const open = await connectionsOf(server());
    expect(open.length).toBeLessThanOrEqual(3);
    expect(open.filter((line) => line.includes("cmd=blpop")).length).toBeLessThanOrEqual(1);
    await close();
    await until(async () => (await connectionsOf(server())).length === 0);
  });

  it.each([
    ["iovalkey", (url: string) => new IoValkey(url.replace("valkey:", "redis:")) as unknown as LibraryClient],
    ["ioredis", (url: string) => new IoRedis(url.replace("valkey:", "redis:")) as unknown as LibraryClient],
  ])(
    "is the client itself and at most two more, for a client of %s, which stays open (PB-176)",
    async (_name, make) => {
      const client = make(server().url);
      onTestFinished(() => client.disconnect());
      const { close } = await runTwenty(client);
      expect((await connectionsOf(server())).length).toBeLessThanOrEqual(3);
      await close();
      await until(async () => (await connectionsOf(server())).length === 1);
      expect(client.status).toBe("ready");
    },
  );

  it("works in the database that its number names, and in no other", async () => {
    await server().command("FLUSHALL");
    await runClasses(`${server().url}/7`, "numbered");
    expect(String(await server().command("INFO", "keyspace"))).toMatch(/db7:/);
    expect(String(await server().command("INFO", "keyspace"))).not.toMatch(/db0:/);
  });
});

describe.skipIf(whyNoRedis() !== undefined)("a Redis of version 7.0", () => {
  const server = useServer({ kind: "redis", tcp: true });

  it("runs queues and workers, twenty on three sockets", async () => {
    const { url } = server();
    await runClasses(url, "single");
    const { close } = await runTwenty(url);
    expect((await connectionsOf(server())).length).toBeLessThanOrEqual(3);
    await close();
  });
});
