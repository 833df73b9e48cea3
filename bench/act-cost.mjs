/**
 * `npm run bench:acts`: where the time of the server goes, by its own counters: what the commands of an act take, what
 * the script or the module around them takes, and what reading the call and answering it does. For `TURN` of 1, 16 and
 * 100 jobs settled and as many claimed, and `ADMIT` of 100, each by our script, by our native half where it was built,
 * by the shortest script with these effects, and by plain commands (driver/floor-script.mjs and driver/floor-client.mjs
 * say what those leave out). Beside the native half, `TURN` is done by a module of bare calls of the server's
 * interface, the floor of a native act (native/trafikey/examples/floor.rs), which is built by the first run.
 *
 * The calls go over one bare socket, those of a hundred jobs at a time. The ways take turns; of each, the round is
 * shown in which the server took least processor time, or the act least where the system does not tell, since others
 * can only add to that. An act is timed by the clock, so on a machine with much else to do it may come to more than the
 * server in all. A command within a script is counted as by itself: handing it over and back belongs to the script, and
 * what one such call takes is measured by calls that do next to nothing.
 *
 *   --rounds N   rounds, 5 unless told
 *   --quick      one round with a tenth of the jobs, to see that everything runs
 *   --json       one JSON document instead of the tables
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { SCRIPTS } from "../dist/valkey/scripts.generated.js";
import { cargo } from "../scripts/native/cargo.mjs";
import { FLOOR_PATH, MODULE_PATH } from "../scripts/native/module-path.mjs";
import { costOf, costTable } from "./act-cost-report.mjs";
import { admitOf, BASE, idsOf, PAYLOAD_TEXT, SETS, turnOf, wordsOf } from "./acts.mjs";
import { startBenchServer } from "./bench-server.mjs";
import { claimingOf, settlingOf, takingOf } from "./driver/floor-client.mjs";
import { ADMIT_SCRIPT, TURN_KEYS, TURN_SCRIPT } from "./driver/floor-script.mjs";
import { adding } from "./driver/floor-work.mjs";
import { processorUs } from "./meter.mjs";
import { loadNow, machineOf } from "./report.mjs";
import { JOB_NAME } from "./rows.mjs";
import { countersOf, Exchange, encode, infoOf } from "./wire.mjs";

/** Jobs of one run. */
const JOBS = 10_000;

/** Jobs whose acts are sent together: so few that others seldom take the core before the server has done them. */
const TOGETHER = 100;

const LEASE_MS = 30_000;
const RESULT = JSON.stringify({ isSent: true });

/** What one call of a command takes of a script beyond the command: this many calls of the least that there is. */
const BORDER_CALLS = 1000;
const BORDER_SCRIPT = `for n = 1, ${BORDER_CALLS} do redis.call("EXISTS", KEYS[1]) end return 1`;

const shaOf = (text) => createHash("sha1").update(text).digest("hex");
const textOf = (parts) => [encode(parts)];
const scripted = (verb, call) => textOf(wordsOf(["EVALSHA", SCRIPTS[verb].sha], call));
const native = (verb, call) => textOf(wordsOf([`EMQ.${verb}`], call));

/** The acts that are measured, and for each way the commands of one: of so many jobs from a number on. */
const ACTS = [
  ...[1, 16, 100].map((size) => ({
    title: `\`TURN\`, ${size} settled and ${size} claimed`,
    size,
    verb: "TURN",
    ways: {
      script: (from) => scripted("TURN", turnOf(from - size, size, RESULT)),
      "native half": (from) => native("TURN", turnOf(from - size, size, RESULT)),
      "floor, module": (from) => textOf(floorTurn(from, size)),
      "shortest script": (from) => textOf(shortestTurn(from, size)),
      "plain commands": (from) => plainTurn(from, size),
    },
  })),
  {
    title: "`ADMIT` of 100",
    size: 100,
    verb: "ADMIT",
    ways: {
      script: (from) => scripted("ADMIT", admitOf(from, 100)),
      "native half": (from) => native("ADMIT", admitOf(from, 100)),
      "shortest script": (from) => textOf(shortestAdmit(from, 100)),
      "plain commands": (from) => [{ text: adding(idsOf(from, 100)), count: 101 }],
    },
  },
];

function shortestTurn(from, size) {
  const ended = from < size ? [] : idsOf(from - size, size);
  const counts = [LEASE_MS, size, ended.length].map(String);
  return ["EVALSHA", shaOf(TURN_SCRIPT), ...TURN_KEYS, ...counts, ...ended.flatMap((id) => [id, "1", RESULT])];
}

function floorTurn(from, size) {
  const ended = from < size ? [] : idsOf(from - size, size);
  return ["FLOOR.TURN", ...SETS, BASE, "worker", String(Date.now() + LEASE_MS), String(size), ...ended];
}

function plainTurn(from, size) {
  const settling = from < size ? [] : settlingOf(idsOf(from - size, size));
  return [...settling, ...takingOf(size), ...claimingOf(idsOf(from, size), Date.now() + LEASE_MS)];
}

function shortestAdmit(from, size) {
  const rows = idsOf(from, size).flatMap((id) => [id, PAYLOAD_TEXT, JOB_NAME]);
  return ["EVALSHA", shaOf(ADMIT_SCRIPT), "2", SETS[0], BASE, ...rows];
}

