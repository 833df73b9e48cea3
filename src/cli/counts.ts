/** `echomq counts`: how many jobs of a queue are where. */

import type { Command } from "commander";
import { COUNT_WORDS, type CountWord } from "../queue/read-verbs.ts";
import type { CommandContext } from "./command-context.ts";
import { type Output, paint } from "./host.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const COUNTS: ServerCommandSpec = {
  name: "counts",
  summary: "how many jobs are where",
  description:
    "Count the jobs of a queue by the words of the wire, and tell whether it is paused. The counters completed and " +
    "failed count endings and never fall; pending counts the jobs in no lane.",
  example: "counts mail",
  memory: "blind",
  isReadonly: true,
};

/** The command; see `echomq counts --help`. */
export function countsCommand(context: CommandContext): Command {
  return serverCommand(COUNTS)
    .argument("<queue>", "name of the queue")
    .action(async (queue: string, options: ServerOptions) => {
      const { host } = context;
      const [counts, isPaused] = await withQueue({ context, spec: COUNTS, options, queue }, (core) =>
        Promise.all([core.getJobCounts(), core.isPaused()]),
      );
      if (options.json === true) writeJson(host, { queue, isPaused, counts });
      else host.out.write(countsText({ queue, isPaused, counts }, host.out));
    });
}

interface CountsReport {
  readonly queue: string;
  readonly isPaused: boolean;
  readonly counts: Readonly<Record<CountWord, number>>;
}

function countsText({ queue, isPaused, counts }: CountsReport, out: Output): string {
  const numbers = COUNT_WORDS.map((word) => String(counts[word]));
  const width = Math.max(...numbers.map((number) => number.length));
  const lines = COUNT_WORDS.map((word, at) => `  ${word.padEnd(9)}  ${numbers[at]?.padStart(width)}`);
  const title = paint(out, "strong", printable(queue)) + (isPaused ? paint(out, "note", "  paused") : "");
  return `${title}\n${lines.join("\n")}\n`;
}
