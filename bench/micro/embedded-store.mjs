/**
 * What the embedded engine's parts cost: the sorted set at 10^3 to 10^6 members, and whole acts through the engine.
 *
 * Run `npm run build`, then `node bench/micro/embedded-store.mjs`. Prints one line a row with nanoseconds or jobs a
 * second; nothing asserts on them, since they depend on the machine.
 */

import { performance } from "node:perf_hooks";
import { EmbeddedEngine } from "../../dist/embedded/embedded-engine.js";
import { SortedSetValue } from "../../dist/embedded/store/sorted-set-value.js";
import { createMinter } from "../../dist/protocol/mint.js";

const SIZES = [1e3, 1e4, 1e5, 1e6];
const OPERATIONS = 200_000;

function ids(count) {
  const mint = createMinter({ node: 1, clock: Date.now });
  return Array.from({ length: count }, () => mint("JOB"));
}

/** Nanoseconds of one of `count` runs of `action`. */
function nanoseconds(count, action) {
  const start = performance.now();
  for (let at = 0; at < count; at++) action(at);
  return ((performance.now() - start) / count) * 1e6;
}

function filled(members) {
  const set = new SortedSetValue();
  for (const member of members) set.add(member, 0);
  return set;
}

function sortedSetRow(size) {
  const all = ids(size + OPERATIONS);
  const members = all.slice(0, size);
  const set = filled(members);
  const random = Array.from({ length: OPERATIONS }, () => members[Math.floor(Math.random() * size)]);
  const scan = nanoseconds(OPERATIONS, (at) => set.rankOf(random[at], set.scoreOf(random[at])));
  const rank = nanoseconds(OPERATIONS, (at) => set.at((at * 7919) % size).member);
  const move = nanoseconds(OPERATIONS, (at) => {
    set.remove(random[at], 0);
    set.add(random[at], 0);
  });
  const queue = nanoseconds(OPERATIONS, (at) => {
    set.add(all[size + at], 0);
    set.removeFirst(set.first().member);
  });
  const cells = { "rank of member": scan, "member of rank": rank, "remove and add": move, "append and pop": queue };
  const text = Object.entries(cells).map(([name, ns]) => `${name} ${ns.toFixed(0)} ns`);
  console.log(`sorted set of ${size}: ${text.join(", ")}`);
}

function ports() {
  return {
    clock: { now: Date.now, after: () => ({ cancel() {} }) },
    random: Math.random,
    soon: process.nextTick,
    later: setImmediate,
    logger: console,
    processName: "bench",
  };
}

const BASE = "emq:{bench}:";
const PAYLOAD = JSON.stringify({ to: "ada@example.com", text: "x".repeat(60) });
const BATCH = 100;

function admit(engine, batch) {
  const args = ["", String(batch.length)];
  for (const id of batch) args.push(id, PAYLOAD);
  return engine.act("ADMIT", [BASE, `${BASE}pending`], args);
}

const TURN_KEYS = ["pending", "active", "schedule", "wake", ""].map((type) => BASE + type);

function turn(engine, held, want) {
  const args = ["worker", "30000", String(want)];
  if (held.length > 0) {
    args.push("c", String(held.length / 8));
    for (let at = 0; at < held.length; at += 8) args.push(held[at], String(held[at + 1]));
  }
  return engine.act("TURN", TURN_KEYS, args);
}

async function add(engine, all) {
  for (let at = 0; at < all.length; at += BATCH) await admit(engine, all.slice(at, at + BATCH));
}

/** Claims and completes `count` jobs in acts of `size`. */
async function processJobs(engine, count, size) {
  let held = [];
  for (let done = 0; done < count; done += size) {
    const reply = await turn(engine, held, size);
    held = reply[3];
  }
  await turn(engine, held, 0);
}

async function engineRow(depth) {
  const engine = new EmbeddedEngine({ ports: ports() });
  await add(engine, ids(depth));
  const more = ids(100_000);
  const rate = async (name, count, work) => {
    const start = performance.now();
    await work();
    const seconds = (performance.now() - start) / 1000;
    console.log(`engine with ${depth} waiting: ${name} ${Math.round(count / seconds).toLocaleString("en")}/s`);
  };
  await rate("add, 100 an act", more.length, () => add(engine, more));
  await rate("process, 100 an act", more.length, () => processJobs(engine, more.length, 100));
  await add(engine, ids(20_000));
  await rate("process, 1 an act", 20_000, () => processJobs(engine, 20_000, 1));
  await engine.close();
}

for (const size of SIZES) sortedSetRow(size);
for (const size of [1e3, 1e3, 1e5, 1e6]) await engineRow(size);
