/**
 * A process that judges the store that the dead before it left in a folder, works on it, and is killed by a test.
 * build-child.ts makes one file of it and of what it needs of the built package, since hundreds are started.
 *
 * Arguments: the folder; the number of this life; the file of the ledger, which has one line `<id> <state>,<state>` for
 * each job that was told of, with all that it may be now; and what kind of a life it is:
 *
 * - `works`: adds jobs, claims and ends them, several at a time, with `fsync: always` and snapshots all the while.
 * - `lies`: does so on files that get the last writes only later, as a test of the test.
 * - `looks`: ends well after its judgement.
 *
 * Each line is written at once and past every buffer: `opening`, `fault <what>`, `ready`, `added <id>`, `ending <id>`
 * before a job is ended, `done <id>` or `dead <id>` once that was acknowledged.
 */

import { readFileSync, writeSync } from "node:fs";
import { startupSnapshot } from "node:v8";
import { EmbeddedEngine } from "../../dist/embedded/embedded-engine.js";
import { nodeFileLayer } from "../../dist/node-file-layer.js";
import { nodePorts } from "../../dist/node-ports.js";
import { createMinter } from "../../dist/protocol/mint.js";
import { Jobs } from "../../dist/queue/jobs.js";
import { checkInvariants } from "../../dist/testing/invariants.js";

const QUEUE = "q";
const LEASE_MS = 600_000;

/** Writes that a file which lies has not made yet, at most. */
const HELD_BACK = 3;

const say = (...words) => writeSync(1, `${words.join(" ")}\n`);

/** A layer that answers before it has written. */
function lyingLayer() {
  const layer = nodeFileLayer();
  const open = (path, mode) => {
    const file = layer.open(path, mode);
    const heldBack = [];
    const write = (bytes, { from, to, at }) => {
      heldBack.push({ bytes: new Uint8Array(bytes.subarray(from, to)), at });
      while (heldBack.length > HELD_BACK) put(heldBack.shift());
      return to - from;
    };
    const put = ({ bytes, at }) => file.write(bytes, { from: 0, to: bytes.length, at });
    return {
      size: () => file.size(),
      write,
      read: async (target, at) => await file.read(target, at),
      truncate: (size) => file.truncate(size),
      sync: async () => await file.sync(),
      syncNow: () => file.syncNow(),
      close: () => {
        for (const each of heldBack.splice(0)) put(each);
        file.close();
      },
    };
  };
  return Object.create(layer, { open: { value: open } });
}

/** Holds the store against what was told, and takes from the dead what they had in hand, as a sweep would. */
async function judge(engine, jobs, ledger) {
  for (const line of readFileSync(ledger, "utf8").split("\n")) {
    if (line === "") continue;
    const [id, states] = line.split(" ");
    const state = await jobs.getState(QUEUE, id);
    if (!states.split(",").includes(state)) say("fault", `${id} is ${state}, not ${states.replaceAll(",", " or ")}`);
    if (state !== "active") continue;
    const row = await jobs.getRow(QUEUE, id);
    await jobs.giveBack(QUEUE, id, Number(row.get("attempts")));
  }
  for (const { rule, key } of await checkInvariants(engine, QUEUE)) say("fault", rule, key);
}

async function work(jobs, life) {
  const mint = createMinter({ node: life % 1024, clock: Date.now });
  const add = async () => {
    for (let at = 0; ; at++) {
      const id = mint("JOB");
      await jobs.enqueue(QUEUE, id, "x".repeat((at * 37) % 500));
      say("added", id);
    }
  };
  const end = async () => {
    for (let at = 0; ; at++) {
      const job = await jobs.claim(QUEUE, LEASE_MS);
      if (job === undefined) continue;
      const { id, attempts } = job;
      say("ending", id);
      if (at % 4 === 0) {
        await jobs.retry(QUEUE, id, attempts, { delayMs: 0, maxAttempts: 1, error: "no" });
        say("dead", id);
      } else {
        await jobs.complete(QUEUE, id, attempts, "ok");
        say("done", id);
      }
    }
  };
  await Promise.all([add(), add(), add(), end(), end()]);
}

async function live(folder, life, ledger, kind) {
  const layer = kind === "lies" ? lyingLayer() : nodeFileLayer();
  const store = { layer, folder, fsync: "always", compactBytesMin: 10_000 };
  say("opening");
  const engine = await EmbeddedEngine.open({ ports: nodePorts(), store });
  const jobs = new Jobs(engine);
  await judge(engine, jobs, ledger);
  say("ready");
  if (kind !== "looks") await work(jobs, Number(life));
  await engine.close();
}

startupSnapshot.setDeserializeMainFunction(() => {
  live(...process.argv.slice(-4)).catch((error) => {
    say("fault", String(error).replaceAll("\n", " "));
    process.exit(1);
  });
});
