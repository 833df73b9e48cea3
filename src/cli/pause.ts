/** `echomq pause` and `echomq resume`: stop and start a whole queue or one lane of it, on all its workers. */

import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const PAUSE: ServerCommandSpec = {
  name: "pause",
  summary: "pause a queue everywhere, or one lane of it",
  description:
    "Pause a queue: no job starts from now on, on any worker. Those that run go on, and adding goes on. With --lane " +
    "only the jobs of that lane stop.",
  example: "pause mail",
  memory: "blind",
  isReadonly: false,
  mayBeAbsent: true,
};

const RESUME: ServerCommandSpec = {
  name: "resume",
  summary: "resume a paused queue or lane",
  description: "Resume a paused queue, or with --lane a paused lane; workers go on at once.",
  example: "resume mail",
  memory: "blind",
  isReadonly: false,
};

/** The command; see `echomq pause --help`. */
export function pauseCommand(context: CommandContext): Command {
  return turnCommand(context, PAUSE, { isPaused: true });
}

/** The command; see `echomq resume --help`. */
export function resumeCommand(context: CommandContext): Command {
  return turnCommand(context, RESUME, { isPaused: false });
}

/** Which of the two it was is told, because a forgotten `--lane` stops everything. */
function turnText(isPaused: boolean, lane: string | undefined): string {
  if (!isPaused) return lane === undefined ? "resumed" : `resumed the lane ${printable(lane)}`;
  return lane === undefined
    ? "paused: no job starts until it is resumed"
    : `paused the lane ${printable(lane)}: none of its jobs starts until it is resumed; other jobs go on`;
}

interface TurnOptions extends ServerOptions {
  readonly lane?: string;
}

function turnCommand(context: CommandContext, spec: ServerCommandSpec, wish: { readonly isPaused: boolean }): Command {
  return serverCommand(spec)
    .argument("<queue>", "name of the queue")
    .option("--lane <name>", "only this lane")
    .action(async (queue: string, options: TurnOptions) => {
      const { isPaused } = wish;
      const { lane } = options;
      await withQueue({ context, spec, options, queue }, (core) => {
        const target = lane === undefined ? core : core.lane(lane);
        return isPaused ? target.pause() : target.resume();
      });
      const named = lane === undefined ? { queue } : { queue, lane };
      if (options.json === true) writeJson(context.host, { ...named, isPaused });
      else context.host.out.write(`${turnText(isPaused, lane)}\n`);
    });
}
