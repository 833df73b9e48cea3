/** `echomq cancel`: removes a job that waits, and asks the handler of an active one to stop. */

import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { GONE, tellOutcome } from "./outcome.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand } from "./server-command.ts";

const CANCEL: ServerCommandSpec = {
  name: "cancel",
  summary: "stop a job",
  description:
    "Remove a job that waits, or ask the handler of an active one to stop: its signal fires at once, or when its lease is renewed.",
  example: "cancel mail JOB0Nb1VTbfnu4 --reason 'wrong address'",
  memory: "blind",
  isReadonly: false,
};

/** The command; see `echomq cancel --help`. */
export function cancelCommand(context: CommandContext): Command {
  return serverCommand(CANCEL)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .option("--reason <text>", "what the handler is told", "cancelled by echomq cancel")
    .action(async (queue: string, id: string, options: ServerOptions & { reason: string }) => {
      await tellOutcome(
        { context, spec: CANCEL, options, queue },
        {
          id,
          act: (core) => core.cancel(id, options.reason),
          meanings: {
            marked: { isGood: true, text: "is active; its handler is asked to stop" },
            removed: { isGood: true, text: "had not begun and is removed" },
            gone: GONE,
          },
        },
      );
    });
}
