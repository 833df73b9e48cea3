/**
 * All commands of the tool, joined to one program.
 *
 * Help, usage errors, completion scripts and the reference page are all made from these definitions, so none of them
 * can name a command or an option that is not there.
 */

import { Command } from "commander";
import { addCommand } from "./add.ts";
import { cancelCommand } from "./cancel.ts";
import { cleanCommand } from "./clean.ts";
import type { CommandContext } from "./command-context.ts";
import { completionCommand } from "./completion.ts";
import { conformanceCommand } from "./conformance.ts";
import { countsCommand } from "./counts.ts";
import { delayCommand } from "./delay.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { drainCommand } from "./drain.ts";
import { eventsCommand } from "./events.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { fenceCommand } from "./fence.ts";
import { fileCommand } from "./file.ts";
import { flowCommand } from "./flow.ts";
import { idCommand } from "./id.ts";
import { importCommand } from "./import.ts";
import { jobCommand } from "./job.ts";
import { deadCommand, jobsCommand } from "./jobs.ts";
import { keyCommand } from "./key.ts";
import { limitCommand, orderCommand, weightCommand } from "./lane-settings.ts";
import { lanesCommand } from "./lanes.ts";
import { limitsCommand } from "./limits.ts";
import { logsCommand } from "./logs.ts";
import { nativeCommand } from "./native.ts";
import { obliterateCommand } from "./obliterate.ts";
import { packageVersion } from "./package-root.ts";
import { pauseCommand, resumeCommand } from "./pause.ts";
import { pingCommand } from "./ping.ts";
import { priorityCommand } from "./priority.ts";
import { promoteCommand } from "./promote.ts";
import { queuesCommand } from "./queues.ts";
import { removeCommand } from "./remove.ts";
import { repeatCommand } from "./repeat.ts";
import { resultCommand } from "./result.ts";
import { retryCommand } from "./retry.ts";
import { serveCommand } from "./serve.ts";
import { streamCommand } from "./stream.ts";
import { workCommand } from "./work.ts";
import { workersCommand } from "./workers.ts";

const HELP_END = `
The server is named by --url or by the environment's ECHOMQ_URL. echomq <command> --help has an example of each.
Exit codes: 0 fine, 1 failed or refused, 2 not understood, 130 interrupted.`;

type CommandMaker = (context: CommandContext) => Command;

/** Under the headings and in the order in which `--help` lists them. */
const COMMANDS: readonly (readonly [heading: string, makers: readonly CommandMaker[]])[] = [
  ["Work:", [addCommand, workCommand, resultCommand]],
  [
    "Look:",
    [
      queuesCommand,
      countsCommand,
      jobsCommand,
      deadCommand,
      jobCommand,
      flowCommand,
      explainCommand,
      workersCommand,
      eventsCommand,
      logsCommand,
      lanesCommand,
      streamCommand,
      repeatCommand,
    ],
  ],
  ["Change a job:", [retryCommand, promoteCommand, delayCommand, priorityCommand, cancelCommand, removeCommand]],
  [
    "Change a queue or a lane:",
    [
      pauseCommand,
      resumeCommand,
      limitsCommand,
      limitCommand,
      weightCommand,
      orderCommand,
      drainCommand,
      cleanCommand,
      obliterateCommand,
      doctorCommand,
    ],
  ],
  ["Look after a server:", [pingCommand, fenceCommand, serveCommand, exportCommand, importCommand, conformanceCommand]],
  ["Without a server:", [demoCommand, fileCommand, keyCommand, idCommand, nativeCommand, completionCommand]],
];

/** The program `echomq`. It writes through the host of `context`; its parser throws instead of ending the process. */
export function createProgram(context: CommandContext, options: { readonly isJson: boolean }): Command {
  const { host } = context;
  const root = new Command("echomq")
    .description("A job queue for Node.js on Valkey; the embedded engine needs no server.")
    .version(packageVersion())
    .enablePositionalOptions()
    .addHelpText("after", HELP_END);
  for (const [heading, makers] of COMMANDS) {
    root.commandsGroup(heading);
    for (const make of makers) root.addCommand(make(context));
  }
  adopt(root, (command) =>
    command
      .showHelpAfterError(hint(command))
      .exitOverride()
      .configureOutput({
        writeOut: (text) => host.out.write(text),
        // The failure is reported once, as JSON, by whoever catches it.
        writeErr: (text) => (options.isJson ? undefined : host.error.write(text)),
        getOutHelpWidth: () => host.out.columns,
        getErrHelpWidth: () => host.error.columns,
        getOutHasColors: () => host.out.isTerminal,
        getErrHasColors: () => host.error.isTerminal,
      }),
  );
  return root;
}

/** What follows a line that was not understood: where the right one is to be found. */
function hint(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return `(${names.join(" ")} --help shows what there is)`;
}

/** Settings are inherited by commands that a parent creates, not by those that it is given. */
function adopt(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const child of command.commands) adopt(child, apply);
}
