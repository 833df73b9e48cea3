/**
 * What depth costs the server by itself: the plain commands that a job of a `TURN` of one needs, sent one after the
 * other while so many jobs wait, and timed by the server's own counters. Nothing of ours runs.
 *
 *   node bench/micro/depth-server.mjs
 */

import { idOf, PAYLOAD_TEXT, rowOf, SETS } from "../acts.mjs";
import { startBenchServer } from "../bench-server.mjs";
import { countedOf, Exchange, encode } from "../wire.mjs";

const DEPTHS = [1000, 10_000, 100_000, 1_000_000];
const ROUNDS = 7;
const JOBS = 500;
const FILL = 1000;
const LEASE_MS = 30_000;
const COMMANDS = ["zpopmin", "hmget", "hset", "zadd", "zrem", "del"];

const [PENDING, ACTIVE] = SETS;
const server = await startBenchServer();
const exchange = await Exchange.open(server.url);
let [next, waiting] = [0, 0];

/** Adds jobs in one go. */
async function fill(count) {
  for (let left = count; left > 0; left -= FILL) {
    const ids = Array.from({ length: Math.min(left, FILL) }, () => idOf(next++));
    const rows = ids.map((id) =>
      encode(["HSET", rowOf(id), "state", "pending", "attempts", "0", "payload", PAYLOAD_TEXT]),
    );
    const members = encode(["ZADD", PENDING, ...ids.flatMap((id) => ["0", id])]);
    await exchange.send(rows.join("") + members, ids.length + 1);
  }
}

/** Claims the first job and settles it, each command by itself. */
async function turn() {
  const [id] = await exchange.ask("ZPOPMIN", PENDING);
  const row = rowOf(id);
  await exchange.ask("HMGET", row, "state", "attempts", "payload");
  await exchange.ask("HSET", row, "state", "active", "attempts", "1");
  await exchange.ask("ZADD", ACTIVE, String(Date.now() + LEASE_MS), id);
  await exchange.ask("HMGET", row, "state", "attempts");
  await exchange.ask("ZREM", ACTIVE, id);
  await exchange.ask("DEL", row);
}

for (const depth of DEPTHS) {
  await fill(depth - waiting);
  const costs = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await countedOf(server.url, COMMANDS);
    for (let job = 0; job < JOBS; job++) await turn();
    const after = await countedOf(server.url, COMMANDS);
    costs.push((after.us - before.us) / JOBS);
    await fill(JOBS);
  }
  waiting = depth;
  costs.sort((a, b) => a - b);
  const [least, median] = [costs[0], costs[ROUNDS >> 1]];
  console.log(`${depth.toLocaleString("en-US").padStart(9)} jobs: ${median.toFixed(1)} us, least ${least.toFixed(1)}`);
}
exchange.close();
await server.stop();
