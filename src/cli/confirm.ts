/**
 * The question before what cannot be undone.
 *
 * A person is told what would happen and to how much, and says yes; everything else than yes is no. Nobody is asked
 * through a pipe, where whatever comes next would be taken for the answer, and with `--json`, whose reader is a
 * program: there the one who wrote the line has to give `--yes`.
 */

import { CliError } from "./cli-error.ts";
import type { Host } from "./host.ts";
import type { ServerCall } from "./server-command.ts";

/** The option `--yes` in the words that all commands share. */
export const YES_OPTION = ["--yes", "do not ask"] as const;

/** The option `--dry-run` in the words that all commands share. */
export const DRY_RUN_OPTION = ["--dry-run", "tell what would go, and remove nothing"] as const;

/** Whether and how a call has to be confirmed. */
export interface ConfirmOptions {
  /** Whether `--yes` was given. */
  readonly isSure: boolean;
  /** How what would happen can be looked at without a question, for the message. */
  readonly look: string;
}

/**
 * Refuses work that has to be asked for where nobody can be asked, before a server is.
 *
 * @throws CliError `needs_yes`.
 */
export function assertCanConfirm({ context, options }: ServerCall, { isSure, look }: ConfirmOptions): void {
  if (isSure || (options.json !== true && context.host.input.isTerminal)) return;
  throw new CliError("usage", `nobody can be asked here: ${look}, then give --yes`, { code: "needs_yes" });
}

/** Asks a person; only `y` and `yes` are yes. */
export async function isConfirmed({ input }: Host, question: string): Promise<boolean> {
  const answer = await input.ask(`${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer.trim());
}
