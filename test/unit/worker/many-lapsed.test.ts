import { describe, expect, test } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";

const LEASE_MS = 1000;
const COUNT = 20_000;

/** A queue in which a process that died left many leases. */
async function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const lease = { engine, release: () => Promise.resolve() };
  const queue = new QueueCore("q", lease);
  for (let from = 0; from < COUNT; from += 1000) {
    await queue.addBulk(Array.from({ length: 1000 }, (_, at) => ({ name: "job", data: from + at })));
    expect(await queue.jobs.claimBatch("q", 1000, LEASE_MS)).toHaveLength(1000);
  }
  ports.clock.shift(LEASE_MS);
  return { ports, queue, lease };
}

describe("twenty thousand leases that lapsed at once", () => {
  test("are taken back in slices of a hundred, and the queue is free in between (PB-170)", async () => {
    const { queue } = await setup();
    let slices = 0;
    let recovered = 0;
    for (;;) {
      const slice = await queue.jobs.sweep("q");
      expect(slice.recovered.length).toBeLessThanOrEqual(100);
      if (slice.recovered.length === 0) break;
      recovered += slice.recovered.length;
      slices++;
    }
    expect([recovered, slices]).toEqual([COUNT, COUNT / 100]);
    expect(await queue.getJobCounts("pending", "active")).toEqual({ pending: COUNT, active: 0 });
  });

  test("are all run again by a worker that goes on meanwhile, each once (PB-170)", async () => {
    const { ports, queue, lease } = await setup();
    const runs = new Map<unknown, number>();
    const worker = new WorkerCore("q", (job) => void runs.set(job.data, (runs.get(job.data) ?? 0) + 1), lease, {
      concurrency: 100,
    });
    // A thousand a beat, so twenty beats and a few more.
    for (let beat = 0; beat < 60 && runs.size < COUNT; beat++) await ports.clock.advance(1000);
    await worker.close();
    expect(runs.size).toBe(COUNT);
    expect(Math.max(...runs.values())).toBe(1);
    expect(await queue.getJobCounts("completed", "active", "dead")).toEqual({ completed: COUNT, active: 0, dead: 0 });
  });
});
