/**
 * `echomq stream`: follows a stream of records, reads a part of it, or shortens it.
 *
 * Records are printed a line each, the oldest first; with `--json` each is a document of its own on a line of its own,
 * because a stream that is followed has no end. Everything that a record says is printed so that no terminal obeys it.
 */

import { Command } from "commander";
import { entryIdOf } from "../protocol/record-id.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { borrowed } from "../queue/engine-lease.ts";
import { EventStreamCore } from "../queue/event-stream.ts";
import type { StreamRecord } from "../queue/stream-record.ts";
import type { TailOptions } from "../queue/stream-tail.ts";
import type { TrimWindow } from "../queue/streams.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import type { Host } from "./host.ts";
import { hostLogger } from "./host-logger.ts";
import { watchInterrupt } from "./interrupt-watch.ts";
import { printable } from "./printable.ts";
import {
  assertPresent,
  firstContact,
  type ServerCall,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  withEngine,
  writeJson,
} from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const TAIL: ServerCommandSpec = {
  name: "tail",
  summary: "follow the records of a stream",
  description:
    "Print each record of a stream as it comes, until Ctrl-C: those that come from now on, or with --from all since an " +
    "instant or behind a record.",
  example: "stream tail orders paid --from 10m",
  memory: "blind",
  isReadonly: true,
  mayBeAbsent: true,
};

const READ: ServerCommandSpec = {
  name: "read",
  summary: "print records of a stream",
  description:
    "Print the records between two instants or behind a record, the oldest first; without either, from the oldest on.",
  example: "stream read orders paid --from 2026-03-01T12:00Z --count 20",
  memory: "blind",
  isReadonly: true,
};

const TRIM: ServerCommandSpec = {
  name: "trim",
  summary: "take old records out of a stream",
  description: "Take records out of a stream for good: all but the newest --keep, or all older than --older-than.",
  example: "stream trim orders paid --older-than 30d",
  memory: "blind",
  isReadonly: false,
};

const COUNT_DEFAULT = 100;
const COUNT_MAX = 10_000;

interface ReadOptions extends ServerOptions {
  readonly from?: string;
  readonly to?: string;
  readonly count: number;
}

interface TrimOptions extends ServerOptions {
  readonly keep?: number;
  readonly olderThan?: string;
  readonly approximate?: boolean;
}

const FROM_HELP = "an instant, how long ago (10m), or the id of the record before the first";

/** The command; see `echomq stream --help`. */
export function streamCommand(context: CommandContext): Command {
  const command = new Command("stream")
    .summary("follow, read or trim a stream of records")
    .description("Follow a stream of records beside a queue, read a part of it, or take old records out.")
    .enablePositionalOptions()
    .addHelpText(
      "after",
      "\nExamples:\n  echomq stream tail orders audit --json\n  echomq stream trim orders audit --older-than 7d",
    );
  for (const make of [tailCommand, readCommand, trimCommand]) command.addCommand(make(context));
  return command;
}

function tailCommand(context: CommandContext): Command {
  return serverCommand(TAIL)
    .argument("<queue>", "name of the queue")
    .argument("<stream>", "name of the stream")
    .option("--from <place>", `${FROM_HELP}; start for all of it`)
    .action(async (queue: string, name: string, options: ServerOptions & { readonly from?: string }) => {
      const { host } = context;
      const from = options.from === undefined ? "now" : placeOf(options.from, host);
      await withStream({ context, spec: TAIL, options, logger: hostLogger(host) }, { queue, name }, async (stream) => {
        const watch = watchInterrupt(host);
        try {
          const tail: TailOptions = { from, signal: watch.signal };
          for await (const record of stream.tail(tail)) write(host, record, options);
          context.setExitCode(EXIT.interrupted);
        } finally {
          watch.end();
        }
      });
    });
}

function readCommand(context: CommandContext): Command {
  return serverCommand(READ)
    .argument("<queue>", "name of the queue")
    .argument("<stream>", "name of the stream")
    .option("--from <place>", FROM_HELP)
    .option("--to <instant>", "the last instant, or how long ago it was")
    .option("--count <n>", `records at most, 1 to ${COUNT_MAX}`, wholeNumber({ min: 1, max: COUNT_MAX }), COUNT_DEFAULT)
    .action(async (queue: string, name: string, options: ReadOptions) => {
      const { host } = context;
      const { count } = options;
      const from = options.from === undefined ? "start" : placeOf(options.from, host);
      const to = options.to === undefined ? undefined : instantOf(options.to, host);
      await withStream({ context, spec: READ, options }, { queue, name }, async (stream) => {
        for (const record of await recordsOf(stream, { from, to, count })) write(host, record, options);
      });
    });
}

