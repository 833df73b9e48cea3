/**
 * The figures of README.md and bench/README.md, taken from bench/results/*.json. `node bench/figures.mjs` writes them;
 * a test compares the pages with the files, so no figure of the pages is written by hand.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { headOf, labelOf, shown } from "./report.mjs";
import { ROWS } from "./rows.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const resultsFolder = join(folder, "results");

const START = "<!-- figures of bench/results: node bench/figures.mjs -->";
const END = "<!-- end of figures -->";

/** Rows that the front page shows. */
const FRONT_ROWS = ["add-200", "bulk-1000", "process-1", "process-10", "process-100", "process-1000"];

/** Columns in the order of the tables. */
const TITLES = {
  lua: "EchoMQ, scripts",
  native: "native half",
  embedded: "embedded",
  serve: "`echomq serve`",
  bullmq: "BullMQ",
  "bee-queue": "bee-queue",
  "floor-client": "floor, client",
  "floor-benchmark": "floor, `valkey-benchmark`",
};

/** Lines are no longer than this where they are not rows of a table. */
const WIDTH = 120;

/** The results that are kept, in the order of the rows. */
export function readResults() {
  if (!existsSync(resultsFolder)) return [];
  const files = readdirSync(resultsFolder).filter((name) => name.endsWith(".json"));
  const results = files.map((name) => JSON.parse(readFileSync(join(resultsFolder, name), "utf8")));
  const placeOf = ({ name }) => ROWS.findIndex((row) => row.name === name);
  return results.sort((a, b) => placeOf(a) - placeOf(b));
}

/** The pages, and what each of them says between its marks. */
export function pages(results = readResults()) {
  return [
    { path: join(folder, "README.md"), text: detailOf(results) },
    { path: join(folder, "..", "README.md"), text: frontOf(results) },
  ];
}

/** A page with its figures in place of those that it had. */
export function placed(page, text) {
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the page has no lines "${START}" and "${END}"`);
  return `${page.slice(0, from + START.length)}\n\n${text}\n${page.slice(to)}`;
}

/** Writes the figures of both pages. */
export function writeFigures() {
  for (const { path, text } of pages()) writeFileSync(path, placed(readFileSync(path, "utf8"), text));
}

/** The front page: jobs a second by column, and the ratio to BullMQ. */
function frontOf(results) {
  const rows = results.filter(({ name }) => FRONT_ROWS.includes(name));
  if (rows.length === 0) return "Nothing was measured yet.\n";
  const columns = columnsOf(rows).filter((column) => !column.startsWith("floor"));
  const lines = rows.flatMap((row) => {
    const speeds = columns.map((column) => cellOf(figureOf(row, column, "perSecond")));
    const costs = columns.map((column) => costOf(row, column));
    return [`| ${row.title} | ${speeds.join(" | ")} |`, `| … processor us a job | ${costs.join(" | ")} |`];
  });
  return [
    `| jobs/s (of BullMQ's) | ${columns.map((column) => TITLES[column]).join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...lines,
    "",
    wrapped(methodOf(rows)),
    "",
  ].join("\n");
}

/** The page of the bench: each figure of each row, with its picture. */
function detailOf(results) {
  if (results.length === 0) return "Nothing was measured yet.\n";
  const sections = results.map((row) => {
    const columns = columnsOf([row]);
    const lines = [...new Set(row.figures.map(({ figure }) => figure))].map((figure) => {
      const cells = columns.map((column) => cellOf(figureOf(row, column, figure)));
      return `| ${labelOf(row, figure)} | ${cells.join(" | ")} |`;
    });
    return [
      `#### ${row.title}`,
      "",
      wrapped(`Counts: ${countsOf(row)}.`),
      "",
      `| [${row.name}](results/${row.name}.svg) | ${columns.map((column) => TITLES[column]).join(" | ")} |`,
      `|---|${columns.map(() => "---|").join("")}`,
      ...lines,
      "",
    ].join("\n");
  });
  return [wrapped(methodOf(results)), "", ...sections].join("\n");
}

/** Processor time of a job, on both sides together: what a busy machine changes least. */
function costOf(row, column) {
  const sum = (name) =>
    (figureOf(row, name, "clientUs")?.median ?? Number.NaN) + (figureOf(row, name, "serverUs")?.median ?? 0);
  const [cost, peer] = [sum(column), sum("bullmq")];
  if (Number.isNaN(cost)) return "";
  return column === "bullmq" || Number.isNaN(peer) ? shown(cost) : `${shown(cost)} (${(cost / peer).toFixed(2)})`;
}

function figureOf(row, column, figure) {
  return row.figures.find((one) => one.column === column && one.figure === figure);
}

/** With how much the row was run, as rows.mjs names it. */
function countsOf({ counts }) {
  return Object.entries(counts)
    .map(
      ([name, value]) =>
        `\`${name}\` ${[value]
          .flat()
          .map((one) => one.toLocaleString("en-US"))
          .join(" / ")}`,
    )
    .join(", ");
}

/** Median, and in brackets its ratio to BullMQ. */
function cellOf(figure) {
  if (figure === undefined) return "";
  const ratio = figure.ratio === undefined ? "" : ` (${figure.ratio.toFixed(2)})`;
  return `${shown(figure.median)}${ratio}`;
}

function columnsOf(rows) {
  const present = new Set(rows.flatMap(({ figures }) => figures.map(({ column }) => column)));
  return Object.keys(TITLES).filter((column) => present.has(column));
}

/** How the rows were measured; each different machine or method is told once. */
function methodOf(rows) {
  const heads = new Set(
    rows.map(({ machine }) =>
      headOf(machine)
        .map((line) => line.replace(/\.?$/, "."))
        .join(" "),
    ),
  );
  return [...heads].join(" ");
}

function wrapped(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== "" && last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.join("\n");
}

if (argv[1] === fileURLToPath(import.meta.url)) writeFigures();
