/** `echomq clean`: removes the jobs of one state by age. */

import type { Command } from "commander";
import { CLEANED_STATES, type CleanedState } from "../queue/operator-verbs.ts";
import type { CommandContext } from "./command-context.ts";
import { DRY_RUN_OPTION, YES_OPTION } from "./confirm.ts";
import { durationOption, durationText } from "./duration-option.ts";
import { jobCount, printable } from "./printable.ts";
import { type Removal, type RemovalOptions, runRemoval } from "./removal.ts";
import { type ServerCommandSpec, serverCommand } from "./server-command.ts";
import { addStateChoice, chosenState } from "./state-choice.ts";
import { wholeNumber } from "./whole-number.ts";

const CLEAN: ServerCommandSpec = {
  name: "clean",
  summary: "remove the jobs of a state that are older than a time",
  description:
    "Remove the jobs of one state, after a question: all of them, or those that are older. The age counts from the " +
    "end of a dead or completed job, and from the adding of another. Locked jobs stay.",
  example: "clean mail --state dead --older-than 7d --limit 1000",
  memory: "blind",
  isReadonly: false,
};

/** As many as the parser of whole numbers takes, and more than any queue holds. */
const LIMIT_MAX = 10 ** 15 - 1;

interface CleanCommandOptions extends RemovalOptions {
  readonly state?: CleanedState;
  readonly olderThan?: number;
  readonly limit?: number;
  readonly lane?: string;
}

/** The command; see `echomq clean --help`. */
export function cleanCommand(context: CommandContext): Command {
  return addStateChoice(serverCommand(CLEAN).argument("<queue>", "name of the queue"), CLEANED_STATES)
    .option(
      "--older-than <duration>",
      "only jobs of at least this age, such as 30m or 7d",
      durationOption("--older-than"),
    )
    .option(
      "--limit <n>",
      "the most jobs to remove, the first of the list; all without it",
      wholeNumber({ min: 1, max: LIMIT_MAX }),
    )
    .option("--lane <name>", "only pending jobs of this lane; without it those in no lane")
    .option(...DRY_RUN_OPTION)
    .option(...YES_OPTION)
    .action(async (queue: string, named: CleanedState | undefined, options: CleanCommandOptions) => {
      const state = chosenState(named, options.state, CLEANED_STATES);
      await runRemoval({ context, spec: CLEAN, options, queue }, removalOf({ queue, state, options }));
    });
}

interface CleanWish {
  readonly queue: string;
  readonly state: CleanedState;
  readonly options: CleanCommandOptions;
}

function removalOf({ queue, state, options }: CleanWish): Removal {
  const { olderThan = 0, limit, lane } = options;
  const wish = { state, olderThan, ...(limit === undefined ? {} : { limit }), ...(lane === undefined ? {} : { lane }) };
  const place = lane === undefined ? "" : ` of the lane ${printable(lane)}`;
  const age = olderThan === 0 ? "" : ` of at least ${durationText(olderThan)}`;
  return {
    options,
    wish: { state, olderThanMs: olderThan, ...(lane === undefined ? {} : { lane }) },
    look: async (core) => {
      const total = await core.clean({ ...wish, dryRun: true });
      return { total, text: `${jobCount(total, state)}${place} of ${printable(queue)}${age}` };
    },
    remove: async (core, _doomed, onProgress) => await core.clean({ ...wish, onProgress }),
    told: (removed) => `removed ${jobCount(removed, state)}${age}`,
  };
}
