/**
 * `echomq repeat`: the schedulers of a queue, seen and changed by hand.
 *
 * Instants are printed in UTC, since a slot is one instant whatever the zone of its pattern; the zone stands beside it.
 */

import { Argument, Command } from "commander";
import type { Duration } from "../queue/duration.ts";
import type { JobScheduler, JobSchedulerFacts, RunNowResult } from "../queue/job-scheduler.ts";
import {
  PAGE_SCHEDULERS_DEFAULT,
  PAGE_SCHEDULERS_MAX,
  PREVIEW_DEFAULT,
  PREVIEW_MAX,
  scheduleSlots,
} from "../queue/job-schedulers.ts";
import type { QueueCore } from "../queue/queue.ts";
import type { MissedPolicy, OverlapPolicy, RepeatOptions } from "../queue/scheduler-options.ts";
import { parseJson } from "./add/json-lines.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { type Host, type Output, paint } from "./host.ts";
import { printable, shellWord } from "./printable.ts";
import {
  firstContact,
  type QueueCall,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  withQueue,
  writeJson,
} from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";
import { withoutAbsent } from "./without-absent.ts";

const LIST: ServerCommandSpec = {
  name: "list",
  summary: "list the schedulers of a queue",
  description:
    "List the schedulers of a queue, those that occur first first. Where there are more than --limit, the last line " +
    "says how to go on.",
  example: "repeat list mail",
  memory: "blind",
  isReadonly: true,
};

const ADD: ServerCommandSpec = {
  name: "add",
  summary: "make a scheduler, or change one",
  description:
    "Make a scheduler of this id, or give the one that is there this content. The same content changes nothing.",
  example: `repeat add mail digest --pattern "0 6 * * 1-5" --tz Europe/Berlin`,
  memory: "loses",
  isReadonly: false,
  mayBeAbsent: true,
};

const REMOVE: ServerCommandSpec = {
  name: "remove",
  summary: "take a scheduler away",
  description: "Take a scheduler away; jobs that it has made stay.",
  example: "repeat remove mail digest",
  memory: "blind",
  isReadonly: false,
};

const RUN: ServerCommandSpec = {
  name: "run",
  summary: "make a job of a scheduler now",
  description: "Make a job of a scheduler now; its next slot stays as it is.",
  example: "repeat run mail digest",
  memory: "blind",
  isReadonly: false,
};

const PREVIEW: ServerCommandSpec = {
  name: "preview",
  summary: "print the next slots of a scheduler",
  description:
    "Print the next slots of a scheduler that is there, or, with --pattern or --every, of one that is nowhere stored, " +
    "for which no server is asked.",
  example: "repeat preview mail digest --count 5",
  memory: "blind",
  isReadonly: true,
};

/** What says when a scheduler occurs. */
interface WhenOptions {
  readonly pattern?: string;
  readonly every?: string;
  readonly tz?: string;
  readonly start?: string;
  readonly end?: string;
  readonly offset?: string;
  readonly missingTime?: "shift" | "skip";
  readonly repeatedTime?: "first" | "last" | "both";
}

interface AddOptions extends ServerOptions, WhenOptions {
  readonly name?: string;
  readonly times?: number;
  readonly jitter?: string;
  readonly missed?: string;
  readonly overlap?: OverlapPolicy;
  readonly immediately?: true;
}

/** The command; see `echomq repeat --help`. */
export function repeatCommand(context: CommandContext): Command {
  const command = new Command("repeat")
    .summary("list, make and take away schedulers")
    .description("Look at the schedulers of a queue, make one, take one away, or run one now.")
    .enablePositionalOptions()
    .addHelpText(
      "after",
      "\nExamples:\n  echomq repeat list mail --json\n  echomq repeat preview --every 5m --count 3",
    );
  for (const make of [listCommand, addCommand, removeCommand, runCommand, previewCommand]) {
    command.addCommand(make(context));
  }
  return command;
}

/** The options that say when a scheduler occurs. */
function withWhen(command: Command): Command {
  return command
    .option("--pattern <cron>", 'cron pattern of 5 to 7 fields, such as "0 6 * * 1-5"')
    .option("--every <duration>", "period, such as 30s, 5m, 1d")
    .option("--tz <zone>", "time zone of the pattern; UTC without it")
    .option("--start <instant>", "no slot before it, such as 2026-03-01T00:00:00Z")
    .option("--end <instant>", "no slot after it")
    .option("--offset <duration>", "how much later every slot is")
    .option("--missing-time <rule>", "what a local time is that the clocks leave out: shift (default) or skip")
    .option("--repeated-time <rule>", "which of two equal local times it is: first (default), last or both");
}

