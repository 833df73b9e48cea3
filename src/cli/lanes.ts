/** `echomq lanes`: the lanes of a queue, with what waits in them and their settings. */

import type { Command } from "commander";
import { PAGE_LANES_DEFAULT, PAGE_LANES_MAX } from "../queue/defaults.ts";
import type { LanePage } from "../queue/lane-page.ts";
import type { LaneCounts } from "../queue/lanes.ts";
import type { QueueCore } from "../queue/queue.ts";
import type { CommandContext } from "./command-context.ts";
import { type Output, paint } from "./host.ts";
import { printable, shellWord } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const LANES: ServerCommandSpec = {
  name: "lanes",
  summary: "list the lanes of a queue",
  description:
    "List the lanes that have work or settings: first those whose jobs may start, in the order of their turns. Where " +
    "there are more than --limit, the last line says how to go on.",
  example: "lanes mail",
  memory: "blind",
  isReadonly: true,
};

interface LanesOptions extends ServerOptions {
  readonly limit: number;
  readonly cursor?: string;
}

/** The command; see `echomq lanes --help`. */
export function lanesCommand(context: CommandContext): Command {
  return serverCommand(LANES)
    .argument("<queue>", "name of the queue")
    .option(
      "--limit <n>",
      `lanes of the page, 1 to ${PAGE_LANES_MAX}`,
      wholeNumber({ min: 1, max: PAGE_LANES_MAX }),
      PAGE_LANES_DEFAULT,
    )
    .option("--cursor <cursor>", "what the page before told as next")
    .action(async (queue: string, options: LanesOptions) => {
      const { host } = context;
      const { limit, cursor } = options;
      const page = await withQueue({ context, spec: LANES, options, queue }, (core) => fullPage(core, limit, cursor));
      const next = page.cursor ?? null;
      if (options.json === true) writeJson(host, { queue, lanes: page.lanes.map(laneReport), next });
      else host.out.write(pageText({ queue, lanes: page.lanes, next, limit }, host.out));
    });
}

/**
 * As many lanes as were asked for, unless there are fewer. Pages of the queue may be short or empty before the end, and
 * a reader at a terminal takes a short page for the whole. A lane that comes twice is told once.
 */
async function fullPage(core: QueueCore, limit: number, from: string | undefined): Promise<LanePage> {
  const lanes = new Map<string, LaneCounts>();
  let cursor = from;
  do {
    const page = await core.lanes({ limit: limit - lanes.size, cursor });
    for (const lane of page.lanes) if (!lanes.has(lane.lane)) lanes.set(lane.lane, lane);
    cursor = page.cursor;
  } while (cursor !== undefined && lanes.size < limit);
  return { lanes: [...lanes.values()], cursor };
}

/** A lane as `--json` tells it: no limit is `null`. */
function laneReport({ limit, ...lane }: LaneCounts): Record<string, unknown> {
  return { ...lane, limit: limit ?? null };
}

interface LanePageReport {
  readonly queue: string;
  readonly lanes: readonly LaneCounts[];
  readonly next: string | null;
  readonly limit: number;
}

function pageText({ queue, lanes, next, limit }: LanePageReport, out: Output): string {
  const lines = lanes.map((lane) => laneLine(lane, out));
  if (lanes.length === 0 && next === null) lines.push("no lane here");
  if (next !== null) {
    const size = limit === PAGE_LANES_DEFAULT ? "" : ` --limit ${limit}`;
    lines.push(paint(out, "faint", `next: echomq lanes ${shellWord(queue)}${size} --cursor ${shellWord(next)}`));
  }
  return `${lines.join("\n")}\n`;
}

function laneLine({ lane, depth, active, limit, weight, isPaused, isOrdered }: LaneCounts, out: Output): string {
  const facts = [`${depth} pending`, `${active} active`];
  if (isOrdered) facts.push("ordered");
  else if (limit !== undefined) facts.push(`limit ${limit}`);
  if (weight !== 1) facts.push(`weight ${weight}`);
  const pause = isPaused ? paint(out, "note", "  paused") : "";
  return `${paint(out, "strong", printable(lane))}  ${facts.join("  ")}${pause}`;
}
