/** `echomq remove`: takes a job away, wherever it is. */

import type { Command } from "commander";
import { findId } from "../queue/id-lookup.ts";
import type { CommandContext } from "./command-context.ts";
import { GONE, tellOutcome } from "./outcome.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand } from "./server-command.ts";

const REMOVE: ServerCommandSpec = {
  name: "remove",
  summary: "remove a job",
  description:
    "Remove a job from wherever it is, with its logs. The handler of an active one is not stopped: see cancel.",
  example: "remove mail JOB0Nb1VTbfnu4",
  memory: "blind",
  isReadonly: false,
};

/** The command; see `echomq remove --help`. */
export function removeCommand(context: CommandContext): Command {
  return serverCommand(REMOVE)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .option("--force", "remove a locked job as well")
    .action(async (queue: string, id: string, options: ServerOptions & { force?: boolean }) => {
      await tellOutcome(
        { context, spec: REMOVE, options, queue },
        {
          id,
          act: async ({ jobs }) => {
            const own = await findId(jobs, queue, id);
            return await jobs.removeJob(queue, own, "", { force: options.force === true });
          },
          meanings: {
            ok: { isGood: true, text: "is removed" },
            gone: GONE,
            locked: { isGood: false, text: "is locked and was left as it is; --force removes it all the same" },
          },
        },
      );
    });
}
