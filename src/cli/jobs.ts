/**
 * `echomq jobs` and `echomq dead`: the jobs of one state, a page at a time.
 *
 * A queue may hold millions, so there is no "all": a page has a bound, and its last line is the command for the next.
 * Pages go by cursor, which is a place in the order and not a number, so none skips jobs while others leave.
 *
 * Each state is listed from the end that people look at: what runs next, and what ended last.
 */

import { type Command, Option } from "commander";
import type { Engine } from "../engine/engine.ts";
import { PAGE_JOBS_DEFAULT, PAGE_JOBS_MAX } from "../queue/defaults.ts";
import type { QueueCore } from "../queue/queue.ts";
import { LISTED_STATES, type ListedState } from "../queue/read-verbs.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { durationOption, durationText } from "./duration-option.ts";
import { type Host, paint } from "./host.ts";
import { isOfAge, readAgedJobs } from "./job-age.ts";
import { type JobReport, jobLine, jobReport } from "./job-report.ts";
import { shellWord } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";
import { addStateChoice, chosenState } from "./state-choice.ts";
import { wholeNumber } from "./whole-number.ts";

const JOBS: ServerCommandSpec = {
  name: "jobs",
  summary: "list the jobs of a state",
  description:
    "List the jobs of one state: pending (those in no lane, unless --lane names one), active, scheduled, " +
    "awaiting_children, dead, or completed (those that are kept). Pending, active and scheduled ones come in the order " +
    "in which they run, end or fall due, those that wait for children the longest first; of dead and completed ones " +
    "the newest come first.",
  example: "jobs mail dead --limit 20",
  memory: "blind",
  isReadonly: true,
};

const DEAD: ServerCommandSpec = {
  name: "dead",
  summary: "list the dead jobs, as jobs <queue> dead does",
  description: "List the dead jobs of a queue with their last errors, the newest first; the same as jobs <queue> dead.",
  example: "dead mail --newer-than 1h",
  memory: "blind",
  isReadonly: true,
};

/** From which end a state is listed unless `--from` names one. */
const FROM = {
  pending: "first",
  active: "first",
  scheduled: "first",
  awaiting_children: "first",
  dead: "last",
  completed: "last",
} as const;

interface JobsOptions extends ServerOptions {
  readonly state?: ListedState;
  readonly cursor?: string;
  readonly limit: number;
  readonly from?: "first" | "last";
  readonly lane?: string;
  readonly olderThan?: number;
  readonly newerThan?: number;
  readonly full?: boolean;
}

/** One page for programs. */
interface JobsReport {
  readonly queue: string;
  readonly state: ListedState;
  /** Of all ages. */
  readonly total: number;
  readonly jobs: readonly JobReport[];
  /** The cursor of the next page; `null` when this is the last. */
  readonly next: string | null;
}

/** The command; see `echomq jobs --help`. */
export function jobsCommand(context: CommandContext): Command {
  const command = serverCommand(JOBS).alias("list").argument("<queue>", "name of the queue");
  return addPageOptions(addStateChoice(command, LISTED_STATES))
    .option("--lane <name>", "only pending jobs of this lane")
    .action(async (queue: string, named: ListedState | undefined, options: JobsOptions) => {
      const state = chosenState(named, options.state, LISTED_STATES);
      await tellPage({ context, spec: JOBS, queue, state, options });
    });
}

/** The command; see `echomq dead --help`. */
export function deadCommand(context: CommandContext): Command {
  return addPageOptions(serverCommand(DEAD).argument("<queue>", "name of the queue")).action(
    async (queue: string, options: JobsOptions) => {
      await tellPage({ context, spec: DEAD, queue, state: "dead", options });
    },
  );
}

