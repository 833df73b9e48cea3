/**
 * The figures of README.md and bench/README.md, taken from bench/results/*.json. `node bench/figures.mjs` writes them;
 * a test compares the pages with the files, so no figure of the pages is written by hand.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { askedOf, labelOf, placeOf, shown, versionsOf } from "./report.mjs";
import { ROWS } from "./rows.mjs";
import { AHEAD, aheadOf, checksOf, TARGETS } from "./targets.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const resultsFolder = join(folder, "results");

const START = "<!-- figures of bench/results: node bench/figures.mjs -->";
const END = "<!-- end of figures -->";

/** What the front page shows, in its order, and the columns beside which it does. */
const FRONT_FIGURES = [
  ...["add-200", "bulk-1000", "process-1", "process-10", "process-100", "process-1000"].map((row) => [
    row,
    "perSecond",
  ]),
  ["latency", "250/s p50"],
  ["latency", "250/s p99"],
  ["delayed", "p50"],
  ["delayed", "p99"],
  ["outage", "after 20 s away"],
];
const FRONT_COLUMNS = ["lua", "native", "embedded", "bullmq", "bee-queue"];

/** Columns in the order of the tables. */
const TITLES = {
  lua: "EchoMQ, scripts",
  native: "native half",
  embedded: "embedded",
  serve: "`echomq serve`",
  bullmq: "BullMQ",
  "bee-queue": "bee-queue",
  "floor-client": "floor, plain commands",
  "floor-script": "floor, shortest script",
  "floor-benchmark": "floor, `valkey-benchmark`",
};

/** Titles of rows where a figure follows. */
const SHORT_TITLES = {
  latency: "from add to the start of the handler",
  delayed: "delayed jobs, start after the due time",
  outage: "20 jobs of an outage have run",
  stall: "longest stall by a call on a full queue",
  depth: "time of an act",
};

/** Lines are no longer than this where they are not rows of a table. */
const WIDTH = 120;

