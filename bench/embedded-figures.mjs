/**
 * The figures of the embedded engine in bench/README.md, taken from bench/results/embedded/figures.json, which
 * `npm run bench:embedded -- --save` writes. `node bench/embedded-figures.mjs` puts them into the page; a test compares
 * the two, so no figure is written by hand.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const resultPath = join(folder, "results", "embedded", "figures.json");

export const pagePath = join(folder, "README.md");

const START = "<!-- figures of bench/results/embedded: node bench/embedded-figures.mjs -->";
const END = "<!-- end of the embedded figures -->";

const UNITS = {
  perSecond: "jobs/s",
  clientUs: "us a job",
  p50Ms: "p50, ms",
  p99Ms: "p99, ms",
  openMs: "ms",
  bytesPerJob: "bytes a job",
};

/** The result that is kept; `undefined` before the first. */
export function readResult() {
  return existsSync(resultPath) ? JSON.parse(readFileSync(resultPath, "utf8")) : undefined;
}

/** Keeps a result, and writes its figures into the page. */
export function saveResult(result) {
  mkdirSync(dirname(resultPath), { recursive: true });
  writeFileSync(resultPath, `${JSON.stringify(result, null, 2)}\n`);
  writeFigures();
}

/** What the page says between its marks. */
export function textOf(result = readResult()) {
  if (result === undefined) return "Nothing was measured yet.\n";
  const { machine, lacking, rows } = result;
  return [
    ...headOf(machine).map((line) => `${line}\n`),
    ...(lacking === undefined ? [] : ["The queues on SQLite were left out.\n"]),
    "| Row | Store | Figure | Median | Least to greatest |",
    "|---|---|---|---|---|",
    ...rows.flatMap(({ row, store, figures }) =>
      Object.entries(figures).map(
        ([name, { median, min, max }]) =>
          `| \`${row}\` | ${store} | ${UNITS[name] ?? name} | ${shown(median)} | ${shown(min)} to ${shown(max)} |`,
      ),
    ),
    "",
  ].join("\n");
}

/** How the figures came about, in lines for people. */
export function headOf(machine) {
  const rounds = `${machine.rounds} ${machine.rounds === 1 ? "round" : "rounds"}`;
  return [
    `EchoMQ ${machine.echomq} embedded, beside Valkey ${machine.valkey}, Node.js ${machine.node}.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, ${machine.system}.`,
    `Medians of ${rounds} (least to greatest), a fresh process and store a run, in turns.`,
    ...(machine.isQuick ? ["A quick run with a tenth of the jobs, in which starting up weighs more."] : []),
    ...(machine.isBusy ? [`The machine was busy with other work (load ${machine.load}).`] : []),
  ];
}

/** A number as people read it. */
export function shown(value) {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3);
}

/** A page with the figures in place of those that it had. */
export function placed(page, text) {
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the page has no lines "${START}" and "${END}"`);
  return `${page.slice(0, from + START.length)}\n\n${text}\n${page.slice(to)}`;
}

export function writeFigures() {
  writeFileSync(pagePath, placed(readFileSync(pagePath, "utf8"), textOf()));
}

if (argv[1] === fileURLToPath(import.meta.url)) writeFigures();