async function main() {
  const { rounds, jobs, isJson } = readOptions();
  const { load, isBusy } = loadNow();
  const { modules, absent } = modulesOf();
  const server = await startBenchServer(modules.flatMap((path) => ["--loadmodule", path]));
  const exchange = await Exchange.open(server.url);
  try {
    for (const text of [SCRIPTS.TURN.text, SCRIPTS.ADMIT.text, TURN_SCRIPT, ADMIT_SCRIPT]) {
      await exchange.ask("SCRIPT", "LOAD", text);
    }
    const costs = ACTS.map(() => ({}));
    let borderUs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      borderUs = Math.min(borderUs, await measureBorder(server, exchange));
      for (const [at, act] of ACTS.entries()) {
        const ways = Object.keys(act.ways).filter((way) => !Object.hasOwn(absent, way));
        for (const way of ways) {
          const cost = await measureAct(server, exchange, { act, way, jobs });
          const best = costs[at][way];
          if (best === undefined || takenOf(cost) < takenOf(best)) costs[at][way] = cost;
        }
      }
      process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    }
    const machine = machineOf({ valkey: server.version, rounds, load, isBusy });
    const acts = ACTS.map(({ title, size }, at) => ({ title, size, costs: costs[at] }));
    const found = { machine, borderUs, absent, acts };
    process.stdout.write(isJson ? `${JSON.stringify(found)}\n` : report(found));
  } finally {
    exchange.close();
    await server.stop();
  }
}

/** By what rounds are compared. */
const takenOf = ({ actUs, allUs }) => (Number.isNaN(allUs) ? actUs : allUs);

/** The modules that are there, and for each way that lacks its own the reason. */
function modulesOf() {
  if (!existsSync(MODULE_PATH)) {
    const why = "npm run build:native builds the module";
    return { modules: [], absent: { "native half": why, "floor, module": why } };
  }
  const { isDone, fault } = cargo(["build", "--release", "--locked", "--example", "floor"]);
  if (!isDone) return { modules: [MODULE_PATH], absent: { "floor, module": fault } };
  return { modules: [MODULE_PATH, FLOOR_PATH], absent: {} };
}

/** The cost of a job of an act by one way, on a queue that holds what it needs. */
async function measureAct(server, exchange, { act: { size, verb, ways }, way, jobs }) {
  await server.flush();
  await exchange.ask("SET", "{emq}:version", "echomq:4.0.0");
  const count = Math.ceil(jobs / size);
  let from = 0;
  if (verb === "TURN") {
    // One turn more than is counted: the first has nothing to settle.
    const all = (count + 1) * size;
    for (; from < all; from += 100) {
      await sendActs(exchange, [scripted("ADMIT", admitOf(from, Math.min(100, all - from)))], size);
    }
    await sendActs(exchange, [ways[way](0)], size);
    from = size;
  }
  const calls = Array.from({ length: count }, (_, at) => ways[way](from + at * size));
  const { counters, processorUs: us } = await counted(server, exchange, () => sendActs(exchange, calls, size));
  const names = {
    script: "evalsha",
    "shortest script": "evalsha",
    "native half": `emq.${verb.toLowerCase()}`,
    "floor, module": "floor.turn",
  };
  return costOf({ counters, act: names[way], processorUs: us, jobs: count * size });
}

/** Sends acts of so many jobs, each a list of commands, some of them at a time. */
async function sendActs(exchange, acts, size) {
  const together = Math.max(1, Math.floor(TOGETHER / size));
  for (let at = 0; at < acts.length; at += together) {
    const commands = acts.slice(at, at + together).flat();
    const count = commands.reduce((sum, command) => sum + (command.count ?? 1), 0);
    await exchange.send(commands.map((command) => command.text ?? command).join(""), count);
  }
}

/** What the server counts while something is done. */
async function counted(server, exchange, run) {
  await exchange.ask("CONFIG", "RESETSTAT");
  const before = processorUs(server.pid);
  await run();
  const us = processorUs(server.pid) - before;
  return { counters: countersOf(await infoOf(server.url, "commandstats")), processorUs: us };
}

/** Microseconds that a script takes for one call of a command beyond what the command itself does. */
async function measureBorder(server, exchange) {
  const { counters } = await counted(server, exchange, async () => {
    for (let at = 0; at < 100; at++) await exchange.ask("EVAL", BORDER_SCRIPT, "1", `${BASE}absent`);
  });
  return (counters.eval.us - counters.exists.us) / counters.exists.calls;
}

function report({ machine, borderUs, absent, acts }) {
  const { valkey, node, cores, processor, system, rounds, load } = machine;
  return [
    `Valkey ${valkey}, Node.js ${node}, ${cores} cores (${processor}), ${system}`,
    `The best of ${rounds} ${rounds === 1 ? "round" : "rounds"}, at a load of ${load} when it began.`,
    "Microseconds of the server a job; of a command, calls a job x microseconds a call.",
    `A script takes ${borderUs.toFixed(2)} us for a call of a command beyond the command (an \`EXISTS\` of one key).`,
    ...Object.entries(absent).map(([way, why]) => `Not measured: ${way} (${why}).`),
    "",
    ...acts.flatMap(({ title, costs }) => [costTable(title, costs), ""]),
  ].join("\n");
}

function readOptions() {
  const { values } = parseArgs({
    options: { rounds: { type: "string" }, quick: { type: "boolean" }, json: { type: "boolean" } },
  });
  const isQuick = values.quick === true;
  const rounds = Number(values.rounds ?? (isQuick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) {
    throw new Error(`--rounds must be a whole number from 1 to 100, not ${values.rounds}`);
  }
  return { rounds, jobs: isQuick ? JOBS / 10 : JOBS, isJson: values.json === true };
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench:acts: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
