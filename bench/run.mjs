/**
 * One run of one row for one column, in a process of its own: `run.mjs <JSON>`, with what `bench.mjs` tells it. The
 * figures are one line of JSON on standard output.
 */

import { openDriver } from "./driver/driver.mjs";
import * as scale from "./work/scale.mjs";
import * as throughput from "./work/throughput.mjs";
import * as timing from "./work/timing.mjs";

// The bench holds the other end for as long as it lives; a run that outlived it would only disturb the next.
process.stdin.on("end", () => process.exit(1)).resume();
process.stdin.unref();

const task = JSON.parse(process.argv[2]);
const works = { ...throughput, ...timing, ...scale };

if (task.driver === "floor-benchmark") {
  tell(await throughput.floor(task.url, { ...task, isBulk: task.work === "bulk" }));
} else {
  const driver = await openDriver(task.driver, task.url);
  tell(await works[task.work](driver, task));
  await driver.close();
}

function tell(figures) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
