/**
 * `echomq drain`: removes what waits.
 *
 * It takes flat jobs, and beside them only what it is told to by name, as the method of the library does: what is
 * typed in haste should rather take too little.
 */

import type { Command } from "commander";
import type { QueueCore } from "../queue/queue.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { DRY_RUN_OPTION, YES_OPTION } from "./confirm.ts";
import { jobCount, printable } from "./printable.ts";
import { type Doomed, type Removal, type RemovalOptions, runRemoval } from "./removal.ts";
import { type QueueCall, type ServerCommandSpec, serverCommand } from "./server-command.ts";

const DRAIN: ServerCommandSpec = {
  name: "drain",
  summary: "remove the jobs that wait",
  description:
    "Remove the pending jobs of a queue, after a question: those in no lane, with --lanes also those in lanes, with " +
    "--schedule also scheduled ones. Active, dead and completed jobs stay, and so do pauses and limits.",
  example: "drain mail --lanes --schedule",
  memory: "blind",
  isReadonly: false,
};

interface DrainCommandOptions extends RemovalOptions {
  readonly lanes?: boolean;
  readonly schedule?: boolean;
  readonly lane?: string;
}

/** The command; see `echomq drain --help`. */
export function drainCommand(context: CommandContext): Command {
  return serverCommand(DRAIN)
    .argument("<queue>", "name of the queue")
    .option("--lanes", "also the jobs that wait in lanes")
    .option("--schedule", "also the scheduled jobs: delayed ones, and those between two attempts")
    .option("--lane <name>", "only the jobs that wait in this lane")
    .option(...DRY_RUN_OPTION)
    .option(...YES_OPTION)
    .action(async (queue: string, options: DrainCommandOptions) => {
      const call = { context, spec: DRAIN, options, queue };
      const { lane } = options;
      if (lane === undefined) return await runRemoval(call, queueRemoval(call, options));
      if (options.lanes === true || options.schedule === true) {
        throw new CliError("usage", "--lane is for one lane and does not go with --lanes and --schedule");
      }
      await runRemoval(call, laneRemoval(call, { ...options, lane }));
    });
}

function queueRemoval({ queue }: QueueCall, options: DrainCommandOptions): Removal {
  const { lanes = false, schedule = false } = options;
  return {
    options,
    wish: { lanes, schedule },
    look: async (core) => {
      const counts = await core.getJobCounts("pending", "lanes", "schedule");
      const parts = [
        { count: counts.pending, kind: "pending", goes: true },
        { count: counts.lanes, kind: "in lanes", goes: lanes },
        { count: counts.schedule, kind: "scheduled", goes: schedule },
      ];
      const going = parts.filter(({ goes }) => goes);
      const stays = parts.filter(({ count, goes }) => !goes && count > 0);
      const total = going.reduce((sum, { count }) => sum + count, 0);
      const list = going.length === 1 ? "" : ` (${going.map(partText).join(", ")})`;
      return {
        total,
        text: `${jobCount(total, list === "" ? "pending" : "")} of ${printable(queue)}${list}`,
        ...(stays.length === 0 ? {} : { stays: `${stays.map(partText).join(" and ")} stay` }),
      };
    },
    remove: async (core, _doomed, onProgress) => await core.drain({ lanes, schedule, onProgress }),
    told: (removed) => `removed ${jobCount(removed)}`,
  };
}

function partText({ count, kind }: { readonly count: number; readonly kind: string }): string {
  return `${count} ${kind}`;
}

function laneRemoval({ queue }: QueueCall, options: DrainCommandOptions & { readonly lane: string }): Removal {
  const { lane } = options;
  return {
    options,
    wish: { lane },
    look: async (core: QueueCore): Promise<Doomed> => {
      const total = await core.lane(lane).depth();
      return { total, text: `${jobCount(total, "pending")} of the lane ${printable(lane)} of ${printable(queue)}` };
    },
    remove: async (core, _doomed, onProgress) => await core.lane(lane).drain({ onProgress }),
    told: (removed) => `removed ${jobCount(removed)}`,
  };
}
