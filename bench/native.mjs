/**
 * `npm run bench:native`: the acts as scripts beside the acts as native commands, on one Valkey server in one run.
 *
 * For each hot verb: calls a second at pipelines of 1, 16 and 64 calls; the time that the server counts for the command
 * itself; and the processor time of its main thread a call, which includes reading and answering, and which no other
 * process of the machine can lengthen. Then whole jobs, added before and processed by one worker, at concurrency 1, 10
 * and 100, and the time from a job's admission to the claim's reply. Both forms take turns within each round, and the
 * one that begins changes with the round; medians are compared.
 *
 *   --rounds N   rounds, 5 unless told
 *   --quick      one round with a tenth of the calls, to see that everything runs
 *   --json       one JSON document instead of the tables
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SCRIPTS } from "../dist/valkey/scripts.generated.js";
import { MODULE_PATH } from "../scripts/native/module-path.mjs";
import { admitOf, BASE, idOf, LEASE_MS, PAYLOAD_TEXT, rowOf, SETS, turnOf, wordsOf } from "./acts.mjs";
import { startBenchServer } from "./bench-server.mjs";
import { measureWake, TARGET_US } from "./native-wake.mjs";
import { machineOf, spread } from "./report.mjs";
import { dial, encode, endOf } from "./wire.mjs";

const FORMS = ["script", "native"];
const PIPELINES = [1, 16, 64];
const CONCURRENCIES = [1, 10, 100];
const ROUNDS_MAX = 100;

/** The largest share of its script's server time that `ENQUEUE` may cost as a native command. */
const ENQUEUE_SHARE_MAX = 0.6;

/** Jobs of each verb in one run at one pipeline. */
const JOBS = 10_000;
/** The same for whole jobs, by concurrency. */
const PROCESS_JOBS = { 1: 10_000, 10: 40_000, 100: 40_000 };

/** One call for each of so many jobs; each verb works on what those before it have left behind. */
const SINGLE = [
  {
    name: "ENQUEUE",
    verb: "ENQUEUE",
    call: (at) => [
      [rowOf(idOf(at)), SETS[0]],
      [idOf(at), PAYLOAD_TEXT],
    ],
  },
  { name: "CLAIM", verb: "CLAIM", call: () => [[...SETS, BASE], [LEASE_MS]] },
  {
    name: "EXTEND",
    verb: "EXTEND",
    call: (at) => [
      [SETS[1], rowOf(idOf(at))],
      [idOf(at), "1", LEASE_MS],
    ],
  },
  {
    name: "COMPLETE",
    verb: "COMPLETE",
    call: (at) => [
      [SETS[1], rowOf(idOf(at)), BASE],
      [idOf(at), "1"],
    ],
  },
];

/** Turns that settle as many jobs as they claim, on jobs that were admitted by as many a call. */
const TURNS = [1, 10, 100].flatMap((size) => [
  { name: `ADMIT of ${size}`, verb: "ADMIT", size, call: (at) => admitOf(at * size, size) },
  {
    name: `TURN, ${size} settled and ${size} claimed`,
    verb: "TURN",
    size,
    call: (at) => turnOf((at - 1) * size, size),
  },
]);

/** What is measured on an empty server, in this order. */
const SUITES = [SINGLE, ...[1, 10, 100].map((size) => TURNS.filter((row) => row.size === size))];

async function main() {
  const options = readOptions();
  if (!existsSync(MODULE_PATH)) throw new Error("there is no native module; npm run build:native builds it");
  const server = await startBenchServer(["--loadmodule", MODULE_PATH]);
  try {
    const verbs = await measureVerbs(server, options);
    const processes = await measureProcesses(server, options);
    const wake = await measureWake(portOf(server), options.isQuick ? { rounds: 1, calls: 200 } : {});
    const machine = machineOf({ valkey: server.version, rounds: options.rounds });
    const result = { machine, verbs, processes, wake, enqueueShareMax: ENQUEUE_SHARE_MAX, wakeTargetUs: TARGET_US };
    process.stdout.write(options.isJson ? `${JSON.stringify(result)}\n` : textOf(result));
  } finally {
    await server.stop();
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: { rounds: { type: "string" }, quick: { type: "boolean" }, json: { type: "boolean" } },
  });
  const isQuick = values.quick === true;
  const rounds = Number(values.rounds ?? (isQuick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > ROUNDS_MAX) {
    throw new Error(`--rounds must be a whole number from 1 to ${ROUNDS_MAX}, not ${values.rounds}`);
  }
  return { rounds, share: isQuick ? 0.1 : 1, isQuick, isJson: values.json === true };
}

