/** Many queues in one process and large jobs, on a real server: sockets, commands and memory are counted. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../../src/index.ts";
import { QUEUES_PER_GROUP } from "../../../src/valkey/wake-groups.ts";
import { useServer } from "../../server/use-server.ts";
import { pause, until, WorkerSetup } from "./setup-worker.ts";

const server = useServer();
/** Groups of a thousand queues. */
const GROUPS = Math.ceil(1000 / QUEUES_PER_GROUP);
/** What is sent, at least, for the act of a beat and for a park of a group. */
const ACT_BYTES = 200;
const PARK_BYTES = 600;
const JOBS = 200;

const large = fileURLToPath(new URL("large-child.mjs", import.meta.url));

/** What the server counts, of all clients together. */
async function counted() {
  const text = String(await server().command("INFO", "all"));
  const numberOf = (pattern: string): number => Number(new RegExp(`${pattern}(\\d+)`).exec(text)?.[1] ?? 0);
  return {
    sockets: numberOf("connected_clients:"),
    acts: numberOf("cmdstat_evalsha:calls=") + numberOf("cmdstat_eval:calls="),
    parks: numberOf("cmdstat_blpop:calls="),
    received: numberOf("total_net_input_bytes:"),
  };
}

describe("a thousand queues in one process", () => {
  it("share two sockets and one that parks for each group, and each sends one act a beat", async () => {
    const setup = new WorkerSetup(server(), "unused");
    await setup.queue.waitUntilReady();
    const { sockets } = await counted();
    const engine = setup.openEngine();
    const names = Array.from({ length: 1000 }, (_, at) => `queue-${at}`);
    const ran: string[] = [];
    const workers = names.map((name) => new Worker(name, () => void ran.push(name), { connection: engine }));
    await until(() => workers.every((worker) => worker.health().lastAnsweredAt !== undefined), "some never asked");
    await pause(1000);
    const before = await counted();
    expect(before.sockets - sockets).toBe(2 + GROUPS);
    const startedAt = performance.now();
    await pause(3000);
    const after = await counted();
    // The beat is a second; an act that was late is followed by one in time, and the edges may cut one off.
    const beats = (performance.now() - startedAt) / 1000 + 2;
    console.log(`acts ${after.acts - before.acts}, parks ${after.parks - before.parks} in ${beats.toFixed(1)} beats`);
    expect(after.acts - before.acts).toBeGreaterThan(1000);
    expect(after.acts - before.acts).toBeLessThanOrEqual(beats * 1000);
    expect(after.parks - before.parks).toBeLessThanOrEqual((beats / 5 + 1) * GROUPS);
    // One job wakes its own worker only.
    const queues = names.slice(0, JOBS).map((name) => new Queue(name, { connection: setup.engine }));
    const addedAt = performance.now();
    for (const [at, queue] of queues.entries()) {
      await queue.add("job", {});
      await until(() => ran.length === at + 1, `the job of ${queue.name} did not run`);
    }
    expect(ran).toEqual(names.slice(0, JOBS));
    // A park names the lists of one group, so a job costs no more bytes than in a process with that many queues.
    const spent = await counted();
    const idleBeats = (performance.now() - addedAt) / 1000 + 2;
    const idleParks = (idleBeats / 5) * GROUPS;
    const parks = spent.parks - after.parks - idleParks;
    const bytes = spent.received - after.received - idleBeats * 1000 * ACT_BYTES - idleParks * PARK_BYTES;
    console.log(`a job: ${(parks / JOBS).toFixed(1)} parks and ${Math.round(bytes / JOBS)} bytes beside the beats`);
    expect(parks).toBeLessThanOrEqual(3 * JOBS);
    expect(bytes).toBeLessThanOrEqual(4096 * JOBS);
    await Promise.all([...workers, ...queues].map((each) => each.close({ timeout: 0 })));
    await engine.close();
    await until(async () => (await counted()).sockets === sockets, "sockets were left");
  });
});

describe("jobs of 1 MiB", () => {
  it("pass through a heap that holds less than half of them, since an add is told to wait", async () => {
    const jobs = 200;
    const pendingMax = 8;
    const heap = ["--max-old-space-size=96", large, server().url, "large", String(jobs), String(pendingMax)];
    const child = spawn(process.execPath, heap, { stdio: ["ignore", "pipe", "ignore"] });
    let said = "";
    child.stdout.on("data", (bytes: Buffer) => {
      said += String(bytes);
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code).toBe(0);
    const [word, runs, waits, ids] = said.trim().split(" ");
    expect([word, runs, ids]).toEqual(["done", String(jobs), String(jobs)]);
    expect(Number(waits)).toBeGreaterThan(0);
  });
});
