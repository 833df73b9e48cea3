/**
 * Removes a flow from its top down.
 *
 * A parent goes before its children: gone, it can no longer be told of the removal of a child, run for it, or have new
 * ones. A child goes only when nobody else waits for it, which is looked at when its turn comes; so what several flows
 * share stays for the others, and goes with the last of them.
 */

import type { Engine } from "../engine/engine.ts";
import { assertQueueName } from "../protocol/key.ts";
import { FLOW_JOBS_MAX } from "./defaults.ts";
import { readChildren } from "./flow-children.ts";
import { deliverSignals } from "./flow-delivery.ts";
import { readParents, rowState } from "./flow-parents.ts";
import type { FlowSource } from "./flow-tree.ts";
import { assertKnownOptions } from "./option-check.ts";

/** A job of a flow. */
interface Place {
  readonly id: string;
  readonly queueName: string;
}

/** What a removal did. */
export interface FlowRemoval {
  readonly removed: readonly Place[];
  /** Those that run or are locked; what lies below them stays as well. */
  readonly kept: readonly Place[];
}

/**
 * Removes a job and all below it for which nobody else waits, 10,000 jobs at most in one call.
 *
 * @throws EchoMQError `invalid_id`, `invalid_queue`, `unknown_option`.
 */
export async function removeFlow(source: FlowSource, place: Place): Promise<FlowRemoval> {
  assertKnownOptions(place, { owner: "removeFlow", known: ["id", "queueName"] });
  assertQueueName(place.queueName);
  const removed: Place[] = [];
  const kept: Place[] = [];
  const seen = new Set<string>();
  let level: Place[] = [place];
  while (level.length > 0 && removed.length < FLOW_JOBS_MAX) {
    const next: Place[] = [];
    for (const each of level) {
      const name = `${each.queueName}\0${each.id}`;
      if (seen.has(name)) continue;
      const { core } = source.queueOf(each.queueName);
      const job = await core.getJob(each.id);
      if (job === undefined) continue;
      if (each !== place && (await isAwaited(source.engine, each))) continue;
      seen.add(name);
      const children = await readChildren(source.engine, each.queueName, job.id);
      const answer = await core.remove(job.id);
      if (answer === "locked") kept.push({ id: job.id, queueName: each.queueName });
      if (answer !== "ok") continue;
      removed.push({ id: job.id, queueName: each.queueName });
      for (const { id, standIn, queueName } of children) next.push({ id: standIn ?? id, queueName });
    }
    level = next;
  }
  // Nobody is left to hear of these ends, so they are cleared away where that can be done at once; else a pump does it.
  for (const queue of new Set(removed.map(({ queueName }) => queueName))) {
    await deliverSignals(source.engine, queue, FLOW_JOBS_MAX).catch(() => undefined);
  }
  return { removed, kept };
}

/** Whether a job that is there waits for this one, or will look at it when it runs. */
async function isAwaited(engine: Engine, place: Place): Promise<boolean> {
  const parents = await readParents(engine, place.queueName, place.id);
  const states = await Promise.all(parents.map((parent) => rowState(engine, parent)));
  return states.some((state) => state !== undefined && state !== "dead" && state !== "completed");
}
