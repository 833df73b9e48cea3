/**
 * What the figures are to reach, and why one does not.
 *
 * A target is judged by what was measured, whenever a report or a page is made. Where it is missed, `reason` says where
 * the time goes, written by hand; the pages show it as long as the target is missed.
 */

import { ROWS } from "./rows.mjs";

/**
 * @typedef {object} Target
 * @property {readonly string[]} rows
 * @property {readonly string[]} columns Each of them is to reach it.
 * @property {readonly string[]} [figures] Those that it speaks of; all that are measured in time or space without it.
 * @property {number} [least] A figure is to be no less.
 * @property {number} [most] A figure is to be no more.
 * @property {string} [of] A column: the target is a ratio to what that one reached. In the unit of the row without it.
 * @property {string} [over] A figure of the same column: the target is a ratio to that one, and none of a column.
 * @property {string} [what] What it is about, where the titles of its rows do not say it in short.
 * @property {string} [reason] Why it is missed.
 */

/** Rows that count jobs or flows a second, for whoever runs embedded and by Lua. */
const SPEEDS = ROWS.filter(({ isMoreBetter, columns }) => isMoreBetter && columns.includes("embedded"));

/** @type {readonly Target[]} */
export const TARGETS = [
  {
    ...speed("add-200", "lua", 4.5),
    reason:
      "The server is the bound. Plain HSET and one ZADD from a bare socket, which check nothing, are fewer still, with " +
      "three quarters of the server's time. Where two cores are free, client and server of BullMQ work side by side; " +
      "ours fill a core already. On a machine that was busy with other work it was 4.7. The native half reaches it.",
  },
  {
    ...speed("bulk-1000", "lua", 6.5),
    reason:
      "Plain HSET and one ZADD from a bare socket, which check nothing, come to the same number, with three quarters of " +
      "the server's time; what is left there are the checks of the act. The native half, which checks the same, reaches it.",
  },
  speed("process-1", "lua", 4.5),
  speed("process-1", "native", 6),
  {
    ...speed("process-10", "lua", 4.5),
    reason:
      "The server is the bound: its one core is busy all the time. Of its 5.7 us for a job the shortest script with the " +
      "same effects and no check takes 3.3, plain commands 2.3. DEL of three names more takes 0.75, since the wire lets " +
      "logs, lock and count of children go with every row; the rest are the rules in Lua.",
  },
  speed("process-10", "native", 6.5),
  {
    ...speed("process-100", "lua", 5.8),
    reason:
      "The server is the bound. Of its 5.3 us for a job the shortest script with the same effects and no check takes 3.3, " +
      "plain commands 2.3, the names that the wire lets go with a row 0.75, and the rules in Lua the rest.",
  },
  {
    ...speed("process-100", "native", 10),
    reason:
      "Client and server are busy alike, with some 2.5 us a job each, and share a machine of two cores with the kernel's " +
      "work for the sockets. Plain commands and the shortest script, which check nothing, stay below it as well, at 6.4 " +
      "and 7.3. On the server a module that makes the same changes unchecked takes two thirds of the time of ours.",
  },
  {
    ...speed("process-1000", "lua", 7.5),
    reason:
      "The server is the bound. Plain commands and the shortest script, which check nothing and take 2.4 and 3.3 us of its " +
      "5.3 for a job, reach it: 8.3 and 9.6.",
  },
  {
    rows: ["latency"],
    columns: ["lua"],
    figures: ["250/s p50", "250/s p99"],
    most: 0.6,
    of: "bullmq",
    reason:
      "A job takes one round trip and two acts, ADMIT and TURN: 0.18 ms where 0.17 are asked. A bare PING takes 0.05 of " +
      "them (PING in the row). A script that is called 250 times a second finds cold caches: on a slower machine an act " +
      "took 0.12 ms then, and 0.04 in a row. At p99 it is reached, and by the native half at both.",
  },
  { rows: ["delayed"], columns: ["lua", "native", "embedded"], figures: ["p50"], most: 2 },
  { rows: ["delayed"], columns: ["lua", "native", "embedded"], figures: ["p99"], most: 10 },
  { rows: ["outage"], columns: ["lua", "native"], figures: ["after 20 s away"], most: 2000 },
  {
    rows: ["stall"],
    columns: ["lua", "native", "embedded"],
    most: 10,
    reason: "An act of a hundred jobs takes some 2 ms. Longer is one during which the machine took the core away.",
  },
  { rows: ["memory"], columns: ["lua", "native"], figures: ["100 B"], most: 632 },
  { rows: ["memory"], columns: ["lua", "native"], figures: ["100 B, no name"], most: 575 },
  {
    what: "time of the server for an `ENQUEUE`, native half",
    rows: ["enqueue"],
    columns: ["native"],
    figures: ["actUs"],
    most: 0.6,
    of: "lua",
    reason:
      "In pipelines of 64 calls it is 46 % (`npm run bench:native`, below). Here some calls come at a time, and what the " +
      "server does between them empties the caches: both forms take some 4 us a call more, which a ratio does not forgive.",
  },
  {
    ...deep(["lua"], "TURN 1+1", 1.15),
    reason:
      "The two depths are measured minutes apart, and the difference is within their spread. In a process that did nothing " +
      "else it was 1.09: of 10 us more, 4 were in DEL, EXISTS, HMGET and ZREMRANGEBYRANK, whose rows lay outside the caches.",
  },
  deep(["lua"], "TURN 100+100", 1.45),
  deep(["lua"], "ADMIT 100", 1.9),
  deep(["embedded"], "TURN 1+1", 1.3),
  {
    ...deep(["embedded"], "TURN 100+100", 1.3),
    reason:
      "A job costs 1.1 us more among a million, where it costs 2.2 us more by scripts and natively: rows that lie outside " +
      "the caches of the processor, most likely, as was seen of the scripts. Beside an act of 215 us that is more than a third; on a slower machine it was a tenth.",
  },
  {
    ...deep(["embedded"], "ADMIT 100", 1.3),
    reason: "The same: 0.5 us a job more, and 1.2 by scripts and natively, beside 146 us for all.",
  },
  {
    what: "embedded, in memory, beside the scripts on Valkey, speed",
    rows: SPEEDS.map(({ name }) => name),
    columns: ["embedded"],
    figures: ["perSecond"],
    least: 1,
    of: "lua",
    reason:
      "What the worker does for jobs of which many fail is 12 us of 16. Beside a server it has a core for itself; embedded " +
      "it shares one with the store. A fifth of all is the errors, their stacks most of it (`--cpu-prof`).",
  },
  {
    what: "embedded, in memory, beside the scripts on Valkey, latency at 250/s",
    rows: ["latency"],
    columns: ["embedded"],
    figures: ["250/s p50", "250/s p99"],
    most: 1,
    of: "lua",
    reason:
      "At p50 it is a quarter. At p99 the rounds lie within each other: 0.35 to 0.68 ms, and 0.29 to 0.74 by scripts.",
  },
  {
    what: "embedded, in memory, beside the scripts on Valkey, most jobs a second of a pipeline",
    rows: ["latency"],
    columns: ["embedded"],
    figures: ["most"],
    least: 1,
    of: "lua",
  },
  {
    what: "embedded, in memory, beside the scripts on Valkey, delayed jobs",
    rows: ["delayed"],
    columns: ["embedded"],
    most: 1,
    of: "lua",
  },
  {
    what: "embedded, in memory, beside the scripts on Valkey, memory",
    rows: ["memory"],
    columns: ["embedded"],
    most: 1,
    of: "lua",
  },
];

