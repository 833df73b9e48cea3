/**
 * `echomq id`: mints ids, or takes them apart.
 *
 * An id is fourteen characters that hold a kind, an instant, a node and a sequence, so a log line with an id in it
 * already says when and where its job was made; this command is how a person reads that.
 */

import { randomInt } from "node:crypto";
import { Command, InvalidArgumentError } from "commander";
import { hash32, type IdFault, idParts, idTime, isNamespace, parseId } from "../protocol/id.ts";
import { createMinter, NODE_MAX } from "../protocol/mint.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { type Output, paint } from "./host.ts";
import { wholeNumber } from "./whole-number.ts";

/** The most ids of one call, which is a second or two. */
const COUNT_MAX = 1_000_000;

/** Ids that are written at once. */
const WRITE_COUNT = 1000;

/** What is wrong with a text that is no id. */
const FAULTS: Readonly<Record<IdFault, string>> = {
  length: "it does not have exactly 14 bytes",
  namespace: "it does not begin with three capitals A-Z",
  charset: "its last eleven characters are not all base-62 digits 0-9 A-Z a-z",
  range: "its digits are above AzL8n0Y58m7, which is 2^63 - 1",
};

/** An id taken apart, or what is wrong with it. */
export type IdReport =
  | {
      readonly id: string;
      readonly isValid: true;
      readonly namespace: string;
      /** The number of 63 bits, as decimal text: a JSON number would lose digits. */
      readonly value: string;
      /** The instant of the mint as ISO 8601 in UTC. */
      readonly time: string;
      /** The same in Unix milliseconds. */
      readonly ms: number;
      readonly node: number;
      readonly sequence: number;
      readonly hash32: number;
    }
  | { readonly id: string; readonly isValid: false; readonly fault: IdFault; readonly message: string };

/** The command; see `echomq id --help`. */
export function idCommand(context: CommandContext): Command {
  const command = new Command("id")
    .summary("mint ids, or take one apart")
    .description("Take an id apart: namespace, number, time, node, sequence and hash, or what is wrong with it.")
    .argument("<id>", "an id such as JOB0KHTOWnGLuC")
    .option("--json", "print one JSON document")
    // Without this the parent would take the options of `mint` for its own.
    .enablePositionalOptions()
    .addHelpText("after", ID_HELP)
    .action((id: string, { json }: { json?: boolean }) => {
      const report = idReport(id);
      const { out } = context.host;
      out.write(json === true ? `${JSON.stringify(report)}\n` : reportText(report, out));
      context.setExitCode(report.isValid ? EXIT.ok : EXIT.failed);
    });
  return command.addCommand(mintCommand(context));
}

const ID_HELP = `
Examples:
  echomq id JOB0KHTOWnGLuC
  echomq id mint JOB --count 3 --node 7

The exit code is 1 when the text is no id.`;

function mintCommand(context: CommandContext): Command {
  return new Command("mint")
    .summary("mint new ids")
    .description("Mint new ids, strictly rising.")
    .argument("[namespace]", "three capitals; jobs have JOB", namespaceOf, "JOB")
    .option("-n, --count <n>", `how many, 1 to ${COUNT_MAX}`, wholeNumber({ min: 1, max: COUNT_MAX }), 1)
    .option(
      "--node <n>",
      `number of the minter, 0 to ${NODE_MAX}; by chance without it`,
      wholeNumber({ min: 0, max: NODE_MAX }),
    )
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  echomq id mint JOB --count 3 --node 7")
    .action((namespace: string, options: { count: number; node?: number; json?: boolean }) => {
      const mint = createMinter({ node: options.node ?? randomInt(NODE_MAX + 1), clock: context.host.unixMs });
      const ids = Array.from({ length: options.count }, () => mint(namespace));
      const { out } = context.host;
      if (options.json === true) return out.write(`${JSON.stringify({ ids })}\n`);
      for (let from = 0; from < ids.length; from += WRITE_COUNT) {
        out.write(`${ids.slice(from, from + WRITE_COUNT).join("\n")}\n`);
      }
    });
}

/** Takes an id apart. */
export function idReport(id: string): IdReport {
  const parsed = parseId(id);
  if (parsed.error !== undefined) {
    return {
      id,
      isValid: false,
      fault: parsed.error,
      message: `${JSON.stringify(id)} is no id: ${FAULTS[parsed.error]}`,
    };
  }
  return {
    id,
    isValid: true,
    namespace: parsed.namespace,
    value: String(parsed.value),
    time: idTime(id).toISOString(),
    ...idParts(id),
    hash32: hash32(id),
  };
}

function reportText(report: IdReport, out: Output): string {
  if (!report.isValid) return `${paint(out, "bad", report.message)}\n`;
  const lines = [
    paint(out, "strong", report.id),
    `  namespace  ${report.namespace}`,
    `  value      ${report.value}`,
    `  time       ${report.time} (${report.ms})`,
    `  node       ${report.node}`,
    `  sequence   ${report.sequence}`,
    `  hash32     ${report.hash32}`,
  ];
  return `${lines.join("\n")}\n`;
}

function namespaceOf(text: string): string {
  if (isNamespace(text)) return text;
  throw new InvalidArgumentError("A namespace is three capitals A-Z.");
}