function listCommand(context: CommandContext): Command {
  return serverCommand(LIST)
    .argument("<queue>", "name of the queue")
    .option(
      "--limit <n>",
      `schedulers of the page, 1 to ${PAGE_SCHEDULERS_MAX}`,
      wholeNumber({ min: 1, max: PAGE_SCHEDULERS_MAX }),
      PAGE_SCHEDULERS_DEFAULT,
    )
    .option("--cursor <cursor>", "what the page before told as next")
    .action(async (queue: string, options: ServerOptions & { readonly limit: number; readonly cursor?: string }) => {
      const { host } = context;
      const { limit, cursor } = options;
      const call = { context, spec: LIST, options, queue };
      const page = await withQueue(call, (core) => core.getJobSchedulers({ limit, cursor }));
      const next = page.cursor ?? null;
      const schedulers = page.schedulers.map(({ facts }) => facts);
      if (options.json === true) {
        writeJson(host, { queue, schedulers: schedulers.map(report), next });
        return;
      }
      const lines = schedulers.map((facts) => schedulerLine(facts, host.out));
      if (schedulers.length === 0) lines.push("no scheduler here");
      if (next !== null) {
        const size = limit === PAGE_SCHEDULERS_DEFAULT ? "" : ` --limit ${limit}`;
        const more = `next: echomq repeat list ${shellWord(queue)}${size} --cursor ${shellWord(next)}`;
        lines.push(paint(host.out, "faint", more));
      }
      host.out.write(`${lines.join("\n")}\n`);
    });
}

function addCommand(context: CommandContext): Command {
  return withWhen(
    serverCommand(ADD)
      .argument("<queue>", "name of the queue")
      .argument("<id>", "id of the scheduler")
      .addArgument(new Argument("[data]", "payload of its jobs as JSON; {} without it")),
  )
    .option("--name <name>", "name of its jobs; the id of the scheduler without it")
    .option("--times <n>", "jobs in all", wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }))
    .option("--jitter <duration>", "how much later a job may fall due, by chance")
    .option("--missed <policy>", "slots that nobody fired: skip, last (default), or the newest so many")
    .option("--overlap <policy>", "while the job before has not ended: allow (default), skip or queue")
    .option("--immediately", "with a further occurrence now, if it is new or its schedule changes")
    .action(async (queue: string, id: string, data: string | undefined, options: AddOptions) => {
      const { host } = context;
      const payload = data === undefined ? {} : parseJson(data, "the data", "bad_json");
      const repeat = repeatOf(options);
      const scheduler = await withQueue({ context, spec: ADD, options, queue }, async (core, engine) => {
        await firstContact(engine);
        const name = options.name === undefined ? {} : { name: options.name };
        return await core.upsertJobScheduler(id, repeat, { ...name, data: payload });
      });
      tellUpsert(host, scheduler, options);
    });
}

function tellUpsert(host: Host, { facts, outcome }: JobScheduler, options: ServerOptions): void {
  if (options.json === true) {
    writeJson(host, { outcome, ...report(facts) });
    return;
  }
  host.out.write(`${outcome}  ${schedulerLine(facts, host.out)}\n`);
}

function removeCommand(context: CommandContext): Command {
  return serverCommand(REMOVE)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id of the scheduler")
    .action(async (queue: string, id: string, options: ServerOptions) => {
      const { host } = context;
      const call = { context, spec: REMOVE, options, queue };
      const removed = await withQueue(call, (core) => core.removeJobScheduler(id));
      if (options.json === true) writeJson(host, { id, removed });
      else host.out.write(`${printable(id)} ${removed ? "is gone" : "is not there"}\n`);
      if (!removed) context.setExitCode(EXIT.failed);
    });
}

function runCommand(context: CommandContext): Command {
  return serverCommand(RUN)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id of the scheduler")
    .action(async (queue: string, id: string, options: ServerOptions) => {
      const { host } = context;
      const call = { context, spec: RUN, options, queue };
      const result = await withQueue(call, async (core, engine) => {
        await firstContact(engine);
        return await core.runJobScheduler(id);
      });
      if (options.json === true) writeJson(host, { scheduler: id, outcome: result.outcome, id: result.id ?? null });
      else host.out.write(`${printable(id)} ${RUN_TEXT[result.outcome]}${result.id === undefined ? "" : result.id}\n`);
      if (result.outcome !== "added") context.setExitCode(EXIT.failed);
    });
}

