/**
 * The doctor beside workers: thousands of jobs of every kind on a real server, gone through again and again, also with
 * repairs allowed, and nothing is found, because nothing is wrong; and no job is touched by it.
 */

import { expect, it } from "vitest";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import type { Finding } from "../../../src/doctor/finding.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { ValkeyEngine } from "../../../src/valkey/valkey-engine.ts";
import { snooze } from "../../../src/worker/control-error.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import { useServer } from "../../server/use-server.ts";

const server = useServer();

/** Jobs are added until the passes are over, at least so many. */
const JOBS_MIN = 3000;
const ADDED_AT_ONCE = 250;
const BACKLOG_MAX = 3000;

/** Passes of the doctor beside the workers; every other one may write. */
const PASSES = 4;

const QUEUE = "busy";

async function openEngine(): Promise<ValkeyEngine> {
  const engine = new ValkeyEngine({ connection: { path: server().socketPath }, ports: nodePorts() });
  await engine.ready();
  return engine;
}

/** What becomes of a job, by its number: most are done, some are put off, tried again, or dead at last. */
function handle(runs: Map<number, number>, at: number): void {
  const run = (runs.get(at) ?? 0) + 1;
  runs.set(at, run);
  if (at % 7 === 0 && run === 1) throw snooze(at % 20);
  if (at % 11 === 0 && run <= 2) throw new Error("again");
  if (at % 101 === 0) throw new Error("never");
}

/** A job of a kind that follows from its number: in one of many lanes, delayed, of a priority, or plain. */
function jobOf(at: number) {
  const lane = at % 3 === 0 ? { lane: `tenant-${at % 40}` } : {};
  const delay = at % 5 === 0 ? { delay: at % 30 } : {};
  const priority = at % 13 === 0 ? { priority: at % 4 } : {};
  return { name: "job", data: at, opts: { ...lane, ...delay, ...priority } };
}

/** Jobs that are over, done or dead. */
async function endedJobs(queue: QueueCore): Promise<number> {
  const { completed, failed } = await queue.getJobCounts("completed", "failed");
  return completed + failed;
}

it("finds nothing in a queue that workers are at, and disturbs none of its jobs", async () => {
  const engines = await Promise.all([openEngine(), openEngine(), openEngine()]);
  const [producing, working, looking] = engines;
  const release = () => Promise.resolve();
  const queue = new QueueCore(QUEUE, { engine: producing, release });
  const runs = new Map<number, number>();
  await queue.lane("tenant-3").limit(2);
  await queue.lane("tenant-6").ordered(true);
  const workers = [1, 2].map((at) => {
    const options = { concurrency: 20 * at, backoff: 5, attempts: 3, beat: 200 };
    return new WorkerCore(QUEUE, (job) => handle(runs, Number(job.data)), { engine: working, release }, options);
  });
  const load = { added: 0, isEnough: false };
  const adding = (async () => {
    while (!load.isEnough || load.added < JOBS_MIN) {
      // The backlog has a bound, so that a slow machine adds no more than its workers can do.
      if (load.added - (await endedJobs(queue)) > BACKLOG_MAX) continue;
      await queue.addBulk(Array.from({ length: ADDED_AT_ONCE }, (_, index) => jobOf(load.added + index)));
      load.added += ADDED_AT_ONCE;
    }
  })();
  const findings: Finding[] = [];
  for (let pass = 0; pass < PASSES && findings.length === 0; pass++) {
    const mayWrite = pass % 2 === 1;
    const report = await inspectQueue(looking, QUEUE, { repair: mayWrite, destroy: mayWrite });
    findings.push(...report.findings);
    expect(report.unchecked).toEqual([]);
  }
  load.isEnough = true;
  await adding;
  expect(findings).toEqual([]);
  while ((await endedJobs(queue)) < load.added)
    expect(await inspectQueue(looking, QUEUE)).toMatchObject({ findings: [] });
  await Promise.all(workers.map((worker) => worker.close()));
  expect(await inspectQueue(looking, QUEUE, { idle: true })).toMatchObject({ isClean: true });
  await queue.close();
  await Promise.all(engines.map((engine) => engine.close()));
}, 300_000);
