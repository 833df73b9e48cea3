/** `echomq flow`: a job with all that it waits for, drawn as a tree. */

import type { Command } from "commander";
import type { Engine } from "../engine/engine.ts";
import { FLOW_CHILDREN_READ_DEFAULT, FLOW_DEPTH_DEFAULT, FLOW_DEPTH_MAX, FLOW_JOBS_MAX } from "../queue/defaults.ts";
import { borrowed } from "../queue/engine-lease.ts";
import { type FlowReader, type FlowTree, readFlow } from "../queue/flow-tree.ts";
import { assertIdOrJobId } from "../queue/id-lookup.ts";
import { PayloadCodec } from "../queue/payload-codec.ts";
import { QueueCore } from "../queue/queue.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { GONE } from "./outcome.ts";
import { cut, printable } from "./printable.ts";
import {
  assertPresent,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  withEngine,
  writeJson,
} from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const FLOW: ServerCommandSpec = {
  name: "flow",
  summary: "a job and the jobs that it waits for, as a tree",
  description:
    "Draw a flow from one job down: each job with its queue and where it is, and what those that have ended left to " +
    "the job above. A job that several wait for is drawn at each place and followed at the first.",
  example: "flow reports JOB0Nb1VTbfnu4",
  memory: "blind",
  isReadonly: true,
};

interface FlowOptions extends ServerOptions {
  readonly depth: number;
  readonly children: number;
}

/** The command; see `echomq flow --help`. */
export function flowCommand(context: CommandContext): Command {
  return serverCommand(FLOW)
    .argument("<queue>", "name of the queue")
    .argument("<id>", "id or jobId of the job")
    .option("--depth <n>", "levels to draw", wholeNumber({ min: 1, max: FLOW_DEPTH_MAX }), FLOW_DEPTH_DEFAULT)
    .option(
      "--children <n>",
      "children of one job to draw",
      wholeNumber({ min: 1, max: FLOW_JOBS_MAX }),
      FLOW_CHILDREN_READ_DEFAULT,
    )
    .action(async (queue: string, id: string, options: FlowOptions) => {
      assertIdOrJobId(id);
      const { host } = context;
      const tree = await withEngine({ context, spec: FLOW, options }, async (engine) => {
        await assertPresent({ context, spec: FLOW, options, queue }, engine);
        const readers = new Map<string, FlowReader>();
        const request = { id, queueName: queue, depth: options.depth, maxChildren: options.children };
        try {
          return await readFlow({ engine, queueOf: (name) => readerOf(engine, readers, name) }, request);
        } finally {
          await Promise.all([...readers.values()].map(({ core }) => core.close()));
        }
      });
      if (options.json === true)
        writeJson(host, tree === undefined ? { id, queueName: queue, state: "absent" } : report(tree));
      else if (tree === undefined) host.error.write(`${printable(id)} ${GONE.text}\n`);
      else
        host.out.write(
          `${drawn(tree)
            .map((line) => cut(line, host.out.columns))
            .join("\n")}\n`,
        );
      context.setExitCode(tree === undefined ? EXIT.failed : EXIT.ok);
    });
}

/** The queue of a name, made once: a tree has few queues. */
function readerOf(engine: Engine, readers: Map<string, FlowReader>, name: string): FlowReader {
  const known = readers.get(name);
  if (known !== undefined) return known;
  const reader = { core: new QueueCore(name, borrowed(engine)), codec: new PayloadCodec() };
  readers.set(name, reader);
  return reader;
}

/** A job of a flow for programs. What does not apply to it is absent. */
interface FlowReport {
  readonly id: string;
  readonly queueName: string;
  readonly name?: string;
  readonly key?: string;
  readonly state: string;
  readonly policy?: string;
  readonly outcome?: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly childCount: number;
  readonly children: readonly FlowReport[];
}

function report(tree: FlowTree): FlowReport {
  const { id, queueName, key, state, job, policy, outcome, result, error, childCount, children } = tree;
  return {
    id,
    queueName,
    ...(job === undefined ? {} : { name: job.name }),
    ...(key === undefined ? {} : { key }),
    state,
    ...(policy === undefined ? {} : { policy }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
    childCount,
    children: children.map(report),
  };
}

/** The lines of a tree: each job under the one that waits for it. */
function drawn(tree: FlowTree): string[] {
  const lines = [lineOf(tree)];
  const left = tree.childCount - tree.children.length;
  const below = tree.children.map(drawn);
  if (left > 0) below.push([`${left} more ${left === 1 ? "child" : "children"}`]);
  for (const [at, [first = "", ...rest]] of below.entries()) {
    const isLast = at === below.length - 1;
    lines.push(`${isLast ? "└─ " : "├─ "}${first}`);
    for (const line of rest) lines.push(`${isLast ? "   " : "│  "}${line}`);
  }
  return lines;
}

function lineOf({ id, queueName, key, state, job, outcome, policy, result, error }: FlowTree): string {
  const name = key ?? job?.name;
  const parts = [
    id,
    printable(queueName),
    ...(name === undefined ? [] : [printable(name)]),
    // A job that has ended and is not kept is told by what it left to the one above.
    state === "absent" && outcome !== undefined && outcome !== "open" ? outcome : state,
  ];
  if (policy !== undefined && policy !== "fail-parent") parts.push(`on failure ${policy}`);
  if (error !== undefined) parts.push(printable(`error: ${error.split("\n")[0]}`));
  else if (result !== undefined) parts.push(printable(`→ ${JSON.stringify(result)}`));
  return parts.join("  ");
}
