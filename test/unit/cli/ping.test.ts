/** `echomq ping`: what is told of servers of every kind. */

import { describe, expect, it } from "vitest";
import type { OpenEngine } from "../../../src/cli/open-server.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { WIRE_VERSION } from "../../../src/protocol/wire-version.ts";
import { run, runJson } from "./run.ts";
import { setupStore } from "./store.ts";

const VALKEY = {
  server: "redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n",
  memory: "used_memory:1\r\nmaxmemory_policy:noeviction\r\n",
  replication: "role:master\r\n",
};

/** A server that says this of itself; an absent section may not be asked for. */
function setup(info: Readonly<Record<string, string>>) {
  const { openEngine: openStore } = setupStore();
  const openEngine: OpenEngine = (request) => {
    const engine = openStore(request);
    const command = engine.command.bind(engine);
    engine.command = (parts) => {
      if (parts[0] !== "INFO") return command(parts);
      const section = info[parts[1] ?? ""];
      if (section !== undefined) return Promise.resolve(section);
      return Promise.reject(new EchoMQError("permission", "NOPERM"));
    };
    return engine;
  };
  return { openEngine, env: { ECHOMQ_URL: "valkey://user:secret@store" } };
}

describe("ping", () => {
  it("tells kind, version, mark, latency and policy, and no password", async () => {
    const { code, out, err } = await run(["ping"], setup(VALKEY));
    expect([code, err]).toEqual([0, ""]);
    expect(out.replace(/[\d.]+ ms/, "… ms")).toBe(
      `valkey://***@store\n  server    Valkey 8.0.1, master\n  fence     ${WIRE_VERSION}\n  latency   … ms\n` +
        "  eviction  noeviction\n",
    );
  });

  it("is one JSON document", async () => {
    const { json } = await runJson(["ping"], setup(VALKEY));
    expect(json).toEqual({
      url: "valkey://***@store",
      kind: "valkey",
      version: "8.0.1",
      role: "master",
      evictionPolicy: "noeviction",
      fence: { found: WIRE_VERSION, speaks: WIRE_VERSION, isPassable: true },
      latencyMs: expect.any(Number),
      warnings: [],
    });
  });

  it("knows Redis, and warns of a policy that loses jobs and of a replica", async () => {
    const redis = {
      server: "redis_version:7.0.15\r\n",
      memory: "maxmemory_policy:allkeys-lru\r\n",
      replication: "role:slave\r\n",
    };
    const { code, out } = await run(["ping"], setup(redis));
    expect(code).toBe(0);
    expect(out).toContain("Redis 7.0.15, slave");
    expect(out).toContain("set maxmemory-policy noeviction");
    expect(out).toContain("only reading works here");
  });

  it("tells less to a user who may not ask", async () => {
    const { code, out } = await run(["ping"], setup({}));
    expect(code).toBe(0);
    expect(out).toContain("server    unknown, the user may not ask");
    expect((await runJson(["ping"], setup({}))).json).toMatchObject({ kind: null, version: null, role: null });
  });
});
