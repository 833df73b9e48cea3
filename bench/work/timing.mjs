/**
 * Works that measure moments: from an add to its handler, from a due time to its handler, and from the end of an outage
 * until work goes on.
 *
 * Latencies are those of an open loop: adds are due by the clock. At shares of the most a job that was added late
 * counts from when it was due, so a queue that falls behind cannot hide it; at the rate that every queue keeps up with
 * it counts from the call, since there the way from the clock's thread to the call would be most of what is seen.
 */

import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { percentile, signal } from "../meter.mjs";
import { keepTime, sharedNow } from "../metronome.mjs";
import { JOB_NAME, PAYLOAD } from "../rows.mjs";
import { ask, Exchange } from "../wire.mjs";
import { addInFlight } from "./throughput.mjs";

/** Adds in flight, and handlers at once, while the most of a pipeline is sought. */
const INTENSE = 200;

/** The time at an equal rate that does not count, for each that does. */
const WARM_SHARE = 2;

/** Rest between the most of a pipeline and the latencies, in ms. */
const REST_MS = 1000;

/** A rate that every queue keeps up with, so that columns can be compared at equal load. */
const EQUAL_RATE = 250;

/**
 * Delayed jobs that are added by one bulk: so few that all of them reach the server within a millisecond, since some
 * queues count the delay from there and others from the call.
 */
const DELAYED_BULK = 50;

/** From the first add of delayed jobs until the first is due, in ms, and for each job: all are stored by then. */
const DELAYED_HEAD_MS = 1000;
const DELAYED_MS_PER_JOB = 0.2;

/** Jobs of an outage. */
const STRANDED = 20;

/** Between two tries of an add that was refused, in ms. */
const AGAIN_MS = 10;

/**
 * From add to handler at 250 a second, and at 10, 50 and 90 % of what this queue can do when it does both; and what a
 * bare `PING` takes at the same rate, which is the least that a round trip takes.
 */
export async function latency(driver, { jobs, equalMs, shareMs, url }) {
  const starts = { handle: () => {} };
  await driver.work(async (data) => starts.handle(data), INTENSE);
  const most = await measureMost(driver, starts, jobs);
  const figures = { most };
  // What a quick queue leaves behind more of than a slow one, for the collector and the machine, is no latency.
  globalThis.gc?.();
  await pause(REST_MS);
  const measure = async (name, since, rate, durationMs) => {
    const waits = await openLoop(driver, starts, since, { rate, durationMs });
    figures[`${name} p50`] = percentile(waits, 0.5);
    figures[`${name} p99`] = percentile(waits, 0.99);
    figures[`${name} p99.9`] = percentile(waits, 0.999);
  };
  // While a program is compiled, beside it and on the same cores, some calls wait for milliseconds for a core.
  await openLoop(driver, starts, "calledAt", { rate: EQUAL_RATE, durationMs: WARM_SHARE * equalMs });
  await measure(`${EQUAL_RATE}/s`, "calledAt", EQUAL_RATE, equalMs);
  if (url !== "") {
    const trips = await bareTrips(url, { rate: EQUAL_RATE, durationMs: equalMs });
    figures["PING, 250/s p50"] = percentile(trips, 0.5);
    figures["PING, 250/s p99"] = percentile(trips, 0.99);
  }
  for (const share of [10, 50, 90]) await measure(`${share}%`, "dueAt", (most * share) / 100, shareMs);
  return figures;
}

