/**
 * From a job's admission to the reply of the claim that takes it, for one consumer that has nothing to do: by a claim
 * that blocks on the native half, and by a wake token and a `TURN`, with native acts and with scripts.
 *
 * `measureWake(port)` measures on a server of 127.0.0.1 that has loaded the module, and empties it. By itself,
 * `node bench/native-wake.mjs [--json] [--quick]` starts one.
 *
 * Both ends are bare sockets of this process, so that no client library is measured. A call is one admission into an
 * empty queue; its time goes from the write of the admission to the last byte of the claim's reply. The ways take turns
 * in rounds, after a warm-up of each.
 */

import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { SCRIPTS } from "../dist/valkey/scripts.generated.js";
import { MODULE_PATH } from "../scripts/native/module-path.mjs";
import { startBenchServer } from "./bench-server.mjs";
import { spread } from "./report.mjs";
import { dial, encode, endOf } from "./wire.mjs";

const BASE = "emq:{wake}:";
const ID = "JOB0Nb1VTbfnu4";
const ROW = `${BASE}job:${ID}`;
const WAIT_MS = "60000";
const LEASE_MS = "60000";

/** The greatest median from `ENQUEUE` to the reply of a claim that blocks, in microseconds. */
export const TARGET_US = 150;

const TURN = ["TURN", `${BASE}pending`, `${BASE}active`, `${BASE}schedule`, `${BASE}wake`, BASE];
const turnArgs = ["worker", LEASE_MS, "1"];
const enqueue = (act) => act(["ENQUEUE", ROW, `${BASE}pending`], [ID, "x"]);
const admit = (act) => act(["ADMIT", BASE, `${BASE}pending`], ["", "1", ID, "x"]);

const native = ([verb, ...keys], args) => [`EMQ.${verb}`, String(keys.length), ...keys, ...args];
const scripted = ([verb, ...keys], args) => ["EVALSHA", SCRIPTS[verb].sha, String(keys.length), ...keys, ...args];

/** What is measured: how the consumer waits, what it asks once it is told, and how the job comes. */
const WAYS = [
  { name: "ENQUEUE, a TURN that blocks", wait: native(TURN, [...turnArgs, "BLOCK", WAIT_MS]), add: enqueue(native) },
  {
    name: "ENQUEUE, a CLAIM that blocks",
    wait: native(["CLAIM", `${BASE}pending`, `${BASE}active`, BASE], [LEASE_MS, "BLOCK", WAIT_MS]),
    add: enqueue(native),
  },
  { name: "ADMIT, a TURN that blocks", wait: native(TURN, [...turnArgs, "BLOCK", WAIT_MS]), add: admit(native) },
  { name: "ADMIT, a token, a native TURN", wait: token(), ask: native(TURN, turnArgs), add: admit(native) },
  { name: "ADMIT, a token, a TURN by script", wait: token(), ask: scripted(TURN, turnArgs), add: admit(scripted) },
];

function token() {
  return ["BLPOP", `${BASE}wake`, "60.000"];
}

/** Measures every way; answers for each its name and microseconds: median, least and greatest of the rounds. */
export async function measureWake(port, { rounds = 5, calls = 1000 } = {}) {
  const [consumer, producer, eye] = await Promise.all([Wire.open(port), Wire.open(port), Wire.open(port)]);
  try {
    for (const verb of ["TURN", "ADMIT"]) await eye.ask(["SCRIPT", "LOAD", SCRIPTS[verb].text]);
    const medians = WAYS.map(() => []);
    for (let round = -1; round < rounds; round += 1) {
      for (const [at, way] of WAYS.entries()) {
        const times = await timesOf(way, { consumer, producer, eye }, round < 0 ? Math.ceil(calls / 5) : calls);
        if (round >= 0) medians[at].push(spread(times).median);
      }
    }
    return WAYS.map(({ name }, at) => ({ name, ...spread(medians[at]) }));
  } finally {
    for (const wire of [consumer, producer, eye]) wire.close();
  }
}

async function timesOf({ wait, ask, add }, { consumer, producer, eye }, calls) {
  const times = [];
  for (let call = 0; call < calls; call += 1) {
    await eye.ask(["FLUSHALL"]);
    const waiting = consumer.ask(wait);
    await untilWaiting(eye);
    const from = performance.now();
    const added = producer.ask(add);
    await waiting;
    if (ask !== undefined) await consumer.ask(ask);
    times.push((performance.now() - from) * 1000);
    await added;
  }
  return times;
}

async function untilWaiting(eye) {
  while (!/^blocked_clients:1\r$/m.test(String(await eye.ask(["INFO", "clients"])))) {
    // It waits as soon as the server has read its call, which is on its way.
  }
}

/** One connection: one call at a time, whose reply is told when all of it is there. */
class Wire {
  #socket;
  #text = "";
  #told;

  static async open(port) {
    return new Wire(await dial(`valkey://127.0.0.1:${port}`));
  }

  constructor(socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      this.#text += text;
      if (endOf(this.#text, 0) !== this.#text.length) return;
      const reply = this.#text;
      this.#text = "";
      if (reply.startsWith("-")) this.#told.reject(new Error(reply.trim()));
      else this.#told.resolve(reply);
    });
  }

  ask(parts) {
    return new Promise((resolve, reject) => {
      this.#told = { resolve, reject };
      this.#socket.write(encode(parts));
    });
  }

  close() {
    this.#socket.destroy();
  }
}

async function main() {
  const { values: flags } = parseArgs({ options: { quick: { type: "boolean" }, json: { type: "boolean" } } });
  const server = await startBenchServer(["--loadmodule", MODULE_PATH]);
  try {
    const port = Number(new URL(server.url).port);
    const rows = await measureWake(port, flags.quick ? { rounds: 1, calls: 200 } : {});
    if (flags.json) return console.log(JSON.stringify({ targetUs: TARGET_US, rows }, undefined, 2));
    for (const { name, median, min, max } of rows) {
      console.log(`${name.padEnd(34)} ${median.toFixed(0)} us (${min.toFixed(0)} to ${max.toFixed(0)})`);
    }
  } finally {
    await server.stop();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
