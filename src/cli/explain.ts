/** `echomq explain`: why a job does not run. */

import type { Command } from "commander";
import { assertValidId } from "../protocol/id.ts";
import { wordsOf } from "../queue/explain.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { paint } from "./host.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";

const EXPLAIN: ServerCommandSpec = {
  name: "explain",
  summary: "why a job does not run",
  description:
    "Tell what keeps a job from running, the nearest reason first: a pause, its delay, the jobs before it, workers " +
    "that are busy or gone or do not know its name, its holder and lease, its death.",
  example: "explain mail JOB0Nb1VTbfnu4",
  memory: "blind",
  isReadonly: true,
};

/** The command; see `echomq explain --help`. */
export function explainCommand(context: CommandContext): Command {
  return serverCommand(EXPLAIN)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id of the job")
    .action(async (queue: string, id: string, options: ServerOptions) => {
      assertValidId(id);
      const { host } = context;
      const told = await withQueue({ context, spec: EXPLAIN, options, queue }, (core) => core.explain(id));
      if (options.json === true) {
        writeJson(host, { queue, ...told });
      } else {
        const lines = told.reasons.map((reason) => `  ${printable(wordsOf(reason))}`);
        host.out.write(`${paint(host.out, "strong", id)}  ${told.state}\n${lines.join("\n")}\n`);
      }
      context.setExitCode(told.state === "absent" ? EXIT.failed : EXIT.ok);
    });
}
