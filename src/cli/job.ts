/** `echomq job`: everything that is stored of one job. */

import type { Command } from "commander";
import { assertIdOrJobId } from "../queue/id-lookup.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { type JobReport, jobPage, jobReport } from "./job-report.ts";
import { GONE } from "./outcome.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const JOB: ServerCommandSpec = {
  name: "job",
  summary: "everything about one job",
  description: "Show one job: where it is, what it holds, what it has been through. Long values are cut.",
  example: "job mail JOB0Nb1VTbfnu4",
  memory: "blind",
  isReadonly: true,
};

/** The command; see `echomq job --help`. */
export function jobCommand(context: CommandContext): Command {
  return serverCommand(JOB)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .option("--full", "cut nothing")
    .action(async (queue: string, id: string, options: ServerOptions & { full?: boolean }) => {
      assertIdOrJobId(id);
      const { host } = context;
      const report = await withQueue({ context, spec: JOB, options, queue }, async (core) => {
        // The row is read twice: as the job that the library makes of it, and whole, for the fields beside.
        const job = await core.getJob(id);
        if (job === undefined) return undefined;
        const [row, state] = await Promise.all([core.jobs.getRow(queue, job.id), core.getState(job.id)]);
        return jobReport(job, state, row);
      });
      const found: JobReport | { id: string; state: "absent" } = report ?? { id, state: "absent" };
      if (options.json === true) writeJson(host, { queue, ...found });
      else if (report === undefined) host.error.write(`${printable(id)} ${GONE.text}\n`);
      else host.out.write(jobPage(report, host.out, { isFull: options.full === true }));
      context.setExitCode(report === undefined ? EXIT.failed : EXIT.ok);
    });
}
