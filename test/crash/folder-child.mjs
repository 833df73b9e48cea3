/**
 * A process that works on a store in a folder, and that tests kill. It runs on the built package, and loads no more of
 * it than it needs, since hundreds are started.
 *
 * Arguments: folder, number of this life. It adds jobs, claims and ends them, several at a time, with `fsync: always`
 * and snapshots all the while. Each line is written at once and past every buffer: `ready`, `added <id>`,
 * `ending <id> <token>` before a job is ended, `done <id> <token>` or `dead <id> <token>` once that was acknowledged.
 */

import { writeSync } from "node:fs";
import { EmbeddedEngine } from "../../dist/embedded/embedded-engine.js";
import { nodeFileLayer } from "../../dist/node-file-layer.js";
import { nodePorts } from "../../dist/node-ports.js";
import { createMinter } from "../../dist/protocol/mint.js";
import { Jobs } from "../../dist/queue/jobs.js";

const [folder, life] = process.argv.slice(2);
const QUEUE = "q";
const LEASE_MS = 600_000;
const say = (...words) => writeSync(1, `${words.join(" ")}\n`);

const store = { layer: nodeFileLayer(), folder, fsync: "always", compactBytesMin: 30_000 };
const jobs = new Jobs(await EmbeddedEngine.open({ ports: nodePorts(), store }));
const mint = createMinter({ node: Number(life) % 1024, clock: Date.now });
say("ready");

const add = async () => {
  for (let at = 0; ; at++) {
    const id = mint("JOB");
    await jobs.enqueue(QUEUE, id, "x".repeat((at * 37) % 500));
    say("added", id);
  }
};

const end = async () => {
  for (let at = 0; ; at++) {
    const job = await jobs.claim(QUEUE, LEASE_MS);
    if (job === undefined) continue;
    const { id, attempts } = job;
    say("ending", id, attempts);
    if (at % 4 === 0) {
      await jobs.retry(QUEUE, id, attempts, { delayMs: 0, maxAttempts: 1, error: "no" });
      say("dead", id, attempts);
    } else {
      await jobs.complete(QUEUE, id, attempts, "ok");
      say("done", id, attempts);
    }
  }
};

await Promise.all([add(), add(), add(), end(), end()]);
