/**
 * `echomq import`: queues out of an export into a server or a folder.
 *
 * A file is read twice, so nothing is written of one that is cut or damaged. What comes through a pipe comes once: if
 * it proves to be wrong at its end, the queues stay paused and marked, and the same command goes on with a good one.
 */

import { createReadStream, statSync } from "node:fs";
import type { Command } from "commander";
import { causeText } from "../protocol/cause-text.ts";
import { WIRE_VERSION } from "../protocol/wire-version.ts";
import { type ImportReport, importChunks, verifyExport } from "../queue/transfer/import-queues.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { type Host, paint } from "./host.ts";
import { jobCount, printable, queueCount } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withEngine, writeJson } from "./server-command.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const IMPORT: ServerCommandSpec = {
  name: "import",
  summary: "take queues in that export wrote",
  description:
    "Take the queues of an export in. None of them may have anything in it. Each is paused until all of it is there " +
    "and the doctor has looked, then it is as it was: paused if it was paused. An import that broke off is given " +
    "again and goes on.",
  example: "import mail.ndjson",
  memory: "loses",
  isReadonly: false,
};

interface ImportCommandOptions extends ServerOptions {
  readonly queue?: readonly string[];
  readonly dryRun?: boolean;
}

/** The command; see `echomq import --help`. */
export function importCommand(context: CommandContext): Command {
  return serverCommand(IMPORT)
    .argument("[file]", "the export; - or nothing for the standard input", "-")
    .option("--queue <queue...>", "only these queues of it")
    .option("--dry-run", "read it to its end, tell what it has, and ask no server")
    .action(async (file: string, options: ImportCommandOptions) => {
      const { host } = context;
      const chunks = () => (file === "-" ? host.input.chunks() : fileChunks(file));
      if (options.dryRun === true) await tellContent(host, chunks(), options);
      else await runImport(context, comesOnce(file) ? chunks() : chunks, options);
    });
}

async function tellContent(
  host: Host,
  chunks: AsyncIterable<Uint8Array>,
  { wireVersion = WIRE_VERSION, json = false }: ImportCommandOptions,
): Promise<void> {
  const { header, trailer } = await verifyExport(chunks, { wireVersion });
  const { wire, exportedAt } = header;
  const { queues, isExact } = trailer;
  if (json) writeJson(host, { wire, exportedAt, isExact, queues });
  else {
    const lines = queues.map(({ queue, jobs }) => `${paint(host.out, "strong", printable(queue))}  ${jobCount(jobs)}`);
    const when = new Date(exportedAt).toISOString();
    host.out.write(`${[...lines, `whole, of ${when}${isExact ? "" : ", while the queues changed"}`].join("\n")}\n`);
  }
}

async function runImport(
  context: CommandContext,
  source: AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>),
  options: ImportCommandOptions,
): Promise<void> {
  const { host } = context;
  const { queue: queues, json = false } = options;
  const { result: report } = await untilInterrupted(host, {
    shownOn: json ? undefined : host,
    progress: (done) => ({ share: undefined, text: `${jobCount(done)} written` }),
    work: async (onProgress) =>
      await withEngine({ context, spec: IMPORT, options }, async (engine) =>
        importChunks(engine, source, { ...(queues === undefined ? {} : { queues }), onProgress }),
      ),
  });
  if (report === undefined) {
    host.error.write("interrupted: the queues stay paused, and the same command goes on\n");
    context.setExitCode(EXIT.interrupted);
  } else if (json) writeJson(host, report);
  else host.out.write(reportText(report, host));
}

function reportText({ queues, jobs }: ImportReport, { out }: Host): string {
  const lines = queues.map(({ queue, jobs, mended, isPaused }) => {
    const notes = [...(isPaused ? ["paused, as it was"] : []), ...(mended > 0 ? [`${mended} mended`] : [])];
    const note = notes.length === 0 ? "" : paint(out, "note", `  ${notes.join(", ")}`);
    return `${paint(out, "strong", printable(queue))}  ${jobCount(jobs)}${note}`;
  });
  lines.push(
    `${paint(out, "good", "imported")}  ${jobCount(jobs)} of ${queueCount(queues.length)}; the doctor is content`,
  );
  return `${lines.join("\n")}\n`;
}

/** Whether what is read is gone then: the standard input, and whatever is no file, as `<(zcat mail.gz)` of a shell. */
function comesOnce(path: string): boolean {
  return path === "-" || statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
  } catch (cause) {
    const why = causeText(cause);
    throw new CliError("failed", `the file ${printable(path)} cannot be read: ${why}`, { code: "bad_file", cause });
  }
}
