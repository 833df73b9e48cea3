/**
 * The jobs that wait for a job: the first is named in its row, further ones beside it.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { textOf } from "../protocol/bytes.ts";
import { bytesReply, listOf, pairsOf, QueueKeys } from "./verb-call.ts";

/** A job that waits for another one. */
export interface ParentName {
  readonly id: string;
  readonly queueName: string;
}

/** The parents of the job `id`, 1001 at most; none for a job of no flow, and for one that is gone. */
export async function readParents(engine: Engine, queue: string, id: string): Promise<ParentName[]> {
  const row = new QueueKeys(queue).row(id);
  const [first, further] = await Promise.all([
    engine.command(["HMGET", row, "parent", "parent_queue"]),
    engine.command(["HGETALL", `${row}:parents`]),
  ]);
  const [parent, of] = listOf(first);
  const parents: ParentName[] = [];
  if (parent !== null && parent !== undefined) parents.push({ id: bytesReply(parent), queueName: nameOf(of, queue) });
  for (const [other, entry] of pairsOf(further)) {
    const [, name] = entry.split("\0");
    parents.push({ id: other, queueName: nameOf(name, queue) });
  }
  return parents;
}

/** The state word of the row of a job; `undefined` when it is gone. */
export async function rowState(engine: Engine, { id, queueName }: ParentName): Promise<string | undefined> {
  const state = await engine.command(["HGET", new QueueKeys(queueName).row(id), "state"]);
  return state === null ? undefined : bytesReply(state);
}

/** The name of a queue as its bytes tell it; absent and empty for the job's own. */
function nameOf(bytes: Reply | undefined, own: string): string {
  return bytes === null || bytes === undefined || bytes === "" ? own : textOf(bytesReply(bytes));
}