function addPageOptions(command: Command): Command {
  return command
    .option(
      "--limit <n>",
      `jobs of the page, 1 to ${PAGE_JOBS_MAX}`,
      wholeNumber({ min: 1, max: PAGE_JOBS_MAX }),
      PAGE_JOBS_DEFAULT,
    )
    .option("--cursor <cursor>", "what the page before told as next")
    .addOption(
      new Option("--from <end>", "end of the list to begin at; last for dead and completed jobs, else first").choices([
        "first",
        "last",
      ]),
    )
    .option(
      "--older-than <duration>",
      "only jobs of at least this age, such as 30m or 7d",
      durationOption("--older-than"),
    )
    .option("--newer-than <duration>", "only jobs below this age", durationOption("--newer-than"))
    .option("--full", "cut nothing");
}

/** A page that was asked for. */
interface PageCall {
  readonly context: CommandContext;
  readonly spec: ServerCommandSpec;
  readonly queue: string;
  readonly state: ListedState;
  readonly options: JobsOptions;
}

async function tellPage(call: PageCall): Promise<void> {
  const { context, state, options } = call;
  if (options.lane !== undefined && state !== "pending") {
    throw new CliError("usage", `--lane is for pending jobs, and ${state} ones stand in one list`);
  }
  const { host } = context;
  const report = await withQueue(call, (core, engine) => readPage(call, core, engine));
  if (options.json === true) writeJson(host, report);
  else host.out.write(pageText(report, call, host));
}

async function readPage({ queue, state, options }: PageCall, core: QueueCore, engine: Engine): Promise<JobsReport> {
  const { limit, cursor, lane, olderThan, newerThan, from = FROM[state] } = options;
  const place = { from, ...(lane === undefined ? {} : { lane }) };
  const isWanted = await isOfAge(engine, { olderThan, newerThan });
  const total = lane === undefined ? (await core.jobs.getSizes(queue, [state]))[state] : await core.lane(lane).depth();
  const read = (part: { readonly limit: number; readonly cursor?: string }) =>
    core.listJobs(state, { ...place, ...part });
  const page = await readAgedJobs(read, { limit, cursor, isWanted });
  // A page that ends with the list has a cursor as well: whether anything stands behind it is asked.
  const behind =
    page.cursor === undefined ? [] : (await core.listIds(state, { ...place, cursor: page.cursor, limit: 1 })).ids;
  const next = behind.length === 0 ? null : (page.cursor ?? null);
  return { queue, state, total, jobs: page.jobs.map((job) => jobReport(job, state)), next };
}

function pageText(report: JobsReport, call: PageCall, { out }: Host): string {
  const { state, total, next, jobs } = report;
  const { lane, olderThan, newerThan, full } = call.options;
  const lines = jobs.map((job) => jobLine(job, out, { isFull: full === true }));
  const isFiltered = olderThan !== undefined || newerThan !== undefined;
  const count = jobs.length === 0 ? "none" : String(jobs.length);
  const list = `${total} ${state} jobs${lane === undefined ? "" : " of the lane"}`;
  lines.push(paint(out, "faint", isFiltered ? `${count} of that age; ${list} in all` : `${count} of ${list}`));
  if (next !== null) lines.push(paint(out, "faint", `next: ${nextLine(call, next)}`));
  return `${lines.join("\n")}\n`;
}

/** The line that lists the next page, with all that this one was asked for. */
function nextLine({ spec, queue, state, options }: PageCall, next: string): string {
  const { limit, from, lane, olderThan, newerThan, full } = options;
  const words = ["echomq", spec.name, shellWord(queue)];
  if (spec === JOBS) words.push(state);
  if (limit !== PAGE_JOBS_DEFAULT) words.push("--limit", String(limit));
  if (from !== undefined) words.push("--from", from);
  if (lane !== undefined) words.push("--lane", shellWord(lane));
  if (olderThan !== undefined) words.push("--older-than", durationText(olderThan));
  if (newerThan !== undefined) words.push("--newer-than", durationText(newerThan));
  if (full === true) words.push("--full");
  return [...words, "--cursor", shellWord(next)].join(" ");
}
