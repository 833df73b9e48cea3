/** The native half refuses in the order of the wire, and writes nothing before the last question is answered. */

import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERBS, type Verb } from "../../../src/protocol/verbs.generated.ts";
import { SCRIPTS } from "../../../src/valkey/scripts.generated.ts";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startReplica, startServer, type TestServer } from "../../server/start-server.ts";
import type { ReplyValue, WireClient } from "../../server/wire-client.ts";
import { answerOf, claimOf, completeOf, dumpAll, enqueueOf, ID } from "./native-world.ts";

const MODULE = ["--loadmodule", nativeModule()];
const LAYOUT = "ERR EMQ.ENQUEUE keys do not match the wire-4 layout";

const why = whyNoNative();

describe.skipIf(why !== undefined)(`the native half refuses${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  let client: WireClient;

  beforeAll(async () => {
    server = await startServer({
      tcp: true,
      args: MODULE,
      config: { "enable-module-command": "local", "enable-protected-configs": "local" },
    });
    client = await server.client();
  }, 120_000);

  afterAll(async () => {
    client?.close();
    await server?.stop();
  });

  it.each([
    ["an empty name", "emq:{}:job:JOB0Nb1VTbfnu4", "emq:{}:pending"],
    ["a brace in the name", "emq:{a}b}:job:JOB0Nb1VTbfnu4", "emq:{a}b}:pending"],
    ["an opening brace in the name", "emq:{a{b}:job:JOB0Nb1VTbfnu4", "emq:{a{b}:pending"],
    ["a NUL in the name", "emq:{a\0}:job:JOB0Nb1VTbfnu4", "emq:{a\0}:pending"],
    ["another type", "emq:{a}:job:JOB0Nb1VTbfnu4", "emq:{a}:active"],
    ["a row of another queue", "emq:{b}:job:JOB0Nb1VTbfnu4", "emq:{a}:pending"],
    ["a row of another id", "emq:{a}:job:JOB0Nb1VTbfnu5", "emq:{a}:pending"],
    ["another beginning", "mq:{a}:job:JOB0Nb1VTbfnu4", "mq:{a}:pending"],
    ["no colon behind the name", "emq:{a}job:JOB0Nb1VTbfnu4", "emq:{a}pending"],
  ])("keys with %s, and the keyspace stays empty", async (_, row, pending) => {
    expect(await answerOf(client, ["EMQ.ENQUEUE", "2", row, pending, ID, "x"])).toBe(LAYOUT);
    expect(await client.command("DBSIZE")).toBe(0);
  });

  it.each([
    [["EMQ.ENQUEUE"], "ERR wrong number of arguments for 'EMQ.ENQUEUE' command"],
    [["EMQ.ENQUEUE", "1", "emq:{a}:pending", ID, "x"], "ERR EMQ.ENQUEUE takes 2 keys"],
    [["EMQ.ENQUEUE", "9", "emq:{a}:pending", ID, "x"], "ERR EMQ.ENQUEUE takes 2 keys"],
    [["EMQ.ENQUEUE", "-1", "emq:{a}:pending"], "ERR EMQ.ENQUEUE takes 2 keys"],
    [["EMQ.ENQUEUE", "two", "emq:{a}:pending"], "ERR EMQ.ENQUEUE takes 2 keys"],
    [enqueueOf("a").slice(0, -1), "ERR wrong number of arguments for 'EMQ.ENQUEUE' command"],
    [enqueueOf("a", "ORG0Nb1VTbfnu4"), "EMQKIND job id must be JOB-namespaced"],
    [["EMQ.FENCE", "0"], "ERR wrong number of arguments for 'EMQ.FENCE' command"],
    [["EMQ.FENCE", "1", "echomq:4.0.0"], "ERR EMQ.FENCE takes 0 keys"],
  ])("%j with a text of its own", async (parts, text) => {
    expect(await answerOf(client, parts)).toBe(text);
    expect(await client.command("DBSIZE")).toBe(0);
  });

  it("a keyspace of another wire, after the layout and before all else, and claims an empty one", async () => {
    const fence = "EMQFENCE wire version is echomq:3.0.0, this server speaks echomq:4.0.0";
    await client.command("SET", "{emq}:version", "echomq:3.0.0");
    expect(await answerOf(client, enqueueOf("a", "ORG0Nb1VTbfnu4"))).toBe(fence);
    expect(await answerOf(client, enqueueOf(""))).toBe(LAYOUT);
    expect(await answerOf(client, ["EMQ.FENCE", "0", "echomq:4.0.0"])).toBe(fence);
    await client.command("FLUSHALL");
    expect(await answerOf(client, ["EMQ.FENCE", "0", "echomq:4.0.0"])).toBe("OK");
    expect(await answerOf(client, ["EMQ.FENCE", "0", "echomq:3.0.0"])).toBe(fence);
    expect(await client.command("DBSIZE")).toBe(0);
    expect(await answerOf(client, enqueueOf("a"))).toBe(1);
    expect(await client.command("GET", "{emq}:version")).toBe("echomq:4.0.0");
    await client.command("FLUSHALL");
  });

  it("a key of a foreign type, and nothing else is written", async () => {
    await client.command("SET", "emq:{a}:pending", "foreign");
    expect(await answerOf(client, enqueueOf("a"))).toMatch(/^WRONGTYPE /);
    expect(await client.command("EXISTS", `emq:{a}:job:${ID}`)).toBe(0);
    await client.command("FLUSHALL");
  });

  it("growth at maxmemory, while what makes room passes", async () => {
    await client.command(...enqueueOf("a"));
    await client.command(...claimOf("a"));
    await client.command("CONFIG", "SET", "maxmemory", "1");
    const id = "JOB0Nb1VTbfnu5";
    expect(await answerOf(client, enqueueOf("a", id))).toMatch(/^OOM /);
    expect(await client.command("EXISTS", `emq:{a}:job:${id}`)).toBe(0);
    expect(await answerOf(client, completeOf("a"))).toBe(1);
    await client.command("CONFIG", "SET", "maxmemory", "0");
    expect(await answerOf(client, enqueueOf("a", id))).toBe(1);
    await client.command("FLUSHALL");
  });

  it("writes while replicas are missing, and takes them again at once when none is demanded", async () => {
    expect(await answerOf(client, enqueueOf("a"))).toBe(1);
    await client.command("CONFIG", "SET", "min-replicas-to-write", "1");
    expect(await answerOf(client, claimOf("a"))).toMatch(/^NOREPLICAS /);
    expect(await client.command("ZCARD", "emq:{a}:active")).toBe(0);
    await client.command("CONFIG", "SET", "min-replicas-to-write", "0");
    expect(await answerOf(client, claimOf("a"))).toEqual([ID, "x", 1]);
    await client.command("FLUSHALL");
  });

  it("writes while snapshots fail, with the server's own error, and takes them again after a good one", async () => {
    await client.command("CONFIG", "SET", "save", "3600 1");
    const [, folder] = (await client.command("CONFIG", "GET", "dir")) as [string, string];
    expect(await answerOf(client, enqueueOf("a"))).toBe(1);
    // A snapshot to a name that is a folder cannot be put into its place.
    await client.command("CONFIG", "SET", "dbfilename", "taken");
    mkdirSync(join(folder, "taken"));
    await client.command("BGSAVE");
    await expect.poll(() => client.command("INFO", "persistence")).toMatch(/rdb_last_bgsave_status:err/);
    const before = await dumpAll(client);
    expect(await answerOf(client, claimOf("a"))).toMatch(/^MISCONF /);
    expect(await answerOf(client, enqueueOf("b"))).toMatch(/^MISCONF /);
    expect(await dumpAll(client)).toEqual(before);
    rmdirSync(join(folder, "taken"));
    await client.command("BGSAVE");
    await expect.poll(() => client.command("INFO", "persistence")).toMatch(/rdb_last_bgsave_status:ok/);
    expect(await answerOf(client, claimOf("a"))).toEqual([ID, "x", 1]);
    await client.command("CONFIG", "SET", "save", "");
    await client.command("FLUSHALL");
  }, 120_000);

  it("writes on a replica, which may read", async () => {
    await client.command(...enqueueOf("a"));
    const replica = await startReplica(server, { args: MODULE });
    const reader = await replica.client();
    try {
      expect(await answerOf(reader, claimOf("a"))).toMatch(/^READONLY /);
      const counts = ["EMQ.COUNTS", "2", "emq:{a}:", "emq:{a}:pending"];
      expect(await answerOf(reader, counts)).toEqual(await answerOf(client, counts));
    } finally {
      reader.close();
      await replica.stop();
      await client.command("FLUSHALL");
    }
  }, 120_000);

  it("nothing while writes are paused, but lets them wait", async () => {
    await client.command("CLIENT", "PAUSE", "60000", "WRITE");
    const other = await server.client();
    const waiting = answerOf(other, enqueueOf("a"));
    expect(await client.command("EXISTS", `emq:{a}:job:${ID}`)).toBe(0);
    await client.command("CLIENT", "UNPAUSE");
    expect(await waiting).toBe(1);
    other.close();
    await client.command("FLUSHALL");
  });

  it("a user without rights on the queue, and tells which keys a call has", async () => {
    const keys = await client.command("COMMAND", "GETKEYS", ...enqueueOf("a"));
    expect(keys).toEqual([`emq:{a}:job:${ID}`, "emq:{a}:pending"]);
    await client.command("ACL", "SETUSER", "worker", "on", ">secret", "resetkeys", "~emq:{a}:*", "-@all", "+@echomq");
    const worker = await server.client();
    await worker.command("AUTH", "worker", "secret");
    expect(await answerOf(worker, enqueueOf("a"))).toBe(1);
    expect(await answerOf(worker, enqueueOf("b"))).toMatch(/^NOPERM /);
    expect(await answerOf(worker, ["GET", "x"])).toMatch(/^NOPERM /);
    worker.close();
    await client.command("FLUSHALL");
  });

  it("a user who may only read what would write, by category and by kind of key", async () => {
    for (const verb of Object.keys(VERBS) as Verb[]) {
      const [info] = (await client.command("COMMAND", "INFO", `EMQ.${verb}`)) as ReplyValue[][];
      const [flags, categories] = [info?.[2] as string[], info?.[6] as string[]];
      const reads = SCRIPTS[verb].readonly;
      expect([verb, flags.includes("readonly"), flags.includes("write")]).toEqual([verb, reads, false]);
      expect([verb, categories.includes("@read"), categories.includes("@write")]).toEqual([verb, reads, !reads]);
    }
    const counts = ["EMQ.COUNTS", "2", "emq:{a}:", "emq:{a}:pending"];
    await client.command("ACL", "SETUSER", "reader", "on", ">secret", "resetkeys", "%R~emq:{a}:*", "-@all", "+@echomq");
    const reader = await server.client();
    await reader.command("AUTH", "reader", "secret");
    expect(await answerOf(reader, counts)).toEqual(await answerOf(client, counts));
    expect(await answerOf(reader, enqueueOf("a"))).toMatch(/^NOPERM /);
    await client.command("ACL", "SETUSER", "reader", "~emq:{a}:*", "-@all", "+@read");
    expect(await answerOf(reader, counts)).toEqual(await answerOf(client, counts));
    expect(await answerOf(reader, enqueueOf("a"))).toMatch(/^NOPERM /);
    expect(await client.command("DBSIZE")).toBe(0);
    reader.close();
  });

  it("no question about its commands: each has its keys and a summary", async () => {
    for (const verb of Object.keys(VERBS) as Verb[]) {
      const keys = VERBS[verb].keys.map((_, at) => `emq:{a}:key-${at}`);
      const given = await client.command("COMMAND", "GETKEYS", `EMQ.${verb}`, String(keys.length), ...keys, "argument");
      expect([verb, given]).toEqual([verb, keys]);
      const docs = (await client.command("COMMAND", "DOCS", `EMQ.${verb}`)) as [string, string[]];
      expect(docs[0]).toBe(`emq.${verb.toLowerCase()}`);
      const facts = new Map(docs[1].map((word, at) => [word, docs[1][at + 1]]));
      expect(facts.get("summary"), verb).toMatch(/^[A-Z].{10,}\.$/);
      expect(facts.get("module"), verb).toBe("trafikey");
    }
  });

  it("nothing of the kind to an operator who unloads it and loads it again", async () => {
    expect(await client.command("MODULE", "UNLOAD", "trafikey")).toBe("OK");
    expect(await answerOf(client, enqueueOf("a"))).toMatch(/unknown command/);
    expect(await client.command("MODULE", "LOAD", nativeModule())).toBe("OK");
    expect(await answerOf(client, enqueueOf("a"))).toBe(1);
    await client.command("FLUSHALL");
  });
});
