/**
 * `echomq jobs`: the jobs of one state, a page at a time.
 *
 * A queue may hold millions, so there is no "all": a page has a bound, and its last line is the command for the next.
 */

import { Argument, type Command } from "commander";
import { PAGE_JOBS_DEFAULT, PAGE_JOBS_MAX } from "../queue/defaults.ts";
import { assertListedState, type ListedState } from "../queue/read-verbs.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { type Host, paint } from "./host.ts";
import { type JobReport, jobLine, jobReport } from "./job-report.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const JOBS: ServerCommandSpec = {
  name: "jobs",
  summary: "list the jobs of a state",
  description: "List the jobs of one state, newest first. Of pending jobs those in no lane are listed.",
  example: "jobs mail dead --limit 20",
  memory: "blind",
  isReadonly: true,
};

const STATES = ["pending", "active", "scheduled", "dead"] as const satisfies readonly ListedState[];

/** The last place that a list may begin at. */
const START_MAX = 10 ** 12;

interface JobsOptions extends ServerOptions {
  readonly start: number;
  readonly end?: number;
  readonly limit?: number;
  readonly ascending?: boolean;
  readonly full?: boolean;
}

/** One page for programs. */
interface JobsReport {
  readonly queue: string;
  readonly state: ListedState;
  readonly total: number;
  readonly start: number;
  /** Where the next page begins; `null` when this is the last. */
  readonly next: number | null;
  readonly jobs: readonly JobReport[];
}

/** The command; see `echomq jobs --help`. */
export function jobsCommand(context: CommandContext): Command {
  const place = wholeNumber({ min: 0, max: START_MAX });
  return serverCommand(JOBS)
    .argument("<queue>", "name of the queue")
    .addArgument(new Argument("<state>", "state of the jobs").choices(STATES).argParser(stateOf))
    .option("--start <n>", "first place of the page, from 0", place, 0)
    .option("--end <n>", "last place of the page, inclusive; instead of --limit", place)
    .option(
      "--limit <n>",
      `jobs of the page, 1 to ${PAGE_JOBS_MAX}; ${PAGE_JOBS_DEFAULT} without it`,
      wholeNumber({ min: 1, max: PAGE_JOBS_MAX }),
    )
    .option("--ascending", "oldest first, or what runs first")
    .option("--full", "cut nothing")
    .action(async (queue: string, state: ListedState, options: JobsOptions) => {
      const report = await readPage({ context, queue, state, options });
      if (options.json === true) writeJson(context.host, report);
      else context.host.out.write(pageText(report, options, context.host));
    });
}

/** The word of the wire. The library names it for every word that other queues use. */
function stateOf(word: string): ListedState {
  assertListedState(word);
  return word;
}

interface PageCall {
  readonly context: CommandContext;
  readonly queue: string;
  readonly state: ListedState;
  readonly options: JobsOptions;
}

async function readPage({ context, queue, state, options }: PageCall): Promise<JobsReport> {
  const { start } = options;
  const end = endOf(options);
  return await withQueue({ context, spec: JOBS, options, queue }, async (core) => {
    const [jobs, sizes] = await Promise.all([
      core.getJobs(state, start, end, options.ascending === true),
      core.jobs.getSizes(queue, [state]),
    ]);
    const total = sizes[state];
    const next = end + 1 < total ? end + 1 : null;
    return { queue, state, total, start, next, jobs: jobs.map((job) => jobReport(job, state)) };
  });
}

function endOf({ start, end, limit }: JobsOptions): number {
  if (end === undefined) return start + (limit ?? PAGE_JOBS_DEFAULT) - 1;
  if (limit !== undefined) throw new CliError("usage", "give --end or --limit, not both");
  if (end < start) throw new CliError("usage", "--end is the last place of the page and cannot be before --start");
  if (end - start >= PAGE_JOBS_MAX) throw new CliError("usage", `a page has at most ${PAGE_JOBS_MAX} jobs`);
  return end;
}

function pageText(report: JobsReport, options: JobsOptions, { out }: Host): string {
  const { queue, state, total, start, next, jobs } = report;
  const isFull = options.full === true;
  const lines = jobs.map((job) => jobLine(job, out, { isFull }));
  const range = jobs.length === 0 ? "none" : `${start} to ${start + jobs.length - 1}`;
  lines.push(paint(out, "faint", `${range} of ${total} ${state} jobs`));
  if (next !== null) {
    const order = options.ascending === true ? " --ascending" : "";
    const size = options.limit === undefined ? "" : ` --limit ${options.limit}`;
    lines.push(paint(out, "faint", `next: echomq jobs ${printable(queue)} ${state} --start ${next}${size}${order}`));
  }
  return `${lines.join("\n")}\n`;
}
