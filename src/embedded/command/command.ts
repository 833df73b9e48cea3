/**
 * What a command of the embedded engine is: a name, the number of its arguments, and what it does to the keyspace.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import type { Keyspace } from "../store/keyspace.ts";

/** A reply as the server's Lua sees it: `false` for nil, doubles as their text, `OK` as text. */
export type Answer = Bytes | number | false | Answer[];

/** Runs the command; the number of arguments has been checked. @throws CommandError before anything was written. */
export type CommandHandler = (keyspace: Keyspace, args: readonly Argument[]) => Answer;

export interface CommandShape {
  /** How many arguments there may be, the name not counted. */
  readonly least: number;
  /** `undefined` means any number. */
  readonly most: number | undefined;
  readonly run: CommandHandler;
}

/** A command with between `least` and `most` arguments, the name not counted; `undefined` means any number. */
export function shape(least: number, most: number | undefined, run: CommandHandler): CommandShape {
  return { least, most, run };
}
