/**
 * Every verb of the job plane, sorted by who uses it, so that one run per kind of connection or user proves them all.
 *
 * Each function leaves nothing behind that another would trip over: a queue may be used by all of them in any order.
 */

import { expect, onTestFinished } from "vitest";
import type { Engine } from "../../../src/engine/engine.ts";
import type { ConnectionInput } from "../../../src/engine-registry.ts";
import { Queue, Worker } from "../../../src/index.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { explainJob } from "../../../src/queue/explain.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { Operator } from "../../../src/queue/operator.ts";
import { QueueKeys } from "../../../src/queue/verb-call.ts";

const LEASE_MS = 30_000;

/** How long a replica may take to have what its primary has. */
const PATIENCE = { timeout: 30_000, interval: 10 };

/** What the verbs go to: an engine, or the verbs themselves where their use is recorded. */
type Target = Engine | Jobs;

function jobsOn(target: Target): Jobs {
  return target instanceof Jobs ? target : new Jobs(target);
}

/** Mints ids of jobs; two of these may collide, so use one for a queue at a time. */
export function newIds(): () => string {
  const mint = createMinter({ clock: () => Date.now(), node: Math.floor(Math.random() * 1024) });
  return () => mint("JOB");
}

/** What a producer does. */
export async function produce(target: Target, queue: string): Promise<void> {
  const jobs = jobsOn(target);
  const newId = newIds();
  const ids = [newId(), newId(), newId(), newId(), newId(), newId()] as const;
  expect(await jobs.enqueue(queue, ids[0], "0")).toBe("enqueued");
  expect(await jobs.enqueueMany(queue, [{ id: ids[0], payload: "0" }])).toEqual(["duplicate"]);
  expect(await jobs.enqueueAt(queue, ids[1], "1", Date.now() + 60_000)).toBe("scheduled");
  expect(await jobs.enqueueIn(queue, ids[2], "2", 60_000)).toBe("scheduled");
  const rows = [
    { id: ids[3], payload: "3", name: "n", priority: 2 },
    { id: ids[4], payload: "4", lane: "l" },
    { id: ids[5], payload: "5", dueInMs: 60_000, lane: "l" },
  ];
  expect(await jobs.admit(queue, rows)).toEqual([{ outcome: "added" }, { outcome: "added" }, { outcome: "added" }]);
  expect(await jobs.updateData(queue, ids[0], "new")).toBe("ok");
  expect(await jobs.addLog(queue, ids[0], "line", 5)).toBe(1);
}

