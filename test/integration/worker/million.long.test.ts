/**
 * A queue of a million jobs: added, counted, listed, gone through by the doctor, and run, each job once. What a job
 * takes on the server and how many acts it costs are those of a short queue, and no answer is larger.
 */

import { expect, it, onTestFinished } from "vitest";
import { inspectQueue, Queue, Worker } from "../../../src/index.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { ValkeyEngine } from "../../../src/valkey/valkey-engine.ts";
import { useServer } from "../../server/use-server.ts";
import { HEAP_BYTES_MAX, heldBytes, MEMBERS_MAX, measured } from "../doctor/measured-engine.ts";
import { DEADLINE_MS } from "./setup-worker.ts";

const JOBS = 1_000_000;
const BULK = 10_000;
const CONCURRENCY = 100;
const WORKERS = 2;

/** A payload of a hundred bytes with its number in it. */
const dataOf = (at: number) => ({ at: 1_000_000 + at, text: "x".repeat(100 - '{"at":1000000,"text":""}'.length) });

/** Bytes that a waiting job with a name and a payload of a hundred bytes takes: its row, its member and its name. */
const JOB_BYTES_MAX = 632;

const server = useServer();

function openEngine(): ValkeyEngine {
  const engine = new ValkeyEngine({ connection: server().url, ports: nodePorts(), commandTimeoutMs: DEADLINE_MS });
  onTestFinished(() => engine.close());
  return engine;
}

async function infoOf(pattern: RegExp): Promise<number> {
  return Number(pattern.exec(String(await server().command("INFO", "all")))?.[1] ?? 0);
}

const usedBytes = () => infoOf(/used_memory:(\d+)/);
const actCount = () => infoOf(/cmdstat_evalsha:calls=(\d+)/);

it("costs a job no more acts and bytes among a million than among a thousand", async () => {
  const engine = openEngine();
  const queue = new Queue<{ job: { at: number; text: string } }>("million", { connection: engine });
  const fill = async (from: number, to: number) => {
    for (let at = from; at < to; at += BULK) {
      const count = Math.min(BULK, to - at);
      await queue.addBulk(Array.from({ length: count }, (_, index) => ({ name: "job", data: dataOf(at + index) })));
    }
  };
  await fill(0, 1000);
  const bytesBefore = await usedBytes();
  const actsBefore = await actCount();
  await fill(1000, JOBS);
  const bytes = ((await usedBytes()) - bytesBefore) / (JOBS - 1000);
  const addActs = ((await actCount()) - actsBefore) / (JOBS - 1000);
  expect(bytes).toBeLessThanOrEqual(JOB_BYTES_MAX);
  expect(await queue.getJobCounts("pending")).toEqual({ pending: JOBS });
  expect((await queue.listIds("pending", { limit: 1000 })).ids).toHaveLength(1000);

  const view = measured(engine, 100);
  const heldBefore = heldBytes();
  const full = await inspectQueue(view.engine, "million");
  expect(full).toMatchObject({ isClean: true, findings: [] });
  expect(full.looked.jobs).toBeGreaterThanOrEqual(2 * JOBS);
  expect(view.largest()).toBeLessThanOrEqual(MEMBERS_MAX);
  expect(view.held() - heldBefore).toBeLessThan(HEAP_BYTES_MAX);

  const runsOf = new Uint8Array(JOBS);
  let runs = 0;
  let onAll = (): void => {};
  const all = new Promise<void>((resolve) => {
    onAll = resolve;
  });
  const startedAt = await actCount();
  const workers = Array.from({ length: WORKERS }, () => {
    const handler = async ({ data }: { data: { at: number } }) => {
      const at = data.at - 1_000_000;
      runsOf[at] = (runsOf[at] ?? 0) + 1;
      if (++runs === JOBS) onAll();
    };
    // A lease outlives any wait of a busy machine, so no job may run twice for that reason.
    const options = {
      connection: openEngine(),
      concurrency: CONCURRENCY,
      lease: "10m",
      removeOnComplete: true,
    } as const;
    return new Worker<{ job: { at: number; text: string } }>("million", handler, options);
  });
  await all;
  await Promise.all(workers.map((worker) => worker.close()));
  const runActs = ((await actCount()) - startedAt) / JOBS;
  console.log(`a job: ${bytes.toFixed(0)} bytes, ${addActs.toFixed(4)} acts to add, ${runActs.toFixed(4)} acts to run`);
  expect(runs).toBe(JOBS);
  expect(runsOf.every((count) => count === 1)).toBe(true);
  expect(addActs).toBeLessThan(0.02);
  expect(runActs).toBeLessThan(0.1);
  expect(await queue.getJobCounts("pending", "active", "failed")).toEqual({ pending: 0, active: 0, failed: 0 });
  expect(await inspectQueue(engine, "million")).toMatchObject({ isClean: true, findings: [], looked: { jobs: 0 } });
  await queue.close();
}, 1_800_000);
