/**
 * What the tool itself has to refuse, in words for the one who typed the command.
 *
 * It is no `EchoMQError`, because it never leaves the tool and says one thing more: with which code the tool ends.
 */

/** `usage`: the command line cannot be used (exit code 2). `failed`: the world is not as asked for (exit code 1). */
export type CliErrorKind = "usage" | "failed";

export class CliError extends Error {
  readonly kind: CliErrorKind;

  constructor(kind: CliErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
