/** Reading from a replica: counts, states and jobs come from it, and nothing is ever written there. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Queue } from "../../../src/index.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { startReplica, startServer } from "../../server/start-server.ts";
import { errorOf, openEngine, until } from "../valkey/setup-engine.ts";
import { newIds, read } from "./whole-api.ts";

async function setup() {
  const primary = await startServer({ tcp: true });
  onTestFinished(() => primary.stop());
  const replica = await startReplica(primary);
  onTestFinished(() => replica.stop());
  return { primary, replica };
}

describe.each(["iovalkey", "ioredis"] as const)("a connection by %s to a replica with isReadonly", (client) => {
  it("answers every verb that reads", async () => {
    const { primary, replica } = await setup();
    const writer = openEngine({ connection: primary.url });
    const reader = openEngine({ connection: { client, url: replica.url }, isReadonly: true });
    await read(reader, "q", writer);
    const asked = String(await replica.command("INFO", "commandstats"));
    expect(asked).toContain("cmdstat_evalsha_ro");
  });

  it("shows a queue the jobs that were added at the primary", async () => {
    const { primary, replica } = await setup();
    const queue = new Queue("mail", { connection: primary.url });
    const mirror = new Queue("mail", { connection: { client, url: replica.url, isReadonly: true } });
    onTestFinished(async () => void (await Promise.all([queue.close(), mirror.close()])));
    const job = await queue.add("welcome", { to: "ada" });
    await until(async () => (await mirror.getState(job.id)) === "pending");
    expect((await mirror.getJob(job.id))?.data).toEqual({ to: "ada" });
    expect(await mirror.getJobCounts("pending")).toEqual({ pending: 1 });
    expect(await errorOf(mirror.pause())).toMatchObject({ code: "unsupported" });
  });

  it("claims no version on an empty replica and refuses writes before they are sent", async () => {
    const { replica } = await setup();
    const reader = openEngine({ connection: { client, url: replica.url }, isReadonly: true });
    expect(await new Jobs(reader).pendingSize("q")).toBe(0);
    expect(await errorOf(new Jobs(reader).enqueue("q", newIds()(), "x"))).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("isReadonly"),
    });
    expect(await replica.command("DBSIZE")).toBe(0);
  });
});
