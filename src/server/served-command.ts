/**
 * What a command of a connection is: what is told of it, and what it does to the session that sent it.
 */

import { type CommandFacts, commandFacts } from "../embedded/command/command-facts.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { Session } from "./session.ts";

/**
 * Runs the command; the number of its arguments has been checked. It answers the frame of the reply; none means that
 * the session waits, and will be told by `Session.answerWait`.
 *
 * @throws CommandError with the text of the refusal.
 */
export type ServedRun = (session: Session, args: readonly Bytes[]) => Bytes | undefined;

export interface ServedCommand {
  /** In capitals; a subcommand as `CONTAINER|SUBCOMMAND`. */
  readonly name: string;
  readonly facts: CommandFacts;
  readonly run: ServedRun;
}

/** Commands by name: a line of facts as in `command-facts.ts`, and what runs. */
export type ServedRows = Readonly<Record<string, readonly [facts: string, run: ServedRun]>>;

/** The commands of a table of rows. */
export function served(rows: ServedRows): ServedCommand[] {
  return Object.entries(rows).map(([name, [facts, run]]) => ({ name, facts: commandFacts(facts), run }));
}
