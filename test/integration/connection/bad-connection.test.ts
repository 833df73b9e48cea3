/**
 * Connections that cannot work: each ends a call with one coded error, within the time of a call, and writes few lines.
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ConnectionOptions } from "../../../src/engine-registry.ts";
import { EchoMQError, isEchoMQError } from "../../../src/protocol/errors.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { freePort, startReplica, startServer } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";
import { hastyPorts, openEngine, recordingPorts, until } from "../valkey/setup-engine.ts";
import { bulk, startFakeServer } from "./fake-server.ts";
import { newIds } from "./whole-api.ts";

/** The time of a call that ends with its reason long before, on any machine. */
const TIMEOUT_MS = 30_000;

/** The time of a call that ends when it is over: enough for a busy machine to have met the reason once. */
const SHORT_MS = 2000;

/** The server's words, and then what to do. */
const AUTH_ADVICE = /^(?:NOAUTH|WRONGPASS) .*\. (?:Give|Check) .*user and password.*\.$/;

// The tests measure how long a call takes, and the library must not be loaded in that time.
beforeAll(async () => void (await Promise.all([import("iovalkey"), import("ioredis")])));

const CLIENTS = ["iovalkey", "ioredis"] as const;

/** What an `add` on a connection ends with. */
async function addFailure(connection: ConnectionOptions) {
  const ports = recordingPorts();
  const { isReadonly, wireVersion, commandTimeoutMs = TIMEOUT_MS, ...where } = connection;
  const engine = openEngine({
    connection: where,
    ports,
    commandTimeoutMs,
    ...(isReadonly === undefined ? {} : { isReadonly }),
    ...(wireVersion === undefined ? {} : { wireVersion }),
  });
  const start = performance.now();
  const end = await new Jobs(engine).enqueue("q", newIds()(), "x").catch((error: unknown) => error);
  const tookMs = performance.now() - start;
  if (!isEchoMQError(end)) throw new Error(`the call ended with ${String(end)}`);
  // One error, in time, and not a line for each attempt.
  expect(tookMs).toBeLessThan(commandTimeoutMs + 10_000);
  expect(ports.logger.lines.length).toBeLessThanOrEqual(3);
  return { error: end, engine, ports, tookMs };
}

