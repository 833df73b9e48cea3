/**
 * Works that measure moments: from an add to its handler, from a due time to its handler, and from the end of an outage
 * until work goes on.
 *
 * Latencies are those of an open loop: adds are due by the clock, and a job that was added late counts from when it was
 * due, so a queue that falls behind cannot hide it.
 */

import { setTimeout as pause } from "node:timers/promises";
import { percentile, signal } from "../meter.mjs";
import { PAYLOAD } from "../rows.mjs";
import { ask } from "../wire.mjs";
import { addInFlight } from "./throughput.mjs";

/** Adds in flight, and handlers at once, while the most of a pipeline is sought. */
const INTENSE = 200;

/** A rate that every queue keeps up with, so that columns can be compared at equal load. */
const EQUAL_RATE = 250;

/** Jobs of an outage. */
const STRANDED = 20;

/** From add to handler at 250 a second, and at 10, 50 and 90 % of what this queue can do when it does both. */
export async function latency(driver, { jobs, durationMs }) {
  const starts = { handle: () => {} };
  await driver.work(async (data) => starts.handle(data), INTENSE);
  const most = await measureMost(driver, starts, jobs);
  const figures = { most };
  const rates = [["250/s", EQUAL_RATE], ...[10, 50, 90].map((share) => [`${share}%`, (most * share) / 100])];
  for (const [name, rate] of rates) {
    const waits = await openLoop(driver, starts, rate, durationMs);
    figures[`${name} p50`] = percentile(waits, 0.5);
    figures[`${name} p99`] = percentile(waits, 0.99);
    figures[`${name} p99.9`] = percentile(waits, 0.999);
  }
  return figures;
}

async function measureMost(driver, starts, jobs) {
  const all = signal();
  let count = 0;
  starts.handle = () => {
    count += 1;
    if (count === jobs) all.tell(performance.now());
  };
  const startedAt = performance.now();
  await addInFlight(() => driver.add(), INTENSE, jobs);
  return (jobs * 1000) / ((await all.heard) - startedAt);
}

async function openLoop(driver, starts, rate, durationMs) {
  const count = Math.max(20, Math.round((rate * durationMs) / 1000));
  const waits = [];
  const all = signal();
  const startedAt = performance.now();
  const dueAt = (at) => startedAt + (at * 1000) / rate;
  starts.handle = ({ at }) => {
    waits.push(performance.now() - dueAt(at));
    if (waits.length === count) all.tell();
  };
  const adds = [];
  for (let at = 0; at < count; ) {
    for (; at < count && dueAt(at) <= performance.now(); at++) adds.push(driver.add({ ...PAYLOAD, at }));
    await pause(1);
  }
  await Promise.all(adds);
  await all.heard;
  return waits;
}

/** How long after their due times delayed jobs start; they are due evenly over some seconds. */
export async function delayed(driver, { jobs, durationMs }) {
  // All are stored before the first is due.
  const headMs = 1000 + jobs / 4;
  const late = [];
  const all = signal();
  await driver.work(async ({ dueAt }) => {
    late.push(Math.max(0, Date.now() - dueAt));
    if (late.length === jobs) all.tell();
  }, 100);
  const firstDueAt = Date.now() + headMs;
  let at = 0;
  const one = () => {
    const dueAt = Math.round(firstDueAt + (at++ * durationMs) / jobs);
    return driver.add({ ...PAYLOAD, dueAt }, { delay: dueAt - Date.now() });
  };
  await addInFlight(one, INTENSE, jobs);
  await all.heard;
  return { p50: percentile(late, 0.5), p99: percentile(late, 0.99) };
}

/** Until jobs that were added during an outage have run, from its end: a server that stood still, and a lost link. */
export async function outage(driver, { durationMs, serverPid, url }) {
  let count = 0;
  let all = signal();
  await driver.work(async () => {
    count += 1;
    if (count === STRANDED) all.tell(performance.now());
  }, STRANDED);
  const strand = () => Array.from({ length: STRANDED }, () => driver.add().catch(() => driver.add()));
  await pause(200);

  process.kill(serverPid, "SIGSTOP");
  const adds = strand();
  await pause(durationMs);
  process.kill(serverPid, "SIGCONT");
  const goesOnAt = performance.now();
  const stillMs = (await all.heard) - goesOnAt;
  await Promise.all(adds);

  [count, all] = [0, signal()];
  await pause(200);
  await ask(url, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  const cutAt = performance.now();
  const more = strand();
  const cutMs = (await all.heard) - cutAt;
  await Promise.all(more);
  return { "after a standstill": stillMs, "after cut connections": cutMs };
}
