/**
 * `echomq work`: runs a module's default export for the jobs of a queue, until it is told to stop.
 *
 * It is the whole of a worker process for whoever needs no program of his own: signals as supervisors send them, health
 * over HTTP, a line for each failure. Code of the module may hold the process open (a pool, an interval), so once the
 * worker is closed the process has a second to end by itself and is then ended.
 */

import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { PrometheusMetrics } from "../prometheus.ts";
import { CONCURRENCY_DEFAULT, CONCURRENCY_MAX, WORKER_CLOSE_MS_DEFAULT } from "../queue/defaults.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { durationOption, durationText } from "./duration-option.ts";
import { type Host, paint } from "./host.ts";
import { hostLogger } from "./host-logger.ts";
import { printable } from "./printable.ts";
import {
  openCallEngine,
  type QueueCall,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  serverUrl,
  writeJson,
} from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";
import { loadHandler } from "./work/handler-module.ts";
import { type HealthAddress, HealthServer, healthAddress } from "./work/health-server.ts";
import { queueMetrics } from "./work/queue-metrics.ts";
import { WorkRun, type WorkSignal, type WorkTally } from "./work/work-run.ts";

const WORK: ServerCommandSpec = {
  name: "work",
  summary: "run a module for each job of a queue",
  description:
    "Run the default export of a module for each job of a queue: a function (job, context) => result, or an object " +
    "with one for each name of a job, which gives back the jobs of other names.",
  example: "work mail ./send.mjs --concurrency 20 --health 8080",
  memory: "loses",
  isReadonly: false,
};

const WORK_HELP = `
The first SIGTERM or Ctrl-C takes no further jobs, finishes those in hand and settles them; after --timeout the rest is
given back without spending an attempt. A second one ends at once. The exit code is 0 after SIGTERM, 130 after Ctrl-C.
Output that can no longer be written does as SIGTERM does, with exit code 1.
GET /healthz answers 200 while the worker takes part in the queue, else 503 with the reason. GET /livez answers 503 only
where a restart helps, so never because the server is away. GET /metrics answers in the format of Prometheus, once the
package prom-client is installed beside this one.`;

/** How long the module may hold the process after the worker is closed, in ms. */
const END_MS = 1000;

/** A lost output is a failure, so that a supervisor starts another worker. */
const EXIT_OF: Readonly<Record<WorkSignal, number>> = {
  SIGTERM: EXIT.ok,
  SIGINT: EXIT.interrupted,
  SIGPIPE: EXIT.failed,
};

/** How often the numbers are told, when they have changed, in ms. */
const NUMBERS_EVERY_MS = 10_000;

interface WorkOptions extends ServerOptions {
  readonly concurrency: number;
  readonly health?: HealthAddress;
  readonly timeout: number;
}

/** The command; see `echomq work --help`. */
export function workCommand(context: CommandContext): Command {
  return serverCommand(WORK)
    .argument("<queue>", "name of the queue")
    .addArgument(new Argument("<module>", "path of the module"))
    .option(
      "--concurrency <n>",
      `jobs at once, 1 to ${CONCURRENCY_MAX}`,
      wholeNumber({ min: 1, max: CONCURRENCY_MAX }),
      CONCURRENCY_DEFAULT,
    )
    .option(
      "--health <[host:]port>",
      "answer GET /healthz, /livez and /metrics there; without a host on 127.0.0.1, and 0 takes a free port",
      readAddress,
    )
    .addOption(
      new Option("--timeout <duration>", "how long jobs in hand may take after the first signal")
        .argParser(durationOption("--timeout"))
        .default(WORKER_CLOSE_MS_DEFAULT, durationText(WORKER_CLOSE_MS_DEFAULT)),
    )
    .addHelpText("after", WORK_HELP)
    .action(async (queue: string, module: string, options: WorkOptions) => {
      await work({ context, spec: WORK, options, queue }, module, options);
    });
}

function readAddress(text: string): HealthAddress {
  try {
    return healthAddress(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? `${error.message}.` : String(error));
  }
}

async function work(call: QueueCall, module: string, options: WorkOptions): Promise<void> {
  const { context, queue } = call;
  const { host } = context;
  serverUrl(call);
  const handler = await loadHandler(module);
  const logger = hostLogger(host);
  let run: WorkRun | undefined;
  let metrics: PrometheusMetrics | string | undefined;
  const sources = { health: () => run?.health(), metrics: () => metrics };
  const health = options.health === undefined ? undefined : await HealthServer.listen(options.health, sources);
  const isJson = options.json === true;
  const say = (text: string) => (isJson ? undefined : host.out.write(`${text}\n`));
  try {
    const engine = openCallEngine({ ...call, logger });
    try {
      if (health !== undefined) metrics = queueMetrics(engine, queue);
      run = new WorkRun({
        queue,
        handler,
        engine,
        host,
        logger,
        concurrency: options.concurrency,
        closeMs: options.timeout,
        onNote: ({ kind, text }) => say(`${paint(host.out, kind === "dead" ? "bad" : "note", kind)}  ${text}`),
      });
      say(`working on ${printable(queue)} with ${printable(module)}, ${options.concurrency} at once`);
      if (health !== undefined) say(`health at ${health.url}`);
      const stopTelling = tellNumbers(run.tally, host, say);
      const signal = await run.untilSignal().finally(stopTelling);
      if (isJson) writeJson(host, { queue, signal, ...run.tally });
      else say(`closed  ${tallyText(run.tally)}`);
      context.setExitCode(EXIT_OF[signal]);
      host.abandonAfter(END_MS, EXIT_OF[signal]);
    } finally {
      await engine.close();
    }
  } catch (error) {
    host.abandonAfter(END_MS, EXIT.failed);
    throw error;
  } finally {
    await health?.close();
    if (typeof metrics === "object") metrics.stop();
  }
}

/** Tells the numbers now and then; the function that is returned ends it. */
function tellNumbers(tally: WorkTally, host: Host, say: (text: string) => void): () => void {
  let told = tallyText(tally);
  return host.every(NUMBERS_EVERY_MS, () => {
    const text = tallyText(tally);
    if (text !== told) say(text);
    told = text;
  });
}

function tallyText({ completed, retries, dead, lost }: WorkTally): string {
  return `completed ${completed}, retries ${retries}, dead ${dead}${lost === 0 ? "" : `, leases lost ${lost}`}`;
}