function trimCommand(context: CommandContext): Command {
  return serverCommand(TRIM)
    .argument("<queue>", "name of the queue")
    .argument("<stream>", "name of the stream")
    .option("--keep <n>", "so many of the newest stay", wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }))
    .option("--older-than <age>", "records of that age and older go: 90s, 30m, 7d")
    .option("--approximate", "perhaps fewer, which costs the server far less")
    .action(async (queue: string, name: string, options: TrimOptions) => {
      const { host } = context;
      const window = windowOf(options, host);
      await withStream({ context, spec: TRIM, options }, { queue, name }, async (stream) => {
        const removed = await stream.trim(window, { approximate: options.approximate === true });
        const left = await stream.length();
        if (options.json === true) writeJson(host, { queue, stream: name, removed, left });
        else host.out.write(`${removed} removed, ${left} left\n`);
      });
    });
}

/** Runs `work` on a stream over an engine that ends with it. */
async function withStream(
  call: ServerCall,
  { queue, name }: { readonly queue: string; readonly name: string },
  work: (stream: EventStreamCore) => Promise<void>,
): Promise<void> {
  await withEngine(call, async (engine) => {
    // A number of its own spares the lease: this side mints nothing.
    const stream = new EventStreamCore(queue, name, borrowed(engine), { node: 0 });
    try {
      await firstContact(engine);
      await assertPresent({ ...call, queue }, engine);
      await work(stream);
    } finally {
      await stream.close();
    }
  });
}

type Place = "start" | number | { readonly after: string };

async function recordsOf(
  stream: EventStreamCore,
  { from, to, count }: { readonly from: Place; readonly to: number | undefined; readonly count: number },
): Promise<StreamRecord[]> {
  if (typeof from === "number" && to !== undefined) return await stream.readWindow(from, to, { count });
  if (typeof from === "number") return await stream.readSince(from, { count });
  if (from === "start") {
    return to === undefined ? await stream.read({ count }) : await stream.readWindow(0, to, { count });
  }
  const after = from.after.includes("-") ? from.after : entryIdOf(from.after);
  return await stream.read({ from: `(${after}`, ...(to === undefined ? {} : { to: String(to) }), count });
}

function write(host: Host, record: StreamRecord, { json }: ServerOptions): void {
  const { id, at, fields } = record;
  if (json === true) return writeJson(host, { id: id ?? null, entryId: record.entryId, at: isoOf(at), fields });
  const parts = Object.entries(fields).map(([name, value]) => `${printable(name)}=${printable(value)}`);
  host.out.write(`${isoOf(at)}  ${printable(id ?? record.entryId)}  ${parts.join("  ")}\n`);
}

function isoOf(ms: number): string {
  return ms <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}

function windowOf({ keep, olderThan }: TrimOptions, host: Host): TrimWindow {
  if ((keep === undefined) === (olderThan === undefined)) {
    throw new CliError("usage", "say what stays: --keep <n>, or --older-than <age>, and not both", {
      code: "invalid_window",
    });
  }
  if (keep !== undefined) return { maxLength: keep };
  return { from: Math.max(0, host.unixMs() - durationMs(olderThan as Duration, "--older-than")) };
}

/** Where to begin, as it is typed. */
function placeOf(text: string, host: Host): Place {
  if (text === "start") return "start";
  if (/^(?:[A-Z]{3}[0-9A-Za-z]{11}|\d+-\d+)$/.test(text)) return { after: text };
  return instantOf(text, host);
}

/** An instant as it is typed: a date, or how long ago. */
function instantOf(text: string, host: Host): number {
  if (/^\d+(?:\.\d+)?(?:ms|s|m|h|d|w)$/.test(text)) return host.unixMs() - durationMs(text as Duration, "--from");
  const at = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at) && at >= 0) return at;
  const forms = "a date such as 2026-03-01T12:00Z, how long ago such as 10m, or the id of a record";
  throw new CliError("usage", `${printable(text)} is no place in a stream: give ${forms}`, { code: "invalid_window" });
}