const portOf = (server) => Number(new URL(server.url).port);

/** The forms in the order in which they run in a round. */
const inTurns = (round) => (round % 2 === 0 ? FORMS : FORMS.toReversed());

/** Figures by verb, form and pipeline, from all rounds. */
async function measureVerbs(server, { rounds, share }) {
  const wire = await Wire.open(portOf(server));
  const runs = new Map();
  try {
    for (const { verb } of SUITES.flat()) await wire.send([["SCRIPT", "LOAD", SCRIPTS[verb].text]], 1);
    for (let round = 0; round < rounds; round += 1) {
      for (const form of inTurns(round)) {
        for (const pipeline of PIPELINES) {
          for (const suite of SUITES) await measureSuite(wire, { suite, form, pipeline, share, runs });
        }
      }
      process.stderr.write(`verbs: round ${round + 1} of ${rounds}\n`);
    }
  } finally {
    wire.close();
  }
  return SUITES.flat().map(({ name, size = 1 }) => {
    const figures = Object.fromEntries(FORMS.map((form) => [form, figuresOf(runs, name, form)]));
    return {
      name,
      jobsPerCall: size,
      ...figures,
      share: figures.native.serverUs.median / figures.script.serverUs.median,
    };
  });
}

async function measureSuite(wire, { suite, form, pipeline, share, runs }) {
  await wire.send([["FLUSHALL"]], 1);
  await wire.send([["SET", "{emq}:version", "echomq:4.0.0"]], 1);
  for (const { name, verb, size = 1, call } of suite) {
    const count = Math.max(10, Math.round((JOBS * share) / size));
    const head = form === "native" ? [`EMQ.${verb}`] : ["EVALSHA", SCRIPTS[verb].sha];
    const calls = Array.from({ length: count }, (_, at) => wordsOf(head, call(at)));
    await wire.send([["CONFIG", "RESETSTAT"]], 1);
    const cpuBefore = await wire.cpuUs();
    const startedAt = performance.now();
    await wire.send(calls, pipeline);
    const perSecond = (count * 1000) / (performance.now() - startedAt);
    const cpuUs = ((await wire.cpuUs()) - cpuBefore) / count;
    const serverUs = await wire.serverUs(form === "native" ? `emq.${verb.toLowerCase()}` : "evalsha", count);
    const key = `${name} ${form}`;
    runs.set(key, [...(runs.get(key) ?? []), { pipeline, perSecond, serverUs, cpuUs }]);
  }
}

function figuresOf(runs, name, form) {
  const all = runs.get(`${name} ${form}`);
  const perSecond = Object.fromEntries(
    PIPELINES.map((pipeline) => [
      pipeline,
      spread(all.filter((run) => run.pipeline === pipeline).map((run) => run.perSecond)),
    ]),
  );
  // The deepest pipeline: the server's caches are warm, and it is not woken for each call.
  const deepest = all.filter((run) => run.pipeline === PIPELINES.at(-1));
  const [serverUs, cpuUs] = ["serverUs", "cpuUs"].map((figure) => spread(deepest.map((run) => run[figure])));
  return { perSecond, serverUs, cpuUs };
}

/** Jobs a second by concurrency and form; each run is a process of its own. */
async function measureProcesses(server, { rounds, share }) {
  const runs = new Map();
  for (let round = 0; round < rounds; round += 1) {
    for (const concurrency of CONCURRENCIES) {
      for (const form of inTurns(round)) {
        await server.flush();
        const jobs = Math.round(PROCESS_JOBS[concurrency] * share);
        const key = `${concurrency} ${form}`;
        runs.set(key, [...(runs.get(key) ?? []), await runProcess(server, { concurrency, jobs, form })]);
      }
    }
    process.stderr.write(`whole jobs: round ${round + 1} of ${rounds}\n`);
  }
  return CONCURRENCIES.map((concurrency) => {
    const [script, native] = FORMS.map((form) => spread(runs.get(`${concurrency} ${form}`)));
    return { name: `process, concurrency ${concurrency}`, script, native, ratio: native.median / script.median };
  });
}

async function runProcess(server, { concurrency, jobs, form }) {
  const script = join(fileURLToPath(new URL(".", import.meta.url)), "run-echomq.mjs");
  const child = spawn(process.execPath, [script, "process", String(concurrency), String(jobs), server.url], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ECHOMQ_BENCH_NATIVE: form === "native" ? "require" : "off" },
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`a run at concurrency ${concurrency} as ${form} failed`);
  return JSON.parse(output).perSecond;
}