/** How long a round trip takes that asks for nothing, on a connection of its own. */
async function bareTrips(url, { rate, durationMs }) {
  const exchange = await Exchange.open(url);
  const waits = [];
  const trip = async () => {
    const sentAt = sharedNow();
    await exchange.ask("PING");
    waits.push(sharedNow() - sentAt);
  };
  const trips = [];
  await keepTime({ rate, count: Math.round((rate * durationMs) / 1000) }, () => trips.push(trip()));
  await Promise.all(trips);
  exchange.close();
  return waits;
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

/** How long after its due time, or after the call of its add, each job starts, in ms. */
async function openLoop(driver, starts, since, { rate, durationMs }) {
  const count = Math.max(20, Math.round((rate * durationMs) / 1000));
  const waits = [];
  const all = signal();
  starts.handle = (data) => {
    waits.push(sharedNow() - data[since]);
    if (waits.length === count) all.tell();
  };
  const adds = [];
  await keepTime({ rate, count }, (_, dueAt) => adds.push(driver.add({ ...PAYLOAD, dueAt, calledAt: sharedNow() })));
  await Promise.all(adds);
  await all.heard;
  return waits;
}

/** How long after their due times delayed jobs start; they are due evenly over some seconds. */
export async function delayed(driver, { jobs, durationMs }) {
  const late = [];
  const all = signal();
  await driver.work(async ({ dueAt }) => {
    late.push(Math.max(0, Date.now() - dueAt));
    if (late.length === jobs) all.tell();
  }, 100);
  const firstDueAt = Date.now() + DELAYED_HEAD_MS + jobs * DELAYED_MS_PER_JOB;
  for (let from = 0; from < jobs; from += DELAYED_BULK) {
    const count = Math.min(DELAYED_BULK, jobs - from);
    await driver.addMany(
      Array.from({ length: count }, (_, at) => {
        const dueAt = Math.round(firstDueAt + ((from + at) * durationMs) / jobs);
        // Whoever stores more slowly than expected adds what is due already, and is late.
        const delay = Math.max(1, dueAt - Date.now());
        return { name: JOB_NAME, data: { ...PAYLOAD, dueAt }, opts: { delay } };
      }),
    );
  }
  await all.heard;
  return { p50: percentile(late, 0.5), p99: percentile(late, 0.99) };
}

/**
 * Until jobs that were added during an outage have run, from its end: a server that stood still, connections that were
 * cut, and a server that could not be reached for a while. Whoever adds tries again until it is accepted.
 */
export async function outage(driver, { stillMs, awayMs, serverPid, url }) {
  let count = 0;
  let all = signal();
  await driver.work(async () => {
    count += 1;
    if (count === STRANDED) all.tell(performance.now());
  }, STRANDED);
  /** Adds the jobs and lets the outage be; resolves to the time from its end until they have run, in ms. */
  const measure = async (takeAway, giveBack) => {
    [count, all] = [0, signal()];
    await pause(200);
    await takeAway();
    const adds = Array.from({ length: STRANDED }, () => addAtLast(driver));
    await giveBack();
    const endedAt = performance.now();
    const ranAt = await all.heard;
    await Promise.all(adds);
    return Math.max(0, ranAt - endedAt);
  };
  const cut = (at) => ask(at, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");

  const still = await measure(
    async () => process.kill(serverPid, "SIGSTOP"),
    async () => {
      await pause(stillMs);
      process.kill(serverPid, "SIGCONT");
    },
  );
  const afterCut = await measure(
    () => cut(url),
    async () => {},
  );
  const elsewhere = await freePort();
  const away = await measure(
    async () => {
      await ask(url, "CONFIG", "SET", "port", String(elsewhere.port));
      await cut(elsewhere.url);
      await ask(elsewhere.url, "CLIENT", "KILL", "TYPE", "pubsub");
    },
    async () => {
      await pause(awayMs);
      await ask(elsewhere.url, "CONFIG", "SET", "port", new URL(url).port);
    },
  );
  return {
    [`after ${stillMs / 1000} s of standstill`]: still,
    "after cut connections": afterCut,
    [`after ${awayMs / 1000} s away`]: away,
  };
}

/** Adds a job, as often as it takes. */
async function addAtLast(driver) {
  for (;;) {
    try {
      return await driver.add();
    } catch {
      await pause(AGAIN_MS);
    }
  }
}

/** A port to which the server can go, where no client looks for it. */
async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return { port, url: `valkey://127.0.0.1:${port}` };
}
