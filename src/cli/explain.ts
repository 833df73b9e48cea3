/** `echomq explain`: why a job does not run. */

import type { Command } from "commander";
import { wordsOf } from "../queue/explain.ts";
import { assertIdOrJobId, NO_JOB_ID } from "../queue/id-lookup.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { paint } from "./host.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const EXPLAIN: ServerCommandSpec = {
  name: "explain",
  summary: "why a job does not run",
  description:
    "Tell what keeps a job from running, the nearest reason first: a pause of the queue or of its lane, the limit of " +
    "its lane, its delay, the jobs before it, workers that are busy or gone or do not know its name, its holder and " +
    "lease, its death.",
  example: "explain mail JOB0Nb1VTbfnu4",
  memory: "blind",
  isReadonly: true,
};

/** The command; see `echomq explain --help`. */
export function explainCommand(context: CommandContext): Command {
  return serverCommand(EXPLAIN)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .action(async (queue: string, id: string, options: ServerOptions) => {
      assertIdOrJobId(id);
      const { host } = context;
      const told = await withQueue({ context, spec: EXPLAIN, options, queue }, (core) => core.explain(id));
      if (options.json === true) {
        writeJson(host, { queue, ...told });
      } else {
        const lines = told.reasons.map((reason) => `  ${printable(wordsOf(reason))}`);
        host.out.write(`${paint(host.out, "strong", headOf(id, told.id))}  ${told.state}\n${lines.join("\n")}\n`);
      }
      context.setExitCode(told.state === "absent" ? EXIT.failed : EXIT.ok);
    });
}

/** The id, behind it the jobId by which it was asked for; that alone when no job has it. */
function headOf(asked: string, id: string): string {
  if (asked === id) return id;
  return id === NO_JOB_ID ? printable(asked) : `${id} (${printable(asked)})`;
}
