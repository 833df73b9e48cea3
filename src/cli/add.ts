/**
 * `echomq add`: adds one job, or one for each line of a file.
 *
 * A file is read twice: first every line is checked, so that one bad line refuses the whole before anything is stored,
 * and the bar knows how much there is. What is piped in can be read only once, so there a bad line ends the work with
 * the lines before it added.
 */

import { createReadStream } from "node:fs";
import { Argument, type Command } from "commander";
import { causeText } from "../protocol/cause-text.ts";
import { ATTEMPTS_MAX, PRIORITY_MAX, RESULT_KEPT_MS_DEFAULT, RESULT_TIMEOUT_MS_DEFAULT } from "../queue/defaults.ts";
import type { AddedJob } from "../queue/job.ts";
import type { JobOptions } from "../queue/job-options.ts";
import { RATE_CLAIMS_MAX } from "../queue/rate.ts";
import { bulkAdd } from "./add/bulk-add.ts";
import { type JsonLine, parseJson, readJsonDocument, readJsonLines } from "./add/json-lines.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { durationOption } from "./duration-option.ts";
import { type Host, paint } from "./host.ts";
import { watchInterrupt } from "./interrupt-watch.ts";
import { printable } from "./printable.ts";
import { type Progress, ProgressDisplay } from "./progress-display.ts";
import { resultReport, tellResult } from "./result.ts";
import {
  firstContact,
  type QueueCall,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  serverUrl,
  withQueue,
  writeJson,
} from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";
import { withoutAbsent } from "./without-absent.ts";

const ADD: ServerCommandSpec = {
  name: "add",
  summary: "add a job, or one for each line of a file",
  description: "Add a job, or with --file one for each line of a file.",
  example: `add mail welcome '{"to":"ada@example.com"}'`,
  memory: "loses",
  isReadonly: false,
  mayBeAbsent: true,
};

const ADD_HELP = `  echomq add mail welcome --file addresses.ndjson --url valkey://localhost:6379
  cat one.json | echomq add mail welcome - --delay 5m

A job whose id lives already is not added again; the answer is then duplicate, which is no failure.`;

/** The last line that a file may be begun at. */
const LINE_MAX = 10 ** 12;

interface AddOptions extends ServerOptions {
  readonly file?: string;
  readonly fromLine?: number;
  readonly delay?: number;
  readonly expireIn?: number;
  readonly priority?: number;
  readonly attempts?: number;
  readonly lane?: string;
  readonly cost?: number;
  readonly id?: string;
  readonly jobId?: string;
  readonly dedupId?: string;
  readonly dedupTtl?: number;
  readonly wait?: true;
  readonly timeout?: number;
}

/** The command; see `echomq add --help`. */
export function addCommand(context: CommandContext): Command {
  return serverCommand(ADD)
    .argument("<queue>", "name of the queue")
    .argument("<name>", "name of the job")
    .addArgument(new Argument("[data]", "payload as JSON, or - to read it from the input; {} without it"))
    .option("--file <path>", "add a job for each line of this file, each a payload as JSON; - is the input")
    .option("--from-line <n>", "begin the file at this line", wholeNumber({ min: 1, max: LINE_MAX }))
    .option(
      "--delay <duration>",
      "how long the job waits before it may run, such as 500ms, 30s, 5m",
      durationOption("--delay"),
    )
    .option("--priority <n>", "0 runs first and is the default", wholeNumber({ min: 0, max: PRIORITY_MAX }))
    .option(
      "--attempts <n>",
      "failures after which the job is dead; 3 without it",
      wholeNumber({ min: 1, max: ATTEMPTS_MAX }),
    )
    .option("--lane <name>", "lane in which the job waits")
    .option(
      "--cost <n>",
      "what it takes from a rate when it is claimed; 1 without it",
      wholeNumber({ min: 1, max: RATE_CLAIMS_MAX }),
    )
    .option("--id <id>", "id of the job, which makes a repeated add safe; minted without it")
    .option("--job-id <text>", "name of the job by any text; while it exists, another one is a duplicate")
    .option("--dedup-id <text>", "hold other jobs of this id back until this one is over")
    .option(
      "--dedup-ttl <duration>",
      "hold them back for so long, whatever becomes of this one",
      durationOption("--dedup-ttl"),
    )
    .option("--wait", "wait for the job to end, and print what its handler returned as JSON")
    .option(
      "--expire-in <duration>",
      "let it die if it has not begun by then, counted from when it may run",
      durationOption("--expire-in"),
    )
    .option("--timeout <duration>", "how long to wait, such as 30s or 5m; 1m without it", durationOption("--timeout"))
    .addHelpText("after", ADD_HELP)
    .action(async (queue: string, name: string, data: string | undefined, options: AddOptions) => {
      const call = { context, spec: ADD, options, queue };
      // Before anything is read, so that nobody types a payload for nothing.
      serverUrl(call);
      if (options.timeout !== undefined && options.wait !== true) {
        throw new CliError("usage", "--timeout goes with --wait");
      }
      if (options.file !== undefined) return await addFile(call, { name, data, options, path: options.file });
      if (options.fromLine !== undefined) throw new CliError("usage", "--from-line goes with --file");
      if (options.wait === true) return await addAndWait(call, { name, data, options });
      await addOne(call, { name, data, options });
    });
}

/** What is to be added. */
interface AddRequest {
  readonly name: string;
  readonly data: string | undefined;
  readonly options: AddOptions;
}

