/**
 * A program with a queue and workers that ends by itself once they are closed. It runs on the built package.
 *
 * Arguments: URL, and what it does: `idle` closes after a moment of its own; `signal` hears signals by `closeOnSignal`;
 * `stuck` does so as well, with a handler that never ends. It prints `ready` when they are heard, and at its end what
 * keeps the process, in a line `left <kinds>`.
 */

import { setTimeout as pause } from "node:timers/promises";
import { closeOnSignal, Queue, Worker } from "../../../dist/index.js";

const [url, does] = process.argv.slice(2);
const queue = new Queue("close", { connection: url });
const handler = does === "stuck" ? () => new Promise(() => {}) : () => pause(300);
const workers = ["close", "close", "other"].map((name) => new Worker(name, handler, { connection: url }));
for (const one of [queue, ...workers]) one.on("error", () => {});

const tell = () => {
  // Pipes of the standard streams are the parent's, and reading files is the module loader's; all else would be ours.
  const left = process.getActiveResourcesInfo().filter((kind) => kind !== "PipeWrap" && !kind.startsWith("FSReq"));
  console.log(`left ${left.join(" ")}`);
};

if (does === "idle") {
  await pause(300);
  await Promise.all(workers.map((worker) => worker.close({ timeout: 200 })));
  await queue.close({ timeout: 200 });
  setImmediate(tell);
} else {
  await queue.addBulk(Array.from({ length: 4 }, () => ({ name: "step", data: {} })));
  closeOnSignal([queue, ...workers], {
    timeout: does === "stuck" ? "100ms" : "10s",
    onClosed: () => setImmediate(tell),
  });
  workers[0].once("active", () => console.log("ready"));
}
