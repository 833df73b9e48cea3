/**
 * The commands of the program as plain data, for whoever writes about them: completion scripts, the reference page.
 *
 * Names and choices are read from the definitions that parse the command line, so what is written cannot differ from
 * what is understood.
 */

import type { Command } from "commander";

/** An argument of a command. */
export interface ArgumentNode {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The words that it may be; empty for any text. */
  readonly choices: readonly string[];
}

/** An option of a command. */
export interface OptionNode {
  /** As `--help` writes it: `--url <url>`. */
  readonly flags: string;
  /** With its dashes. */
  readonly long: string;
  readonly description: string;
  /** What its value is called, `undefined` for one that takes none. */
  readonly value: string | undefined;
  /** The words that the value may be; empty for any text. */
  readonly choices: readonly string[];
  /** `undefined` when there is none. */
  readonly defaultValue: unknown;
}

/** A command and those below it. */
export interface CommandNode {
  /** Names from below the program on: `id mint`. */
  readonly path: readonly string[];
  /** Other words for its name. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly usage: string;
  readonly arguments: readonly ArgumentNode[];
  readonly options: readonly OptionNode[];
  readonly commands: readonly CommandNode[];
}

/** The tree from a command on. */
export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  return {
    path,
    aliases: command.aliases(),
    summary: command.summary(),
    description: command.description(),
    usage: command.createHelp().commandUsage(command),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
      isRequired: argument.required,
      choices: argument.argChoices ?? [],
    })),
    options: command.options.map((option) => ({
      flags: option.flags,
      long: option.long ?? option.flags,
      description: option.description,
      value: /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1],
      choices: option.argChoices ?? [],
      defaultValue: option.defaultValueDescription ?? (option.defaultValue as unknown),
    })),
    commands: command.commands.map((child) => commandTree(child, [...path, child.name()])),
  };
}
