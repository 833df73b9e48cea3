/**
 * What depth costs a keyspace in JavaScript that does nothing else: rows of three fields in a `Map` under keys that are
 * put together anew for each call, as those of an act are. A job goes in, is found and marked, and leaves; the more
 * wait, the more of what it touches lies outside the processor's caches.
 *
 *   node --expose-gc bench/micro/depth-floor.mjs
 */

import { idOf, rowOf } from "../acts.mjs";

const DEPTHS = [1000, 10_000, 100_000, 1_000_000];
const ROUNDS = 15;
const PASS = 2000;
/** Passes over the first depth until it is compiled. */
const WARM_PASSES = 40;

const rows = new Map();
let [next, first] = [0, 0];

function add() {
  const id = idOf(next++);
  const fields = [
    ["state", "pending"],
    ["attempts", "0"],
    ["payload", `{"to":"${id}"}`],
  ];
  rows.set(rowOf(id), new Map(fields));
}

function take() {
  const key = rowOf(idOf(first++));
  rows.get(key)?.set("state", "active");
  rows.delete(key);
}

function usedUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Microseconds of the processor for a job. */
function pass() {
  const before = usedUs();
  for (let count = 0; count < PASS; count++) {
    add();
    take();
  }
  return (usedUs() - before) / PASS;
}

for (let count = 0; count < 1000; count++) add();
for (let count = 0; count < WARM_PASSES; count++) pass();
for (const depth of DEPTHS) {
  while (rows.size < depth) add();
  globalThis.gc?.();
  const costs = Array.from({ length: ROUNDS }, pass).sort((a, b) => a - b);
  const [least, median] = [costs[0], costs[ROUNDS >> 1]];
  console.log(
    `${depth.toLocaleString("en-US").padStart(9)} rows: ${median.toFixed(2)} us a job, least ${least.toFixed(2)}`,
  );
}
