import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";

const JOBS = 1_000_000;
const PART = 10_000;

/** Jobs after which the memory is compared with that of the end: everything that is made once is there. */
const WARM = 100_000;

const MIB = 2 ** 20;

/** Bytes of the heap after a full collection. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let time = 0; time < 3; time++) collect();
  return process.memoryUsage().heapUsed;
}

test("a million jobs that do nothing leave the heap of their process as it was (PB-172)", async () => {
  const engine = new EmbeddedEngine({ ports: nodePorts() });
  const lease = { engine, release: () => Promise.resolve() };
  const queue = new QueueCore("q", lease);
  let done = 0;
  let tell: () => void = () => undefined;
  const worker = new WorkerCore("q", () => void (++done % PART === 0 && tell()), lease, { concurrency: 100 });
  let warm = 0;
  for (let added = 0; added < JOBS; added += PART) {
    const part = new Promise<void>((resolve) => {
      tell = resolve;
    });
    await queue.addBulk(Array.from({ length: PART }, () => ({ name: "job", data: null })));
    await part;
    if (done === WARM) warm = heapBytes();
  }
  const grown = heapBytes() - warm;
  await worker.close();
  expect(done).toBe(JOBS);
  expect(warm).toBeGreaterThan(0);
  expect(grown / MIB).toBeLessThan(20);
}, 600_000);
