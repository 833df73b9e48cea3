/** Jobs that die lie in their own queue, whatever they are called. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";

describe("dead jobs", () => {
  it("of the same jobId in two queues are one in each, with its own error (PB-190)", async () => {
    const ports = createTestPorts();
    const engine = new EmbeddedEngine({ ports });
    const lease = { engine, release: () => Promise.resolve() };
    const queues = ["a", "b"].map((name) => new QueueCore(name, lease, { node: 1 }));
    const workers = queues.map(
      ({ name }) => new WorkerCore(name, () => Promise.reject(new Error(`died in ${name}`)), lease, { attempts: 1 }),
    );
    for (const queue of queues) await queue.add("job", {}, { jobId: "1" });
    await ports.clock.advance(100);
    for (const queue of queues) {
      const { jobs } = await queue.listJobs("dead");
      expect(jobs.map(({ jobId, lastError }) => [jobId, lastError?.split("\n")[0]])).toEqual([
        ["1", `Error: died in ${queue.name}`],
      ]);
    }
    await Promise.all([...workers, ...queues].map((each) => each.close()));
  });
});
