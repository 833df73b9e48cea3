/**
 * `echomq counts`: how many jobs of a queue are where, how long the oldest waits, and how many ended lately.
 *
 * Counting is one act. The age looks into every lane and the minutes read two keys more, so they are asked for by name.
 */

import type { Command } from "commander";
import { THROUGHPUT_MINUTES_MAX } from "../queue/defaults.ts";
import type { MinuteCount } from "../queue/operator.ts";
import type { QueueCore } from "../queue/queue.ts";
import { COUNT_WORDS, type CountWord } from "../queue/read-verbs.ts";
import type { CommandContext } from "./command-context.ts";
import { spanText } from "./duration-option.ts";
import { type Output, paint } from "./host.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const COUNTS: ServerCommandSpec = {
  name: "counts",
  summary: "how many jobs are where",
  description:
    "Count the jobs of a queue by the words of the wire, and tell whether it is paused. The counters completed and " +
    "failed count endings and never fall; pending counts the jobs in no lane.",
  example: "counts mail --oldest --minutes 10",
  memory: "blind",
  isReadonly: true,
};

interface CountsOptions extends ServerOptions {
  readonly oldest?: boolean;
  readonly minutes?: number;
}

/** The command; see `echomq counts --help`. */
export function countsCommand(context: CommandContext): Command {
  return serverCommand(COUNTS)
    .argument("<queue>", "name of the queue")
    .option("--oldest", "also the age of the job that waits longest, in a lane or in none")
    .option(
      "--minutes <n>",
      `also what was completed and what died in each of the last minutes, 1 to ${THROUGHPUT_MINUTES_MAX}`,
      wholeNumber({ min: 1, max: THROUGHPUT_MINUTES_MAX }),
    )
    .action(async (queue: string, options: CountsOptions) => {
      const { host } = context;
      const report = await withQueue({ context, spec: COUNTS, options, queue }, (core) => readCounts(core, options));
      if (options.json === true) writeJson(host, report);
      else host.out.write(countsText(report, host.out));
    });
}

interface CountsReport {
  readonly queue: string;
  readonly isPaused: boolean;
  readonly counts: Readonly<Record<CountWord, number>>;
  /** `null` when none waits; absent when it was not asked for. */
  readonly oldestPendingAgeMs?: number | null;
  /** Oldest first; the last is the minute that runs. */
  readonly minutes?: readonly MinuteCount[];
}

async function readCounts(core: QueueCore, { oldest = false, minutes }: CountsOptions): Promise<CountsReport> {
  const [counts, isPaused, age, ended] = await Promise.all([
    core.getJobCounts(),
    core.isPaused(),
    oldest ? core.oldestPendingAge() : undefined,
    minutes === undefined ? undefined : core.throughput({ minutes }),
  ]);
  return {
    queue: core.name,
    isPaused,
    counts,
    ...(oldest ? { oldestPendingAgeMs: age ?? null } : {}),
    ...(ended === undefined ? {} : { minutes: ended }),
  };
}

function countsText({ queue, isPaused, counts, oldestPendingAgeMs, minutes }: CountsReport, out: Output): string {
  const rows: [label: string, value: string][] = COUNT_WORDS.map((word) => [word, String(counts[word])]);
  const width = Math.max(...rows.map(([, value]) => value.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(9)}  ${value.padStart(width)}`);
  if (oldestPendingAgeMs !== undefined) {
    lines.push(`  oldest     ${oldestPendingAgeMs === null ? "none waits" : `waits ${spanText(oldestPendingAgeMs)}`}`);
  }
  lines.push(...(minutes ?? []).map(minuteLine));
  const title = paint(out, "strong", printable(queue)) + (isPaused ? paint(out, "note", "  paused") : "");
  return `${title}\n${lines.join("\n")}\n`;
}

function minuteLine({ atMs, completed, failed }: MinuteCount): string {
  return `  ${new Date(atMs).toISOString().slice(0, 16)}Z  ${completed} completed  ${failed} failed`;
}
