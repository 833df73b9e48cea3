/**
 * `echomq retry`: gives one dead job, or all of them, a fresh budget of attempts.
 *
 * All of them may be a million, so they are taken in slices. The slices go by id from the first to the last that is
 * dead at the beginning: a job that dies again on the way, or dies for the first time, is not taken up twice, and the
 * command ends however fast jobs die.
 */

import type { Command } from "commander";
import type { Engine, Reply } from "../engine/engine.ts";
import type { QueueCore } from "../queue/queue.ts";
import { QueueKeys } from "../queue/verb-call.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { paint } from "./host.ts";
import { watchInterrupt } from "./interrupt-watch.ts";
import { GONE, tellOutcome } from "./outcome.ts";
import { type Progress, ProgressDisplay } from "./progress-display.ts";
import {
  type QueueCall,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  withQueue,
  writeJson,
} from "./server-command.ts";

const RETRY: ServerCommandSpec = {
  name: "retry",
  summary: "let dead jobs wait again",
  description: "Give a dead job, or all dead jobs of a queue, a fresh budget of attempts and let them wait again.",
  example: "retry mail --all",
  memory: "blind",
  isReadonly: false,
};

/** Jobs of one slice, which are on their way together. */
const SLICE_JOBS = 500;

interface RetryOptions extends ServerOptions {
  readonly all?: boolean;
}

/** The command; see `echomq retry --help`. */
export function retryCommand(context: CommandContext): Command {
  return serverCommand(RETRY)
    .argument("<queue>", "name of the queue")
    .argument("[id]", "id or jobId of the job")
    .option("--all", "every job that is dead now, in slices; Ctrl-C ends between two")
    .action(async (queue: string, id: string | undefined, options: RetryOptions) => {
      const call = { context, spec: RETRY, options, queue };
      if (id === undefined && options.all === true) return await retryAll(call);
      if (id === undefined) throw new CliError("usage", "give the id of a dead job, or --all");
      if (options.all === true) throw new CliError("usage", "give an id or --all, not both");
      await tellOutcome(call, {
        id,
        act: (core) => core.retry(id),
        meanings: {
          ok: { isGood: true, text: "waits again" },
          gone: GONE,
          not_dead: { isGood: false, text: "is not dead and was left where it is" },
        },
      });
    });
}

async function retryAll(call: QueueCall): Promise<void> {
  const { context, options, queue } = call;
  const { host } = context;
  const watch = watchInterrupt(host);
  const state = { retried: 0, total: 0 };
  const isJson = options.json === true;
  let display: ProgressDisplay | undefined;
  try {
    await withQueue(call, async (core, engine) => {
      state.total = (await core.getJobCounts("dead")).dead;
      if (!isJson && state.total > SLICE_JOBS) display = new ProgressDisplay(host, () => progressOf(state));
      for await (const count of retriedSlices(core, engine)) {
        state.retried += count;
        if (watch.signal.aborted) break;
      }
    });
  } finally {
    display?.end();
    watch.end();
  }
  const isInterrupted = watch.signal.aborted;
  const ending = isInterrupted ? "; interrupted" : "";
  if (isJson) writeJson(host, { queue, retried: state.retried, isInterrupted });
  else host.out.write(`${paint(host.out, "good", "ok")}  ${state.retried} dead jobs wait again${ending}\n`);
  context.setExitCode(isInterrupted ? EXIT.interrupted : EXIT.ok);
}

function progressOf({ retried, total }: { readonly retried: number; readonly total: number }): Progress {
  return { share: Math.min(1, retried / total), text: `${retried} of ${total} jobs` };
}

/** Retries slice after slice and yields how many jobs of each wait again; others may take them away meanwhile. */
async function* retriedSlices(queue: QueueCore, engine: Engine): AsyncGenerator<number> {
  const { dead } = new QueueKeys(queue.name);
  // All members have the score 0, so the set is in the order of their ids.
  const [last] = idsOf(await engine.command(["ZRANGE", dead, "0", "0", "REV"]));
  if (last === undefined) return;
  for (let from = "-"; ; ) {
    const ids = idsOf(
      await engine.command(["ZRANGE", dead, from, `[${last}`, "BYLEX", "LIMIT", "0", String(SLICE_JOBS)]),
    );
    if (ids.length === 0) return;
    const outcomes = await Promise.all(ids.map((id) => queue.retry(id)));
    yield outcomes.filter((outcome) => outcome === "ok").length;
    from = `(${ids.at(-1)}`;
  }
}

function idsOf(reply: Reply): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}
