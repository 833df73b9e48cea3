/**
 * Works on full queues: what a job costs in memory, what an act costs beside many waiting jobs, for how long one call
 * keeps the server to itself, and how fair weighted lanes are.
 */

import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { signal, startMeter, waitedMs } from "../meter.mjs";
import { BULK, IN_FLIGHT, JOB_NAME, PAYLOAD } from "../rows.mjs";
import { ask, countedOf, infoOf } from "../wire.mjs";
import { addInFlight, fill } from "./throughput.mjs";

/** Jobs that are added to, and then taken from, a queue of each depth. */
const SAMPLE = 5000;

/** Passes over the first depth before those that count; from the fourth on the embedded engine costs the same. */
const WARM_PASSES = 4;

/** How often the acts of each depth are measured, and how many turns of each size in a row. */
const ACT_ROUNDS = 10;
const TURNS = [
  { size: 1, calls: 200 },
  { size: 100, calls: 10 },
];

/** Acts as the server counts them: all scripts as one, native commands each by its name. */
const ACTS = ["evalsha", "emq.admit", "emq.turn"];

const LEASE_MS = 600_000;

/** Rest between filling a queue and measuring beside what waits, in ms. */
const REST_MS = 1000;

/** Weights of the lanes of `fairness`. */
const WEIGHTS = [1, 2, 4, 8];

/** What the server logs as slow, in microseconds, and how much of it. */
const SLOW_US = 20;
const SLOW_ENTRIES = 20_000;

/** Bytes of a waiting job for each size of its payload, and of one without a name where a queue can do without. */
export async function memory(driver, { jobs, sizes, serverPid, server, url }) {
  const figures = {};
  // Scripts, buffers of sockets and the queue's own keys are there before the first job is weighed.
  await fill(driver, BULK);
  const weigh = async (figure, size, name) => {
    const before = await bytesOf({ serverPid, server, url });
    const data = { text: "x".repeat(Math.max(0, size - 11)) };
    await fill(driver, jobs, undefined, () => data, name);
    figures[figure] = ((await bytesOf({ serverPid, server, url })) - before) / jobs;
  };
  const [least, ...others] = sizes;
  await weigh(`${least} B`, least, JOB_NAME);
  if (driver.noName !== undefined) await weigh(`${least} B, no name`, least, driver.noName);
  for (const size of others) await weigh(`${size} B`, size, JOB_NAME);
  return figures;
}

