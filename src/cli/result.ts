/**
 * `echomq result`: what the handler of a job returned, or how else it ended.
 *
 * The answers that a program of its own would get as errors are outcomes here, in one word each; a script that wanted a
 * result must notice their lack, so all but `completed` end with 1.
 */

import type { Command } from "commander";
import { isEchoMQError } from "../protocol/errors.ts";
import { RESULT_TIMEOUT_MS_DEFAULT } from "../queue/defaults.ts";
import { assertIdOrJobId } from "../queue/id-lookup.ts";
import type { QueueCore } from "../queue/queue.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { durationOption } from "./duration-option.ts";
import { type Host, paint } from "./host.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const RESULT: ServerCommandSpec = {
  name: "result",
  summary: "what a job's handler returned",
  description:
    "Print what the handler of a job returned, as JSON. With --wait it waits for the job to end; without, a job that has not ended is told by its state.",
  example: "result mail JOB0Nb1VTbfnu4 --wait --timeout 5m",
  memory: "blind",
  isReadonly: false,
};

/** How a job ended, as the tool tells it. */
export type ResultReport =
  | { readonly outcome: "completed"; readonly result: unknown }
  | { readonly outcome: "dead"; readonly error: string }
  | { readonly outcome: "gone" | "unfinished" | "too-large" };

/** The command; see `echomq result --help`. */
export function resultCommand(context: CommandContext): Command {
  return serverCommand(RESULT)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .option("--wait", "wait for the job to end")
    .option("--timeout <duration>", "how long to wait, such as 30s or 5m; 1m without it", durationOption("--timeout"))
    .action(async (queue: string, id: string, options: ServerOptions & { wait?: true; timeout?: number }) => {
      assertIdOrJobId(id);
      if (options.timeout !== undefined && options.wait !== true) {
        throw new CliError("usage", "--timeout goes with --wait");
      }
      const timeoutMs = options.wait === true ? (options.timeout ?? RESULT_TIMEOUT_MS_DEFAULT) : 0;
      const report = await withQueue({ context, spec: RESULT, options, queue }, (core) =>
        resultReport(core, id, timeoutMs),
      );
      tellResult(context, { queue, id, report, isJson: options.json === true });
    });
}

/** Waits for a job; what is no result is an outcome. */
export async function resultReport(queue: QueueCore, id: string, timeoutMs: number): Promise<ResultReport> {
  try {
    // What a handler that returned nothing gave is null in JSON.
    return { outcome: "completed", result: (await queue.result(id, { timeout: timeoutMs })) ?? null };
  } catch (error) {
    if (!isEchoMQError(error)) throw error;
    switch (error.code) {
      case "job_failed":
        return { outcome: "dead", error: String(error.details["error"]) };
      case "job_removed":
        return { outcome: "gone" };
      case "result_timeout":
        return { outcome: "unfinished" };
      case "result_too_large":
        return { outcome: "too-large" };
      default:
        throw error;
    }
  }
}

const TEXTS = {
  gone: "is not there: it was removed, or ended before anybody waited for its result",
  unfinished: "has not ended",
  "too-large": "is completed, but its result is above 1 MiB and went with its row",
} as const;

/** Writes a report and sets the exit code. */
export function tellResult(
  { host, setExitCode }: CommandContext,
  told: { readonly queue: string; readonly id: string; readonly report: ResultReport; readonly isJson: boolean },
): void {
  const { queue, id, report, isJson } = told;
  if (isJson) writeJson(host, { queue, id, ...report });
  else writeReport(host, id, report);
  setExitCode(report.outcome === "completed" ? EXIT.ok : EXIT.failed);
}

/** The result alone goes to the output, so that it can be piped on; all else is told to people. */
function writeReport(host: Host, id: string, report: ResultReport): void {
  if (report.outcome === "completed") {
    host.out.write(`${JSON.stringify(report.result)}\n`);
    return;
  }
  const text = report.outcome === "dead" ? report.error : TEXTS[report.outcome];
  host.error.write(`${paint(host.error, "bad", report.outcome)}  ${printable(id)} ${printable(text)}\n`);
}
