/**
 * The command line tool as a function: arguments in, exit code out.
 *
 * Exit codes: 0 all is well, 1 the answer is no or the work failed, 2 the command was not understood, 130 interrupted.
 * With `--json` the standard output holds one JSON document and nothing else, for errors too, so a program never has to
 * read words.
 */

import { CommanderError } from "commander";
import { isEchoMQError } from "../protocol/errors.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { type Host, paint } from "./host.ts";
import { type OpenEngine, openServer } from "./open-server.ts";
import { createProgram } from "./program.ts";

/** Codes of the library that blame what was given, and so the command line: a repeated call would end alike. */
const USAGE_CODES = /^(?:invalid|unknown)_|^(?:kind|end_before_start|never_occurs)$/;

/** Runs one command line and answers its exit code. Never rejects. */
export async function runCli(
  args: readonly string[],
  host: Host,
  openEngine: OpenEngine = openServer,
): Promise<number> {
  const isJson = wantsJson(args);
  let exitCode: number = EXIT.ok;
  const context: CommandContext = {
    host,
    openEngine,
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  try {
    await createProgram(context, { isJson }).parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    return reportFailure(error, host, isJson);
  }
}

/** Known before the line is parsed, because a line that cannot be parsed must be answered in JSON as well. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

function reportFailure(error: unknown, host: Host, isJson: boolean): number {
  const failure = failureOf(error);
  // The parser has already written its own words, unless they were held back.
  const isWritten = error instanceof CommanderError && !isJson;
  if (failure.exitCode === EXIT.ok || isWritten) return failure.exitCode;
  if (isJson) host.out.write(`${JSON.stringify({ error: { code: failure.code, message: failure.message } })}\n`);
  else host.error.write(`${paint(host.error, "bad", "echomq:")} ${failure.message}${codeNote(failure.code, host)}\n`);
  return failure.exitCode;
}

/** The code of an error, by which it can be looked up; what has no code of its own is told by its words alone. */
function codeNote(code: string, { error }: Host): string {
  return code === "usage" || code === "failed" ? "" : paint(error, "faint", ` [${code}]`);
}

function failureOf(error: unknown): { exitCode: number; code: string; message: string } {
  if (error instanceof CommanderError) {
    const exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return { exitCode, code: "usage", message: error.message.replace(/^error: /, "") };
  }
  if (error instanceof CliError) return { exitCode: EXIT[error.kind], code: error.code, message: error.message };
  if (isEchoMQError(error)) {
    const exitCode = USAGE_CODES.test(error.code) ? EXIT.usage : EXIT.failed;
    return { exitCode, code: error.code, message: error.message };
  }
  // A fault of the tool itself: the stack is what its reader needs.
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: EXIT.failed, code: "internal", message };
}