/** One connection that sends calls by the pipeline and counts the replies. A refusal ends the bench. */
class Wire {
  #socket;
  #text = "";
  #replies = [];
  #wake = () => {};

  static async open(port) {
    return new Wire(await dial(`valkey://127.0.0.1:${port}`));
  }

  constructor(socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      this.#text += text;
      let start = 0;
      for (let end = endOf(this.#text, 0); end > 0; end = endOf(this.#text, start)) {
        this.#replies.push(this.#text.slice(start, end));
        start = end;
      }
      this.#text = this.#text.slice(start);
      this.#wake();
    });
  }

  /** Sends calls, so many before it waits for their replies; answers the last reply. */
  async send(calls, pipeline) {
    const bodies = [];
    for (let at = 0; at < calls.length; at += pipeline) {
      bodies.push(
        calls
          .slice(at, at + pipeline)
          .map(encode)
          .join(""),
      );
    }
    let last = "";
    for (const [at, body] of bodies.entries()) {
      const wanted = Math.min(pipeline, calls.length - at * pipeline);
      this.#replies = [];
      this.#socket.write(body);
      while (this.#replies.length < wanted) {
        await new Promise((resolve) => {
          this.#wake = resolve;
        });
      }
      last = this.#replies.at(-1);
      const refusal = this.#replies.find((reply) => reply.startsWith("-"));
      if (refusal !== undefined) throw new Error(refusal.trim());
    }
    return last;
  }

  /** Microseconds a call that the server counts for a command since its counters were reset. */
  async serverUs(command, count) {
    const stats = await this.send([["INFO", "commandstats"]], 1);
    const [, calls, us] = new RegExp(`cmdstat_${command}:calls=(\\d+),usec=(\\d+)`).exec(stats) ?? [];
    if (Number(calls) !== count) throw new Error(`${command} was called ${calls} times, not ${count}`);
    return Number(us) / count;
  }

  /** Processor time of the server's main thread since it began, in microseconds. */
  async cpuUs() {
    const info = await this.send([["INFO", "cpu"]], 1);
    const seconds = [...info.matchAll(/used_cpu_(?:sys|user)_main_thread:([\d.]+)/g)].map(([, text]) => Number(text));
    return seconds.reduce((sum, each) => sum + each, 0) * 1e6;
  }

  close() {
    this.#socket.destroy();
  }
}

function textOf({ machine, verbs, processes, wake, enqueueShareMax, wakeTargetUs }) {
  const perSecond = verbs.map(({ name, script, native }) => [
    name,
    ...PIPELINES.flatMap((pipeline) => [range(script.perSecond[pipeline]), range(native.perSecond[pipeline])]),
  ]);
  const heads = PIPELINES.flatMap((pipeline) => [`script, ${pipeline}`, `native, ${pipeline}`]);
  const serverUs = verbs.map(({ name, script, native, share }) => [
    name,
    range(script.serverUs, 1),
    range(native.serverUs, 1),
    percent(share),
    range(script.cpuUs, 1),
    range(native.cpuUs, 1),
    percent(native.cpuUs.median / script.cpuUs.median),
  ]);
  const whole = processes.map((row) => [row.name, range(row.script), range(row.native), `${row.ratio.toFixed(2)} x`]);
  const waits = wake.map((row) => [row.name, range(row)]);
  const enqueue = verbs.find((row) => row.name === "ENQUEUE").share;
  const verdict = `${enqueue <= enqueueShareMax ? "met" : "above"} (${percent(enqueueShareMax)} at most)`;
  return [
    `Scripts beside native commands on one Valkey ${machine.valkey}, Node.js ${machine.node}`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, ${machine.system}`,
    `Medians of ${machine.rounds} round${machine.rounds === 1 ? "" : "s"} (least to greatest), the forms in turns.`,
    "",
    ...table(["calls a second, at a pipeline of", ...heads], perSecond),
    "",
    ...table(
      ["a call, in us", ...["command", "CPU"].flatMap((kind) => [`${kind}, script`, "native", "share"])],
      serverUs,
    ),
    "",
    ...table(["jobs a second", "script", "native", "ratio"], whole),
    "",
    ...table([`admission to the claim's reply, in us (target ${wakeTargetUs})`, "median"], waits),
    "",
    `ENQUEUE costs ${percent(enqueue)} of its script: ${verdict}`,
    "",
  ].join("\n");
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

function range({ median, min, max }, digits = 0) {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}

function table(head, rows) {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at].length)));
  return [head, ...rows].map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]))
      .join("  ")
      .trimEnd(),
  );
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench:native: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
