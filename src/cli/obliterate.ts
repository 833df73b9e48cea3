/**
 * `echomq obliterate`: takes a queue away, with every key of it.
 *
 * What the library would refuse is told before the question, so that nobody says yes to what then does not happen.
 */

import type { Command } from "commander";
import type { QueueCore } from "../queue/queue.ts";
import { COUNT_WORDS } from "../queue/read-verbs.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { DRY_RUN_OPTION, YES_OPTION } from "./confirm.ts";
import { jobCount, printable, shellWord } from "./printable.ts";
import { type Doomed, type Removal, type RemovalOptions, runRemoval } from "./removal.ts";
import { type QueueCall, type ServerCommandSpec, serverCommand } from "./server-command.ts";

const OBLITERATE: ServerCommandSpec = {
  name: "obliterate",
  summary: "take a queue away with everything in it",
  description:
    "Take a queue away, after a question: its jobs in every state, its lanes, settings and counters; no key of it is " +
    "left. It must be paused and run no job, unless --force is given. Stop producers first: what they add meanwhile " +
    "goes or stays. Ctrl-C ends it between two slices; the queue is then paused, and the same line goes on.",
  example: "obliterate mail --force",
  memory: "blind",
  isReadonly: false,
};

interface ObliterateCommandOptions extends RemovalOptions {
  readonly force?: boolean;
}

/** The command; see `echomq obliterate --help`. */
export function obliterateCommand(context: CommandContext): Command {
  return serverCommand(OBLITERATE)
    .argument("<queue>", "name of the queue")
    .option("--force", "pause the queue and take active jobs too, whose handlers lose their leases")
    .option(...DRY_RUN_OPTION)
    .option(...YES_OPTION)
    .action(async (queue: string, options: ObliterateCommandOptions) => {
      const call = { context, spec: OBLITERATE, options, queue };
      await runRemoval(call, removalOf(call, options));
    });
}

function removalOf({ queue }: QueueCall, options: ObliterateCommandOptions): Removal {
  const force = options.force === true;
  return {
    options,
    wish: { force },
    // A queue without a job may have settings, counters and a pause.
    isAlwaysDue: true,
    look: async (core) => await lookAt(core, queue, { isChecked: !force }),
    remove: async (core, { total }, onProgress) => {
      await core.obliterate({ force, onProgress });
      return total;
    },
    told: () => `the queue ${printable(queue)} is gone`,
    interrupted: `; the queue is paused, and the same command goes on`,
  };
}

/** Counts what is there. Throws when it could not go without force. */
async function lookAt(core: QueueCore, queue: string, { isChecked }: { readonly isChecked: boolean }): Promise<Doomed> {
  const [counts, sizes, isPaused] = await Promise.all([
    core.getJobCounts(...COUNT_WORDS),
    core.jobs.getSizes(queue, ["completed"]),
    core.isPaused(),
  ]);
  if (isChecked && !isPaused) {
    const line = `echomq pause ${shellWord(queue)}`;
    throw new CliError("failed", `the queue is not paused: ${line}, or give --force`, { code: "not_paused" });
  }
  if (isChecked && counts.active > 0) {
    const what = `${jobCount(counts.active)} ${counts.active === 1 ? "is" : "are"} active`;
    throw new CliError("failed", `${what}: wait for them, or give --force`, { code: "jobs_active" });
  }
  const { pending, lanes, active, schedule, awaiting, dead } = counts;
  const jobs = { pending, lanes, active, schedule, awaiting, dead, completed: sizes.completed };
  const total = Object.values(jobs).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(jobs).filter(([, count]) => count > 0);
  const list = parts.map(([word, count]) => `${word} ${count}`).join(", ");
  const held = total === 0 ? "no job" : `${jobCount(total)} (${list})`;
  return { total, text: `the queue ${printable(queue)} with ${held}, its settings and counters`, details: { jobs } };
}
