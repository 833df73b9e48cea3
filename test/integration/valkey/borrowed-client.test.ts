/** A client of the caller's: used as it is, never closed, and never made to run an act twice. */

import { Redis as IoRedis } from "ioredis";
import { Redis as IoValkey } from "iovalkey";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LibraryClient } from "../../../src/valkey/client.ts";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openEngine, until, untilState } from "./setup-engine.ts";

interface OwnClient extends LibraryClient {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  select(db: number): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  quit(): Promise<unknown>;
  listenerCount(event: string): number;
}

type Options = Record<string, unknown>;

const LIBRARIES: readonly (readonly [string, (options: Options) => OwnClient])[] = [
  ["iovalkey", (options) => new IoValkey(options) as unknown as OwnClient],
  ["ioredis on protocol 2", (options) => new IoRedis({ protocol: 2, ...options }) as unknown as OwnClient],
  ["ioredis on protocol 3", (options) => new IoRedis({ protocol: 3, ...options }) as unknown as OwnClient],
];

describe.each(LIBRARIES)("a client of the caller's from %s", (_name, make) => {
  const server = useServer();
  const setup = async (options: Options = {}) => {
    await server().command("FLUSHALL");
    const client = make({ path: server().socketPath, ...options });
    client.on("error", () => {});
    onTestFinished(() => client.disconnect());
    return client;
  };

  it("is used for commands and is as it was after close", async () => {
    const client = await setup();
    const engine = openEngine({ connection: client });
    await engine.ready();
    expect(await engine.command(["SET", "k", "\u00ff\u0000"])).toBe("OK");
    expect(await engine.command(["GET", "k"])).toBe("\u00ff\u0000");
    const counter = { tokens: 0 };
    engine.listenForWake("emq:{q}:wake", { onToken: () => counter.tokens++, onLost() {} }).arm();
    const heard: string[] = [];
    await engine.subscribe("c", (payload) => heard.push(payload));
    await engine.command(["LPUSH", "emq:{q}:wake", "1"]);
    await engine.command(["PUBLISH", "c", "m"]);
    await until(() => counter.tokens === 1 && heard.length === 1);
    expect(
      String(await server().command("CLIENT", "LIST"))
        .trim()
        .split("\n"),
    ).toHaveLength(4);

    const listeners = ["error", "close", "end", "ready"].map((event) => client.listenerCount(event));
    await engine.close();
    expect(client.status).toBe("ready");
    await client.set("still", "mine");
    expect(await client.get("still")).toBe("mine");
    expect(["error", "close", "end", "ready"].map((event) => client.listenerCount(event))).toEqual(
      listeners.map((count) => count - 1),
    );
    await until(
      async () =>
        String(await server().command("CLIENT", "LIST"))
          .trim()
          .split("\n").length === 2,
    );
  });

  it("is connected when it was made lazy, and waited for when it is on its way", async () => {
    const lazy = await setup({ lazyConnect: true });
    const engine = openEngine({ connection: lazy });
    expect(await engine.command(["PING"])).toBe("PONG");
  });

  it("runs no act twice when the library would send again what was in flight", async () => {
    const client = await setup({ autoResendUnfulfilledCommands: true, maxRetriesPerRequest: null });
    const engine = openEngine({ connection: client });
    const id = String(await engine.command(["CLIENT", "ID"]));
    const acts = [
      engine.command(["CLIENT", "KILL", "ID", id, "SKIPME", "no"]),
      ...Array.from({ length: 10 }, () => engine.command(["INCR", "n"])),
    ];
    const ends = await Promise.allSettled(acts);
    for (const end of ends.slice(1))
      expect(end).toMatchObject({ status: "rejected", reason: { code: "disconnected" } });
    await untilState(engine, "ready");
    // What the library sent again before this came first; nothing of it was an act.
    expect(await engine.command(["GET", "n"])).toBeNull();
    expect(await client.get("n")).toBeNull();
  });

  it("is followed through the reconnects that its owner wants", async () => {
    const client = await setup();
    const engine = openEngine({ connection: client });
    await engine.ready();
    client.disconnect(true);
    await untilState(engine, "down");
    expect(await engine.command(["PING"])).toBe("PONG");
    await client.quit();
    await untilState(engine, "down");
    const waiting = engine.command(["PING"]);
    await client.connect();
    expect(await waiting).toBe("PONG");
  });

  it("has its other sockets in the database that it is in", async () => {
    const client = await setup();
    await client.select(5);
    const engine = openEngine({ connection: client });
    const counter = { tokens: 0 };
    engine.listenForWake("emq:{q}:wake", { onToken: () => counter.tokens++, onLost() {} }).arm();
    await engine.command(["LPUSH", "emq:{q}:wake", "1"]);
    await until(() => counter.tokens === 1);
    expect(await server().command("EXISTS", "{emq}:version")).toBe(0);
  });

  it("is refused with a key prefix, because the keys are the protocol", async () => {
    const client = await setup({ keyPrefix: "app:" });
    expect(() => openEngine({ connection: client })).toThrow(
      expect.objectContaining({ code: "invalid_connection", message: expect.stringContaining("keyPrefix") }),
    );
  });

  it("is refused when it is subscribed to channels and takes no commands", async () => {
    const client = await setup({ protocol: 2 });
    await client.subscribe("mine");
    const engine = openEngine({ connection: client });
    const refusal = { code: "invalid_connection", message: expect.stringContaining("subscribed") };
    expect(await errorOf(engine.ready())).toMatchObject(refusal);
    expect(await errorOf(engine.command(["PING"]))).toMatchObject(refusal);
  });
});