describe.each(CLIENTS)("by %s,", (client) => {
  const failureOf = (connection: Parameters<typeof addFailure>[0]) => addFailure({ client, ...connection });

  describe("a connection that leads nowhere", () => {
    it.each([
      ["a port that nobody listens at", async () => ({ host: "127.0.0.1", port: await freePort() }), /ECONNREFUSED/],
      ["a name that does not exist", async () => ({ host: "nobody.invalid" }), /nobody\.invalid/],
      ["a socket that does not exist", async () => ({ path: join(tmpdir(), "echomq-no-such-socket") }), /ENOENT/],
    ] as const)("ends with disconnected and the reason, for %s", async (_name, connection, reason) => {
      const { error, engine } = await failureOf({ ...(await connection()), commandTimeoutMs: SHORT_MS });
      expect(error).toMatchObject({ code: "disconnected", retryable: true, details: { sent: false } });
      expect(error.message).toMatch(reason);
      expect(String(engine.whyDown)).toMatch(reason);
    });

    it("ends with disconnected for a server that accepts and never answers", async () => {
      const { port } = await startFakeServer(() => "");
      const { error } = await failureOf({ host: "127.0.0.1", port, commandTimeoutMs: SHORT_MS });
      expect(error).toMatchObject({ code: "disconnected", details: { sent: false } });
    });

    it("goes on for minutes with one line a minute, not one an attempt", async () => {
      const ports = hastyPorts(60);
      const engine = openEngine({ connection: { client, host: "127.0.0.1", port: await freePort() }, ports });
      const start = ports.clock.now();
      await until(() => ports.clock.now() - start > 150_000);
      expect(engine.state).toBe("connecting");
      const minutes = (ports.clock.now() - start) / 60_000;
      expect(ports.logger.lines.length).toBeLessThanOrEqual(2 + minutes);
    });
  });

  describe("a connection that the server does not want", () => {
    const server = useServer({ tcp: true, config: { requirepass: "right" } });
    const good = () => ({ url: server().url, password: "right" });

    it("ends with auth for a wrong password, a missing one and an unknown user, for good", async () => {
      for (const wrong of [{ password: "wrong" }, {}, { username: "nobody", password: "right" }]) {
        const { error, engine } = await failureOf({ url: server().url, ...wrong });
        expect(error).toMatchObject({ code: "auth", retryable: false, message: expect.stringMatching(AUTH_ADVICE) });
        await expect(engine.ready()).rejects.toBe(error);
      }
    });

    it("ends with permission for a user without rights", async () => {
      await server().command("ACL", "SETUSER", "nothing", "on", ">pw", "nocommands", "+ping");
      const { error } = await failureOf({ url: server().url, username: "nothing", password: "pw" });
      expect(error).toMatchObject({ code: "permission", message: expect.stringMatching(/^NOPERM/) });
    });

    it("ends with fence for a server of another wire, and says how to look at it and how to change it", async () => {
      await server().command("SET", "{emq}:version", "echomq:9.9.9");
      onTestFinished(async () => void (await server().command("DEL", "{emq}:version")));
      const { error } = await failureOf(good());
      expect(error).toMatchObject({ code: "fence", details: { found: "echomq:9.9.9", expected: "echomq:4.0.0" } });
      expect(error.message).toContain("echomq fence");
      expect(error.message).toContain("echomq fence --set echomq:4.0.0");
    });
  });

  describe("a server that cannot take writes", () => {
    it("ends with server_busy and the server's words on a replica, and reads go on", async () => {
      const primary = await startServer({ tcp: true });
      onTestFinished(() => primary.stop());
      await new Jobs(openEngine({ connection: { client, url: primary.url } })).enqueue("q", newIds()(), "x");
      const replica = await startReplica(primary);
      onTestFinished(() => replica.stop());
      const { error, engine } = await failureOf({ url: replica.url, commandTimeoutMs: SHORT_MS });
      expect(error).toMatchObject({ code: "server_busy", message: expect.stringMatching(/^READONLY/) });
      expect(await new Jobs(engine).pendingSize("q")).toBe(1);
    });

    it("ends with out_of_memory at once when it is full, while what frees memory still passes", async () => {
      const server = await startServer();
      onTestFinished(() => server.stop());
      const jobs = new Jobs(openEngine({ connection: { client, url: server.url } }));
      await jobs.enqueue("q", newIds()(), "x");
      await server.command("CONFIG", "SET", "maxmemory", "1");
      const { error, tookMs } = await failureOf({ url: server.url });
      expect(error).toMatchObject({
        code: "out_of_memory",
        retryable: true,
        message: expect.stringMatching(/^OOM .*\. Raise maxmemory or let workers drain the queue\.$/),
      });
      expect(tookMs).toBeLessThan(10_000);
      const claimed = await jobs.claim("q", 1000);
      expect(await jobs.complete("q", claimed?.id ?? "", claimed?.attempts ?? 0)).toBe("ok");
    });

    it("ends with disconnected and the reason while it loads, and heals by itself", async () => {
      const state = { isLoading: true };
      const { port } = await startFakeServer(([name]) => {
        if (state.isLoading) return "-LOADING the server is loading the dataset in memory\r\n";
        return name === "GET" ? bulk("echomq:4.0.0") : name === "INFO" ? bulk("redis_version:7.2.4") : ":1\r\n";
      });
      const { error, engine } = await failureOf({ host: "127.0.0.1", port, commandTimeoutMs: SHORT_MS });
      expect(error).toMatchObject({ code: "disconnected", message: expect.stringContaining("LOADING") });
      state.isLoading = false;
      await engine.ready();
    });

    it("waits for a real server that loads its data", async () => {
      const server = await startServer({ config: { appendonly: "yes" } });
      onTestFinished(() => server.stop());
      const engine = openEngine({ connection: { client, url: server.url } });
      const jobs = new Jobs(engine);
      const newId = newIds();
      await jobs.enqueueMany(
        "q",
        Array.from({ length: 200 }, () => ({ id: newId(), payload: "x" })),
      );
      await server.restart();
      expect(await jobs.pendingSize("q")).toBe(200);
    });
  });

  describe("a server of the wrong kind", () => {
    const old = (version: string) =>
      startFakeServer(([name, section]) => {
        if (name === "GET") return bulk("echomq:4.0.0");
        return name === "INFO" && section === "server" ? bulk(`# Server\r\nredis_version:${version}\r\n`) : bulk("");
      });

    it("ends with unsuitable_server when it is too old, for good", async () => {
      const { port, connectionCount } = await old("6.2.14");
      const { error, engine } = await failureOf({ host: "127.0.0.1", port });
      expect(error).toMatchObject({ code: "unsuitable_server", retryable: false });
      expect(error.message).toContain("6.2.14");
      await expect(engine.ready()).rejects.toBe(error);
      expect(connectionCount()).toBe(1);
    });

    it("warns of an eviction policy once, by INFO alone, since managed servers forbid CONFIG (PB-019)", async () => {
      const server = await startServer({ config: { "maxmemory-policy": "allkeys-lru" } });
      onTestFinished(() => server.stop());
      await server.command("ACL", "SETUSER", "default", "-config");
      const ports = recordingPorts();
      const engine = openEngine({ connection: { client, url: server.url }, ports });
      await engine.ready();
      await server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await engine.command(["PING"]).catch(() => {});
      await engine.command(["PING"]);
      const warnings = ports.logger.lines.filter((line) => line.fields["code"] === "EVICTION_POLICY");
      expect(warnings).toHaveLength(1);
      expect(warnings[0]?.message).toContain("noeviction");
    });

    it("is an EchoMQError in every case, known by its mark and not by its class alone", async () => {
      const { error } = await failureOf({ host: "127.0.0.1", port: await freePort(), commandTimeoutMs: 100 });
      expect(error).toBeInstanceOf(EchoMQError);
    });
  });
});
