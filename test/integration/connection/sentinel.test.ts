/** A primary that sentinels watch: found by them, followed over a failover, fenced anew on the one that takes over. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../../src/index.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { type SentinelSet, startSentinel } from "../../server/start-sentinel.ts";
import { freePort, type TestServer } from "../../server/start-server.ts";
import { errorOf, openEngine, recordingPorts, until } from "../valkey/setup-engine.ts";
import { accessCommands, PASSWORD } from "./access-lines.ts";
import { produce, runClasses, work } from "./whole-api.ts";

/** Two seconds as a rule; sentinels that had too little of the processor distrust their clocks for half a minute. */
const FAILOVER = { timeout: 60_000, interval: 20 };

function useSentinel() {
  let set: SentinelSet | undefined;
  beforeAll(async () => {
    set = await startSentinel();
  }, 420_000);
  afterAll(async () => set?.stop());
  return () => {
    const { primary, replica, sentinels, name } = set as SentinelSet;
    const places = sentinels.map(({ port }) => ({ host: "127.0.0.1", port: port as number }));
    const hosts = places.map(({ host, port }) => `${host}:${port}`).join(",");
    const url = `valkey-sentinel://${hosts}/${name}`;
    return { primary, replica, connection: { sentinels: places, name }, url };
  };
}

/** A server that changes its role closes all connections, that of the question too. */
async function isPrimary(server: TestServer): Promise<boolean> {
  const role = await server.command("ROLE").catch(() => "");
  return String(role).startsWith("master");
}

describe("a connection by sentinels", () => {
  const setup = useSentinel();

  it("finds the primary, by options and by URL, past sentinels that are away", async () => {
    const { connection, url, primary } = setup();
    await runClasses(connection, "by-options");
    await runClasses(`${url}/2?client=ioredis`, "by-url");
    expect(String(await primary.command("INFO", "keyspace"))).toMatch(/db2:/);
    const absent = { host: "127.0.0.1", port: await freePort() };
    const patient = openEngine({ connection: { ...connection, sentinels: [absent, ...connection.sentinels] } });
    expect(await patient.command(["PING"])).toBe("PONG");
  });

  it("ends a call with the reason when no sentinel knows the name, and when none is there", async () => {
    const { connection } = setup();
    const unknown = openEngine({ connection: { ...connection, name: "other" }, commandTimeoutMs: 3000 });
    expect(await errorOf(unknown.command(["PING"]))).toMatchObject({
      code: "disconnected",
      message: expect.stringContaining("knows no primary other"),
    });
    const nobody = { sentinels: [{ host: "127.0.0.1", port: await freePort() }], name: "main" };
    const alone = openEngine({ connection: nobody, commandTimeoutMs: 3000 });
    expect(await errorOf(alone.command(["PING"]))).toMatchObject({
      code: "disconnected",
      message: expect.stringMatching(/sentinel 127\.0\.0\.1:\d+: .*ECONNREFUSED/),
    });
  });

  it("serves users with the rights of the page, and ends for good with a wrong password", async () => {
    const { connection, primary } = setup();
    for (const parts of accessCommands("users")) await primary.command(...parts);
    for (const name of ["producer", "worker"]) await primary.command("ACL", "SETUSER", name, "+role");
    const engineOf = (username: string) => openEngine({ connection: { ...connection, username, password: PASSWORD } });
    await produce(engineOf("producer"), "users");
    await work(engineOf("worker"), "users", engineOf("producer"));
    const wrong = openEngine({ connection: { ...connection, username: "worker", password: "wrong" } });
    expect(await errorOf(wrong.ready())).toMatchObject({ code: "auth", retryable: false });
  });

  it("follows a failover, loses nothing, and is fenced anew on the server that takes over", async () => {
    const { connection, primary, replica } = setup();
    const seen = new Set<string>();
    const worker = new Worker("mail", async (job) => void seen.add(job.name), { connection, beat: "1s" });
    const queue = new Queue("mail", { connection });
    onTestFinished(async () => void (await Promise.all([worker.close(), queue.close()])));
    await queue.add("before", {});
    await until(() => seen.has("before"));
    const ports = recordingPorts();
    const engine = openEngine({ connection, ports });
    await engine.ready();
    await primary.command("WAIT", "1", "1000");
    await primary.kill();
    const during = queue.add("during", {}, { retryOnDisconnect: "100s" });
    await expect.poll(() => isPrimary(replica), FAILOVER).toBe(true);
    expect((await during).outcome).toBe("added");
    const add = async () => {
      const job = await queue.add("after", {}).catch(() => undefined);
      return job !== undefined;
    };
    await expect.poll(add, FAILOVER).toBe(true);
    await until(() => seen.has("after") && seen.has("during"));
    expect(await engine.command(["PING"])).toBe("PONG");
    expect(await checkInvariants(engine, "mail")).toEqual([]);
    // The reasons of one outage, each once, and its end.
    expect(ports.logger.lines.length).toBeLessThanOrEqual(7);

    await replica.command("SET", "{emq}:version", "echomq:9.0.0");
    const late = openEngine({ connection });
    expect(await errorOf(late.ready())).toMatchObject({ code: "fence", details: { found: "echomq:9.0.0" } });
  }, 150_000);
});
