/** What the native half wrote outlives the server's restarts, a failover and the module itself, key by key. */

import { describe, expect, it, onTestFinished } from "vitest";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { type ServerOptions, startReplica, startServer, type TestServer } from "../../server/start-server.ts";
import type { WireClient } from "../../server/wire-client.ts";
import { answerOf, claimOf, dumpAll, enqueueOf, ID, playActs } from "./native-world.ts";

const STEPS = 600;
const MODULE = ["--loadmodule", nativeModule()];

const why = whyNoNative();

describe.skipIf(why !== undefined)(`keys of the native half${why === undefined ? "" : ` (${why})`}`, () => {
  it("come back from a snapshot, with and without the module", async () => {
    const { server, client } = await setup();
    const expected = await played(client, 21);
    await client.command("SAVE");
    client.close();
    await server.restart();
    await same(server, expected);
    expect(await server.command("MODULE", "UNLOAD", "trafikey")).toBe("OK");
    await same(server, expected);
    await server.command("DEBUG", "RELOAD");
    await same(server, expected);
  }, 120_000);

  it("come back from the log of writes after it was rewritten and after a kill", async () => {
    const { server, client } = await setup({ config: { appendonly: "yes", appendfsync: "always" } });
    await played(client, 22);
    await client.command("BGREWRITEAOF");
    await expect
      .poll(() => client.command("INFO", "persistence"), { timeout: 60_000 })
      .toMatch(/aof_rewrite_in_progress:0\b/);
    const expected = await played(client, 23);
    client.close();
    await server.kill();
    await server.start();
    await same(server, expected);
  }, 120_000);

  it("are saved by SHUTDOWN", async () => {
    const { server, client } = await setup({ config: { save: "3600 1" } });
    const expected = await played(client, 24);
    // The connection ends in place of a reply.
    await client.command("SHUTDOWN", "SAVE").catch(() => {});
    await expect.poll(() => server.isRunning, { timeout: 60_000 }).toBe(false);
    await server.start();
    await same(server, expected);
  }, 120_000);

  it("are on the new primary after FAILOVER, which goes on with them", async () => {
    const { server, client } = await setup();
    const replica = await startReplica(server, { args: MODULE });
    onTestFinished(() => replica.stop());
    const expected = await played(client, 25);
    await expect
      .poll(() => client.command("INFO", "replication"), { timeout: 60_000 })
      .toMatch(/slave0:[^\r]*state=online/);
    await client.command("FAILOVER", "TO", "127.0.0.1", String(replica.port));
    await expect
      .poll(() => replica.command("INFO", "replication"), { timeout: 60_000 })
      .toMatch(/role:master[\s\S]*slave0:[^\r]*state=online/);
    await same(replica, expected);
    await expect.poll(() => server.command("INFO", "replication"), { timeout: 60_000 }).toContain("role:slave");
    expect(await answerOf(client, enqueueOf("after"))).toMatch(/^READONLY /);
    const next = await replica.client();
    onTestFinished(() => next.close());
    expect(await next.command(...enqueueOf("after"))).toBe(1);
    expect(await next.command(...claimOf("after"))).toEqual([ID, "x", 1]);
    // A client waits for what it has written itself.
    expect(await next.command("WAIT", "1", "60000")).toBe(1);
    expect(await dumpAll(client)).toEqual(await dumpAll(next));
  }, 120_000);

  it("are kept while the module is unloaded and loaded between acts, and nothing of it is left over", async () => {
    const { server, client } = await setup();
    let expected = await played(client, 26);
    for (let round = 0; round < 5; round++) {
      expect(await client.command("MODULE", "UNLOAD", "trafikey")).toBe("OK");
      expect(await client.command("MODULE", "LIST")).toEqual([]);
      expect(await client.command("COMMAND", "INFO", "EMQ.ENQUEUE")).toEqual([null]);
      expect(await dumpAll(client)).toEqual(expected);
      expect(await client.command("MODULE", "LOAD", nativeModule())).toBe("OK");
      expected = await played(client, 30 + round, 50);
    }
    await same(server, expected);
  }, 120_000);
});

async function setup(options: ServerOptions = {}): Promise<{ server: TestServer; client: WireClient }> {
  const server = await startServer({
    ...options,
    tcp: true,
    config: { "enable-debug-command": "local", "enable-module-command": "local", ...options.config },
    args: MODULE,
  });
  onTestFinished(() => server.stop());
  const client = await server.client();
  onTestFinished(() => client.close());
  return { server, client };
}

/** Every key after random acts. */
async function played(client: WireClient, seed: number, steps = STEPS): Promise<string[]> {
  await playActs(client, { seed, steps });
  const keys = await dumpAll(client);
  expect(keys.length).toBeGreaterThan(10);
  return keys;
}

async function same(server: TestServer, expected: readonly string[]): Promise<void> {
  const client = await server.client();
  try {
    expect(await dumpAll(client)).toEqual(expected);
  } finally {
    client.close();
  }
}
