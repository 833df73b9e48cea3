/**
 * Tells when the jobs of an open loop are due, from a thread of its own.
 *
 * A timer of the event loop that is measured fires up to a millisecond after its time, which is more than a quick queue
 * takes from an add to the handler; and looking at the clock without a pause would take a core from the server. A
 * thread that sleeps is off by less than a tenth of that. Its word is waited for like any other input, so an event loop
 * that is busy hears it late, and that is the queue's own doing.
 */

import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** From the word that the thread is there to the first job, in ms. */
const HEAD_MS = 10;

/** The clock that all threads of a process share, in ms. */
export function sharedNow() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Calls `onDue` with the number of each job and when it was due by {@link sharedNow}; resolves after the last. Jobs are
 * due on whole milliseconds, so above a thousand a second several are due together.
 */
export async function keepTime({ rate, count }, onDue) {
  const thread = new Worker(fileURLToPath(import.meta.url), { workerData: { rate, count } });
  const [startAt] = await once(thread, "message");
  let next = 0;
  thread.on("message", (end) => {
    for (; next < end; next++) onDue(next, startAt + tickOf(next, rate));
  });
  await once(thread, "exit");
}

/** Milliseconds from the start until a job is due. */
function tickOf(at, rate) {
  return Math.floor((at * 1000) / rate);
}

if (!isMainThread) {
  const { rate, count } = workerData;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const startAt = sharedNow() + HEAD_MS;
  parentPort.postMessage(startAt);
  for (let end = 0; end < count; ) {
    const tick = tickOf(end, rate);
    while (end < count && tickOf(end, rate) === tick) end += 1;
    const leftMs = startAt + tick - sharedNow();
    if (leftMs > 0) Atomics.wait(cell, 0, 0, leftMs);
    parentPort.postMessage(end);
  }
}
