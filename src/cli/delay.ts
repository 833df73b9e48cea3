/** `echomq delay`: lets a scheduled job fall due at another time. */

import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { durationOption, durationText } from "./duration-option.ts";
import { GONE, tellOutcome } from "./outcome.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand } from "./server-command.ts";

const DELAY: ServerCommandSpec = {
  name: "delay",
  summary: "change when a scheduled job runs",
  description: "Let a scheduled job fall due so long from now, sooner or later than it would; see promote for at once.",
  example: "delay mail JOB0Nb1VTbfnu4 5m",
  memory: "blind",
  isReadonly: false,
};

/** The command; see `echomq delay --help`. */
export function delayCommand(context: CommandContext): Command {
  return serverCommand(DELAY)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .argument("<duration>", "how long from now, such as 30s or 5m", durationOption("the duration"))
    .action(async (queue: string, id: string, delayMs: number, options: ServerOptions) => {
      await tellOutcome(
        { context, spec: DELAY, options, queue },
        {
          id,
          act: (core) => core.changeDelay(id, delayMs),
          meanings: {
            ok: { isGood: true, text: `falls due in ${durationText(delayMs)}` },
            gone: GONE,
            not_scheduled: { isGood: false, text: "is not scheduled and was left where it is" },
          },
        },
      );
    });
}
