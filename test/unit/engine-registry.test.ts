import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import { type ConnectionInput, EngineRegistry } from "../../src/engine-registry.ts";
import type { FileEngineOptions } from "../../src/node-file-engine.ts";
import { createTestPorts } from "../../src/testing/test-ports.ts";
import type { LibraryClient } from "../../src/valkey/client.ts";
import type { ValkeyEngineOptions } from "../../src/valkey/valkey-engine.ts";
import { errorOf, ScriptedEngine } from "./queue/scripted-engine.ts";

function setup(env: Record<string, string> = {}) {
  const ports = createTestPorts();
  const opened: { options: ValkeyEngineOptions; engine: ScriptedEngine }[] = [];
  const folders: { options: FileEngineOptions; engine: ScriptedEngine }[] = [];
  const registry = new EngineRegistry({
    ports,
    env,
    openServer: (options) => {
      const engine = new ScriptedEngine(ports, "valkey");
      opened.push({ options, engine });
      return Promise.resolve(engine);
    },
    // As if there were a link to the folder.
    truePath: (path) => resolve("/app", path).replace("/link", "/data"),
    openFolder: (options) => {
      const engine = new ScriptedEngine(ports, "embedded");
      folders.push({ options, engine });
      return Promise.resolve(engine);
    },
  });
  return { ports, registry, opened, folders, warnings: () => ports.logger.messages("warn") };
}

