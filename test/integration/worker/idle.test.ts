/** What a worker costs a server while there is nothing to do. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Worker } from "../../../src/index.ts";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { useServer } from "../../server/use-server.ts";
import { pause, portsOff, until, WorkerSetup } from "./setup-worker.ts";

/** How often each socket asks for a sign of life, in ms. */
const PING_MS = 5000;

/** What the clients have sent, by the server's own count: acts, parks, and all commands of each socket. */
async function sentTo({ server }: WorkerSetup) {
  const stats = String(await server.command("INFO", "commandstats"));
  const callsOf = (pattern: RegExp): number =>
    [...stats.matchAll(pattern)].reduce((sum, [, calls]) => sum + Number(calls), 0);
  const lines = String(await server.command("CLIENT", "LIST")).split("\n");
  const sockets = lines.filter((line) => line.includes("lib-name=") && !line.includes("cmd=client|list"));
  return {
    acts: callsOf(/cmdstat_(?:evalsha|eval|emq\.[a-z]+):calls=(\d+)/g),
    parks: callsOf(/cmdstat_blpop:calls=(\d+)/g),
    commands: sockets.reduce((sum, line) => sum + Number(/tot-cmds=(\d+)/.exec(line)?.[1] ?? Number.NaN), 0),
    sockets: sockets.length,
  };
}

const why = whyNoNative();

describe.each([
  { form: "scripts", args: [], lack: undefined },
  { form: "the native half", args: ["--loadmodule", nativeModule()], lack: why },
])("an idle worker by $form", ({ args, lack }) => {
  const server = lack === undefined ? useServer({ args }) : undefined;

  it.skipIf(lack !== undefined)("sends one act a beat and one park in five, whatever is scheduled", async () => {
    if (server === undefined) throw new Error(lack);
    const test = new WorkerSetup(server(), "idle");
    await test.queue.addBulk(
      Array.from({ length: 200 }, (_, at) => ({ name: "later", data: {}, opts: { delay: 3_600_000 + at } })),
    );
    const beatMs = 200;
    const engine = test.openEngine(portsOff(0), 30_000, beatMs);
    const worker = new Worker(test.name, () => {}, { connection: engine, beat: beatMs });
    onTestFinished(() => worker.close({ timeout: 0 }));
    await worker.waitUntilReady();
    await until(() => worker.health().lastAnsweredAt !== undefined, "the worker never asked");
    await pause(1000);
    const before = await sentTo(test);
    const startedAt = performance.now();
    await pause(4000);
    const after = await sentTo(test);
    const elapsedMs = performance.now() - startedAt;
    const beats = elapsedMs / beatMs;
    const [acts, parks] = [after.acts - before.acts, after.parks - before.parks];
    const commands = after.commands - before.commands;
    console.log(`${beats.toFixed(1)} beats: ${acts} acts, ${parks} parks, ${commands} commands`);
    expect(acts).toBeGreaterThan(1);
    // An act that the event loop was late for is followed by one in time, and the edges may cut one off.
    expect(acts).toBeLessThanOrEqual(beats + 3);
    expect(parks).toBeLessThanOrEqual(beats / 5 + 2);
    // Nobody opens a socket meanwhile, and nothing else is sent but the signs of life. The server counts what a script
    // calls as well, so that shows with the native half only.
    expect(after.sockets).toBe(before.sockets);
    expect(commands).toBeGreaterThanOrEqual(acts + parks);
    if (args.length > 0) {
      expect(commands).toBeLessThanOrEqual(1.2 * beats + 5 + after.sockets * (elapsedMs / PING_MS + 1));
    }
  });
});

describe("an idle worker", () => {
  const server = useServer();

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
