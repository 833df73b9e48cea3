/** `echomq logs`: the log lines of a job, oldest first. */

import type { Command } from "commander";
import { assertIdOrJobId } from "../queue/id-lookup.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { GONE } from "./outcome.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const LOGS: ServerCommandSpec = {
  name: "logs",
  summary: "log lines of a job",
  description: "Print the log lines that the handler of a job wrote, oldest first.",
  example: "logs mail JOB0Nb1VTbfnu4",
  memory: "blind",
  isReadonly: true,
};

/** The command; see `echomq logs --help`. */
export function logsCommand(context: CommandContext): Command {
  return serverCommand(LOGS)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .action(async (queue: string, id: string, options: ServerOptions) => {
      assertIdOrJobId(id);
      const { host } = context;
      const lines = await withQueue({ context, spec: LOGS, options, queue }, (core) => core.getLogs(id));
      const isGone = lines === "gone";
      if (options.json === true)
        writeJson(host, { queue, id, outcome: isGone ? "gone" : "ok", lines: isGone ? [] : lines });
      else if (isGone) host.error.write(`${printable(id)} ${GONE.text}\n`);
      // Lines may be of any origin; a line feed within one shows as an escape, so that lines stay lines.
      else for (const line of lines) host.out.write(`${printable(line)}\n`);
      context.setExitCode(isGone ? EXIT.failed : EXIT.ok);
    });
}