async function bytesOf({ serverPid, server, url }) {
  if (server === "valkey" || server === "module") return Number((await infoOf(url, "memory")).used_memory);
  if (server === "serve") {
    const resident = readFileSync(`/proc/${serverPid}/status`, "utf8").match(/VmRSS:\s+(\d+)/);
    return Number(resident[1]) * 1024;
  }
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Adds to and takes from a queue in which that many jobs wait, and does single acts on it. */
export async function depth(driver, { depths, serverPid, server, url }) {
  const figures = {};
  let waiting = 0;
  // The first depth again and again, of which the last counts: what a program costs until it is compiled is no matter
  // of depth, and would make the greater depths look cheap.
  for (const depth of [...Array(WARM_PASSES).fill(depths[0]), ...depths]) {
    await fill(driver, depth - waiting);
    // What filling left to collect, and what the machine holds back after it, is no matter of depth either.
    globalThis.gc?.();
    await pause(REST_MS);
    const place = `at ${depth.toLocaleString("en-US")}`;
    if (driver.acts !== undefined && server !== "serve") {
      for (const [name, us] of Object.entries(await costOfActs(driver.acts, { serverPid, url }))) {
        figures[`${name} ${place}`] = us;
      }
    }
    const readAdd = startMeter(serverPid);
    await addInFlight(() => driver.add(), IN_FLIGHT, SAMPLE);
    const added = readAdd(SAMPLE);
    const all = signal();
    let count = 0;
    const readWork = startMeter(serverPid);
    await driver.work(async () => {
      count += 1;
      if (count === SAMPLE) all.tell(readWork(SAMPLE));
    }, 100);
    const worked = await all.heard;
    await driver.stopWorkers();
    // What ran beyond the sample until the worker was closed is filled up again before the next depth.
    waiting = depth + SAMPLE - count;
    for (const [name, counted] of [
      ["add", added],
      ["process", worked],
    ]) {
      // The embedded engine has no server: all of it is the processor time of this process.
      const us = serverPid === 0 ? counted.clientUs : counted.serverUs;
      if (us !== undefined) figures[`${name} ${place}`] = us;
    }
  }
  return figures;
}

/**
 * Microseconds of single acts by the server's own count, or of this process where it has none. As many jobs are
 * admitted as are claimed, so the queue is as long afterwards.
 */
async function costOfActs(acts, { serverPid, url }) {
  const used = serverPid === 0 ? usedHere : async () => (await countedOf(url, ACTS)).us;
  const spent = {};
  const count = async (name, calls, act) => {
    const before = await used();
    for (let at = 0; at < calls; at++) await act();
    const { us = 0, calls: earlier = 0 } = spent[name] ?? {};
    spent[name] = { us: us + (await used()) - before, calls: earlier + calls };
  };
  let held = [];
  const turn = async (want) => {
    held = await acts.turn(held, { want, leaseMs: LEASE_MS });
  };
  for (let round = 0; round < ACT_ROUNDS; round++) {
    for (const { size, calls } of TURNS) {
      await count("ADMIT 100", (size * calls) / 100, () => acts.admit(100));
      // Before and after, so that each of those that are counted settles as many as it claims.
      await turn(size);
      await count(`TURN ${size}+${size}`, calls - 1, () => turn(size));
      await turn(0);
    }
  }
  return Object.fromEntries(Object.entries(spent).map(([name, { us, calls }]) => [name, us / calls]));
}

/** Microseconds of processor time of this process. */
function usedHere() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The longest time that one call of an operator keeps everybody else waiting, in ms. */
export async function stall(driver, { jobs, server, url }) {
  const watch = server === "none" ? watchLoop : await watchServer(url);
  const figures = {};
  const measure = async (name, call, prepare) => {
    if (call === undefined) return;
    await prepare?.();
    // Jobs that have waited for a while are no young objects: the call does not owe what filling left to collect.
    globalThis.gc?.();
    const read = await watch();
    await call();
    figures[name] = await read();
  };
  const refill = () => fill(driver, jobs);
  await refill();
  await measure("list", driver.list);
  await measure("drain", driver.drain);
  await measure("clean", driver.cleanWaiting, refill);
  if (driver.workKeepingAll !== undefined) {
    await measure(
      "retention",
      () => trim(driver),
      () => complete(driver, jobs),
    );
  }
  await measure("obliterate", driver.obliterate, refill);
  return figures;
}

/** Ends that many jobs, all of which are kept. */
async function complete(driver, jobs) {
  await fill(driver, jobs);
  const all = signal();
  let count = 0;
  await driver.workKeepingAll(async () => {
    count += 1;
    if (count === jobs) all.tell();
  });
  await all.heard;
  await driver.stopWorkers();
}

/** Ends a few jobs more under the rule that only a thousand are kept, so that the others have to go. */
async function trim(driver) {
  const all = signal();
  let count = 0;
  await driver.work(
    async () => {
      count += 1;
      if (count === 500) all.tell();
    },
    10,
    { isKept: true },
  );
  await fill(driver, 500);
  await all.heard;
  await driver.stopWorkers();
}

/** The server's own log of slow commands. It counts by the wall, and so what the machine takes from the server. */
async function watchServer(url) {
  await ask(url, "CONFIG", "SET", "slowlog-log-slower-than", String(SLOW_US));
  await ask(url, "CONFIG", "SET", "slowlog-max-len", String(SLOW_ENTRIES));
  return async () => {
    // What frees a long log takes long, and is the first entry of the new one; so the new one goes as well.
    await ask(url, "SLOWLOG", "RESET");
    await ask(url, "SLOWLOG", "RESET");
    return async () => {
      // The log is an array of arrays, whose third number is the time; a script of one line makes it one number.
      const script =
        "local most = 0 for _, entry in ipairs(redis.call('SLOWLOG', 'GET', '-1')) do " +
        "if entry[3] > most then most = entry[3] end end return most";
      return Number(await ask(url, "EVAL", script, "0")) / 1000;
    };
  };
}

/**
 * The longest time between two turns of the event loop, without the time in which this thread had no core, or the
 * processor time of the process meanwhile if that is less: what another process of the machine takes is not counted.
 */
async function watchLoop() {
  let most = 0;
  let isOver = false;
  const now = () => performance.now() - waitedMs();
  let startedAt = now();
  let used = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(used);
    most = Math.max(most, Math.min(now() - startedAt, (user + system) / 1000));
    if (isOver) return;
    startedAt = now();
    used = process.cpuUsage();
    setImmediate(look);
  };
  setImmediate(look);
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    isOver = true;
    return most;
  };
}

/** How far the shares of lanes, all of them full, are from their weights: the greatest error, in percent. */
export async function fairness(driver, { jobs, concurrency }) {
  const sum = WEIGHTS.reduce((all, weight) => all + weight, 0);
  for (const weight of WEIGHTS) await driver.weigh(`lane-${weight}`, weight);
  const lanes = WEIGHTS.length;
  const laneOf = (at) => `lane-${WEIGHTS[at % lanes]}`;
  await fill(
    driver,
    jobs * lanes,
    (at) => ({ lane: laneOf(at) }),
    (at) => ({ ...PAYLOAD, campaign: at }),
  );
  const starts = new Map();
  const all = signal();
  let count = 0;
  await driver.work(async ({ campaign }) => {
    if (count < jobs) starts.set(laneOf(campaign), (starts.get(laneOf(campaign)) ?? 0) + 1);
    count += 1;
    if (count === jobs) all.tell();
  }, concurrency);
  await all.heard;
  const errors = WEIGHTS.map((weight) => Math.abs(((starts.get(`lane-${weight}`) ?? 0) * sum) / (jobs * weight) - 1));
  return { error: Math.max(...errors) * 100 };
}