async function addOne(call: QueueCall, { name, data, options }: AddRequest): Promise<void> {
  const { context, queue } = call;
  const { host } = context;
  const payload = await payloadOf(data, host);
  const job = await withQueue(call, async (core, engine) => {
    await firstContact(engine);
    return await core.add(name, payload, jobOptions(options));
  });
  const { id, outcome, existing } = job;
  if (options.json === true) writeJson(host, { queue, id, name: job.name, outcome, state: existing?.state });
  else host.out.write(`${addedText(job, host)}\n`);
}

/** Adds one job and tells how it ended; of a duplicate, how the job ended that was there. */
async function addAndWait(call: QueueCall, { name, data, options }: AddRequest): Promise<void> {
  const { context, queue } = call;
  const payload = await payloadOf(data, context.host);
  const timeoutMs = options.timeout ?? RESULT_TIMEOUT_MS_DEFAULT;
  const { id, report } = await withQueue(call, async (core, engine) => {
    await firstContact(engine);
    const job = await core.add(name, payload, { ...jobOptions(options), keepResult: RESULT_KEPT_MS_DEFAULT });
    const id = job.existing?.id ?? job.id;
    return { id, report: await resultReport(core, id, timeoutMs) };
  });
  tellResult(context, { queue, id, report, isJson: options.json === true });
}

function addedText({ id, outcome, existing }: AddedJob, { out }: Host): string {
  if (outcome === "added") return `${paint(out, "good", "added")}  ${id}`;
  const told = paint(out, "note", outcome);
  if (outcome === "duplicate") return `${told}  ${id} is ${existing?.state} already, and nothing was changed`;
  return `${told}  ${id}, which is ${existing?.state}, holds the deduplication id, and nothing was changed`;
}

async function payloadOf(data: string | undefined, host: Host): Promise<unknown> {
  if (data === undefined) return {};
  if (data === "-") return await readJsonDocument(host.input.chunks());
  return parseJson(data, "the payload", "bad_json");
}

/** The options of the library, without those that were not given. */
function jobOptions(options: AddOptions): JobOptions {
  const { delay, expireIn, priority, attempts, lane, cost, id, jobId, dedupId, dedupTtl } = options;
  if (dedupTtl !== undefined && dedupId === undefined) throw new CliError("usage", "--dedup-ttl goes with --dedup-id");
  const deduplication =
    dedupId === undefined ? undefined : { id: dedupId, ...(dedupTtl === undefined ? {} : { ttl: dedupTtl }) };
  return withoutAbsent({ delay, expireIn, priority, attempts, lane, cost, id, jobId, deduplication });
}

/** Options that say which job it is, and so cannot be of many. */
const ONE_JOB_OPTIONS = ["id", "jobId", "dedupId"] as const satisfies readonly (keyof AddOptions)[];

/** Where a bulk stands. */
interface BulkState {
  /** Jobs of the file; `undefined` when it can be read only once. */
  total: number | undefined;
  added: number;
}

async function addFile(call: QueueCall, request: AddRequest & { readonly path: string }): Promise<void> {
  const { context, options, queue } = call;
  const { name, path } = request;
  const { host } = context;
  if (request.data !== undefined) throw new CliError("usage", "give a payload or --file, not both");
  if (request.options.wait === true) throw new CliError("usage", "--wait is of one job and does not go with --file");
  for (const [option, value] of ONE_JOB_OPTIONS.map((name) => [name, request.options[name]] as const)) {
    const flag = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value !== undefined) throw new CliError("usage", `${flag} is of one job and does not go with --file`);
  }
  const isInput = path === "-";
  const fromLine = request.options.fromLine ?? 1;
  const lines = () => linesFrom(isInput ? host.input.chunks() : fileChunks(path), fromLine);
  const watch = watchInterrupt(host);
  const state: BulkState = { total: isInput ? undefined : await countOf(lines(), watch.signal), added: 0 };
  const display = options.json === true ? undefined : new ProgressDisplay(host, () => progressOf(state));
  try {
    await withQueue(call, async (core, engine) => {
      await firstContact(engine);
      await bulkAdd(lines(), {
        queue: core,
        name,
        options: jobOptions(request.options),
        host,
        signal: watch.signal,
        onAdded: (jobs) => {
          state.added += jobs;
        },
      });
    });
  } finally {
    display?.end();
    watch.end();
  }
  const isInterrupted = watch.signal.aborted;
  if (options.json === true) writeJson(host, { queue, name, added: state.added, isInterrupted });
  else if (isInterrupted) host.out.write(`interrupted: ${state.added} jobs were added\n`);
  else host.out.write(`${paint(host.out, "good", "added")}  ${state.added} jobs to ${printable(queue)}\n`);
  context.setExitCode(isInterrupted ? EXIT.interrupted : EXIT.ok);
}

/** Reads and checks every line. */
async function countOf(lines: AsyncIterable<JsonLine>, signal: AbortSignal): Promise<number> {
  let count = 0;
  const reading = lines[Symbol.asyncIterator]();
  while (!signal.aborted && (await reading.next()).done !== true) count++;
  return count;
}

async function* linesFrom(chunks: AsyncIterable<Uint8Array>, fromLine: number): AsyncGenerator<JsonLine> {
  for await (const line of readJsonLines(chunks)) if (line.line >= fromLine) yield line;
}

async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const why = causeText(cause);
    throw new CliError("failed", `the file ${printable(path)} cannot be read: ${why}`, { code: "bad_file", cause });
  }
}

function progressOf({ total, added }: BulkState): Progress {
  if (total === undefined) return { share: undefined, text: `${added} jobs` };
  return { share: total === 0 ? 1 : added / total, text: `${added} of ${total} jobs` };
}
