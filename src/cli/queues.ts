/** `echomq queues`: the queues of a server. */

import type { Command } from "commander";
import type { Engine } from "../engine/engine.ts";
import { Jobs } from "../queue/jobs.ts";
import { readQueueNames } from "../queue/queue-names.ts";
import { COUNT_WORDS, type CountWord } from "../queue/read-verbs.ts";
import type { CommandContext } from "./command-context.ts";
import { type Output, paint } from "./host.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withEngine, writeJson } from "./server-command.ts";

const QUEUES: ServerCommandSpec = {
  name: "queues",
  summary: "list the queues of a server",
  description:
    "List the queues of a server, a name a line. They are read from a list to which each queue adds its name when a " +
    "job is first added; with --scan, or where that list is empty, all keys of the server are looked through for " +
    "queues that other clients made.",
  example: "queues --counts",
  memory: "blind",
  isReadonly: true,
};

/** Queues that are counted at the same moment. */
const QUEUES_AT_ONCE = 50;

interface QueuesOptions extends ServerOptions {
  readonly scan?: boolean;
  readonly counts?: boolean;
}

/** A queue as `--json` tells it. */
interface QueueReport {
  readonly queue: string;
  readonly isPaused?: boolean;
  readonly counts?: Readonly<Record<CountWord, number>>;
}

/** The command; see `echomq queues --help`. */
export function queuesCommand(context: CommandContext): Command {
  return serverCommand(QUEUES)
    .option("--scan", "look through all keys of the server as well")
    .option("--counts", "tell how many jobs of each queue are where")
    .action(async (options: QueuesOptions) => {
      const { host } = context;
      const { scan = false, counts = false } = options;
      const queues = await withEngine({ context, spec: QUEUES, options }, async (engine) => {
        const names = await readQueueNames(engine, { scan });
        return counts ? await countedQueues(engine, names) : names.map((queue): QueueReport => ({ queue }));
      });
      if (options.json === true) writeJson(host, { queues });
      else if (queues.length === 0) host.out.write("no queue here\n");
      else host.out.write(`${queueLines(queues, host.out).join("\n")}\n`);
    });
}

async function countedQueues(engine: Engine, names: readonly string[]): Promise<QueueReport[]> {
  const jobs = new Jobs(engine);
  const reports: QueueReport[] = [];
  for (let at = 0; at < names.length; at += QUEUES_AT_ONCE) {
    const some = names.slice(at, at + QUEUES_AT_ONCE).map(async (queue) => {
      const [counts, isPaused] = await Promise.all([jobs.getCounts(queue, COUNT_WORDS), jobs.isPaused(queue)]);
      return { queue, isPaused, counts };
    });
    reports.push(...(await Promise.all(some)));
  }
  return reports;
}

/** Names, and behind them a column for each count, as wide as its widest number. */
function queueLines(queues: readonly QueueReport[], out: Output): string[] {
  const names = queues.map(({ queue }) => printable(queue));
  if (queues.every(({ counts }) => counts === undefined)) return names;
  const nameWidth = Math.max(...names.map((name) => name.length));
  const widths = COUNT_WORDS.map((word) =>
    Math.max(word.length, ...queues.map(({ counts }) => String(counts?.[word] ?? "").length)),
  );
  const row = (cells: readonly string[]) => cells.map((cell, at) => `  ${cell.padStart(widths[at] ?? 0)}`).join("");
  const lines = queues.map(({ counts, isPaused }, at) => {
    const cells = row(COUNT_WORDS.map((word) => String(counts?.[word] ?? "")));
    const pause = isPaused === true ? paint(out, "note", "  paused") : "";
    return `${paint(out, "strong", (names[at] ?? "").padEnd(nameWidth))}${cells}${pause}`;
  });
  return [paint(out, "faint", `${" ".repeat(nameWidth)}${row(COUNT_WORDS)}`), ...lines];
}
