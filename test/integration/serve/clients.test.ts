/** Clients of all kinds on the project's own server: our host, the command line client of Valkey, other libraries. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Redis as IoRedis } from "ioredis";
import { Redis as IoValkey } from "iovalkey";
import { describe, expect, it, onTestFinished } from "vitest";
import { findServer } from "../../../scripts/server/find-server.mjs";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import { EventStream, FlowProducer, Queue, QueueEvents, StreamConsumer, Worker } from "../../../src/index.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { ValkeyEngine } from "../../../src/valkey/valkey-engine.ts";
import { type Served, type ServedOptions, startServed } from "../../server/start-served.ts";
import { run, runJson } from "../../unit/cli/run.ts";
import { lookFromAbove, operate, produce, read, runClasses, work } from "../connection/whole-api.ts";

const PATIENCE = { timeout: 60_000, interval: 10 };

async function setup(options: ServedOptions = {}): Promise<Served> {
  const served = await startServed(options);
  onTestFinished(() => served.stop());
  return served;
}

async function openEngine(url: string, native: "require" | "off"): Promise<ValkeyEngine> {
  const engine = new ValkeyEngine({ connection: url, ports: nodePorts(), native });
  onTestFinished(() => engine.close());
  await engine.ready();
  return engine;
}

describe("our own host", () => {
  it.each(["require", "off"] as const)("does all that it can, with the acts as commands: %s", async (native) => {
    const { server } = await setup({ port: 0 });
    const engine = await openEngine(server.url, native);
    await produce(engine, "q");
    await work(engine, "q");
    await read(engine, "q");
    await lookFromAbove(engine, "q");
    await operate(engine, "q");
  });

  it("runs queues and workers by its URL, and holds three sockets however many there are", async () => {
    const { server } = await setup({ port: 0 });
    await runClasses(server.url, "classes");
    const names = Array.from({ length: 10 }, (_, at) => `many-${at}`);
    const seen = new Set<string>();
    const workers = names.map((name) => new Worker(name, async () => void seen.add(name), { connection: server.url }));
    const queues = names.map((name) => new Queue(name, { connection: server.url }));
    onTestFinished(async () => {
      await Promise.all([...workers, ...queues].map((each) => each.close()));
    });
    await Promise.all(queues.map((queue) => queue.add("job", {})));
    await expect.poll(() => seen.size, PATIENCE).toBe(names.length);
    expect(server.clientCount).toBeLessThanOrEqual(3);
  });

  it("runs flows, hears events and reads streams, and the doctor finds nothing", async () => {
    const { server, engine } = await setup({ port: 0 });
    const connection = { url: server.url, client: "ioredis", protocol: 3 } as const;
    const done: string[] = [];
    const events = new QueueEvents("parents", { connection });
    events.on("completed", ({ id }) => done.push(id));
    await events.waitUntilReady();
    const workers = ["parents", "children"].map((name) => new Worker(name, async (job) => job.name, { connection }));
    const flows = new FlowProducer({ connection });
    const { job } = await flows.add({
      name: "sum",
      queueName: "parents",
      children: [
        { name: "one", queueName: "children", data: {} },
        { name: "two", queueName: "children", data: {} },
      ],
    });
    await expect.poll(() => done, PATIENCE).toEqual([job.id]);
    const stream = new EventStream("parents", "paid", { connection });
    const heard: unknown[] = [];
    const consumer = new StreamConsumer("parents", "paid", async ({ fields }) => void heard.push(fields), {
      group: "mailer",
      from: "start",
      connection,
    });
    await stream.append({ order: "4711" });
    await expect.poll(() => heard, PATIENCE).toEqual([{ order: "4711" }]);
    await Promise.all([consumer.close(), stream.close(), events.close(), flows.close()]);
    await Promise.all(workers.map((worker) => worker.close()));
    for (const name of ["parents", "children"]) {
      expect((await inspectQueue(engine, name)).findings).toEqual([]);
    }
  });

  it("shares its queues with the program that serves them", async () => {
    const { server, engine } = await setup({ port: 0 });
    const seen: string[] = [];
    const worker = new Worker("both", async (job) => void seen.push(job.name), { connection: engine });
    const far = new Queue("both", { connection: server.url });
    await far.add("from afar", {});
    await expect.poll(() => seen, PATIENCE).toEqual(["from afar"]);
    await worker.close();
    const near = new Queue("both", { connection: engine });
    const other = new Worker("both", async (job) => void seen.push(job.name), { connection: server.url });
    await near.add("from here", {});
    await expect.poll(() => seen, PATIENCE).toEqual(["from afar", "from here"]);
    await Promise.all([other.close(), near.close(), far.close()]);
  });

  it("gives its password, and is told in its own words when that is wrong", async () => {
    const { server } = await setup({ port: 0, password: "pä ss:/@" });
    const right = `redis://:${encodeURIComponent("pä ss:/@")}@127.0.0.1:${server.port}`;
    const queue = new Queue("mail", { connection: right });
    expect((await queue.add("a", {})).outcome).toBe("added");
    await queue.close();
    const wrong = new Queue("mail", { connection: `redis://:nope@127.0.0.1:${server.port}` });
    await expect(wrong.add("a", {})).rejects.toMatchObject({ code: "auth" });
    await wrong.close();
    const none = new Queue("mail", { connection: server.url });
    await expect(none.add("a", {})).rejects.toMatchObject({ code: "auth" });
    await none.close();
  });

  it("is told what the server is by echomq ping", async () => {
    const { server } = await setup({ port: 0 });
    const { code, out } = await run(["ping", "--url", server.url]);
    expect(code).toBe(0);
    expect(out).toContain("EchoMQ with the commands of Valkey 8.0.1, master");
    expect((await runJson(["ping", "--url", server.url])).json).toMatchObject({ kind: "echomq", warnings: [] });
  });

  it("says which scripts there are where it brings one that the server does not know", async () => {
    const { socketPath } = await setup();
    const client = new IoRedis({ path: socketPath });
    onTestFinished(() => client.disconnect());
    await expect(client.script("LOAD", "return 1")).rejects.toThrow(/publishes for the wire echomq:4/);
    await expect(client.eval("return 1", 0)).rejects.toThrow(/publishes for the wire echomq:4/);
  });
});

describe("the command line client of Valkey", () => {
  const program = findServer().client ?? "";
  const why = program === "" ? " (there is none beside the server)" : "";

  it.skipIf(why !== "")(`reads and writes, in both protocols${why}`, async () => {
    const { server } = await setup({ port: 0 });
    const cli = async (...args: string[]) => {
      const { stdout } = await promisify(execFile)(program, ["-p", String(server.port), ...args]);
      return stdout.trimEnd();
    };
    expect(await cli("PING")).toBe("PONG");
    expect(await cli("HSET", "h", "a", "1", "b", "2")).toBe("2");
    expect(await cli("HGETALL", "h")).toBe("a\n1\nb\n2");
    expect(await cli("-3", "--json", "HGETALL", "h")).toBe('{"a":"1","b":"2"}');
    expect(await cli("ZADD", "z", "1.5", "m")).toBe("1");
    expect(await cli("-3", "ZRANGE", "z", "0", "-1", "WITHSCORES")).toBe("m\n1.5");
    expect(await cli("--scan", "--pattern", "h*")).toBe("h");
    expect(await cli("INFO", "server")).toContain("server_name:echomq");
    expect(await cli("NOPE")).toContain("unknown command 'NOPE'");
  });
});

describe("libraries", () => {
  it.each([
    ["ioredis", 2, (path: string) => new IoRedis({ path, protocol: 2 })],
    ["ioredis", 3, (path: string) => new IoRedis({ path, protocol: 3 })],
    ["iovalkey", 2, (path: string) => new IoValkey({ path })],
  ] as const)("%s on RESP%i: commands, pipelines, transactions, scans, waits, channels", async (_name, _resp, open) => {
    const { socketPath } = await setup();
    const client = open(socketPath) as IoRedis;
    const other = open(socketPath) as IoRedis;
    onTestFinished(() => {
      client.disconnect();
      other.disconnect();
    });
    expect(await client.set("a", "1")).toBe("OK");
    expect(await client.get("a")).toBe("1");
    await client.hset("h", { a: "1", b: "2" });
    expect(await client.hgetall("h")).toEqual({ a: "1", b: "2" });
    const pipeline = client.pipeline();
    for (let at = 0; at < 2000; at++) pipeline.incr("n");
    expect((await pipeline.exec())?.at(-1)).toEqual([null, 2000]);
    expect(await client.multi().incr("n").get("a").exec()).toEqual([
      [null, 2001],
      [null, "1"],
    ]);
    const keys: string[] = [];
    for await (const some of client.scanStream({ count: 1 })) keys.push(...(some as string[]));
    expect(keys.sort()).toEqual(["a", "h", "n"].concat(keys.includes("{emq}:version") ? ["{emq}:version"] : []).sort());
    const waited = client.blpop("list", 0);
    await expect.poll(async () => String(await other.call("INFO", "clients")), PATIENCE).toContain("blocked_clients:1");
    await other.rpush("list", "x");
    expect(await waited).toEqual(["list", "x"]);
    const heard: string[] = [];
    client.on("message", (channel: string, message: string) => heard.push(`${channel} ${message}`));
    await client.subscribe("news");
    expect(await other.publish("news", "hi")).toBe(1);
    await expect.poll(() => heard, PATIENCE).toEqual(["news hi"]);
  });
});
