/**
 * Worker processes that are killed and frozen in the middle of their work.
 *
 * Two facts are demanded, whatever dies when: every job runs at least once, and the server takes one settlement a job
 * and no more. The children say what they did line by line, the server counts what it took, and afterwards the keys of
 * the queue are looked at.
 */

import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/connect.ts";
import { Queue } from "../../src/index.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { useServer } from "../server/use-server.ts";
import { type ChildLine, WorkerProcess } from "./worker-process.ts";

const LEASE_MS = 500;
const JOB_MS = 15;
const DEADLINE_MS = 90_000;

const server = useServer();

/** A queue of `jobs` jobs with workers whose lines are gathered. */
async function setup(name: string, jobs: number) {
  const url = server().url;
  const connection = { url, commandTimeoutMs: DEADLINE_MS };
  const queue = new Queue<{ step: { ms: number } }>(name, { connection });
  const lease = connect(connection);
  const workers = new Set<WorkerProcess>();
  onTestFinished(async () => {
    for (const worker of workers) worker.signal("SIGKILL");
    await Promise.all([...workers].map((worker) => worker.ended));
    await queue.close();
    await lease.release();
  });
  await lease.engine.ready();
  const added = await queue.addBulk(Array.from({ length: jobs }, () => ({ name: "step", data: { ms: JOB_MS } })));
  const lines: ChildLine[] = [];
  const start = (onLine: (line: ChildLine, worker: WorkerProcess) => void = () => {}) => {
    const worker = new WorkerProcess({
      url,
      queue: name,
      worker: { lease: LEASE_MS },
      onLine: (line, from) => {
        lines.push(line);
        onLine(line, from);
      },
    });
    workers.add(worker);
    return worker;
  };
  return { queue, engine: lease.engine, ids: added.map((job) => job.id), lines, start };
}

type Setup = Awaited<ReturnType<typeof setup>>;

/** Resolves when no job is left; other processes do the work, so there is nothing to wait for but the counts. */
async function untilEmpty({ queue }: Setup): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    const { pending, active, schedule } = await queue.getJobCounts("pending", "active", "schedule");
    if (pending + active + schedule === 0) return;
    await pause(25);
  }
  throw new Error(`jobs were left after ${DEADLINE_MS} ms: ${JSON.stringify(await queue.getJobCounts())}`);
}

/** Ends workers as a deployment does, so that nothing of theirs is under way any more. */
async function closeAll(workers: readonly WorkerProcess[]): Promise<void> {
  // The last replacement may have been started a moment ago.
  await Promise.all(workers.map((worker) => Promise.race([worker.ready, worker.ended])));
  for (const worker of workers) worker.signal("SIGTERM");
  for (const worker of workers) expect(await worker.ended).toEqual({ code: 0, signal: null });
}

const idsOf = (lines: readonly ChildLine[], event: ChildLine["event"]) =>
  lines.filter((line) => line.event === event).map((line) => line.id);

function expectEachSettledOnce({ ids, lines }: Setup): void {
  expect(new Set(idsOf(lines, "start"))).toEqual(new Set(ids));
  const settled = idsOf(lines, "settled");
  expect(settled).toHaveLength(new Set(settled).size);
  const lastToken = new Map<string, number>();
  for (const { event, id, token } of lines) {
    if (event === "start") lastToken.set(id, Math.max(token, lastToken.get(id) ?? 0));
  }
  const overtaken = lines.filter(({ event, id, token }) => event === "settled" && token < (lastToken.get(id) ?? 0));
  expect(overtaken).toEqual([]);
}

describe("a worker process that is killed", () => {
  it("costs no job and settles none twice, six times within a thousand jobs", async () => {
    const test = await setup("killed", 1000);
    const alive = new Set<WorkerProcess>();
    let starts = 0;
    let kills = 0;
    const onLine = ({ event }: ChildLine, worker: WorkerProcess) => {
      if (event !== "start") return;
      starts++;
      // In the middle of whatever it does at this line; a fresh one takes its place.
      if (kills === 6 || starts < (kills + 1) * 130 || !alive.delete(worker)) return;
      kills++;
      worker.signal("SIGKILL");
      alive.add(test.start(onLine));
    };
    for (let at = 0; at < 3; at++) alive.add(test.start(onLine));

    await untilEmpty(test);
    await closeAll([...alive]);

    expect(kills).toBe(6);
    expectEachSettledOnce(test);
    // The counter of the server is the witness for what killed processes settled and could not tell any more.
    expect(await test.queue.getJobCounts("completed", "failed", "dead")).toEqual({
      completed: 1000,
      failed: 0,
      dead: 0,
    });
    expect(idsOf(test.lines, "start").length).toBeGreaterThan(1000);
    expect(await checkInvariants(test.engine, test.queue.name, { idle: true })).toEqual([]);
  }, 200_000);

  it("loses to the next holder when it was only frozen and comes back", async () => {
    const test = await setup("frozen", 200);
    const frozen = test.start(({ event }, worker) => {
      if (event === "start" && idsOf(test.lines, "start").length === 25) worker.signal("SIGSTOP");
    });
    await until(() => idsOf(test.lines, "start").length >= 25);
    const other = test.start();
    await untilEmpty(test);
    frozen.signal("SIGCONT");
    await closeAll([frozen, other]);

    expectEachSettledOnce(test);
    expect(await test.queue.getJobCounts("completed", "failed", "dead")).toEqual({
      completed: 200,
      failed: 0,
      dead: 0,
    });
    // What it held was run again by the other: its jobs were started by both.
    expect(idsOf(test.lines, "start").length).toBeGreaterThan(200);
    expect(await checkInvariants(test.engine, test.queue.name, { idle: true })).toEqual([]);
  }, 200_000);
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`nothing happened for ${DEADLINE_MS} ms`);
    await pause(5);
  }
}
