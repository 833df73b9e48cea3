/** The fence on a real server: who may pass, who is refused for good, and with what. */

import { describe, expect, it } from "vitest";
import type { ValkeyEngineOptions } from "../../../src/valkey/valkey-engine.ts";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openEngine, recordingPorts, until, WAYS } from "./setup-engine.ts";

const KEY = "{emq}:version";

describe.each(WAYS)("the fence by %s", (_name, way) => {
  const server = useServer();
  const setup = async (before: readonly (readonly string[])[], options: Partial<ValkeyEngineOptions> = {}) => {
    await server().command("CONFIG", "SET", "requirepass", "");
    await server().command("FLUSHALL");
    for (const parts of before) await server().command(...parts);
    return openEngine({ connection: { ...way, url: server().url }, ...options });
  };

  it("claims an absent version, which the next host then finds equal", async () => {
    const engine = await setup([]);
    await engine.ready();
    expect(await server().command("GET", KEY)).toBe("echomq:4.0.0");
    await openEngine({ connection: { ...way, url: server().url } }).ready();
    expect(engine.state).toBe("ready");
  });

  it("passes on an absent version without claiming it when it only reads", async () => {
    const engine = await setup([], { isReadonly: true });
    await engine.ready();
    expect(await server().command("EXISTS", KEY)).toBe(0);
  });

  it("refuses for good a server that is marked for another wire, before any call is served", async () => {
    const engine = await setup([["SET", KEY, "echomq:3.0.0"]]);
    const act = engine.command(["SET", "written", "1"]);
    for (const error of [await errorOf(engine.ready()), await errorOf(act), await errorOf(engine.command(["PING"]))]) {
      expect(error).toMatchObject({
        code: "fence",
        retryable: false,
        details: { found: "echomq:3.0.0", expected: "echomq:4.0.0" },
      });
    }
    expect(await server().command("EXISTS", "written")).toBe(0);
    expect(engine.state).toBe("down");
  });

  it("passes a server of another wire when that is the version it was told", async () => {
    const engine = await setup([["SET", KEY, "echomq:3.0.0"]], { wireVersion: "echomq:3.0.0" });
    await engine.ready();
    expect(await engine.command(["PING"])).toBe("PONG");
  });

  it("refuses for good a version that is no text", async () => {
    const engine = await setup([["LPUSH", KEY, "x"]]);
    expect(await errorOf(engine.ready())).toMatchObject({ code: "fence", retryable: false });
  });

  it("refuses for good to go on without a password that the server wants", async () => {
    await setup([]);
    await server().command("CONFIG", "SET", "requirepass", "secret");
    const engine = openEngine({ connection: { ...way, url: server().url } });
    const wrong = openEngine({ connection: { ...way, url: server().url, password: "guess" } });
    const right = openEngine({ connection: { ...way, url: server().url, password: "secret" } });
    const errors = [await errorOf(engine.ready()), await errorOf(wrong.ready())];
    await right.command(["CONFIG", "SET", "requirepass", ""]);
    expect(errors[0]).toMatchObject({ code: "auth", message: expect.stringMatching(/^NOAUTH/) });
    expect(errors[1]).toMatchObject({ code: "auth", message: expect.stringMatching(/^WRONGPASS/) });
  });

  it("refuses for good a user who may not read or claim the version", async () => {
    await setup([["ACL", "SETUSER", "narrow", "on", ">pw", "~emq:*", "+@all"]]).then((engine) => engine.close());
    await server().command("DEL", KEY);
    const engine = openEngine({ connection: { ...way, url: server().url, username: "narrow", password: "pw" } });
    expect(await errorOf(engine.ready())).toMatchObject({ code: "permission", retryable: false });
    await server().command("ACL", "SETUSER", "reader", "on", ">pw", "%R~*", "+@read", "+@connection", "+info");
    const reader = openEngine({ connection: { ...way, url: server().url, username: "reader", password: "pw" } });
    expect(await errorOf(reader.ready())).toMatchObject({ code: "permission" });
    const modest = openEngine({
      connection: { ...way, url: server().url, username: "reader", password: "pw" },
      isReadonly: true,
    });
    await modest.ready();
  });

  it("gives the version to exactly one of two hosts that race for it", async () => {
    await setup([]);
    const connection = { ...way, url: server().url };
    const hosts = ["echomq:4.0.0", "echomq:3.0.0", "echomq:4.0.0", "echomq:3.0.0"].map((wireVersion) =>
      openEngine({ connection, wireVersion }),
    );
    const ends = await Promise.allSettled(hosts.map((host) => host.ready()));
    const winner = await server().command("GET", KEY);
    const expected = hosts.map((_, at) => ((at % 2 === 0) === (winner === "echomq:4.0.0") ? "fulfilled" : "rejected"));
    expect(ends.map((end) => end.status)).toEqual(expected);
  });

  it("looks again at every reconnect, and then refuses for good", async () => {
    const engine = await setup([]);
    await engine.ready();
    await server().command("SET", KEY, "echomq:5.0.0");
    await server().command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until(() => engine.state === "down");
    expect(await errorOf(engine.ready())).toMatchObject({ code: "fence", details: { found: "echomq:5.0.0" } });
    expect(await errorOf(engine.command(["PING"]))).toMatchObject({ code: "fence" });
  });

  it("refuses for good a database that the server does not have, rather than to work in another", async () => {
    await setup([]);
    const engine = openEngine({ connection: { ...way, url: server().url, db: 99 } });
    const write = engine.command(["SET", "stray", "1"]);
    expect(await errorOf(engine.ready())).toMatchObject({
      code: "invalid_connection",
      message: expect.stringMatching(/^The server has no database 99: ERR/),
    });
    expect(await errorOf(write)).toMatchObject({ code: "invalid_connection" });
    expect(await server().command("EXISTS", "stray")).toBe(0);
  });

  it("warns aloud of a server that evicts keys", async () => {
    const ports = recordingPorts();
    const engine = await setup([["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]], { ports });
    await engine.ready();
    await server().command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    expect(ports.logger.lines.filter((line) => line.fields["code"] === "EVICTION_POLICY")).toHaveLength(1);
  });
});
