/** Health over HTTP. */

import { createServer } from "node:http";
import { Server } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { HealthServer, healthAddress, healthReport } from "../../../../src/cli/work/health-server.ts";
import { EchoMQError } from "../../../../src/protocol/errors.ts";
import type { WorkerHealth } from "../../../../src/worker/worker-health.ts";

const LOCAL = { host: "127.0.0.1", port: 0 };

const HEALTHY: WorkerHealth = {
  state: "running",
  engine: "ready",
  lastAskedAt: 1000,
  lastAnsweredAt: 2000,
  isConsuming: true,
  reason: undefined,
  reasonText: undefined,
  notConsumingSince: undefined,
  needsRestart: false,
  concurrency: 4,
  running: 2,
  stuck: 0,
  buffered: 1,
  unsettled: 0,
  lastError: undefined,
};

const DEAF: WorkerHealth = {
  ...HEALTHY,
  engine: "down",
  isConsuming: false,
  reason: "away",
  reasonText: "there is no connection to the server: connect ECONNREFUSED",
  notConsumingSince: 3000,
  lastError: new EchoMQError("disconnected", "connect ECONNREFUSED"),
};

async function setup(health: () => WorkerHealth | undefined = () => HEALTHY): Promise<HealthServer> {
  const server = await HealthServer.listen(LOCAL, { health });
  onTestFinished(() => server.close());
  return server;
}

describe("HealthServer", () => {
  it("answers 200 while all is well", async () => {
    const { url } = await setup();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/healthz$/);
    const response = await fetch(`${url}?verbose`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      status: "ok",
      cause: null,
      reason: null,
      needsRestart: false,
      state: "running",
      engine: "ready",
      concurrency: 4,
      running: 2,
      stuck: 0,
      buffered: 1,
      unsettled: 0,
      lastAskedAt: "1970-01-01T00:00:01.000Z",
      lastAnsweredAt: "1970-01-01T00:00:02.000Z",
      notConsumingSince: null,
      lastError: null,
    });
  });

  it("answers /metrics as it is given, with its content type", async () => {
    const text = () => Promise.resolve("echomq_queue_up 1\n");
    const server = await HealthServer.listen(LOCAL, {
      health: () => HEALTHY,
      metrics: () => ({ contentType: "text/plain; version=0.0.4", text }),
    });
    onTestFinished(() => server.close());
    const url = server.url.replace("/healthz", "/metrics");
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([200, "echomq_queue_up 1\n"]);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4");
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
  });

  it.each([
    ["501 with what to install, where that is missing", 501, () => "npm install prom-client"],
    ["503 while the worker is starting", 503, () => undefined],
    [
      "500 with the reason when they cannot be told",
      500,
      () => ({ contentType: "text/plain", text: () => Promise.reject(new Error("npm install failed")) }),
    ],
  ])("answers /metrics by %s", async (_, status, metrics) => {
    const server = await HealthServer.listen(LOCAL, { health: () => HEALTHY, metrics });
    onTestFinished(() => server.close());
    const response = await fetch(server.url.replace("/healthz", "/metrics"));
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(status === 503 ? /starting/ : /npm install/);
  });

  it("goes on after connections that could not be accepted, which ends no worker", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => listen.mockRestore());
    const { url } = await setup();
    const inner = listen.mock.contexts[0] as Server | undefined;
    expect(inner).toBeInstanceOf(Server);
    for (let times = 0; times < 2; times++) inner?.emit("error", new Error("accept EMFILE"));
    expect((await fetch(url)).status).toBe(200);
  });

  it("answers 503 with the reason, and 200 again once it is over", async () => {
    const state = { health: DEAF };
    const { url } = await setup(() => state.health);
    const response = await fetch(url);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      status: "unavailable",
      reason: "there is no connection to the server: connect ECONNREFUSED",
      notConsumingSince: "1970-01-01T00:00:03.000Z",
      lastError: { code: "disconnected", message: "connect ECONNREFUSED" },
    });
    state.health = HEALTHY;
    expect((await fetch(url)).status).toBe(200);
  });

  it("answers HEAD without a body, and nothing else", async () => {
    const { url, port } = await setup();
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  });

  it("refuses a port that is in use with a code", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expect(HealthServer.listen({ ...LOCAL, port }, { health: () => HEALTHY })).rejects.toMatchObject({
      code: "port_in_use",
      message: expect.stringContaining(`port ${port} of 127.0.0.1 is in use`),
    });
  });

  it("ends at once, whoever is still connected", async () => {
    const server = await HealthServer.listen(LOCAL, { health: () => HEALTHY });
    await fetch(server.url, { headers: { connection: "keep-alive" } });
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow("fetch failed");
  });
});

describe("the two questions", () => {
  const STUCK: WorkerHealth = { ...HEALTHY, isConsuming: false, reason: "stuck", reasonText: "…", needsRestart: true };

  it("fail apart: an outage takes readiness and leaves life, slots that are stuck take both", async () => {
    const state = { health: DEAF };
    const { url } = await setup(() => state.health);
    const codes = async () => {
      const paths = ["healthz", "readyz", "livez"].map((path) => url.replace("healthz", path));
      return await Promise.all(paths.map(async (path) => (await fetch(path)).status));
    };
    expect(await codes()).toEqual([503, 503, 200]);
    state.health = STUCK;
    expect(await codes()).toEqual([503, 503, 503]);
    state.health = HEALTHY;
    expect(await codes()).toEqual([200, 200, 200]);
  });

  it("are answered before there is a worker: not ready, alive", () => {
    expect(healthReport(undefined)).toMatchObject({ status: "unavailable", reason: "the worker is starting" });
    expect(healthReport(undefined, "livez")).toMatchObject({ status: "ok", cause: "starting", state: "starting" });
  });
});

describe("the address", () => {
  it.each([
    ["8080", { host: "127.0.0.1", port: 8080 }],
    ["0", { host: "127.0.0.1", port: 0 }],
    ["0.0.0.0:8080", { host: "0.0.0.0", port: 8080 }],
    ["[::]:8080", { host: "::", port: 8080 }],
    ["worker.local:1", { host: "worker.local", port: 1 }],
  ])("%s", (text, address) => {
    expect(healthAddress(text)).toEqual(address);
  });

  it.each(["", "http", ":8080", "::8080", "8080:", "65536", "host:port", "-1", "1.5"])("%s is none", (text) => {
    expect(() => healthAddress(text)).toThrow(RangeError);
  });

  it("of all interfaces answers on each", async () => {
    const server = await HealthServer.listen({ host: "0.0.0.0", port: 0 }, { health: () => HEALTHY });
    onTestFinished(() => server.close());
    expect((await fetch(`http://127.0.0.1:${server.port}/livez`)).status).toBe(200);
  });
});
