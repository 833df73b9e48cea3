/**
 * `echomq retry`: gives one dead job, or all of them, a fresh budget of attempts.
 *
 * All of them may be a million, so they are taken in slices, and Ctrl-C ends it between two.
 */

import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { paint } from "./host.ts";
import { GONE, tellOutcome } from "./outcome.ts";
import { jobCount } from "./printable.ts";
import {
  type QueueCall,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  withQueue,
  writeJson,
} from "./server-command.ts";
import { inSlices } from "./sliced-work.ts";

const RETRY: ServerCommandSpec = {
  name: "retry",
  summary: "let dead jobs wait again",
  description: "Give a dead job, or all dead jobs of a queue, a fresh budget of attempts and let them wait again.",
  example: "retry mail --all",
  memory: "blind",
  isReadonly: false,
};

interface RetryOptions extends ServerOptions {
  readonly all?: boolean;
}

/** The command; see `echomq retry --help`. */
export function retryCommand(context: CommandContext): Command {
  return serverCommand(RETRY)
    .argument("<queue>", "name of the queue")
    .argument("[id]", "id or jobId of the job")
    .option("--all", "every job that is dead now, in slices; Ctrl-C ends between two")
    .action(async (queue: string, id: string | undefined, options: RetryOptions) => {
      const call = { context, spec: RETRY, options, queue };
      if (id === undefined && options.all === true) return await retryAll(call);
      if (id === undefined) throw new CliError("usage", "give the id of a dead job, or --all");
      if (options.all === true) throw new CliError("usage", "give an id or --all, not both");
      await tellOutcome(call, {
        id,
        act: (core) => core.retry(id),
        meanings: {
          ok: { isGood: true, text: "waits again" },
          gone: GONE,
          not_dead: { isGood: false, text: "is not dead and was left where it is" },
        },
      });
    });
}

async function retryAll(call: QueueCall): Promise<void> {
  const { context, options, queue } = call;
  const { host } = context;
  const { done, isInterrupted } = await withQueue(call, async (core) => {
    const { dead } = await core.getJobCounts("dead");
    return await inSlices(call, { total: dead, work: (onProgress) => core.retryDead({ onProgress }) });
  });
  if (options.json === true) writeJson(host, { queue, retried: done, isInterrupted });
  else if (isInterrupted)
    host.out.write(`interrupted: ${jobCount(done, "dead")} ${done === 1 ? "waits" : "wait"} again\n`);
  else
    host.out.write(
      `${paint(host.out, "good", "ok")}  ${jobCount(done, "dead")} ${done === 1 ? "waits" : "wait"} again\n`,
    );
  context.setExitCode(isInterrupted ? EXIT.interrupted : EXIT.ok);
}