/** What a worker does; `target` may be another's than that of the producer. */
export async function work(target: Target, queue: string, producer: Target = target): Promise<void> {
  const jobs = jobsOn(target);
  const adder = jobsOn(producer);
  const newId = newIds();
  await drain(jobs, queue);
  for (let count = 0; count < 4; count++) await adder.enqueue(queue, newId(), "x");
  const one = await jobs.claim(queue, LEASE_MS);
  const [two, three] = await jobs.claimBatch(queue, 2, LEASE_MS);
  if (one === undefined || two === undefined || three === undefined) throw new Error("the claims found nothing");
  expect(await jobs.extendLock(queue, one.id, one.attempts, LEASE_MS)).toBe("ok");
  const held = [one, two].map(({ id, attempts }) => ({ id, token: attempts }));
  expect(await jobs.extendLocks(queue, held, LEASE_MS)).toEqual({ failed: [], cancelled: [] });
  expect(await jobs.updateData(queue, one.id, "y", one.attempts)).toBe("ok");
  expect(await jobs.updateProgress(queue, one.id, "50", one.attempts)).toBe("ok");
  expect(await jobs.addLog(queue, one.id, "line", 1, one.attempts)).toBe(1);
  // The row goes, and how the job ended is left for a while.
  const ending = { count: 0, ms: 0, resultMs: 60_000 };
  expect(await jobs.complete(queue, one.id, one.attempts, "done", ending)).toBe("ok");
  expect(await adder.outcome(queue, one.id)).toEqual({ kind: "completed", result: "done" });
  const failure = { delayMs: 1, maxAttempts: 1, error: "no" };
  expect(await jobs.retry(queue, two.id, two.attempts, failure)).toBe("dead");
  expect(await jobs.delay(queue, three.id, three.attempts, 0)).toBe("ok");
  expect(await jobs.promote(queue, 10)).toBeGreaterThanOrEqual(0);
  const turn = await jobs.turn(queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
  const four = turn.jobs[0];
  if (four === undefined) throw new Error("the turn found nothing");
  expect(await jobs.owned(queue, { worker: "w", leaseMs: LEASE_MS, known: [] })).toHaveLength(1);
  expect(await jobs.giveBack(queue, four.id, four.token)).toBe("ok");
  await adder.admit(queue, [{ id: newId(), payload: "lane", lane: "l" }]);
  await drain(jobs, queue);
  expect(await jobs.reap(queue)).toBe(0);
  expect(await jobs.sweep(queue)).toEqual({ recovered: [], dead: [] });
  const keep = { count: 1000, ms: 0 };
  expect(await jobs.sweep(queue, { keep })).toEqual({ recovered: [], dead: [], expired: 0, overdue: [] });
}

/** What a reader does. */
export async function read(target: Target, queue: string, producer: Target = target): Promise<void> {
  const jobs = jobsOn(target);
  const id = newIds()();
  await jobsOn(producer).enqueue(queue, id, "x");
  const words = ["pending", "lanes", "active", "schedule", "dead", "completed", "failed"] as const;
  await expect.poll(async () => (await jobs.getCounts(queue, words)).pending, PATIENCE).toBeGreaterThan(0);
  expect(await jobs.getState(queue, id)).toBe("pending");
  expect((await jobs.getRow(queue, id))?.get("payload")).toBe("x");
  expect(await jobs.getLogs(queue, id)).toEqual([]);
  expect((await jobs.getMetrics(queue, "completed")).count).toBeGreaterThanOrEqual(0);
  expect(await jobs.getDedup(queue, "nothing")).toBeUndefined();
  expect(await jobs.getNamed(queue, "nothing")).toBeUndefined();
  expect(await jobs.getStates(queue, [id])).toEqual(new Map([[id, "pending"]]));
  expect(await jobs.isMaxed(queue)).toBe("ok");
  expect(await jobs.isPaused(queue)).toBe(false);
  expect(await jobs.browse(queue, 1)).toHaveLength(1);
  expect(await jobs.pendingSize(queue)).toBeGreaterThan(0);
  expect((await jobs.getSizes(queue, ["pending", "completed"])).pending).toBeGreaterThan(0);
  expect(await jobs.getMinutes(queue, "completed")).toBeInstanceOf(Map);
  expect(jobs.listKey(queue, "scheduled")).toBe(`emq:{${queue}}:schedule`);
}

/** What a reader does to a whole queue. */
export async function lookFromAbove(engine: Engine, queue: string): Promise<void> {
  const operator = new Operator(engine, new Jobs(engine), queue);
  const first = await operator.listIds("pending", { limit: 1 });
  expect(first.ids).toHaveLength(1);
  const told = await explainJob({ engine, keys: new QueueKeys(queue) }, first.ids[0] ?? "");
  expect(told.state).toBe("pending");
  if (first.cursor !== undefined) await operator.listIds("pending", { cursor: first.cursor });
  expect((await operator.listIds("pending", { from: "last" })).ids.length).toBeGreaterThan(0);
  expect(await operator.oldestPendingAge()).toBeGreaterThanOrEqual(0);
  expect(await operator.throughput({ minutes: 5 })).toHaveLength(5);
  expect(await operator.queues({ scan: true })).toContain(queue);
}

/** What an operator does. */
export async function operate(target: Target, queue: string, producer: Target = target): Promise<void> {
  const jobs = jobsOn(target);
  const adder = jobsOn(producer);
  await jobs.pause(queue);
  expect(await jobs.isPaused(queue)).toBe(true);
  await jobs.resume(queue);
  expect(await jobs.freeName(queue, "nothing")).toBe(false);
  await jobs.setLimits(queue, { concurrency: 5 });
  await jobs.setLimits(queue, { concurrency: null });
  expect(await jobs.rateLimitTtl(queue)).toBe(0);
  expect(await jobs.pauseWorker(queue, "nobody", true)).toBe("gone");
  const newId = newIds();
  const ids = [newId(), newId(), newId(), newId()] as const;
  await jobs.publish(queue, "noticed", ids[0]);
  for (const id of ids.slice(0, 2)) await adder.enqueue(queue, id, "x");
  await adder.enqueueIn(queue, ids[2], "x", 60_000);
  expect(await jobs.release(queue, ids[2])).toBe("ok");
  expect(await jobs.removeJob(queue, ids[2], undefined, { force: true })).toBe("ok");
  expect(await jobs.cancel(queue, ids[0], "no longer wanted")).toBe("removed");
  expect(await jobs.removeJob(queue, ids[1])).toBe("ok");
  const dead = await kill(adder, queue, ids[3]);
  expect(await jobs.reprocessJob(queue, dead)).toBe("ok");
  expect(await jobs.removeJob(queue, dead)).toBe("ok");
  await operateWhole(jobs, queue, adder);
}

/** The operator's verbs for many jobs, each as one act. */
async function operateWhole(jobs: Jobs, queue: string, adder: Jobs): Promise<void> {
  const newId = newIds();
  const [waiting, later, dead] = [newId(), newId(), newId()];
  await kill(adder, queue, dead);
  expect(await jobs.revive(queue, [dead])).toBe(1);
  expect(await jobs.clean(queue, "pending", [dead])).toBe(1);
  await adder.enqueue(queue, waiting, "x");
  await adder.enqueueIn(queue, later, "x", 60_000);
  expect(await jobs.changePriority(queue, waiting, 3)).toBe("ok");
  expect(await jobs.changeDelay(queue, later, 90_000)).toBe("ok");
  expect(await jobs.drain(queue, { lanes: true, schedule: true })).toBeGreaterThanOrEqual(2);
  expect(await jobs.obliterate(queue)).toBe("not_paused");
  await jobs.pause(queue);
  expect(["ok", "more"]).toContain(await jobs.obliterate(queue, { force: true }));
  expect(await jobs.purge(queue, [`emq:{${queue}}:pending`])).toBe(0);
  await jobs.resume(queue);
}

/** Queue and Worker over a connection: adds, runs, retries and looks at jobs. */
export async function runClasses(connection: ConnectionInput, name: string): Promise<void> {
  const queue = new Queue(name, { connection });
  onTestFinished(() => queue.close());
  const seen: string[] = [];
  const first = await queue.add("first", { n: 1 });
  await queue.addBulk([
    { name: "second", data: { n: 2 } },
    { name: "third", data: { n: 3 }, opts: { delay: 20 } },
  ]);
  const worker = new Worker(name, async (job) => void seen.push(job.name), { connection });
  onTestFinished(() => worker.close());
  await expect.poll(() => [...seen].sort(), { timeout: 30_000 }).toEqual(["first", "second", "third"]);
  await expect.poll(async () => await queue.getState(first.id), { timeout: 30_000 }).toBe("absent");
  await worker.close();
  await queue.pause();
  expect(await queue.isPaused()).toBe(true);
  expect(await queue.workers()).toEqual([]);
  const kept = await queue.add("kept", {});
  expect((await queue.explain(kept.id)).reasons[0]).toEqual({ kind: "paused" });
  expect((await queue.getJob(kept.id))?.name).toBe("kept");
  expect(await queue.getJobCounts("pending")).toEqual({ pending: 1 });
  expect(await queue.count()).toBe(1);
  expect(await queue.getJobs("pending")).toHaveLength(1);
  expect(await queue.updateData(kept.id, { more: true })).toBe("ok");
  expect(await queue.updateProgress(kept.id, 50)).toBe("ok");
  expect(await queue.log(kept.id, "line")).toBe(1);
  expect(await queue.getLogs(kept.id)).toEqual(["line"]);
  expect(await queue.promote(kept.id)).toBe("not_scheduled");
  expect(await queue.retry(kept.id)).toBe("not_dead");
  expect(await queue.changePriority(kept.id, 4)).toBe("ok");
  expect(await queue.changeDelay(kept.id, "1m")).toBe("not_scheduled");
  expect((await queue.listIds("pending")).ids).toEqual([kept.id]);
  expect((await queue.listJobs("pending")).jobs.map(({ name: jobName }) => jobName)).toEqual(["kept"]);
  expect(await queue.oldestPendingAge()).toBeGreaterThanOrEqual(0);
  expect((await queue.throughput({ minutes: 240 })).reduce((sum, { completed }) => sum + completed, 0)).toBe(3);
  expect(await queue.queues()).toContain(name);
  expect(await queue.retryDead()).toBe(0);
  expect(await queue.clean({ state: "dead" })).toBe(0);
  expect(await queue.drain()).toBe(1);
  await queue.resume();
  await queue.obliterate({ force: true });
  await queue.close();
}

/** Ends all jobs that can be claimed now. */
async function drain(jobs: Jobs, queue: string): Promise<void> {
  for (;;) {
    const turn = await jobs.turn(queue, { worker: "drain", leaseMs: LEASE_MS, want: 100 });
    for (const { id, token } of turn.jobs) await jobs.complete(queue, id, token);
    if (turn.jobs.length === 0) return;
  }
}

async function kill(jobs: Jobs, queue: string, id: string): Promise<string> {
  await drain(jobs, queue);
  await jobs.enqueue(queue, id, "x");
  const claimed = await jobs.claim(queue, LEASE_MS);
  if (claimed === undefined) throw new Error("nothing to kill");
  await jobs.retry(queue, claimed.id, claimed.attempts, { delayMs: 1, maxAttempts: 1, error: "no" });
  return claimed.id;
}
