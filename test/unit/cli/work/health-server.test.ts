/** Health over HTTP. */

import { createServer } from "node:http";
import { Server } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { HealthServer, healthReport } from "../../../../src/cli/work/health-server.ts";
import { EchoMQError } from "../../../../src/protocol/errors.ts";
import type { WorkerHealth } from "../../../../src/worker/worker.ts";

const HEALTHY: WorkerHealth = {
  state: "running",
  engine: "ready",
  lastAskedAt: 1000,
  lastAnsweredAt: 2000,
  isConsuming: true,
  notConsumingSince: undefined,
  concurrency: 4,
  running: 2,
  buffered: 1,
  unsettled: 0,
  lastError: undefined,
};

const DEAF: WorkerHealth = {
  ...HEALTHY,
  engine: "down",
  isConsuming: false,
  notConsumingSince: 3000,
  lastError: new EchoMQError("disconnected", "connect ECONNREFUSED"),
};

async function setup(health: () => WorkerHealth | undefined = () => HEALTHY): Promise<HealthServer> {
  const server = await HealthServer.listen(0, health);
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
      reason: null,
      state: "running",
      engine: "ready",
      concurrency: 4,
      running: 2,
      buffered: 1,
      unsettled: 0,
      lastAskedAt: "1970-01-01T00:00:01.000Z",
      lastAnsweredAt: "1970-01-01T00:00:02.000Z",
      notConsumingSince: null,
      lastError: null,
    });
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
    await expect(HealthServer.listen(port, () => HEALTHY)).rejects.toMatchObject({
      code: "port_in_use",
      message: expect.stringContaining(`port ${port} of 127.0.0.1 is in use`),
    });
  });

  it("ends at once, whoever is still connected", async () => {
    const server = await HealthServer.listen(0, () => HEALTHY);
    await fetch(server.url, { headers: { connection: "keep-alive" } });
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow("fetch failed");
  });
});

describe("the reason", () => {
  it.each([
    [undefined, "the worker is starting"],
    [{ ...HEALTHY, state: "starting" }, "the server has not answered yet"],
    [{ ...HEALTHY, state: "closing" }, "the worker is closing"],
    [{ ...HEALTHY, state: "closed" }, "the worker is closing"],
    [{ ...DEAF, state: "failed" }, "the server will not serve this worker: connect ECONNREFUSED"],
    [{ ...HEALTHY, state: "paused" }, "the worker is paused"],
    [
      { ...HEALTHY, isConsuming: false, notConsumingSince: 3000 },
      "the worker has taken no part since 1970-01-01T00:00:03.000Z",
    ],
  ] as readonly (readonly [WorkerHealth | undefined, string])[])("case %#: %s", (health, reason) => {
    expect(healthReport(health)).toMatchObject({ status: "unavailable", reason });
  });
});
