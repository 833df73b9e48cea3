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
  const context = { host: fakeHost(), setExitCode() {}, openEngine: () => unopened() };
  const root = commandTree(createProgram(context, { isJson: false }));
  return `${HEAD}\n${root.commands.flatMap(sections).join("\n\n")}\n`;
}

function unopened(): never {
  throw new Error("a page needs no server");
}

function sections(node: CommandNode): string[] {
  const parts = [`## ${node.path.join(" ")}`, node.description, `\`\`\`sh\n${node.usage}\n\`\`\``];
  if (node.arguments.length > 0) parts.push(table(["Argument", "Meaning"], node.arguments.map(argumentCells)));
  if (node.options.length > 0) parts.push(table(["Option", "Meaning"], node.options.map(optionCells)));
  return [parts.join("\n\n"), ...node.commands.flatMap(sections)];
}

function argumentCells({ name, description, isRequired, choices }: ArgumentNode): string[] {
  const words = choices.length === 0 ? "" : `: ${choices.map((word) => `\`${word}\``).join(", ")}`;
  return [`\`${name}\`${isRequired ? "" : ", may be absent"}`, `${description}${words}`];
}

function optionCells({ flags, description, defaultValue }: OptionNode): string[] {
  return [
    `\`${flags}\``,
    defaultValue === undefined ? description : `${description}; default \`${JSON.stringify(defaultValue)}\``,
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
