/**
 * What the runs say together: medians with their range, ratios of medians, and the machine they hold for.
 */

import { cpus, release, totalmem, type } from "node:os";

/** The count, median, least and greatest of a list of numbers that is not empty. */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { runs: sorted.length, median, min: sorted[0], max: sorted.at(-1) };
}

/** One row of the report from the runs of its three columns, each a list of jobs a second. */
export function rowResult(row, runs) {
  const echomq = spread(runs.echomq);
  const bullmq = spread(runs.bullmq);
  const ratio = echomq.median / bullmq.median;
  return { name: row.name, target: row.target, echomq, bullmq, embedded: spread(runs.embedded), ratio };
}

/** What the figures depend on. */
export function machineOf(versions) {
  const processors = cpus();
  return {
    ...versions,
    node: process.versions.node,
    system: `${type()} ${release()}`,
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

/** The report as text for people. */
export function tableOf(machine, results) {
  const header = ["row", "EchoMQ /s", "BullMQ /s", "ratio", "target", "", "embedded /s"];
  const rows = results.map((result) => [
    result.name,
    range(result.echomq),
    range(result.bullmq),
    `${result.ratio.toFixed(1)} x`,
    `${result.target.toFixed(1)} x`,
    result.ratio >= result.target ? "met" : "below",
    range(result.embedded),
  ]);
  const widths = header.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at].length)));
  const line = (cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]))
      .join("  ")
      .trimEnd();
  return [
    `EchoMQ ${machine.echomq} beside BullMQ ${machine.bullmq} on one Valkey ${machine.valkey}, Node.js ${machine.node}`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, ${machine.system}`,
    `Medians of ${machine.rounds} ${machine.rounds === 1 ? "round" : "rounds"} (least to greatest), a fresh process a run, in turns.`,
    "",
    ...[header, widths.map((width) => "-".repeat(width)), ...rows].map(line),
    "",
  ].join("\n");
}

function range({ median, min, max }) {
  const thousands = (value) => Math.round(value).toLocaleString("en-US");
  return `${thousands(median)} (${thousands(min)} to ${thousands(max)})`;
}
