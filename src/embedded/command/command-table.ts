/**
 * The table of all commands, and the one way to run one.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import type { Answer, CommandShape } from "./command.ts";
import { HASH_COMMANDS } from "./hash-commands.ts";
import { HASH_FIELD_COMMANDS } from "./hash-field-commands.ts";
import { KEY_COMMANDS } from "./key-commands.ts";
import { LIST_COMMANDS } from "./list-commands.ts";
import { type Publish, serverCommands } from "./server-commands.ts";
import { SET_COMMANDS } from "./set-commands.ts";
import { SORTED_SET_COMMANDS } from "./sorted-set-commands.ts";
import { SORTED_SET_RANGES } from "./sorted-set-ranges.ts";
import { STREAM_COMMANDS } from "./stream-commands.ts";
import { STREAM_GROUP_COMMANDS } from "./stream-group-commands.ts";
import { STRING_COMMANDS } from "./string-commands.ts";

/** How much of an unknown command's arguments its refusal repeats. */
const REPEATED_BYTES_MAX = 128;

export class CommandTable {
  readonly #shapes: ReadonlyMap<string, CommandShape>;
  readonly #keyspace: Keyspace;

  constructor(keyspace: Keyspace, publish: Publish) {
    this.#keyspace = keyspace;
    this.#shapes = new Map([
      ...Object.entries(STRING_COMMANDS),
      ...Object.entries(KEY_COMMANDS),
      ...Object.entries(HASH_COMMANDS),
      ...Object.entries(HASH_FIELD_COMMANDS),
      ...Object.entries(LIST_COMMANDS),
      ...Object.entries(SET_COMMANDS),
      ...Object.entries(SORTED_SET_COMMANDS),
      ...Object.entries(SORTED_SET_RANGES),
      ...Object.entries(STREAM_COMMANDS),
      ...Object.entries(STREAM_GROUP_COMMANDS),
      ...Object.entries(serverCommands(publish)),
    ]);
  }

  /**
   * Runs a command; `name` is in capitals.
   *
   * @throws CommandError with the server's text. Nothing was written then.
   */
  run(name: string, args: readonly Argument[]): Answer {
    const shape = this.#shapes.get(name);
    if (shape === undefined) throw unknownCommand(name, args);
    if (args.length < shape.least || (shape.most !== undefined && args.length > shape.most)) {
      throw new CommandError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
    }
    return shape.run(this.#keyspace, args);
  }

  /** The names of all commands, in capitals. */
  names(): string[] {
    return [...this.#shapes.keys()];
  }
}

function unknownCommand(name: Bytes, args: readonly Argument[]): CommandError {
  let repeated = "";
  for (const argument of args) {
    if (repeated.length >= REPEATED_BYTES_MAX) break;
    repeated += `'${String(argument).slice(0, REPEATED_BYTES_MAX - repeated.length)}' `;
  }
  return new CommandError(
    `ERR unknown command '${name.slice(0, REPEATED_BYTES_MAX)}', with args beginning with: ${repeated}`,
  );
}
