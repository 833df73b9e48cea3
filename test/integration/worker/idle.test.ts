/** What a worker costs a server while there is nothing to do. */

import { describe, expect, it } from "vitest";
import { useServer } from "../../server/use-server.ts";
import { pause, until, WorkerSetup } from "./setup-worker.ts";

const server = useServer();

/** Calls of a command since the server's statistics were reset. */
async function callsOf(test: WorkerSetup, names: readonly string[]): Promise<number> {
  const text = String(await test.server.command("INFO", "commandstats"));
  return names.reduce((sum, name) => sum + Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(text)?.[1] ?? 0), 0);
}

describe("an idle worker", () => {
  it("sends one park, one claim and one sweep a beat, whatever is scheduled", async () => {
    const test = new WorkerSetup(server(), "idle");
    await test.queue.addBulk(
      Array.from({ length: 200 }, (_, at) => ({ name: "later", data: {}, opts: { delay: 3_600_000 + at } })),
    );
    const beatMs = 200;
    const worker = test.worker(() => {}, { beat: beatMs });
    await worker.waitUntilReady();
    await until(() => worker.health().lastAnsweredAt !== undefined, "the worker never asked");
    await pause(1000);
    await test.server.command("CONFIG", "RESETSTAT");
    const startedAt = performance.now();
    await pause(4000);
    const acts = await callsOf(test, ["evalsha", "eval"]);
    const parks = await callsOf(test, ["blpop"]);
    const beats = (performance.now() - startedAt) / beatMs;
    console.log(`${beats.toFixed(1)} beats: ${acts} acts, ${parks} parks`);
    expect(acts).toBeGreaterThan(0);
    expect(acts).toBeLessThanOrEqual(2 * beats + 4);
    expect(parks).toBeLessThanOrEqual(beats + 4);
  });
});
