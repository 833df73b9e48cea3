/** `echomq workers`: who asks for work of a queue, and the pause of one of them. */

import { type Command, Option } from "commander";
import { assertWorkerId, type WorkerInfo } from "../queue/roster.ts";
import type { CommandContext } from "./command-context.ts";
import { GONE, tellOutcome } from "./outcome.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const WORKERS: ServerCommandSpec = {
  name: "workers",
  summary: "who asks for work of a queue",
  description:
    "List the workers of a queue, the one that asked last first. A worker that was killed stays listed until others " +
    "have not heard of it for ten beats. With --pause or --resume, tell one of them to take no jobs, or jobs again.",
  example: "workers mail",
  memory: "blind",
  isReadonly: true,
};

/** What a pause asks for beside a list: it writes. */
const PAUSE: ServerCommandSpec = { ...WORKERS, isReadonly: false };

interface WorkersOptions extends ServerOptions {
  readonly pause?: string;
  readonly resume?: string;
}

/** The command; see `echomq workers --help`. */
export function workersCommand(context: CommandContext): Command {
  return serverCommand(WORKERS)
    .argument("<queue>", "name of the queue")
    .addOption(new Option("--pause <worker>", "let this worker take no further jobs").conflicts("resume"))
    .addOption(new Option("--resume <worker>", "let this worker take jobs again"))
    .action(async (queue: string, options: WorkersOptions) => {
      const worker = options.pause ?? options.resume;
      if (worker === undefined) await tellWorkers(context, queue, options);
      else await tellPause(context, { queue, worker, isPaused: options.pause !== undefined }, options);
    });
}

async function tellWorkers(context: CommandContext, queue: string, options: ServerOptions): Promise<void> {
  const { host } = context;
  const workers = await withQueue({ context, spec: WORKERS, options, queue }, (core) => core.workers());
  if (options.json === true) writeJson(host, { queue, workers });
  else if (workers.length === 0) host.out.write("no worker is known to ask for work of this queue\n");
  else host.out.write(`${workers.map(workerLine).join("\n")}\n`);
}

interface Pause {
  readonly queue: string;
  readonly worker: string;
  readonly isPaused: boolean;
}

async function tellPause(context: CommandContext, pause: Pause, options: ServerOptions): Promise<void> {
  const { queue, worker, isPaused } = pause;
  assertWorkerId(worker);
  await tellOutcome(
    { context, spec: PAUSE, options, queue },
    {
      id: worker,
      act: async ({ jobs }) => await jobs.pauseWorker(queue, worker, isPaused),
      meanings: {
        ok: { isGood: true, text: isPaused ? "takes no further jobs" : "takes jobs again" },
        unchanged: { isGood: true, text: isPaused ? "was paused already" : "was not paused" },
        gone: { ...GONE, text: "is no worker of this queue" },
      },
    },
  );
}

function workerLine({ id, askedAt, concurrency, names, isPaused }: WorkerInfo): string {
  const served = names === undefined ? "all names" : names.join(", ");
  return printable(
    `${id}  asked ${new Date(askedAt).toISOString()}  ${concurrency} at once  ${served}${isPaused ? "  paused" : ""}`,
  );
}
