/**
 * The command line tool as a function: arguments in, exit code out.
 *
 * Exit codes: 0 all is well, 1 the answer is no or the work failed, 2 the command was not understood, 130 interrupted.
 * With `--json` the standard output holds one JSON document and nothing else, for errors too, so a program never has to
 * read words.
 */

import { Command, CommanderError } from "commander";
import { isEchoMQError } from "../protocol/errors.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { conformanceCommand } from "./conformance.ts";
import { demoCommand } from "./demo.ts";
import { type Host, paint } from "./host.ts";
import { idCommand } from "./id.ts";
import { keyCommand } from "./key.ts";
import { packageVersion } from "./package-root.ts";

/** Runs one command line and answers its exit code. Never rejects. */
export async function runCli(args: readonly string[], host: Host): Promise<number> {
  const isJson = args.includes("--json");
  let exitCode: number = EXIT.ok;
  const context: CommandContext = {
    host,
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  try {
    await program(context, isJson).parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    return reportFailure(error, host, isJson);
  }
}

function program(context: CommandContext, isJson: boolean): Command {
  const { host } = context;
  const root = new Command("echomq")
    .description("A job queue for Node.js on Valkey; the embedded engine needs no server.")
    .version(packageVersion())
    .enablePositionalOptions()
    .showHelpAfterError("(--help shows what there is)")
    .addHelpText("after", "\nExit codes: 0 fine, 1 failed or refused, 2 not understood, 130 interrupted.");
  for (const command of [demoCommand(context), conformanceCommand(context), keyCommand(context), idCommand(context)]) {
    root.addCommand(command);
  }
  adopt(root, (command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => host.out.write(text),
      // The failure is reported once, as JSON, by whoever catches it.
      writeErr: (text) => (isJson ? undefined : host.error.write(text)),
      getOutHelpWidth: () => host.out.columns,
      getErrHelpWidth: () => host.error.columns,
      getOutHasColors: () => host.out.isTerminal,
      getErrHasColors: () => host.error.isTerminal,
    }),
  );
  return root;
}

/** Settings are inherited by commands that a parent creates, not by those that it is given. */
function adopt(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const child of command.commands) adopt(child, apply);
}

function reportFailure(error: unknown, host: Host, isJson: boolean): number {
  const failure = failureOf(error);
  // The parser has already written its own words, unless they were held back.
  const isWritten = error instanceof CommanderError && !isJson;
  if (failure.exitCode === EXIT.ok || isWritten) return failure.exitCode;
  if (isJson) host.out.write(`${JSON.stringify({ error: { code: failure.code, message: failure.message } })}\n`);
  else host.error.write(`${paint(host.error, "bad", "echomq:")} ${failure.message}\n`);
  return failure.exitCode;
}

function failureOf(error: unknown): { exitCode: number; code: string; message: string } {
  if (error instanceof CommanderError) {
    const exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return { exitCode, code: "usage", message: error.message.replace(/^error: /, "") };
  }
  if (error instanceof CliError) return { exitCode: EXIT[error.kind], code: error.kind, message: error.message };
  if (isEchoMQError(error)) {
    const isUsage = error.code === "invalid_connection" || error.code === "invalid_option";
    return { exitCode: isUsage ? EXIT.usage : EXIT.failed, code: error.code, message: error.message };
  }
  // A fault of the tool itself: the stack is what its reader needs.
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: EXIT.failed, code: "internal", message };
}
