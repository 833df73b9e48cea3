/**
 * The reference page of the tool, written from the definitions that parse its command line.
 */

import { type ArgumentNode, type CommandNode, commandTree, type OptionNode } from "../../../src/cli/command-tree.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { fakeHost } from "./fake-host.ts";

const HEAD = `<!-- Generated from src/cli/. Do not edit: a test fails when this page is stale, and
\`npx vitest run test/unit/cli/reference-page.test.ts -u\` writes it. -->

# Commands

What \`echomq --help\` says, on one page. [The command line](../operate/cli.md) says how to use it.
`;

/** The whole page. */
export function referencePage(): string {
  return `${HEAD}\n${tree().commands.flatMap(sections).join("\n\n")}\n`;
}

/** The names of all commands, each with those above it. */
export function commandPaths(): string[] {
  const pathsOf = ({ path, commands }: CommandNode): string[] => [path.join(" "), ...commands.flatMap(pathsOf)];
  return tree().commands.flatMap(pathsOf);
}

function tree(): CommandNode {
  const context = { host: fakeHost(), setExitCode() {}, openEngine: () => unopened() };
  return commandTree(createProgram(context, { isJson: false }));
}

function unopened(): never {
  throw new Error("a page needs no server");
}

function sections(node: CommandNode): string[] {
  const alias =
    node.aliases.length === 0 ? [] : [`Also called ${node.aliases.map((name) => `\`${name}\``).join(", ")}.`];
  const parts = [`## ${node.path.join(" ")}`, node.description, ...alias, `\`\`\`sh\n${node.usage}\n\`\`\``];
  if (node.arguments.length > 0) parts.push(table(["Argument", "Meaning"], node.arguments.map(argumentCells)));
  if (node.options.length > 0) parts.push(table(["Option", "Meaning"], node.options.map(optionCells)));
  return [parts.join("\n\n"), ...node.commands.flatMap(sections)];
}

function argumentCells({ name, description, isRequired, choices }: ArgumentNode): string[] {
  return [`\`${name}\`${isRequired ? "" : ", may be absent"}`, `${description}${wordsText(choices)}`];
}

function optionCells({ flags, description, choices, defaultValue }: OptionNode): string[] {
  const meaning = `${description}${wordsText(choices)}`;
  return [
    `\`${flags}\``,
    defaultValue === undefined ? meaning : `${meaning}; default \`${JSON.stringify(defaultValue)}\``,
  ];
}

function wordsText(choices: readonly string[]): string {
  return choices.length === 0 ? "" : `: ${choices.map((word) => `\`${word}\``).join(", ")}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
