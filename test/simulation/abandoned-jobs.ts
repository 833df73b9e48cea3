/**
 * Finds the jobs that a broken adder has left for ever, so that a storm can tell them from those that it has lost.
 */

import type { Engine } from "../../src/engine/engine.ts";
import { readChildren } from "../../src/queue/flow-children.ts";

/** What is known of the jobs of a storm. */
export interface StormJobs {
  /** The ids of jobs that ran. */
  readonly ranAs: ReadonlySet<string>;
  /** Whether the job of this name was to be added by a handler. */
  readonly isAdded: (name: string) => boolean;
}

/**
 * The ids of added jobs that wait for one that was never stored, or for such a job: whoever added them broke half-way,
 * and came to an end before it could add them again.
 */
export async function abandonedJobs(
  engine: Engine,
  queues: readonly string[],
  { ranAs, isAdded }: StormJobs,
): Promise<ReadonlySet<string>> {
  const abandoned = new Set<string>();
  const isAbandoned = async (queue: string, id: string): Promise<boolean> => {
    const row = (await engine.command(["HMGET", `emq:{${queue}}:job:${id}`, "state", "name"])) as unknown[];
    const [state, name] = row;
    if (state === null) return !ranAs.has(id);
    if (state !== "awaiting_children" || !isAdded(String(name))) return false;
    const open = (await readChildren(engine, queue, id)).filter((child) => child.state === "open");
    const below = await Promise.all(open.map((child) => isAbandoned(child.queueName, child.id)));
    if (below.includes(true)) abandoned.add(id);
    return below.includes(true);
  };
  for (const queue of queues) {
    const waiting = (await engine.command(["ZRANGE", `emq:{${queue}}:awaiting`, "0", "-1"])) as string[];
    for (const id of waiting) await isAbandoned(queue, id);
  }
  return abandoned;
}
