/**
 * A process with a worker, and so a pump, on each of several queues, which tests kill. It runs on the built package.
 *
 * Arguments: URL, names of the queues as JSON. Each step is one line on standard output, written at once and past every
 * buffer, so that what a killed process said is what it did:
 *
 * - `ready`
 * - `start <queue> <job> <token>`: a handler begins
 * - `end <queue> <job> <token>`: the server took its end
 *
 * A job's data say what its handler does: wait for `ms`, add the children of each of its `stages` and wait for them
 * where the stage says so, then fail for good if it `fails`.
 */

import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { UnrecoverableError, Worker } from "../../dist/index.js";

const [url, queuesText] = process.argv.slice(2);
const say = (...words) => writeSync(1, `${words.join(" ")}\n`);

for (const queue of JSON.parse(queuesText)) {
  const run = async ({ id, token, data: { ms, stages, fails } }, { children }) => {
    say("start", queue, id, token);
    await pause(ms);
    for (const { how, literals } of stages) {
      if (how === "run") await children.run(literals);
      else await children.add(literals);
      if (how === "add-wait") await children.wait();
    }
    if (fails) throw new UnrecoverableError("drawn to fail");
  };
  const worker = new Worker(queue, run, {
    connection: url,
    concurrency: 4,
    lease: 1000,
    beat: 200,
    // Nothing that a killed process, or a busy machine, does to a job is its own fault.
    attempts: 1000,
    backoff: 20,
    crashLimit: 1000,
    removeOnComplete: false,
    removeOnFail: false,
  });
  const end = ({ id, token }) => say("end", queue, id, token);
  worker.on("completed", end);
  worker.on("failed", (job, _error, outcome) => (outcome === "dead" ? end(job) : undefined));
  worker.on("error", () => {});
}
say("ready");
