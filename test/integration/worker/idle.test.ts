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
  it("sends two commands a beat, one park and one act, whatever is scheduled", async () => {
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
    expect(acts).toBeGreaterThan(1);
    // An act that the event loop was late for is followed by one in time, and the edges may cut one off.
    expect(acts).toBeLessThanOrEqual(beats + 3);
    expect(parks).toBeLessThanOrEqual(beats + 3);
  });

  it("finds the jobs of a producer that wakes nobody, by turn and by sweep", async () => {
    const test = new WorkerSetup(server(), "foreign");
    const ran: string[] = [];
    const worker = test.worker((job) => void ran.push(job.id), { beat: 200 });
    await until(() => worker.health().lastAnsweredAt !== undefined, "the worker never asked");
    const ids = (
      await test.queue.addBulk(Array.from({ length: 6 }, () => ({ name: "a", data: {}, opts: { delay: 9e5 } })))
    ).map(({ id }) => id);
    for (const id of ids) await test.jobs.removeJob(test.name, id);
    for (const [at, id] of ids.entries()) {
      await test.jobs.enqueue(test.name, id, "{}");
      await until(() => ran.length > at, `job ${at} did not run`);
    }
    expect(ran).toEqual(ids);
  });
});
