/** Clients that wait in a claim, and what happens to their server meanwhile: pauses, other roles, its end. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startReplica, startServer, type TestServer } from "../../server/start-server.ts";
import type { WireClient } from "../../server/wire-client.ts";
import { until } from "../valkey/setup-engine.ts";
import { Calls, Crowd, idOf, idsOf, LONG_MS } from "./blocking-world.ts";
import { answerOf, dumpAll } from "./native-world.ts";

const MODULE = ["--loadmodule", nativeModule()];
const q = new Calls("q");
const turn = q.turn(1, "BLOCK", LONG_MS);

const why = whyNoNative();

describe.skipIf(why !== undefined)(`a server with clients that wait${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  let client: WireClient;
  let crowd: Crowd;
  let others: TestServer[];

  beforeEach(async () => {
    const config = { appendonly: "yes", "enable-module-command": "local", "enable-debug-command": "local" };
    server = await startServer({ tcp: true, args: MODULE, config });
    client = await server.client();
    crowd = new Crowd(server, client);
    others = [];
  }, 120_000);

  afterEach(async () => {
    client.close();
    for (const other of [...others, server]) await other.stop();
  });

  async function replica(args: readonly string[] = MODULE): Promise<TestServer> {
    const made = await startReplica(server, { args });
    others.push(made);
    return made;
  }

  it("serves nobody during a pause of writes, and everybody who is due after it", async () => {
    await client.command(...q.schedule(1, 300));
    const { reply } = await crowd.wait(turn);
    await client.command("CLIENT", "PAUSE", "600000", "WRITE");
    await until(async () => {
      const [seconds, micros] = ((await client.command("TIME")) as string[]).map(Number);
      const dueAt = Number(await client.command("ZSCORE", `${q.base}schedule`, idOf(1)));
      return Number(seconds) * 1000 + Number(micros) / 1000 > dueAt + 30 || "it is not due";
    });
    expect(await crowd.waiting()).toBe(1);
    expect(await client.command("HGET", q.row(1), "state")).toBe("scheduled");
    await client.command("CLIENT", "UNPAUSE");
    expect(idsOf(await reply)).toEqual([idOf(1)]);
  });

  it("refuses at once what it would refuse later: as a replica, without replicas, with a disk that fails", async () => {
    const reader = await (await replica()).client();
    expect(await answerOf(reader, turn)).toMatch(/^READONLY /);
    expect(await answerOf(reader, q.turn(1))).toEqual([[], -1, 0, []]);
    reader.close();
    await client.command("CONFIG", "SET", "min-replicas-to-write", "5");
    expect(await answerOf(client, turn)).toMatch(/^NOREPLICAS /);
    expect(await crowd.waiting()).toBe(0);
  });

  it("answers with the server's error when that comes about while somebody waits, and takes no job", async () => {
    const { reply } = await crowd.wait(turn);
    await client.command("MULTI");
    await client.command(...q.enqueue(1));
    await client.command("CONFIG", "SET", "min-replicas-to-write", "5");
    await client.command("EXEC");
    expect(await reply).toMatch(/^NOREPLICAS /);
    expect(await client.command("ZRANGE", `${q.base}pending`, "0", "-1")).toEqual([idOf(1)]);
    expect(await client.command("HGET", q.row(1), "attempts")).toBe("0");
  });

  it("turns everybody away when it becomes a replica, and gives nothing to who is gone", async () => {
    const primary = await startServer({ tcp: true, args: MODULE });
    others.push(primary);
    const waiting = [await crowd.wait(turn), await crowd.wait(q.claim("BLOCK", LONG_MS))];
    await client.command("REPLICAOF", "127.0.0.1", String(primary.port));
    for (const { reply } of waiting) expect(await reply).toMatch(/^UNBLOCKED |is closed/);
    await crowd.untilWaiting(0);
    await primary.command(...q.enqueue(1));
    await until(async () => (await client.command("EXISTS", q.row(1))) === 1);
    expect(await client.command("HGET", q.row(1), "state")).toBe("pending");
    await client.command("REPLICAOF", "NO", "ONE");
    expect(idsOf(await answerOf(client, turn))).toEqual([idOf(1)]);
  });

  it("hands over to its replica while somebody waits, and nothing is claimed twice", async () => {
    const heir = await replica();
    const { reply } = await crowd.wait(turn);
    await until(async () => String(await client.command("INFO", "replication")).includes("state=online"));
    await client.command("FAILOVER");
    expect(await reply).toMatch(/^UNBLOCKED |is closed/);
    await until(async () => String(await heir.command("ROLE")).startsWith("master"));
    const next = await heir.client();
    const served = answerOf(next, turn);
    await heir.command(...q.enqueue(1));
    expect(idsOf(await served)).toEqual([idOf(1)]);
    next.close();
    await until(async () => (await client.command("HGET", q.row(1), "attempts")) === "1");
  });

  it("is not kept by them from shutting down, and keeps what they have claimed", async () => {
    const { reply } = await crowd.wait(turn);
    const left = await crowd.wait(turn);
    await client.command(...q.enqueue(1));
    expect(idsOf(await reply)).toEqual([idOf(1)]);
    const before = await dumpAll(client);
    await server.restart();
    expect(await left.reply).toMatch(/closed|ECONNRESET/);
    client.close();
    client = await server.client();
    expect(await dumpAll(client)).toEqual(before);
    expect(await client.command("HGET", q.row(1), "state")).toBe("active");
  });

  it("keeps the module while they wait, lets it go then, and wakes again once it is back", async () => {
    await client.command(...q.schedule(9, 600_000));
    const { id, reply } = await crowd.wait(turn);
    expect(await answerOf(client, ["MODULE", "UNLOAD", "trafikey"])).toMatch(/blocked clients/);
    await client.command("CLIENT", "UNBLOCK", id);
    await reply;
    // Neither a client nor a timer is left.
    await until(async () => (await answerOf(client, ["MODULE", "UNLOAD", "trafikey"])) === "OK");
    await client.command("MODULE", "LOAD", nativeModule());
    const again = await crowd.wait(turn);
    await client.command(...q.enqueue(1));
    expect(idsOf(await again.reply)).toEqual([idOf(1)]);
    await crowd.close();
  });

  it("leaves nothing behind of clients that have gone", async () => {
    const round = async () => {
      const { client: gone } = await crowd.wait(q.turn(1, "BLOCK", LONG_MS));
      gone.close();
      await crowd.untilWaiting(0);
    };
    await client.command(...q.schedule(1, 600_000));
    for (let at = 0; at < 50; at += 1) await round();
    const clients = String(await client.command("CLIENT", "LIST"));
    expect(clients.trim().split("\n")).toHaveLength(1);
    expect(await answerOf(client, ["MODULE", "UNLOAD", "trafikey"])).toBe("OK");
  });
});
