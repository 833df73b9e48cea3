/**
 * `echomq export`: queues into a file or to the standard output.
 *
 * A file gets its name once it is whole and on the disk, so an export that broke off never stands in the place of the
 * one before. A pipe or a device is written to as it is. On the standard output only the export is written; words go to
 * the other output.
 */

import { open, realpath, rename, rm, stat } from "node:fs/promises";
import type { Command } from "commander";
import { causeText } from "../protocol/cause-text.ts";
import { type ExportReport, exportChunks } from "../queue/transfer/export-queues.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { givenText } from "./given-text.ts";
import { type Host, paint } from "./host.ts";
import { jobCount, printable, queueCount } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withEngine, writeJson } from "./server-command.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const EXPORT: ServerCommandSpec = {
  name: "export",
  summary: "write queues as a file that import takes in elsewhere",
  description:
    "Write queues, or all queues of a server, as JSON documents, one a line, to the standard output or into a file. " +
    "Nothing is changed. The doctor looks first, and everything is read twice: queues that change meanwhile are " +
    "refused, so pause them, let active jobs end and stop producers; or allow it by --running.",
  example: "export mail --out mail.ndjson",
  memory: "blind",
  isReadonly: true,
  isCopy: true,
};

interface ExportCommandOptions extends ServerOptions {
  readonly out?: string;
  readonly running?: boolean;
}

/** Where an export is written. */
interface Target {
  write(chunk: Uint8Array): Promise<void>;
  /** Makes what was written count. */
  keep(): Promise<void>;
  /** Takes away what was written. */
  drop(): Promise<void>;
}

/** The command; see `echomq export --help`. */
export function exportCommand(context: CommandContext): Command {
  return serverCommand(EXPORT)
    .argument("[queues...]", "names of the queues; without one, all queues of the server")
    .option("--out <file>", "write into this file instead of the standard output", givenText("the path of a file"))
    .option("--running", "take what changes meanwhile as it comes, and let import mend it")
    .action(async (queues: string[], options: ExportCommandOptions) => {
      if (options.json === true && options.out === undefined) {
        throw new CliError("usage", "--json tells of an export, which then needs a file: give --out");
      }
      await runExport(context, queues, options);
    });
}

async function runExport(
  context: CommandContext,
  queues: readonly string[],
  options: ExportCommandOptions,
): Promise<void> {
  const { host } = context;
  const { out, running = false, json = false } = options;
  // Words beside the export itself.
  const words: Host = out === undefined ? { ...host, out: host.error } : host;
  const { result: report } = await untilInterrupted(host, {
    shownOn: json ? undefined : words,
    progress: (done) => ({ share: undefined, text: `${jobCount(done)} read` }),
    work: async (onProgress) =>
      await withEngine({ context, spec: EXPORT, options }, async (engine) => {
        const chunks = exportChunks(engine, { ...(queues.length === 0 ? {} : { queues }), running, onProgress });
        return await writeAll(chunks, out === undefined ? outputTarget(host) : await fileTarget(out));
      }),
  });
  if (report === undefined) {
    host.error.write("interrupted: nothing was exported\n");
    context.setExitCode(EXIT.interrupted);
  } else if (json) writeJson(host, { file: out, ...report });
  else words.out.write(reportText(report, words));
}

async function writeAll(
  chunks: AsyncGenerator<Uint8Array, ExportReport, undefined>,
  target: Target,
): Promise<ExportReport> {
  try {
    for (;;) {
      const { done, value } = await chunks.next();
      if (done === true) {
        await target.keep();
        return value;
      }
      await target.write(value);
    }
  } catch (error) {
    await target.drop();
    throw error;
  }
}

function outputTarget({ out }: Host): Target {
  return { write: (chunk) => out.send(chunk), keep: () => Promise.resolve(), drop: () => Promise.resolve() };
}

/**
 * A file that gets its name at the end. A link stays one, to the new file; what is there and no file, a pipe or a
 * device, must not be replaced and is written to.
 */
async function fileTarget(path: string): Promise<Target> {
  const failed = (cause: unknown) => {
    const why = causeText(cause);
    return new CliError("failed", `the file ${printable(path)} cannot be written: ${why}`, { code: "bad_file", cause });
  };
  const asked = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } catch (cause) {
      throw failed(cause);
    }
  };
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory() === true) throw failed(new Error("it is a folder"));
  const isDraft = there === undefined || there.isFile();
  const end = there?.isFile() === true ? await asked(realpath(path)) : path;
  const draft = isDraft ? `${end}.part` : path;
  const file = await asked(open(draft, "w", FILE_MODE));
  return {
    write: async (chunk) => void (await asked(file.writeFile(chunk))),
    keep: async () => {
      if (isDraft) await asked(file.sync());
      await asked(file.close());
      if (isDraft) await asked(rename(draft, end));
    },
    drop: async () => {
      await file.close().catch(() => undefined);
      if (isDraft) await rm(draft, { force: true });
    },
  };
}

/** Payloads may be anybody's letters. */
const FILE_MODE = 0o600;

function reportText({ queues, jobs, isExact, partners }: ExportReport, { out }: Host): string {
  const lines = queues.map((queue) => `${paint(out, "strong", printable(queue.queue))}  ${jobCount(queue.jobs)}`);
  if (!isExact) {
    lines.push(paint(out, "note", "the queues changed meanwhile; import mends what does not fit together"));
  }
  if (partners.length > 0) {
    const names = partners.map((name) => printable(name)).join(", ");
    lines.push(paint(out, "note", `jobs have parents or children in queues that were not exported: ${names}`));
  }
  if (queues.length === 0) lines.push(paint(out, "note", "no queue here: the export is whole, and empty"));
  else lines.push(`${paint(out, "good", "exported")}  ${jobCount(jobs)} of ${queueCount(queues.length)}`);
  return `${lines.join("\n")}\n`;
}