/** Why another queue is ahead of ours in a row, as long as one is. */
export const AHEAD = {
  "add-1":
    "Both are one round trip. A job of bee-queue is a field of one hash and a member of a list: no name, no row of its " +
    "own, no check of keys and values.",
  delayed:
    "One act of bee-queue moves all that is due onto the list at which its workers block, and nothing is claimed: no " +
    "lease, no fence, no owner.",
  latency:
    "A job of bee-queue is handed out by the blocking command itself, without an act that claims it: no lease, no fence, " +
    "no owner.",
  outage:
    "All have run within 10 ms after the server moves again, and ours by the native half before BullMQ. Where the two " +
    "milliseconds of the scripts go was not looked into.",
  stall: "A queue of bee-queue is nine keys, which one command unlinks. Ours is a key a job.",
  memory:
    "A job of bee-queue is a field of one hash. One of ours is a hash of its own, as the wire asks, and the allocator " +
    "rounds the length of its payload up.",
};

/** What says nothing beside another queue's: a share of each one's own most, a time beside a speed, the bare trip. */
const OWN = /^(clientUs|serverUs|actUs|PING.*|\d+%.*)$/;

/** Figures at which a queue of others is better than ours by scripts: ours by scripts and natively, and theirs. */
export function aheadOf(results) {
  return results.flatMap((row) =>
    row.figures
      .filter(({ column, figure }) => ["bullmq", "bee-queue"].includes(column) && !OWN.test(figure))
      .flatMap((peer) => {
        const [lua, native] = ["lua", "native"].map((column) =>
          row.figures.find((one) => one.column === column && one.figure === peer.figure),
        );
        if (lua === undefined || lua.median === peer.median) return [];
        const isMoreBetter = row.isMoreBetter || peer.figure === "most";
        return lua.median > peer.median === isMoreBetter
          ? []
          : [{ row, figure: peer.figure, peer, ours: [lua, native] }];
      }),
  );
}

/** At least so many times the jobs a second of BullMQ. */
function speed(row, column, least) {
  return { rows: [row], columns: [column], figures: ["perSecond"], least, of: "bullmq" };
}

/** An act among a million waiting jobs costs at most so many times what it costs among a thousand. */
function deep(columns, act, most) {
  return { rows: ["depth"], columns, figures: [`${act} at 1,000,000`], most, over: `${act} at 1,000` };
}

/** Whether a target speaks of a figure of a row. */
export function speaksOf(target, row, { column, figure }) {
  if (!target.rows.includes(row) || !target.columns.includes(column)) return false;
  return target.figures === undefined || target.figures.includes(figure);
}

/** What a figure is worth beside its target: its median, or the ratio; undefined where the other was not measured. */
export function valueOf({ of, over }, figures, figure) {
  if (of === undefined && over === undefined) return figure.median;
  const [column, name] = [of ?? figure.column, over ?? figure.figure];
  const other = figures.find((one) => one.column === column && one.figure === name);
  return other === undefined || other.median <= 0 ? undefined : figure.median / other.median;
}

/** Whether a value reaches a target. */
export function isReached({ least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }, value) {
  return value >= least && value <= most;
}

/** Every figure that a target speaks of, with its value beside it, the worst first; none where nothing was measured. */
export function checksOf(target, results) {
  const checks = results.flatMap(({ name, unit, figures }) =>
    figures
      .filter((figure) => speaksOf(target, name, figure))
      .map((figure) => ({
        row: name,
        column: figure.column,
        figure: figure.figure,
        unit,
        value: valueOf(target, figures, figure),
      })),
  );
  const known = checks.filter(({ value }) => value !== undefined);
  const worst = target.least === undefined ? -1 : 1;
  return known
    .map((check) => ({ ...check, isMet: isReached(target, check.value) }))
    .sort((a, b) => worst * (a.value - b.value));
}
