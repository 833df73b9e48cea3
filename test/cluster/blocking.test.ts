/** Clients that wait in a claim of the native half while the slot of their queue moves to another node. */

import { describe, expect, it } from "vitest";
import { slot } from "../../src/protocol/slot.ts";
import { Calls, Crowd, idOf, idsOf, LONG_MS } from "../integration/native/blocking-world.ts";
import { answerOf } from "../integration/native/native-world.ts";
import { until } from "../integration/valkey/setup-engine.ts";
import { nativeModule, whyNoNative } from "../server/native-module.ts";
import type { TestServer } from "../server/start-server.ts";
import { useCluster } from "../server/use-server.ts";

const q = new Calls("moves");
const SLOT = String(slot(q.base));
const turn = q.turn(1, "BLOCK", LONG_MS);

const why = whyNoNative();

describe.skipIf(why !== undefined)(`a slot that moves${why === undefined ? "" : ` (${why})`}`, () => {
  const cluster = useCluster({ hasReplicas: false, server: { args: ["--loadmodule", nativeModule()] } });

  it("gives no work to who waits at the node that it leaves, and sends them to the other", async () => {
    const from = await cluster().ownerOf(Number(SLOT));
    const to = cluster().primaries.find((node) => node !== from) as TestServer;
    const client = await from.client();
    const crowd = new Crowd(from, client);
    await client.command(...q.schedule(1, 1500));
    const [first, second] = [await crowd.wait(turn), await crowd.wait(turn)];
    await to.command("CLUSTER", "SETSLOT", SLOT, "IMPORTING", await cluster().idOf(from));
    await client.command("CLUSTER", "SETSLOT", SLOT, "MIGRATING", await cluster().idOf(to));
    // The job falls due at the node that has only a part of the queue.
    expect(await first.reply).toMatch(/^TRYAGAIN /);
    expect(await second.reply).toMatch(/^TRYAGAIN /);
    expect(await client.command("HGET", q.row(1), "state")).toBe("scheduled");
    await client.command("CLUSTER", "SETSLOT", SLOT, "STABLE");
    expect(idsOf(await answerOf(client, turn))).toEqual([idOf(1)]);
    await crowd.close();
    client.close();
  });

  it("answers where the queue is now to who waits at a node that has lost it", async () => {
    const from = await cluster().ownerOf(Number(SLOT));
    const to = cluster().primaries.find((node) => node !== from) as TestServer;
    const client = await from.client();
    const crowd = new Crowd(from, client);
    await client.command("FLUSHALL");
    const { reply } = await crowd.wait(turn);
    const id = await cluster().idOf(to);
    for (const node of [to, from]) await node.command("CLUSTER", "SETSLOT", SLOT, "NODE", id);
    expect(await reply).toMatch(new RegExp(`^MOVED ${SLOT} `));
    const heir = await to.client();
    await until(async () => !String(await answerOf(heir, q.turn(1))).startsWith("MOVED"));
    const served = answerOf(heir, turn);
    await to.command(...q.enqueue(2));
    expect(idsOf(await served)).toEqual([idOf(2)]);
    heir.close();
    client.close();
  });
});