describe("EngineRegistry", () => {
  it("gives everybody of one memory URL one store, and another URL another", () => {
    const { registry, warnings } = setup();
    const [a, b, c] = ["memory:", "memory:", "memory:other"].map((url) => registry.lease(url).engine);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
    expect(a?.kind).toBe("embedded");
    expect(warnings()).toEqual([]);
  });

  it("keeps a store in memory after its last release", async () => {
    const { registry } = setup();
    const first = registry.lease("memory:");
    await first.engine.command(["SET", "k", "v"]);
    await first.release();
    expect(await registry.lease("memory:").engine.command(["GET", "k"])).toBe("v");
  });

  it("gives everybody of one folder one store, however it was written", async () => {
    const { registry, folders } = setup();
    const names = [
      "file:./data",
      "file:data/",
      "file:/app/data",
      "file:///app/link",
      { url: "file:data", fsync: "always" },
    ];
    const leases = names.slice(0, 4).map((name) => registry.lease(name as string));
    expect(new Set(leases.map(({ engine }) => engine)).size).toBe(1);
    await leases[0]?.engine.ready();
    expect(folders.map(({ options: { folder, fsync } }) => [folder, fsync])).toEqual([["/app/data", "everysec"]]);
    expect((await errorOf(() => registry.lease(names[4] as ConnectionInput))).message).toContain("give both the same");
  });

  it("closes a folder with its last release, and opens it again when that has ended", async () => {
    const { registry, folders } = setup();
    const first = registry.lease("file:./data?fsync=always");
    const second = registry.lease("file:./data");
    await first.engine.ready();
    await first.release();
    expect(folders[0]?.engine.state).toBe("ready");
    const released = second.release();
    const third = registry.lease("file:./data");
    expect(third.engine).not.toBe(first.engine);
    await third.engine.ready();
    await released;
    expect(folders.map(({ options, engine }) => [options.fsync, engine.state])).toEqual([
      ["always", "closed"],
      ["everysec", "ready"],
    ]);
  });

  it("takes the environment's URL when no connection is given, else memory", () => {
    expect(setup({ ECHOMQ_URL: "valkey://host" }).registry.lease(undefined).engine.kind).toBe("valkey");
    expect(setup({ ECHOMQ_URL: "" }).registry.lease(undefined).engine.kind).toBe("embedded");
    expect(setup().registry.lease(undefined).engine.kind).toBe("embedded");
  });

  it("refuses an option that a connection has not, with the nearest or with what to do instead", async () => {
    const { registry, opened } = setup();
    const misspelt: object = { host: "localhost", commandTimeoutMS: 100 };
    expect((await errorOf(() => registry.lease(misspelt))).message).toContain("did you mean commandTimeoutMs?");
    const foreign: object = { host: "localhost", maxRetriesPerRequest: null };
    const error = await errorOf(() => registry.lease(foreign));
    expect([error.code, error.message]).toEqual([
      "unknown_option",
      expect.stringContaining("maxRetriesPerRequest: leave it out"),
    ]);
    // It shows no members of its own, so it would pass for no options, which is a server on this machine.
    await errorOf(() => registry.lease(new URL("valkey://elsewhere") as object));
    expect(opened).toEqual([]);
  });

  it("warns once, with a code, when production gives no connection", () => {
    const { registry, ports, warnings } = setup({ NODE_ENV: "production" });
    registry.lease("memory:");
    expect(warnings()).toEqual([]);
    registry.lease(undefined);
    registry.lease(undefined);
    expect(warnings()).toHaveLength(1);
    expect(ports.logger.lines.at(-1)?.fields["code"]).toBe("memory_in_production");
  });

  it("shares one engine among forty users of a server, and closes it with the last", async () => {
    const { registry, opened } = setup();
    const leases = Array.from({ length: 40 }, () => registry.lease("valkey://localhost:7000"));
    expect(new Set(leases.map((lease) => lease.engine)).size).toBe(1);
    expect(opened).toHaveLength(1);
    for (const lease of leases.slice(1)) await lease.release();
    // A second release of one share takes no other's.
    await leases[1]?.release();
    expect(opened[0]?.engine.state).toBe("ready");
    await leases[0]?.release();
    expect(opened[0]?.engine.state).toBe("closed");
    registry.lease("valkey://localhost:7000");
    expect(opened).toHaveLength(2);
  });

  it.each([
    { offline: "maybe" },
    { commandTimeoutMs: 0 },
    { commandTimeoutMs: "5" },
    { maxPending: -1 },
    { wireVersion: 4 },
    { wireVersion: "" },
  ])("refuses %o where it is written, before anything is opened", async (bad) => {
    const { registry, opened } = setup();
    const error = await errorOf(() => registry.lease({ host: "localhost", ...bad } as never));
    expect([error.code, error.details["option"]]).toEqual(["invalid_option", Object.keys(bad)[0]]);
    expect(opened).toEqual([]);
  });

  it("refuses a list as a connection", async () => {
    expect((await errorOf(() => setup().registry.lease([] as never))).code).toBe("invalid_connection");
  });

  it("knows one connection in all its forms", () => {
    const { registry, opened } = setup();
    const forms: ConnectionInput[] = [
      "valkey://localhost:6379/0",
      "redis://localhost",
      { host: "localhost" },
      { url: "valkey://localhost" },
      { port: 6379, host: "localhost" },
    ];
    expect(new Set(forms.map((form) => registry.lease(form).engine)).size).toBe(1);
    const others: ConnectionInput[] = [
      "valkey://localhost/1",
      "valkey://:secret@localhost",
      "unix:/tmp/socket",
      { host: "localhost", wireVersion: "echomq:3.0.0" },
      { host: "localhost", tls: { servername: "a" } },
      { host: "localhost", tls: { servername: "b" } },
      { host: "localhost", tls: { checkServerIdentity: () => undefined } },
      { host: "localhost", tls: { checkServerIdentity: () => undefined } },
      { host: "localhost", tls: { secureContext: createSecureContext() } },
      { host: "localhost", tls: { secureContext: createSecureContext() } },
      { host: "localhost", tls: { ca: Buffer.from("a") } },
      { host: "localhost", tls: { ca: Buffer.from("b") } },
    ];
    for (const other of others) registry.lease(other);
    expect(opened).toHaveLength(1 + others.length);
  });

  it("hands the options of the engine on, and not those of the connection with them", () => {
    const { registry, opened, ports } = setup();
    registry.lease({ host: "h", offline: "fail", commandTimeoutMs: 5, maxPending: 7, wireVersion: "echomq:3.0.0" });
    expect(opened[0]?.options).toEqual({
      connection: { host: "h" },
      ports,
      offline: "fail",
      commandTimeoutMs: 5,
      maxPending: 7,
      wireVersion: "echomq:3.0.0",
    });
  });

  it("uses an engine as it is, and never closes it", async () => {
    const { registry, ports } = setup();
    const engine = new EmbeddedEngine({ ports });
    const share = registry.lease(engine);
    expect(share.engine).toBe(engine);
    await share.release();
    expect(engine.state).toBe("ready");
  });

  it("uses an existing client as it is, one engine for one client", () => {
    const { registry, opened } = setup();
    const client = () => ({ sendCommand: () => undefined }) as unknown as LibraryClient;
    const [a, b] = [client(), client()];
    expect(registry.lease(a).engine).toBe(registry.lease(a).engine);
    registry.lease(b);
    expect(opened.map(({ options }) => options.connection)).toEqual([a, b]);
  });

  it.each([
    ["file:", "invalid_connection"],
    ["file:///", "invalid_connection"],
    ["file:~/data", "invalid_connection"],
    ["file://data/queue", "invalid_connection"],
    ["file:./data#1", "invalid_connection"],
    ["file:./50%", "invalid_connection"],
    ["file:./data?fsync=sometimes", "invalid_option"],
    ["file:./data?fsyn=always", "unknown_option"],
    [{ url: "file:./data", fsnc: "always" }, "unknown_option"],
    [{ url: "file:./data", wireVersion: "echomq:3.0" }, "unknown_option"],
    ["http://localhost", "invalid_connection"],
    ["localhost", "invalid_connection"],
    ["", "invalid_connection"],
    [{ hots: "localhost" }, "unknown_option"],
    [5, "invalid_connection"],
  ])("answers the connection %o with %s, at once", async (connection, code) => {
    const { registry, opened } = setup();
    expect((await errorOf(() => registry.lease(connection as ConnectionInput))).code).toBe(code);
    expect(opened).toEqual([]);
  });

  it("takes null, which is what JSON makes of an absent connection, for none", () => {
    const { registry, opened } = setup();
    expect(registry.lease(null as never).engine.kind).toBe("embedded");
    expect(opened).toEqual([]);
  });
});
