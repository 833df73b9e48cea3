/** `echomq workers`: who asks for work of a queue. */

import type { Command } from "commander";
import type { WorkerInfo } from "../queue/roster.ts";
import type { CommandContext } from "./command-context.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const WORKERS: ServerCommandSpec = {
  name: "workers",
  summary: "who asks for work of a queue",
  description:
    "List the workers of a queue, the one that asked last first. A worker that was killed stays listed until others " +
    "have not heard of it for ten beats.",
  example: "workers mail",
  memory: "blind",
  isReadonly: true,
};

/** The command; see `echomq workers --help`. */
export function workersCommand(context: CommandContext): Command {
  return serverCommand(WORKERS)
    .argument("<queue>", "name of the queue")
    .action(async (queue: string, options: ServerOptions) => {
      const { host } = context;
      const workers = await withQueue({ context, spec: WORKERS, options, queue }, (core) => core.workers());
      if (options.json === true) writeJson(host, { queue, workers });
      else if (workers.length === 0) host.out.write("no worker is known to ask for work of this queue\n");
      else host.out.write(`${workers.map(workerLine).join("\n")}\n`);
    });
}

function workerLine({ id, askedAt, concurrency, names }: WorkerInfo): string {
  const served = names === undefined ? "all names" : names.join(", ");
  return printable(`${id}  asked ${new Date(askedAt).toISOString()}  ${concurrency} at once  ${served}`);
}