const RUN_TEXT: Readonly<Record<RunNowResult["outcome"], string>> = {
  added: "has made the job ",
  overlapping: "makes no job while the one before has not ended",
  held: "makes no job: a deduplication id holds it back",
  gone: "is not there",
};

function previewCommand(context: CommandContext): Command {
  const command = serverCommand(PREVIEW)
    .argument("[queue]", "name of the queue")
    .argument("[id]", "id of the scheduler")
    .option("--count <n>", `slots, 1 to ${PREVIEW_MAX}`, wholeNumber({ min: 1, max: PREVIEW_MAX }), PREVIEW_DEFAULT);
  return withWhen(command).action(
    async (
      queue: string | undefined,
      id: string | undefined,
      options: ServerOptions & WhenOptions & { readonly count: number },
    ) => {
      const { host } = context;
      const isStored = options.pattern === undefined && options.every === undefined;
      if (isStored && (queue === undefined || id === undefined)) {
        throw new CliError("usage", "name a queue and a scheduler, or give --pattern or --every");
      }
      if (!isStored && queue !== undefined) {
        throw new CliError("usage", "a queue and a scheduler do not go with --pattern and --every");
      }
      const { count } = options;
      const slots = isStored
        ? await storedSlots({ context, spec: PREVIEW, options, queue: queue ?? "" }, id ?? "", count)
        : scheduleSlots(repeatOf(options), { from: Date.now(), count });
      if (slots === undefined) {
        if (options.json === true) writeJson(host, { id, slots: null });
        else host.out.write(`${printable(id ?? "")} is not there\n`);
        context.setExitCode(EXIT.failed);
        return;
      }
      const texts = slots.map((slot) => slot.toISOString());
      if (options.json === true) writeJson(host, { slots: texts });
      else host.out.write(texts.length === 0 ? "it has ended\n" : `${texts.join("\n")}\n`);
    },
  );
}

/** The next slots of a scheduler that is stored; `undefined` when there is none. */
async function storedSlots(call: QueueCall, id: string, count: number): Promise<Date[] | undefined> {
  return await withQueue(call, async (core: QueueCore) => {
    const scheduler = await core.getJobScheduler(id);
    return scheduler === undefined ? undefined : await scheduler.preview(count);
  });
}

/** The options of a scheduler that a command line says; the library judges them. */
function repeatOf(options: WhenOptions & Partial<AddOptions>): RepeatOptions {
  const { pattern, every, tz, start, end, offset, jitter, times, overlap, missed, immediately } = options;
  const { missingTime: missing, repeatedTime: repeated } = options;
  const given = {
    pattern,
    every: every as Duration | undefined,
    tz,
    startDate: start,
    endDate: end,
    offset: offset as Duration | undefined,
    jitter: jitter as Duration | undefined,
    limit: times,
    overlap,
    missed: missed === undefined ? undefined : missedOf(missed),
    immediately,
    dst: missing === undefined && repeated === undefined ? undefined : withoutAbsent({ missing, repeated }),
  };
  return withoutAbsent(given);
}

function missedOf(text: string): MissedPolicy {
  return /^\d+$/.test(text) ? { all: Number(text) } : (text as MissedPolicy);
}

/** A scheduler as `--json` tells it: what it has not is `null`. */
function report(facts: JobSchedulerFacts): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, value ?? null]));
}

function schedulerLine(facts: JobSchedulerFacts, out: Output): string {
  const { id, name, every, pattern, tz, nextAt, fired, skipped, limit } = facts;
  const when = pattern === undefined ? `every ${every ?? 0} ms` : `${pattern} ${tz ?? "UTC"}`;
  const parts = [when, nextAt === undefined ? "ended" : `next ${nextAt.toISOString()}`];
  parts.push(limit === undefined ? `${fired} fired` : `${fired} of ${limit} fired`);
  if (skipped.count > 0) parts.push(`${skipped.count} left out (${skipped.why ?? ""})`);
  if (name !== id) parts.push(`job ${name}`);
  return `${paint(out, "strong", printable(id))}  ${parts.map(printable).join("  ")}`;
}
