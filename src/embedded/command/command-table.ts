/**
 * The table of all commands, and the one way to run one.
 *
 * Names are taken in any case. A command with subcommands has each under `CONTAINER|SUBCOMMAND`.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { bytesAt, wordAt, wrongNumber } from "./argument.ts";
import type { Answer, CommandShape } from "./command.ts";
import { COMMAND_FACTS, type CommandFacts, takes } from "./command-facts.ts";
import { HASH_COMMANDS } from "./hash-commands.ts";
import { HASH_FIELD_COMMANDS } from "./hash-field-commands.ts";
import { KEY_COMMANDS } from "./key-commands.ts";
import { LIST_COMMANDS } from "./list-commands.ts";
import type { ReplyForm } from "./reply-form.ts";
import { type Publish, serverCommands } from "./server-commands.ts";
import { SET_COMMANDS } from "./set-commands.ts";
import { SORTED_SET_COMMANDS } from "./sorted-set-commands.ts";
import { SORTED_SET_RANGES } from "./sorted-set-ranges.ts";
import { STREAM_CLAIM_COMMANDS } from "./stream-claim-commands.ts";
import { STREAM_COMMANDS } from "./stream-commands.ts";
import { STREAM_GROUP_COMMANDS } from "./stream-group-commands.ts";
import { STREAM_INFO_COMMANDS } from "./stream-info-commands.ts";
import { STRING_COMMANDS } from "./string-commands.ts";

/** How much of an unknown command's arguments its refusal repeats. */
const REPEATED_BYTES_MAX = 128;

/** A command that can be run. */
export interface Command extends CommandShape {
  /** In capitals; of a subcommand with its container, as `XINFO|GROUPS`. */
  readonly name: string;
  readonly facts: CommandFacts;
  /** Whether it may change the keyspace. */
  readonly isWrite: boolean;
}

export class CommandTable {
  readonly #commands: ReadonlyMap<string, Command>;
  /** The names of commands that are nothing without a subcommand. */
  readonly #containers: ReadonlySet<string>;
  readonly #keyspace: Keyspace;
  /** Runs commands that may write, where somebody records them. */
  journal: { run(command: Command, args: readonly Argument[]): Answer } | undefined = undefined;

  constructor(keyspace: Keyspace, publish: Publish) {
    this.#keyspace = keyspace;
    this.#commands = new Map(
      [
        STRING_COMMANDS,
        KEY_COMMANDS,
        HASH_COMMANDS,
        HASH_FIELD_COMMANDS,
        LIST_COMMANDS,
        SET_COMMANDS,
        SORTED_SET_COMMANDS,
        SORTED_SET_RANGES,
        STREAM_COMMANDS,
        STREAM_GROUP_COMMANDS,
        STREAM_CLAIM_COMMANDS,
        STREAM_INFO_COMMANDS,
        serverCommands(publish),
      ]
        .flatMap((shapes) => Object.entries(shapes))
        .map(([name, shape]) => [name, describe(name, shape)]),
    );
    this.#containers = new Set([...this.#commands.keys()].filter((name) => name.includes("|")).map(containerOf));
  }

  /**
   * Runs a command.
   *
   * @throws CommandError with the server's text. Nothing was written then.
   */
  run(name: string, args: readonly Argument[]): Answer {
    const command = this.find(name, args);
    if (this.journal !== undefined && command.isWrite) return this.journal.run(command, args);
    return command.run(this.#keyspace, args);
  }

  /**
   * The command of a call, whose number of arguments is right.
   *
   * @throws CommandError with the server's text, for an unknown name or subcommand or a wrong number of arguments.
   */
  find(name: string, args: readonly Argument[]): Command {
    const command = this.named(name, args);
    if (!takes(command.facts, args.length)) throw wrongNumber(command.name.toLowerCase());
    return command;
  }

  /** The same, however many arguments there are. @throws CommandError */
  named(name: string, args: readonly Argument[]): Command {
    return this.#commands.get(name) ?? this.#commands.get(name.toUpperCase()) ?? this.#subcommand(name, args);
  }

  /** What the reply to a call of this command is on a connection. */
  replyForm(command: Command, args: readonly Argument[]): ReplyForm {
    return typeof command.reply === "function" ? command.reply(args) : command.reply;
  }

  /** Every command, subcommands included. */
  commands(): readonly Command[] {
    return [...this.#commands.values()];
  }

  #subcommand(name: string, args: readonly Argument[]): Command {
    const container = name.toUpperCase();
    if (!this.#containers.has(container)) throw unknownCommand(name, args);
    if (args.length === 0) throw wrongNumber(container.toLowerCase());
    const command = this.#commands.get(`${container}|${wordAt(args, 0)}`);
    if (command !== undefined) return command;
    throw new CommandError(`ERR unknown subcommand '${cut(bytesAt(args, 0))}'. Try ${container} HELP.`);
  }
}

function describe(name: string, shape: CommandShape): Command {
  const facts = COMMAND_FACTS.get(name);
  if (facts === undefined) throw new Error(`there are no facts about ${name} in command-facts.ts`);
  return { ...shape, name, facts, isWrite: facts.flags.includes("write") };
}

function containerOf(name: string): string {
  return name.slice(0, name.indexOf("|"));
}

/** The refusal of a command that is not served. The name is as it came. */
export function unknownCommand(name: Bytes, args: readonly Argument[]): CommandError {
  let repeated = "";
  for (const argument of args) {
    if (repeated.length >= REPEATED_BYTES_MAX) break;
    repeated += `'${cut(String(argument), REPEATED_BYTES_MAX - repeated.length)}' `;
  }
  return new CommandError(`ERR unknown command '${cut(name)}', with args beginning with: ${repeated}`);
}

/** What the server repeats of a text: no more than so many bytes, and nothing from a NUL on. */
function cut(text: Bytes, most = REPEATED_BYTES_MAX): Bytes {
  const end = text.indexOf("\0");
  return text.slice(0, end < 0 ? most : Math.min(end, most));
}
