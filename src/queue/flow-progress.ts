/**
 * How far the children of a job have come, in numbers: from the sizes of what their parent keeps of them, so a flow of
 * ten thousand jobs is asked as quickly as one of two.
 */

import type { Engine } from "../engine/engine.ts";
import { openChildren, readChildren } from "./flow-children.ts";
import { numberReply, QueueKeys } from "./verb-call.ts";

/** The children of a job, in numbers. They are not of one instant, so a child that ends meanwhile may be told late. */
export interface FlowProgress {
  readonly total: number;
  /** Their handlers returned. */
  readonly done: number;
  /** They ended otherwise: dead, or removed. */
  readonly failed: number;
  /** They have not ended. */
  readonly pending: number;
}

/** The children of the job `id` in numbers; `undefined` when there is no such job. */
export async function readProgress(engine: Engine, queue: string, id: string): Promise<FlowProgress | undefined> {
  const row = new QueueKeys(queue).row(id);
  const [exists, total, open, done, failed] = await Promise.all([
    engine.command(["EXISTS", row]).then(numberReply),
    engine.command(["HLEN", `${row}:children`]).then(numberReply),
    openChildren(engine, queue, id),
    engine.command(["HLEN", `${row}:processed`]).then(numberReply),
    // Those that ended their parent stay among the open ones.
    engine.command(["HLEN", `${row}:failed`]).then(numberReply),
  ]);
  if (exists === 0) return undefined;
  const pending = Math.max(0, open - failed);
  return { total, done, failed: Math.max(0, total - done - pending), pending };
}

/**
 * Whether all jobs of the batch whose callback the job `id` is are done. Children that the handler of the callback
 * added in an earlier run have keys, and do not count.
 */
export async function isBatchDone(engine: Engine, queue: string, id: string): Promise<boolean> {
  const row = new QueueKeys(queue).row(id);
  const [open, ...failures] = await Promise.all([
    openChildren(engine, queue, id),
    engine.command(["HLEN", `${row}:failed`]).then(numberReply),
    engine.command(["HLEN", `${row}:unsuccessful`]).then(numberReply),
  ]);
  if (open === 0 && failures.every((count) => count === 0)) return true;
  const isUndone = (child: { readonly key: string | undefined; readonly state: string }) =>
    child.key === undefined && child.state !== "done";
  return !(await readChildren(engine, queue, id, (children) => children.some(isUndone))).some(isUndone);
}
