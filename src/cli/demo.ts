/**
 * `echomq demo`: a real piece of work through the queue, to see what it feels like.
 *
 * It checksums every file of a folder, one job a file, with retries and one dead job on purpose. Nothing has to be
 * installed or prepared: the queue is embedded, and the files are those that the package already has beside it.
 */

import { readdir, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Command } from "commander";
import { causeText } from "../protocol/cause-text.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { type DemoNote, DemoRun } from "./demo/demo-run.ts";
import { shownProgress } from "./demo/run-progress.ts";
import { summaryOf, summaryText } from "./demo/summary.ts";
import { type Host, paint } from "./host.ts";
import { watchInterrupt } from "./interrupt-watch.ts";
import { ownNodeModules } from "./package-root.ts";
import { ProgressDisplay } from "./progress-display.ts";
import { wholeNumber } from "./whole-number.ts";

const CONCURRENCY_DEFAULT = 8;

/** More files at once than a process may usually have open. */
const CONCURRENCY_MAX = 1000;

interface DemoOptions {
  readonly folder?: string;
  readonly concurrency: number;
  readonly url: string;
  readonly json?: boolean;
}

/** The command; see `echomq demo --help`. */
export function demoCommand(context: CommandContext): Command {
  return new Command("demo")
    .summary("checksum every file of a folder, one job a file")
    .description("Checksum every file of a folder, one job a file, with retries and one dead job on purpose.")
    .option("--folder <path>", "folder to read; without it the node_modules of this package")
    .option(
      "--concurrency <n>",
      `files read at once, 1 to ${CONCURRENCY_MAX}`,
      wholeNumber({ min: 1, max: CONCURRENCY_MAX }),
      CONCURRENCY_DEFAULT,
    )
    .option("--url <url>", "where the queue is; several processes share the work on one valkey:// server", "memory:")
    .option("--json", "print nothing but the summary, as one JSON document")
    .addHelpText("after", DEMO_HELP)
    .action(async (options: DemoOptions) => {
      const folder = await realFolder(options.folder);
      context.setExitCode(await runDemo(folder, options, context.host));
    });
}

const DEMO_HELP = `
Examples:
  echomq demo
  echomq demo --folder ~/Pictures --concurrency 16
  echomq demo --url valkey://127.0.0.1:6379     (in two terminals)

The first file fails once and is tried again, the second fails until it is dead, three more fail once or twice.
Ctrl-C finishes the files in hand and ends with exit code 130; a second one ends at once.`;

async function runDemo(folder: string, options: DemoOptions, host: Host): Promise<number> {
  const { concurrency, url, json } = options;
  const watch = watchInterrupt(host);
  const startedAtMs = host.nowMs();
  let display: ProgressDisplay | undefined;
  const run = new DemoRun({
    folder,
    concurrency,
    connection: url,
    host,
    signal: watch.signal,
    onNote: (note) => display?.note(noteText(note, host)),
  });
  try {
    if (json !== true) display = new ProgressDisplay(host, () => shownProgress(run.progress));
    await run.work();
    display?.end();
    display = undefined;
    const isInterrupted = watch.signal.aborted;
    const ms = host.nowMs() - startedAtMs;
    const summary = summaryOf(run.tally, { folder, concurrency, ms, isInterrupted, walk: run.walk });
    host.out.write(json === true ? `${JSON.stringify(summary)}\n` : `\n${summaryText(summary, host.out)}`);
    return isInterrupted ? EXIT.interrupted : EXIT.ok;
  } finally {
    display?.end();
    await run.close();
    watch.end();
  }
}

function noteText(note: DemoNote, host: Host): string {
  const word = note.kind === "retry" ? paint(host.out, "note", "retry") : paint(host.out, "bad", note.kind);
  return `${word}  ${note.text}`;
}

/** The real path of a folder that can be read. Throws with the reason and with what to do. */
async function realFolder(given: string | undefined): Promise<string> {
  const path = given ?? ownNodeModules();
  if (path === undefined) {
    throw new CliError("failed", "the package has no node_modules beside it: run npm ci, or name a folder by --folder");
  }
  try {
    const real = await realpath(resolve(path));
    if (!(await stat(real)).isDirectory()) throw new CliError("failed", `${real} is no folder: give one by --folder`);
    await readdir(real);
    return real;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError("failed", `the folder ${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "it does not exist";
  if (code === "EACCES" || code === "EPERM") return "you may not read it";
  if (code === "ELOOP") return "its links lead in a circle";
  return causeText(error);
}
