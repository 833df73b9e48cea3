/**
 * A day of retries in a moment, and the same every time: how to test what jobs do over hours.
 *
 * The embedded engine takes its time from a clock that this program moves. Nothing here waits.
 *
 *   node examples/virtual-time.mjs
 */

import { Queue, Worker } from "echomq";
import { checkInvariants, createTestPorts, EmbeddedEngine } from "echomq/testing";

const ports = createTestPorts({ seed: 7 });
const engine = new EmbeddedEngine({ ports });
const backups = new Queue("backups", { connection: engine });

const begin = ports.clock.now();
const hours = () => Math.round((ports.clock.now() - begin) / 3_600_000);

const worker = new Worker(
  "backups",
  (job) => {
    console.log(`hour ${hours()}: attempt ${job.attempt}`);
    if (job.attempt < 4) throw new Error("the disk is full");
  },
  { connection: engine, attempts: 5, backoff: { type: "exponential", delay: "2h" }, beat: "1m" },
);

await backups.add("nightly", {}, { delay: "8h" });
await ports.clock.advance(24 * 3_600_000);

const { pending, schedule, completed } = await backups.getJobCounts();
console.log(`after a day: ${pending + schedule} left, ${completed} completed`);
console.log(`keys that do not fit together: ${(await checkInvariants(engine, "backups")).length}`);

const closed = worker.close();
await ports.clock.advance(1000);
await closed;