/** The results that are kept, in the order of the rows. */
export function readResults() {
  if (!existsSync(resultsFolder)) return [];
  const files = readdirSync(resultsFolder).filter((name) => name.endsWith(".json"));
  const results = files.map((name) => JSON.parse(readFileSync(join(resultsFolder, name), "utf8")));
  const orderOf = ({ name }) => ROWS.findIndex((row) => row.name === name);
  return results.sort((a, b) => orderOf(a) - orderOf(b));
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

/** The front page: a figure a line, the ratio to BullMQ, and how many targets are met. */
function frontOf(results) {
  const lines = FRONT_FIGURES.flatMap(([name, figure]) => {
    const row = results.find((one) => one.name === name);
    if (row === undefined || !row.figures.some((one) => one.figure === figure)) return [];
    const cells = FRONT_COLUMNS.map((column) => cellOf(figureOf(row, column, figure)));
    return [`| ${lineOf(row, figure)} | ${cells.join(" | ")} |`];
  });
  if (lines.length === 0) return "Nothing was measured yet.\n";
  const shownRows = results.filter(({ name }) => FRONT_FIGURES.some(([row]) => row === name));
  return [
    `| (of BullMQ's) | ${FRONT_COLUMNS.map((column) => TITLES[column]).join(" | ")} |`,
    `|---|${FRONT_COLUMNS.map(() => "---|").join("")}`,
    ...lines,
    "",
    wrapped(`${methodOf(shownRows)} ${summaryOf(results)}`),
    "",
  ].join("\n");
}

/** How many targets are met, of those that were measured. */
function summaryOf(results) {
  const judged = TARGETS.map((target) => checksOf(target, results)).filter((checks) => checks.length > 0);
  const met = judged.filter((checks) => checks.every(({ isMet }) => isMet)).length;
  return `Of the ${judged.length} targets that were measured, ${met} are met: [targets](bench/README.md#targets).`;
}

/** The page of the bench: each figure of each row, with its picture. */
function detailOf(results) {
  if (results.length === 0) return "Nothing was measured yet.\n";
  const isOne = new Set(results.map(({ machine }) => placeOf(machine))).size === 1;
  const sections = results.map((row) => {
    const columns = columnsOf([row]);
    const lines = [...new Set(row.figures.map(({ figure }) => figure))].map((figure) => {
      const cells = columns.map((column) => rangeOf(figureOf(row, column, figure)));
      return `| ${labelOf(row, figure)} | ${cells.join(" | ")} |`;
    });
    return [
      `#### ${row.title}`,
      "",
      wrapped(`Counts: ${countsOf(row)}${isOne ? "" : `; ${placeOf(row.machine)}`}.`),
      "",
      `| [${row.name}](results/${row.name}.svg) | ${columns.map((column) => TITLES[column]).join(" | ")} |`,
      `|---|${columns.map(() => "---|").join("")}`,
      ...lines,
      "",
    ].join("\n");
  });
  return [wrapped(methodOf(results)), "", targetsOf(results), ...peersOf(results), ...sections].join("\n");
}

/** Where another queue is ahead of ours on the same server, and why. */
function peersOf(results) {
  const lines = aheadOf(results).map(({ row, figure, peer, ours }) => {
    const cells = [peer, ...ours].map((one) => (one === undefined ? "" : shown(one.median)));
    return `| ${lineOf(row, figure)} | ${TITLES[peer.column]}: ${cells.join(" | ")} | ${AHEAD[row.name] ?? ""} |`;
  });
  if (lines.length === 0) return [];
  const head = ["| Work | Who | EchoMQ, scripts | native half | Why |", "|---|---|---|---|---|"];
  return ["#### Where another queue is ahead", "", ...head, ...lines, ""];
}

/** Each target, the worst figure of those that it speaks of, and why it is missed where it is. */
function targetsOf(results) {
  const lines = TARGETS.map((target) => {
    const checks = checksOf(target, results);
    const unit = ROWS.find(({ name }) => name === target.rows[0])?.unit ?? "";
    const asked = askedOf(target, unit, (column) => TITLES[column]);
    return `| ${whatOf(target)} | ${asked} | ${reachedOf(target, checks)} | ${verdictOf(target, checks)} |`;
  });
  return ["#### Targets", "", "| Work | Asked | Reached | |", "|---|---|---|---|", ...lines, ""].join("\n");
}

function whatOf({ what, rows, figures, columns }) {
  const title = SHORT_TITLES[rows[0]] ?? ROWS.find(({ name }) => name === rows[0])?.title ?? rows[0];
  if (what !== undefined) return what;
  const names = figures === undefined || figures[0] === "perSecond" ? "" : `, ${figures.join(" and ")}`;
  return `${title}${names}: ${columns.map((column) => TITLES[column]).join(", ")}`;
}

/** The worst of what was reached, and where, if the target speaks of more than one figure. */
function reachedOf({ of, over }, checks) {
  const [worst] = checks;
  if (worst === undefined) return "";
  const value = of === undefined && over === undefined ? `${shown(worst.value)} ${worst.unit}` : worst.value.toFixed(2);
  if (checks.length === 1) return value;
  const places = [];
  for (const key of ["row", "column", "figure"]) {
    if (new Set(checks.map((check) => check[key])).size > 1) places.push(worst[key]);
  }
  return `${value} (${places.join(", ")})`;
}

function verdictOf({ reason }, checks) {
  if (checks.length === 0) return "not measured";
  const met = checks.filter(({ isMet }) => isMet).length;
  if (met === checks.length) return "met";
  const count = checks.length === 1 ? "" : ` in ${checks.length - met} of ${checks.length}`;
  return `missed${count}${reason === undefined ? "" : `: ${reason}`}`;
}

/** What a line is about that stands without its row: the work, the figure if there are several, and the unit. */
function lineOf(row, figure) {
  if (figure === "perSecond") return `${row.title}, ${labelOf(row, figure)}`;
  return `${SHORT_TITLES[row.name] ?? row.title}, ${labelOf(row, figure)}`;
}

function figureOf(row, column, figure) {
  return row.figures.find((one) => one.column === column && one.figure === figure);
}

/** With how much the row was run, as rows.mjs names it, and how often. */
function countsOf({ counts, machine }) {
  const texts = Object.entries(counts).map(
    ([name, value]) =>
      `\`${name}\` ${[value]
        .flat()
        .map((one) => one.toLocaleString("en-US"))
        .join(" / ")}`,
  );
  return `${texts.join(", ")}; ${machine.rounds} ${machine.rounds === 1 ? "round" : "rounds"}`;
}

/** Median, and in brackets its ratio to BullMQ. */
function cellOf(figure) {
  if (figure === undefined) return "";
  const ratio = figure.ratio === undefined ? "" : ` (${figure.ratio.toFixed(2)})`;
  return `${shown(figure.median)}${ratio}`;
}

/** The same with the least and the greatest. */
function rangeOf(figure) {
  if (figure === undefined) return "";
  return `${cellOf(figure)} ${shown(figure.min)}–${shown(figure.max)}`;
}

function columnsOf(rows) {
  const present = new Set(rows.flatMap(({ figures }) => figures.map(({ column }) => column)));
  return Object.keys(TITLES).filter((column) => present.has(column));
}

/** How the rows were measured: what is the same for all is said once. */
function methodOf(rows) {
  const eachOf = (of) => [...new Set(rows.map(({ machine }) => of(machine)))];
  const rounds = eachOf((machine) => machine.rounds).sort((a, b) => a - b);
  const busy = rows.filter(({ machine }) => machine.isBusy);
  return [
    `${eachOf(versionsOf).join("; ")}.`,
    `${eachOf(placeOf).join("; ")}.`,
    `Medians of ${rounds.join(" or ")} rounds; each run a fresh process on an empty server, the columns in turns.`,
    ...(rows.some(({ machine }) => machine.isQuick) ? ["Some were quick runs of small counts."] : []),
    ...(busy.length === 0 ? [] : [`Other work was going on beside ${busy.map(({ name }) => name).join(", ")}.`]),
  ].join(" ");
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
