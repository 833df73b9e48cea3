/** `echomq promote`: lets a scheduled job run before its time. */

import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { GONE, tellOutcome } from "./outcome.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand } from "./server-command.ts";

const PROMOTE: ServerCommandSpec = {
  name: "promote",
  summary: "let a scheduled job run now",
  description: "Let a scheduled job run now instead of at its time.",
  example: "promote mail JOB0Nb1VTbfnu4",
  memory: "blind",
  isReadonly: false,
};

/** The command; see `echomq promote --help`. */
export function promoteCommand(context: CommandContext): Command {
  return serverCommand(PROMOTE)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .action(async (queue: string, id: string, options: ServerOptions) => {
      await tellOutcome(
        { context, spec: PROMOTE, options, queue },
        {
          id,
          act: (core) => core.promote(id),
          meanings: {
            ok: { isGood: true, text: "is pending now" },
            gone: GONE,
            not_scheduled: { isGood: false, text: "is not scheduled and was left where it is" },
          },
        },
      );
    });
}
