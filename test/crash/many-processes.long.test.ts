/**
 * Sixteen worker processes on one queue: each job is run once and settled once, and every process has its share.
 */

import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/connect.ts";
import { Queue } from "../../src/index.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { useServer } from "../server/use-server.ts";
import { type ChildLine, WorkerProcess } from "./worker-process.ts";

const PROCESSES = 16;
const JOBS = 4000;
const DEADLINE_MS = 300_000;

const server = useServer();

describe("sixteen processes on one queue", () => {
  it("run and settle each of four thousand jobs once", async () => {
    const connection = { url: server().url, commandTimeoutMs: DEADLINE_MS };
    const queue = new Queue<{ step: { ms: number } }>("shared", { connection });
    const lease = connect(connection);
    // All of them begin together, whoever of them was started first.
    await queue.pause();
    const added = await queue.addBulk(Array.from({ length: JOBS }, () => ({ name: "step", data: { ms: 2 } })));
    const lines: ChildLine[] = [];
    const shares = new Map<WorkerProcess, number>();
    let onAll = (): void => {};
    const all = new Promise<void>((resolve) => {
      onAll = resolve;
    });
    let settled = 0;
    const onLine = (line: ChildLine, worker: WorkerProcess): void => {
      lines.push(line);
      if (line.event === "start") shares.set(worker, (shares.get(worker) ?? 0) + 1);
      if (line.event === "settled" && ++settled === JOBS) onAll();
    };
    // A lease outlives any wait of a busy machine, so no job may run twice for that reason.
    const options = { url: server().url, queue: "shared", worker: { lease: DEADLINE_MS }, onLine };
    const workers = Array.from({ length: PROCESSES }, () => new WorkerProcess(options));
    onTestFinished(async () => {
      for (const worker of workers) worker.signal("SIGKILL");
      await Promise.all(workers.map((worker) => worker.ended));
      await queue.close();
      await lease.release();
    });
    await Promise.all(workers.map((worker) => worker.ready));
    await queue.resume();
    await all;
    for (const worker of workers) worker.signal("SIGTERM");
    for (const worker of workers) expect(await worker.ended).toEqual({ code: 0, signal: null });
    const ids = new Set(added.map((job) => job.id));
    for (const event of ["start", "settled"] as const) {
      const of = lines.filter((line) => line.event === event).map((line) => line.id);
      expect(of).toHaveLength(JOBS);
      expect(new Set(of)).toEqual(ids);
    }
    expect(lines.filter(({ event }) => event === "lost" || event === "failed")).toEqual([]);
    expect(shares.size).toBe(PROCESSES);
    expect(await queue.getJobCounts("completed", "failed")).toMatchObject({ completed: JOBS, failed: 0 });
    expect(await checkInvariants(lease.engine, "shared")).toEqual([]);
  });
});
