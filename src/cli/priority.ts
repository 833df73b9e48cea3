/** `echomq priority`: moves a job that waits to another place. */

import type { Command } from "commander";
import { PRIORITY_MAX } from "../queue/defaults.ts";
import type { CommandContext } from "./command-context.ts";
import { GONE, tellOutcome } from "./outcome.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand } from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const PRIORITY: ServerCommandSpec = {
  name: "priority",
  summary: "change the priority of a job that waits",
  description:
    "Change the priority of a job that is pending, in a lane or in none, or scheduled; of a scheduled one it counts " +
    "once it is due.",
  example: "priority mail JOB0Nb1VTbfnu4 0",
  memory: "blind",
  isReadonly: false,
};

/** The command; see `echomq priority --help`. */
export function priorityCommand(context: CommandContext): Command {
  return serverCommand(PRIORITY)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .argument("<priority>", `0 to ${PRIORITY_MAX}; 0 runs first`, wholeNumber({ min: 0, max: PRIORITY_MAX }))
    .action(async (queue: string, id: string, priority: number, options: ServerOptions) => {
      await tellOutcome(
        { context, spec: PRIORITY, options, queue },
        {
          id,
          act: (core) => core.changePriority(id, priority),
          meanings: {
            ok: { isGood: true, text: `has the priority ${priority}` },
            gone: GONE,
            not_waiting: { isGood: false, text: "is neither pending nor scheduled and was left as it is" },
          },
        },
      );
    });
}
