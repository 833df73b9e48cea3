/**
 * Queues on their way between stores in memory and real servers, over both client libraries, while nobody works on them
 * and while everybody does.
 */

import { describe, expect, it, onTestFinished } from "vitest";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { copyQueues, exportQueues, importQueues, Queue, Worker } from "../../../src/index.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { exportChunks } from "../../../src/queue/transfer/export-queues.ts";
import { importChunks } from "../../../src/queue/transfer/import-queues.ts";
import { useServer } from "../../server/use-server.ts";
import { contentOf, FURNISHED, furnish } from "../../unit/queue/transfer/furnished.ts";
import { accessCommands, PASSWORD } from "../connection/access-lines.ts";
import { openEngine, until } from "../valkey/setup-engine.ts";

const source = useServer({ tcp: true });
const target = useServer({ tcp: true });

async function emptied(): Promise<{ from: string; to: string }> {
  for (const server of [source(), target()]) await server.command("FLUSHALL");
  return { from: source().url, to: target().url };
}

async function contents(engine: Engine) {
  return new Map(await Promise.all(FURNISHED.map(async (name) => [name, await contentOf(engine, name)] as const)));
}

describe.each([
  { client: "iovalkey", protocol: 2 },
  { client: "ioredis", protocol: 3 },
] as const)("over $client, RESP$protocol", (options) => {
  it("all queues go from server to server to memory and back, and stay what they are", async () => {
    await emptied();
    const one = openEngine({ connection: { path: source().socketPath, ...options } });
    const two = openEngine({ connection: { path: target().socketPath, ...options } });
    await furnish(one);
    const wanted = await contents(one);
    await importChunks(two, exportChunks(one));
    expect(await contents(two)).toEqual(wanted);

    const memory = new EmbeddedEngine({ ports: nodePorts() });
    await importChunks(memory, exportChunks(two));
    expect(await contents(memory)).toEqual(wanted);

    await target().command("FLUSHALL");
    await importChunks(two, exportChunks(memory));
    expect(await contents(two)).toEqual(wanted);
  });
});

it("a queue that works is copied as it comes, mended, and every job that stayed is in the copy", async () => {
  const { from, to } = await emptied();
  const queue = new Queue<{ job: number }>("mail", { connection: from });
  onTestFinished(() => queue.close());
  const worker = new Worker<{ job: number }>("mail", () => {}, { connection: from, concurrency: 10 });
  onTestFinished(() => worker.close());
  const staying = await queue.addBulk(
    Array.from({ length: 1500 }, (_, at) => ({ name: "job", data: at, opts: { delay: "1d", lane: `lane ${at % 9}` } })),
  );
  const production = { isOver: false };
  const producing = (async () => {
    while (!production.isOver) await queue.addBulk(Array.from({ length: 50 }, (_, at) => ({ name: "job", data: at })));
  })();
  let finished = 0;
  worker.on("completed", () => {
    finished += 1;
  });
  await until(() => finished > 100);

  const report = await copyQueues(from, to, { running: true });
  production.isOver = true;
  await producing;
  expect(report.queues).toMatchObject([{ queue: "mail", isPaused: false }]);
  const copy = openEngine({ connection: to });
  expect((await inspectQueue(copy, "mail")).findings).toEqual([]);
  for (const { id } of staying) expect(await copy.command(["EXISTS", `emq:{mail}:job:${id}`])).toBe(1);

  // What was active there is taken back here once its lease is over, and everything in the copy can run.
  const copied = new Queue("mail", { connection: to });
  onTestFinished(() => copied.close());
  const ran = new Worker("mail", () => {}, { connection: to, concurrency: 10 });
  onTestFinished(() => ran.close());
  await until(async () => (await copied.getJobCounts("pending", "lanes")).pending === 0);
}, 120_000);

it("the users of the page may copy, and those without the rights are told", async () => {
  const { from, to } = await emptied();
  for (const parts of accessCommands("mail")) {
    await source().command(...parts);
    await target().command(...parts);
  }
  await furnish(openEngine({ connection: from }), ["mail", "files"]);
  const reader = { url: from, username: "reader", password: PASSWORD, isReadonly: true };
  const operator = { url: to, username: "operator", password: PASSWORD };
  const chunks: Uint8Array[] = [];
  for await (const chunk of exportQueues({ connection: reader, queues: ["mail"] })) chunks.push(chunk);
  const report = await importQueues(() => chunks, { connection: operator });
  expect(report.queues).toMatchObject([{ queue: "mail", isPaused: true, mended: 0 }]);
  for (const server of [source(), target()]) {
    for (const name of ["reader", "operator", "worker", "producer"]) await server.command("ACL", "DELUSER", name);
  }
}, 60_000);
