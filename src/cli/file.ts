/**
 * `echomq file check` and `echomq file repair`: look at a folder that `file:` keeps a store in, and cut it where it can
 * no longer be followed.
 *
 * Opening a store cuts by itself what a crash leaves at the end, and refuses to open one that was damaged where it had
 * been safe. What is lost then is for a person to decide, who sees first how much that is.
 */

import { realpathSync } from "node:fs";
import { Command } from "commander";
import type { Break } from "../embedded/journal/store-reading.ts";
import {
  type ClosedStore,
  checkStore,
  hasStore,
  repairStore,
  type StoreReport,
} from "../embedded/journal/store-repair.ts";
import { nodeFileLayer } from "../node-file-layer.ts";
import { nodePorts } from "../node-ports.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { isConfirmed, YES_OPTION } from "./confirm.ts";
import { folderPath } from "./given-text.ts";
import { type Host, paint } from "./host.ts";
import { hostLogger } from "./host-logger.ts";
import { printable } from "./printable.ts";
import { writeJson } from "./server-command.ts";

interface FileOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** The command; see `echomq file --help`. */
export function fileCommand(context: CommandContext): Command {
  const { host } = context;
  const check = new Command("check")
    .summary("read the whole store in a folder")
    .description("Read the whole store in a folder, which must not be open, and tell whether it is whole.")
    .argument("<folder>", "the folder of a file: connection", folderPath)
    .option("--json", "print nothing but one JSON document")
    .addHelpText("after", "\nExample:\n  echomq file check ./data\n\nThe exit code is 1 when it is not whole.")
    .action(async (folder: string, options: FileOptions) => {
      const report = await checkStore(storeAt(folder, host));
      if (options.json === true) writeJson(host, report);
      else host.out.write(`${reportText(report, host)}\n`);
      context.setExitCode(report.break === undefined ? EXIT.ok : EXIT.failed);
    });
  const repair = new Command("repair")
    .summary("cut a store where it can no longer be followed")
    .description(
      "Cut the store in a folder, which must not be open, where it can no longer be followed. What is cut stays in " +
        "the folder, in files that end in .cut.",
    )
    .argument("<folder>", "the folder of a file: connection", folderPath)
    .option(...YES_OPTION)
    .option("--json", "print nothing but one JSON document")
    .addHelpText("after", "\nExample:\n  echomq file repair ./data")
    .action(async (folder: string, options: FileOptions) => {
      context.setExitCode(await repairAt(storeAt(folder, host), options, host));
    });
  return new Command("file")
    .summary("look at a folder of file:, and repair it")
    .description("Look at the store in a folder, and repair it.")
    .addHelpText("after", "\nExamples:\n  echomq file check ./data --json\n  echomq file repair ./data --yes")
    .addCommand(check)
    .addCommand(repair);
}

function storeAt(path: string, host: Host): ClosedStore {
  const layer = nodeFileLayer();
  if (!hasStore(layer, path))
    throw new CliError("failed", `there is no store in ${printable(path)}`, { code: "no_store" });
  return { layer, ports: { ...nodePorts(), logger: hostLogger(host) }, folder: realpathSync(path) };
}

async function repairAt(store: ClosedStore, options: FileOptions, host: Host): Promise<number> {
  const report = await checkStore(store);
  const isJson = options.json === true;
  if (report.break === undefined) {
    if (isJson) writeJson(host, { outcome: "whole", kept: [] });
    else host.out.write(`${reportText(report, host)}; there is nothing to repair\n`);
    return EXIT.ok;
  }
  if (options.yes !== true) {
    if (isJson || !host.input.isTerminal) {
      const advice = "look with echomq file check, then give --yes";
      throw new CliError("usage", `nobody can be asked here: ${advice}`, { code: "needs_yes" });
    }
    host.out.write(`${reportText(report, host)}\n`);
    if (!(await isConfirmed(host, "Cut it there? What is cut stays beside it"))) return EXIT.failed;
  }
  const kept = await repairStore(store);
  if (isJson) writeJson(host, { outcome: "repaired", kept });
  else host.out.write(`cut; what was cut is in ${kept.map(printable).join(", ")}\n`);
  return EXIT.ok;
}

function reportText({ files, keys, records, bytes, break: found }: StoreReport, host: Host): string {
  const amount = `${keys} keys from ${records} records in ${files.length} files of ${bytes} bytes`;
  if (found === undefined) return `${paint(host.out, "good", "whole")}: ${amount}`;
  return `${paint(host.out, "bad", "not whole")}: ${amount}\n${breakText(found)}`;
}

function breakText({ file, offset, bytes, lostRecords, laterFiles, isDamage }: Break): string {
  const lines = [
    `${file} can be followed up to byte ${offset}; ${bytes} bytes behind it cannot`,
    isDamage
      ? "it is damaged: a later record shows that the place had been safe"
      : "it is the end of a crash, which opening cuts by itself",
  ];
  if (lostRecords > 0) lines.push(`whole records behind it, which a cut takes away: ${lostRecords}`);
  if (laterFiles.length > 0) lines.push(`later files, which a cut takes away: ${laterFiles.join(", ")}`);
  return lines.join("\n");
}
