/** The tool as a process, on each kind of connection that a URL can name beside one plain server. */

import { describe, expect, it, onTestFinished } from "vitest";
import { type Authority, createAuthority } from "../../server/certificates.ts";
import { startCluster } from "../../server/start-cluster.ts";
import { startSentinel } from "../../server/start-sentinel.ts";
import { startServer } from "../../server/start-server.ts";
import { until } from "../valkey/setup-engine.ts";
import { handlerModule, ToolProcess } from "./tool-process.ts";

const HANDLER = `export default async (job) => console.log("did " + job.data.text);`;

/** Runs one command line to its end. */
async function tool(args: readonly string[], env: Readonly<Record<string, string>>) {
  const started = new ToolProcess(args, env);
  const { code } = await started.ended;
  return { code, out: started.out, err: started.err };
}

/** Looks at the server, adds a job, runs it, and finds nothing left. */
async function useTool(env: Readonly<Record<string, string>>): Promise<void> {
  const found = await tool(["ping", "--json"], env);
  expect(found).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(found.out)).toMatchObject({ kind: "valkey", role: "master", latencyMs: expect.any(Number) });
  const added = await tool(["add", "mail", "welcome", '{"text":"it"}', "--json"], env);
  expect(added).toMatchObject({ code: 0, err: "" });
  const { id } = JSON.parse(added.out) as { id: string };
  expect((await tool(["job", "mail", id], env)).out).toContain("pending");
  const worker = new ToolProcess(["work", "mail", handlerModule(HANDLER)], env);
  await worker.untilSays(/did it/);
  await until(async () => (await tool(["job", "mail", id], env)).code === 1);
  worker.signal("SIGTERM");
  expect(await worker.ended).toEqual({ code: 0, signal: null });
  const counts = JSON.parse((await tool(["counts", "mail", "--json"], env)).out) as unknown;
  expect(counts).toMatchObject({ counts: { pending: 0, active: 0, completed: 1 } });
}

async function startEncrypted() {
  const authority: Authority = createAuthority();
  onTestFinished(() => authority.remove());
  const { certPath, keyPath } = authority.server;
  const tls = { caPath: authority.caPath, certPath, keyPath, asksClients: false };
  const server = await startServer({ tcp: true, tls });
  onTestFinished(() => server.stop());
  return { authority, url: server.url };
}

describe("the tool adds and works", () => {
  it("on a cluster", async () => {
    const cluster = await startCluster({ hasReplicas: false });
    onTestFinished(() => cluster.stop());
    await useTool({ ECHOMQ_URL: cluster.url });
  }, 200_000);

  it("on a primary that sentinels watch", async () => {
    const set = await startSentinel();
    onTestFinished(() => set.stop());
    const places = set.sentinels.map((sentinel) => `127.0.0.1:${sentinel.port}`).join(",");
    await useTool({ ECHOMQ_URL: `valkey-sentinel://${places}/${set.name}` });
  }, 200_000);

  it("over TLS, with an authority of one's own in NODE_EXTRA_CA_CERTS", async () => {
    const { authority, url } = await startEncrypted();
    await useTool({ ECHOMQ_URL: url, NODE_EXTRA_CA_CERTS: authority.caPath });
  }, 200_000);
});

describe("the tool is refused", () => {
  it("by a certificate of an authority that it does not know, with the reason", async () => {
    const { url } = await startEncrypted();
    const { code, out, err } = await tool(["ping"], { ECHOMQ_URL: url });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/TLS with the server failed: .*\[invalid_connection\]/s);
  });
});
