/**
 * `echomq doctor`: what is wrong with the keys of a queue, and the mend.
 *
 * Looking writes nothing and needs the rights of a reader. A repair asks before it deletes anything; without a person
 * to ask it leaves that and says so, so a script can never lose what nobody has looked at.
 */

import type { Command } from "commander";
import { type DoctorReport, FINDINGS_MAX, FINDINGS_MAX_DEFAULT } from "../doctor/doctor.ts";
import type { Finding } from "../doctor/finding.ts";
import type { DoctorOptions } from "../queue/doctor-options.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { isConfirmed } from "./confirm.ts";
import { type Host, type Output, paint } from "./host.ts";
import { printable } from "./printable.ts";
import {
  type QueueCall,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  withQueue,
  writeJson,
} from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const LOOK: ServerCommandSpec = {
  name: "doctor",
  summary: "find what is wrong with the keys of a queue, and mend it",
  description:
    "Go through all keys of a queue while its workers go on, and say what is wrong: jobs that lie nowhere or twice, " +
    "counters and lanes that do not agree, keys that belong to nothing. With --repair it is put right; what would be " +
    "deleted is asked for first. Ends with 1 when something is left.",
  example: "doctor mail",
  memory: "blind",
  isReadonly: true,
};

const REPAIR: ServerCommandSpec = { ...LOOK, isReadonly: false };

interface DoctorCommandOptions extends ServerOptions {
  readonly queue?: string;
  readonly repair?: boolean;
  readonly yes?: boolean;
  readonly limit: number;
}

/** The command; see `echomq doctor --help`. */
export function doctorCommand(context: CommandContext): Command {
  return serverCommand(LOOK)
    .argument("[queue]", "name of the queue")
    .option("--queue <queue>", "name of the queue, instead of the argument")
    .option("--repair", "put right what is wrong")
    .option("--yes", "with --repair, delete without asking")
    .option(
      "--limit <n>",
      `findings to list, 1 to ${FINDINGS_MAX}; further ones are counted`,
      wholeNumber({ min: 1, max: FINDINGS_MAX }),
      FINDINGS_MAX_DEFAULT,
    )
    .action(async (named: string | undefined, options: DoctorCommandOptions) => {
      const queue = queueOf(named, options);
      if (options.yes === true && options.repair !== true) {
        throw new CliError("usage", "--yes lets a repair delete without asking: give --repair with it");
      }
      const spec = options.repair === true ? REPAIR : LOOK;
      const report = await examine({ context, spec, options, queue }, options);
      const { host } = context;
      if (options.json === true) writeJson(host, report);
      else host.out.write(reportText(report, host.out));
      context.setExitCode(report.isClean ? EXIT.ok : EXIT.failed);
    });
}

function queueOf(named: string | undefined, { queue }: DoctorCommandOptions): string {
  const name = named ?? queue;
  if (name === undefined) throw new CliError("usage", "name the queue: echomq doctor mail");
  if (named !== undefined && queue !== undefined) throw new CliError("usage", "name the queue once");
  return name;
}

async function examine(call: QueueCall, options: DoctorCommandOptions): Promise<DoctorReport> {
  const { limit, repair = false, yes = false, json = false } = options;
  const { host } = call.context;
  return await withQueue(call, async (core) => {
    const look = (more: DoctorOptions = {}) => core.doctor({ limit, ...more });
    if (!repair) return await look();
    if (yes) return await look({ repair, destroy: true });
    const kept = await look({ repair });
    const doomed = kept.findings.filter(({ outcome, destroys }) => outcome === "left" && destroys);
    if (doomed.length === 0 || json || !host.input.isTerminal) return kept;
    if (!(await isDeletionConfirmed(host, doomed))) return kept;
    return joined(kept, await look({ repair, destroy: true }));
  });
}

async function isDeletionConfirmed(host: Host, doomed: readonly Finding[]): Promise<boolean> {
  host.error.write(doomed.map((finding) => findingText(finding, host.error)).join(""));
  return await isConfirmed(
    host,
    `Delete what ${countText(doomed.length)} ${doomed.length === 1 ? "names" : "name"}, for good?`,
  );
}

/** What the first repair mended, and all that the second one tells. */
function joined(first: DoctorReport, second: DoctorReport): DoctorReport {
  const mended = first.findings.filter(({ outcome }) => outcome !== "left");
  const counts: Record<string, number> = { ...second.counts };
  for (const { code } of mended) counts[code] = (counts[code] ?? 0) + 1;
  const passes = first.passes + second.passes;
  return { ...second, findings: [...mended, ...second.findings], counts, passes };
}

function reportText(report: DoctorReport, out: Output): string {
  const { queue, findings, omitted, unchecked, looked, isClean } = report;
  const lines = [paint(out, "strong", printable(queue)), ""];
  lines.push(...findings.map((finding) => findingText(finding, out).trimEnd()));
  if (omitted > 0) lines.push(paint(out, "note", `and ${omitted} more, which --limit leaves out`));
  lines.push(...unchecked.map((what) => paint(out, "note", `not checked: ${printable(what)}`)));
  if (lines.length > 2) lines.push("");
  const size = `${looked.keys} keys, ${looked.lanes} lanes`;
  lines.push(isClean ? paint(out, "good", `clean  ${size}`) : paint(out, "bad", `${leftText(report)}  ${size}`));
  const doomed = findings.filter(({ outcome, destroys }) => outcome === "left" && destroys).length;
  if (doomed > 0)
    lines.push(paint(out, "faint", `${countText(doomed)} can be mended by deleting only: --repair --yes`));
  return `${lines.join("\n")}\n`;
}

function findingText({ code, key, member, detail, mend, outcome, destroys }: Finding, out: Output): string {
  const style = outcome === "left" ? "bad" : "good";
  const what = [key, member, detail].filter((text) => text !== "").map(printable);
  const cure = outcome === "left" ? `${destroys ? "deletes" : "mend"}: ${mend}` : `done: ${mend}`;
  const head = `${paint(out, style, outcome.padEnd(6))}  ${code.padEnd(14)}  ${what.join(" ")}`;
  return `${head}\n${" ".repeat(24)}${paint(out, "faint", cure)}\n`;
}

function leftText({ findings, omitted }: DoctorReport): string {
  const left = findings.filter(({ outcome }) => outcome === "left").length;
  return omitted > 0 ? `at least ${countText(left)} left` : `${countText(left)} left`;
}

function countText(count: number): string {
  return count === 1 ? "one finding" : `${count} findings`;
}
