/**
 * The doctor at the size that it promises: 200,000 jobs in 5,000 lanes, with workers running. It finds each of the few
 * things that are wrong among them and nothing else, no act or command holds the server above its budget of members,
 * and its own memory does not grow with the queue.
 */

import { expect, it } from "vitest";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { ValkeyEngine } from "../../../src/valkey/valkey-engine.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import { useServer } from "../../server/use-server.ts";
import { HEAP_BYTES_MAX, heldBytes, MEMBERS_MAX, measured } from "./measured-engine.ts";

const server = useServer();

const QUEUE = "large";
const JOBS = 200_000;
const LANES = 5000;
const KEY = (suffix: string) => `emq:{${QUEUE}}:${suffix}`;

async function openEngine(): Promise<ValkeyEngine> {
  const engine = new ValkeyEngine({ connection: { path: server().socketPath }, ports: nodePorts() });
  await engine.ready();
  return engine;
}

it("goes through 200,000 jobs in 5,000 lanes beside workers, finds what is wrong, and mends it", async () => {
  const [engine, working] = await Promise.all([openEngine(), openEngine()]);
  const jobs = new Jobs(engine);
  const mint = createMinter({ node: 1, clock: () => Date.now() });
  for (let at = 0; at < JOBS; at += 1000) {
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      id: mint("JOB"),
      payload: "1",
      lane: `lane-${(at + index) % LANES}`,
    }));
    await jobs.admit(QUEUE, rows);
  }
  const release = () => Promise.resolve();
  let runs = 0;
  const handle = async () => {
    runs += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const worker = new WorkerCore(QUEUE, handle, { engine: working, release }, { concurrency: 10 });

  const lost = mint("JOB");
  await engine.command(["HSET", KEY(`job:${lost}`), "state", "pending", "attempts", "0", "payload", "p"]);
  await engine.command(["ZADD", KEY("g:lane-77:pending"), "0", mint("JOB")]);
  await engine.command(["HSET", KEY("gactive"), "lane-none", "3"]);
  await engine.command(["RPUSH", KEY("ring"), "lane-gone"]);
  await engine.command(["RPUSH", KEY(`job:${mint("JOB")}:logs`), "line"]);
  const wrong = { "row-place": 1, "member-row": 1, "lane-active": 1, "lane-ring": 1, "side-key": 1 };

  const view = measured(engine);
  const before = heldBytes();
  const found = await inspectQueue(view.engine, QUEUE);
  // Workers may have come upon the stray member and the stale lane, and dropped them, before the doctor did.
  expect(wrong).toMatchObject(found.counts);
  expect(found.counts).toMatchObject({ "row-place": 1, "lane-active": 1, "side-key": 1 });
  expect(found.looked.lanes).toBeGreaterThanOrEqual(LANES);
  expect(view.largest()).toBeLessThanOrEqual(MEMBERS_MAX);
  expect(view.held() - before).toBeLessThan(HEAP_BYTES_MAX);
  expect(runs).toBeGreaterThan(0);

  const mended = await inspectQueue(view.engine, QUEUE, { repair: true, destroy: true });
  expect(mended.isClean).toBe(true);
  await worker.close();
  expect(await inspectQueue(view.engine, QUEUE)).toMatchObject({ isClean: true, findings: [] });
  expect(view.largest()).toBeLessThanOrEqual(MEMBERS_MAX);
  await Promise.all([engine.close(), working.close()]);
}, 3_600_000);
