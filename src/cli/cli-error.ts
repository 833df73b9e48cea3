/**
 * What the tool itself has to refuse, in words for the one who typed the command.
 *
 * It is no `EchoMQError`, because it never leaves the tool and says one thing more: with which code the tool ends.
 */

/** `usage`: the command line cannot be used (exit code 2). `failed`: the world is not as asked for (exit code 1). */
export type CliErrorKind = "usage" | "failed";

/** What a {@link CliError} has beside kind and message. */
export interface CliErrorOptions {
  /** What `--json` calls it; the kind without it. docs/operate/cli.md lists them. */
  readonly code?: string;
  readonly cause?: unknown;
}

/** Why a command ends with another exit code than 0. Its message is for whoever typed the command. */
export class CliError extends Error {
  readonly kind: CliErrorKind;
  readonly code: string;

  constructor(kind: CliErrorKind, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.code = options.code ?? kind;
  }
}
