/** The native half replicates what it did and never itself: whoever gets its effects needs no module. */

import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodePorts } from "../../../src/node-ports.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import { ValkeyEngine } from "../../../src/valkey/valkey-engine.ts";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startReplica, startServer, type TestServer } from "../../server/start-server.ts";
import type { WireClient } from "../../server/wire-client.ts";
import { dumpAll, type Head, nativeHead, playActs, scriptHead } from "./native-world.ts";

const STEPS = 1500;
const MODULE = ["--loadmodule", nativeModule()];

/** The events that acts cause. */
const EVENTS = [
  "set",
  "del",
  "hset",
  "hdel",
  "hincrby",
  "zadd",
  "zrem",
  "zremrangebyrank",
  "lpush",
  "rpush",
  "lpop",
  "lrem",
  "sadd",
  "srem",
];

const B = "emq:{q}:";
const [FIRST, SECOND, THIRD] = ["JOB0Nb1VTbfnu4", "JOB0Nb1VTbfnu5", "JOB0Nb1VTbfnu6"];
const TURN_KEYS = [`${B}pending`, `${B}active`, `${B}schedule`, `${B}wake`, B];
const SETS = [`${B}active`, `${B}schedule`, `${B}dead`];

/** Acts whose effects do not hang on the clock, so that two runs are alike. */
const ACTS: readonly [Verb, readonly string[], readonly string[]][] = [
  ["ENQUEUE", [`${B}job:${FIRST}`, `${B}pending`], [FIRST, "x"]],
  ["ADMIT", [B, `${B}pending`], ["np", "1", SECOND, "y", "mail", "7", "g", "1", THIRD, "z", "lane"]],
  ["CLAIM", [`${B}pending`, `${B}active`, B], ["60000"]],
  ["EXTEND", [`${B}active`, `${B}job:${FIRST}`], [FIRST, "1", "60000"]],
  ["LOG", [`${B}job:${FIRST}`, `${B}job:${FIRST}:logs`], ["line", "10"]],
  ["COMPLETE", [`${B}active`, `${B}job:${FIRST}`, B], [FIRST, "1"]],
  ["CLAIM", [`${B}pending`, `${B}active`, B], ["60000"]],
  ["RETRY", [...SETS, `${B}job:${SECOND}`, B], [SECOND, "1", "600000", "3", "error"]],
  ["GCLAIM", [`${B}ring`, `${B}active`, B], ["60000"]],
  ["COMPLETE", [`${B}active`, `${B}job:${THIRD}`, B], [THIRD, "1"]],
  ["QPAUSE", [`${B}meta`], []],
  ["QRESUME", [`${B}meta`, `${B}wake`], []],
  ["REMOVE", [`${B}job:${SECOND}`, `${B}pending`, ...SETS, B], [SECOND, ""]],
  ["ENQUEUE", [`${B}job:${FIRST}`, `${B}pending`], [FIRST, "x"]],
  ["TURN", TURN_KEYS, ["worker", "60000", "1"]],
  ["TURN", TURN_KEYS, ["worker", "60000", "1", "c", "1", FIRST, "1"]],
];

/** Longest wait for a replica to have everything, in ms. */
const REPLICA_MS_MAX = 60_000;

const why = whyNoNative();

describe.skipIf(why !== undefined)(`what the native half writes${why === undefined ? "" : ` (${why})`}`, () => {
  const servers: TestServer[] = [];
  let primary: TestServer;
  let client: WireClient;

  beforeAll(async () => {
    primary = await startServer({
      tcp: true,
      config: { appendonly: "yes", "enable-debug-command": "local", "enable-module-command": "local" },
      args: MODULE,
    });
    servers.push(primary);
    client = await primary.client();
  }, 120_000);

  afterAll(async () => {
    client?.close();
    for (const server of servers) await server.stop();
  });

  it("is the same on a replica without the module, on one with it, after a reload and after a restart", async () => {
    const bare = await startReplica(primary);
    const equipped = await startReplica(primary, { args: MODULE });
    servers.push(bare, equipped);
    const refused = await playActs(client, { seed: 7, steps: STEPS });
    expect(refused).toBeLessThan(STEPS / 2);
    const expected = await dumpAll(client);
    expect(expected.length).toBeGreaterThan(20);
    for (const replica of [bare, equipped]) {
      await caughtUp(primary, replica);
      const reader = await replica.client();
      expect(await dumpAll(reader)).toEqual(expected);
      reader.close();
    }
    await client.command("DEBUG", "RELOAD");
    expect(await dumpAll(client)).toEqual(expected);
    client.close();
    await primary.restart();
    client = await primary.client();
    expect(await dumpAll(client)).toEqual(expected);
    expect(primary.log()).not.toContain("emq.");
  }, 300_000);

  it("is told to who listens for changes of keys as what the scripts write is", async () => {
    await client.command("CONFIG", "SET", "notify-keyspace-events", "KEA");
    const listener = new ValkeyEngine({ connection: { path: primary.socketPath }, ports: nodePorts() });
    await listener.ready();
    const heard: string[] = [];
    for (const event of EVENTS) {
      await listener.subscribe(`__keyevent@0__:${event}`, (key) => heard.push(`${event} ${key}`));
    }
    const scripted = await eventsOf(heard, await scriptHead(client));
    const native = await eventsOf(heard, nativeHead);
    await listener.close();
    expect(scripted.length).toBeGreaterThan(20);
    expect(native).toEqual(scripted);
  });

  /** What is heard while the same acts run in one form. The channel of the mark is the last to speak. */
  async function eventsOf(heard: string[], head: Head): Promise<string[]> {
    await client.command("FLUSHALL");
    await client.command("SET", "{emq}:version", "echomq:4.0.0");
    heard.length = 0;
    for (const [verb, keys, args] of ACTS) await client.command(...head(verb), String(keys.length), ...keys, ...args);
    await client.command("SET", "mark", "x");
    const end = performance.now() + REPLICA_MS_MAX;
    while (!heard.includes("set mark") && performance.now() < end) await pause(1);
    return heard.slice(0, heard.indexOf("set mark"));
  }
});

/** Resolves when a replica has all that its primary has written. */
async function caughtUp(primary: TestServer, replica: TestServer): Promise<void> {
  const end = performance.now() + REPLICA_MS_MAX;
  for (;;) {
    const [sent, taken] = await Promise.all([
      offsetOf(primary, "master_repl_offset"),
      offsetOf(replica, "slave_repl_offset"),
    ]);
    if (taken >= sent) return;
    if (performance.now() > end) throw new Error(`the replica is at ${taken} of ${sent}`);
    await pause(5);
  }
}

async function offsetOf(server: TestServer, field: string): Promise<number> {
  const info = String(await server.command("INFO", "replication"));
  return Number(new RegExp(`^${field}:(\\d+)`, "m").exec(info)?.[1]);
}
