/**
 * Two hundred thousand jobs in five thousand lanes on a real server: listed, counted, drained and taken away in slices.
 * That no slice is larger than its budget is shown in `test/unit/queue/operator.test.ts`, by counting members, since
 * the time that an act takes is the machine's; here is shown that the whole comes to an end and leaves nothing.
 */

import { expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../../src/index.ts";
import { RecordingLogger } from "../../../src/testing/test-ports.ts";
import { useServer } from "../../server/use-server.ts";
import { until } from "../valkey/setup-engine.ts";

const JOBS = 200_000;
const LANES = 5000;
const PART = 10_000;

const server = useServer();

function setup(name: string) {
  const queue = new Queue(name, { connection: server().url });
  onTestFinished(() => queue.close());
  const fill = async (isInLanes: boolean) => {
    for (let from = 0; from < JOBS; from += PART) {
      const items = Array.from({ length: PART }, (_, at) => ({
        name: "job",
        data: from + at,
        ...(isInLanes ? { opts: { lane: `lane-${(from + at) % LANES}` } } : {}),
      }));
      await queue.addBulk(items);
    }
  };
  return { queue, fill };
}

it("lists two hundred thousand jobs by page, none of which holds the server (PB-169)", async () => {
  const { queue, fill } = setup("listed");
  await fill(false);
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await queue.listIds("pending", { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    expect(page.ids.length).toBeLessThanOrEqual(1000);
    for (const id of page.ids) seen.add(id);
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(seen.size).toBe(JOBS);
  await queue.obliterate({ force: true });
}, 300_000);

it("takes the whole away while workers run, and leaves no key of it and all of its neighbour (PB-173)", async () => {
  const { queue, fill } = setup("a*");
  const neighbour = setup("ab");
  await neighbour.queue.add("stays", 1);
  await fill(true);
  let runs = 0;
  const workers = [1, 2].map(() => {
    const logger = new RecordingLogger();
    const handler = () => new Promise<void>((resolve) => setTimeout(resolve, ++runs > 0 ? 5 : 0));
    const worker = new Worker("a*", handler, { connection: server().url, concurrency: 20, logger });
    onTestFinished(() => worker.close());
    return worker;
  });
  await until(() => runs > 1000);
  expect((await queue.getJobCounts("lanes")).lanes).toBeGreaterThan(JOBS / 2);
  await queue.obliterate({ force: true });
  await Promise.all(workers.map((worker) => worker.close()));
  const left = ((await server().command("KEYS", "emq:*")) as string[]).filter((key) => key.startsWith("emq:{a*}:"));
  expect(left).toEqual([]);
  expect(await neighbour.queue.getJobCounts("pending")).toEqual({ pending: 1 });
}, 300_000);

it("drains two hundred thousand jobs of five thousand lanes", async () => {
  const { queue, fill } = setup("drained");
  await fill(true);
  expect(await queue.drain({ lanes: true })).toBe(JOBS);
  expect(await queue.getJobCounts("lanes", "pending")).toEqual({ lanes: 0, pending: 0 });
  await queue.obliterate({ force: true });
}, 300_000);
