/**
 * What all three shells complete, as flat lists: a script has no trees.
 */

import type { CommandNode, OptionNode } from "../command-tree.ts";

/** What may stand at a place: files, one of some words, or a text that nobody can foresee. */
export type Completion =
  | { readonly kind: "files" }
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "none" };

/** A command with everything that can follow it. */
export interface FlatCommand {
  /** Names joined by a blank; empty for the program itself. */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly FlatOption[];
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** By place, from 0. */
  readonly places: readonly Completion[];
}

/** An option of a command, as a shell completes it. */
export interface FlatOption {
  readonly long: string;
  readonly description: string;
  readonly hasValue: boolean;
  readonly completion: Completion;
}

/** Names of values that are files. */
const FILE_VALUES: ReadonlySet<string> = new Set(["path", "module"]);

const HELP: FlatOption = {
  long: "--help",
  description: "display help for command",
  hasValue: false,
  completion: { kind: "none" },
};

/** All commands, the program first; one with an alias stands twice. */
export function flatCommands(root: CommandNode): FlatCommand[] {
  return [...flat(root), ...root.commands.flatMap((child) => flatCommands(child))];
}

function flat(node: CommandNode): FlatCommand[] {
  return namesOf(node).map((name) => ({
    path: [...node.path.slice(0, -1), name].join(" "),
    summary: node.summary,
    options: [...node.options.map(flatOption), HELP],
    commands: node.commands.flatMap((child) => namesOf(child).map((name) => ({ name, summary: child.summary }))),
    places: node.arguments.map(({ name, choices }) => completionOf(name, choices)),
  }));
}

/** What a command may be called; the program itself has no name here. */
function namesOf({ path, aliases }: CommandNode): string[] {
  return [path.at(-1) ?? "", ...(path.length === 0 ? [] : aliases)];
}

function flatOption({ long, description, value, choices }: OptionNode): FlatOption {
  return { long, description, hasValue: value !== undefined, completion: completionOf(value ?? "", choices) };
}

function completionOf(name: string, words: readonly string[]): Completion {
  if (words.length > 0) return { kind: "words", words };
  return FILE_VALUES.has(name) ? { kind: "files" } : { kind: "none" };
}

/** The long names of the options that are followed by a value, of all commands. */
export function valueOptions(commands: readonly FlatCommand[]): string[] {
  const all = commands.flatMap((command) => command.options);
  return [...new Set(all.filter((option) => option.hasValue).map((option) => option.long))].sort();
}
