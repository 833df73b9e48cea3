/**
 * What a command of the embedded engine is: what it does to the keyspace, and what its reply is on a connection.
 *
 * A command is a function of the keyspace, its arguments and `keyspace.now` alone: no other clock, no chance. The
 * journal relies on it, which runs commands again when it opens.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import type { Keyspace } from "../store/keyspace.ts";
import type { CommandName } from "./command-facts.ts";
import type { ReplyForm, ReplyFormOf } from "./reply-form.ts";

/**
 * A reply as the server's Lua sees it: `false` for nil, doubles as their text, `OK` as text. An integer beyond 2^53
 * comes whole, as a `bigint`; acts and hosts get the nearest number, as scripts do.
 */
export type Answer = Bytes | number | bigint | false | Answer[];

/**
 * Runs the command; the number of arguments has been checked against the command's arity.
 *
 * @throws CommandError before anything was written.
 */
export type CommandHandler = (keyspace: Keyspace, args: readonly Argument[]) => Answer;

export interface CommandShape {
  /** What the reply is on a connection. */
  readonly reply: ReplyForm | ReplyFormOf;
  readonly run: CommandHandler;
}

/** Commands by their names. */
export type CommandShapes = Readonly<Partial<Record<CommandName, CommandShape>>>;

/** A command that replies in this form. */
export function shape(reply: ReplyForm | ReplyFormOf, run: CommandHandler): CommandShape {
  return { reply, run };
}
