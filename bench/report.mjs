/**
 * What the runs say together: medians with their range, ratios of medians, and the machine and the method they hold
 * for.
 */

import { cpus, loadavg, release, totalmem, type } from "node:os";
import { isReached, speaksOf, TARGETS, valueOf } from "./targets.mjs";

/** Columns that all others are compared with. */
const PEER = "bullmq";

/** Figures of a throughput run that are shown in units of their own: processor times, and the act's by the server. */
const TIMES = { clientUs: "client us", serverUs: "server us", actUs: "act us" };

/** More load than that share of the cores before the bench begins means that others are at work. */
const BUSY_SHARE = 0.5;

/** The count, median, least and greatest of a list of numbers that is not empty. */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { runs: sorted.length, median, min: sorted[0], max: sorted.at(-1) };
}

/**
 * One row of the report.
 *
 * @param row The row, as in rows.mjs.
 * @param runs The figures of each run by column: `{ lua: [{ perSecond: 1, clientUs: 2 }, …], … }`.
 * @param counts With how much it was run.
 */
export function rowResult(row, runs, counts = row.full) {
  const figures = [];
  for (const [column, list] of Object.entries(runs)) {
    for (const name of new Set(list.flatMap((run) => Object.keys(run)))) {
      const values = list.map((run) => run[name]).filter((value) => Number.isFinite(value));
      if (values.length > 0) figures.push({ column, figure: name, ...spread(values) });
    }
  }
  for (const figure of figures) {
    const peer = figures.find((other) => other.column === PEER && other.figure === figure.figure);
    if (peer !== undefined && peer !== figure && peer.median > 0) figure.ratio = figure.median / peer.median;
  }
  const { name, title, unit, isMoreBetter } = row;
  return { name, title, unit, isMoreBetter, counts, figures };
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

/** Whether others are at work on this machine, as it was when this was asked. */
export function loadNow() {
  const load = loadavg()[0] ?? 0;
  return { load: Math.round(load * 10) / 10, isBusy: load > cpus().length * BUSY_SHARE };
}

/** What was measured, and on what. */
export function versionsOf({ echomq, bullmq, beeQueue, valkey, node }) {
  return `EchoMQ ${echomq} beside BullMQ ${bullmq} and bee-queue ${beeQueue}, Valkey ${valkey}, Node.js ${node}`;
}

/** The machine. */
export function placeOf({ cores, processor, memoryGiB, system }) {
  return `${cores} cores (${processor}), ${memoryGiB} GiB, ${system}`;
}

/** How the figures came about, in lines for people. */
export function headOf(machine) {
  const rounds = `${machine.rounds} ${machine.rounds === 1 ? "round" : "rounds"}`;
  return [
    versionsOf(machine),
    placeOf(machine),
    `Medians of ${rounds} (least to greatest); each run a fresh process on an empty server, the columns in turns.`,
    ...(machine.isQuick ? ["A quick run of small counts, in which starting up weighs more."] : []),
    ...(machine.isBusy ? [`The machine was busy with other work (load ${machine.load}): compare within a row.`] : []),
  ];
}

/** The report as text for people. */
export function tableOf(machine, results, lacks = [], targets = TARGETS) {
  const header = ["row", "column", "figure", "median (least to greatest)", "of BullMQ", "target"];
  const rows = results.flatMap((result) =>
    result.figures.map((figure) => [
      result.name,
      figure.column,
      labelOf(result, figure.figure),
      `${shown(figure.median)} (${shown(figure.min)} to ${shown(figure.max)})`,
      figure.ratio === undefined ? "" : `${figure.ratio.toFixed(2)} x`,
      verdictOf(targets, result, figure),
    ]),
  );
  const widths = header.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at].length)));
  const line = (cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]))
      .join("  ")
      .trimEnd();
  return [
    ...headOf(machine),
    ...lacks,
    "",
    ...[header, widths.map((width) => "-".repeat(width)), ...rows].map(line),
    "",
  ].join("\n");
}

/** What a figure is called: its unit, and its name unless the unit says it all. */
export function labelOf(result, figure) {
  if (figure === "perSecond" || figure === "most") return result.unit === "flows/s" ? "flows/s" : "jobs/s";
  return TIMES[figure] ?? `${figure}, ${result.unit}`;
}

/** A number as people read it. */
export function shown(value) {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value >= 10 ? value.toFixed(1) : value.toPrecision(2);
}

/** What is asked of a value: `at least 4.5 x BullMQ`, `at most 10 ms`, `at most 1.3 x add at 1000`. */
export function askedOf({ least, most, of, over }, unit, nameOf = (column) => column) {
  const bound = least === undefined ? "at most" : "at least";
  const other = of === undefined ? over : nameOf(of);
  return `${bound} ${(least ?? most).toLocaleString("en-US")} ${other === undefined ? unit : `x ${other}`}`;
}

function verdictOf(targets, { name, unit, figures }, figure) {
  const verdicts = targets
    .filter((target) => speaksOf(target, name, figure))
    .map((target) => {
      const value = valueOf(target, figures, figure);
      const asked = askedOf(target, unit);
      return value === undefined ? asked : `${asked}: ${isReached(target, value) ? "met" : "missed"}`;
    });
  return verdicts.join("; ");
}
