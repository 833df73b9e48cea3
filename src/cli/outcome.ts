/**
 * The commands that do one thing to one job: ask, tell the outcome, end with its code.
 *
 * The outcomes are the library's words. A job that was not there is an answer and no error, but a script that wanted it
 * changed must notice, so such an answer ends with 1.
 */

import { assertIdOrJobId } from "../queue/id-lookup.ts";
import type { QueueCore } from "../queue/queue.ts";
import { EXIT } from "./command-context.ts";
import { paint } from "./host.ts";
import { printable } from "./printable.ts";
import { type QueueCall, withQueue, writeJson } from "./server-command.ts";

/** What an outcome means. */
export interface OutcomeMeaning {
  /** Whether it is what was asked for. */
  readonly isGood: boolean;
  /** Words that follow the id. */
  readonly text: string;
}

/** Every job that is not there is told in the same words. */
export const GONE: OutcomeMeaning = {
  isGood: false,
  text: "is not there: it was completed or removed, or never added",
};

/** One job, what to do to it, and what the answers mean. */
export interface OutcomeRequest<Outcome extends string> {
  readonly id: string;
  readonly act: (queue: QueueCore) => Promise<Outcome>;
  readonly meanings: Readonly<Record<Outcome, OutcomeMeaning>>;
}

/** Runs the act, writes what came of it and sets the exit code. A malformed id throws before anybody is asked. */
export async function tellOutcome<Outcome extends string>(
  call: QueueCall,
  request: OutcomeRequest<Outcome>,
): Promise<void> {
  const { context, options, queue } = call;
  const { id, act, meanings } = request;
  assertIdOrJobId(id);
  const outcome = await withQueue(call, act);
  const { isGood, text } = meanings[outcome];
  const { out } = context.host;
  if (options.json === true) writeJson(context.host, { queue, id, outcome });
  else out.write(`${paint(out, isGood ? "good" : "bad", outcome)}  ${printable(id)} ${text}\n`);
  context.setExitCode(isGood ? EXIT.ok : EXIT.failed);
}
