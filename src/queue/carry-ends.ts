/**
 * Carries over the ends of jobs that are gone, for whoever is about to take such a job for one that was never stored.
 *
 * A child that has ended and is not kept has no row, and until its signal has reached its parent the parent holds it
 * for open: just like a child that was never stored. To store it then would run it again. Row and signal change in one
 * act, so whoever finds no row, carries over what lies in the outbox, and asks the parent anew, knows which of the two
 * it is.
 */

import type { Engine } from "../engine/engine.ts";
import { isOutage } from "./admission.ts";
import { deliverSignals } from "./flow-delivery.ts";
import type { Jobs } from "./jobs.ts";

/** A job that may have ended. */
export interface JobPlace {
  readonly id: string;
  readonly queueName: string;
}

/**
 * Carries over the signals of each queue in which one of these jobs has no row; answers the states of the jobs as they
 * were before, `absent` for one without a row. Signals that may not be delivered by whoever asks are left where they
 * are.
 *
 * @throws EchoMQError `disconnected`, `timeout`, `server_busy`, also where one of these keeps a signal from its parent:
 *   then nobody knows yet which jobs are over.
 */
export async function carryEnds(
  engine: Engine,
  jobs: Jobs,
  places: readonly JobPlace[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const queue of new Set(places.map(({ queueName }) => queueName))) {
    const ids = places.filter(({ queueName }) => queueName === queue).map(({ id }) => id);
    const states = await jobs.getStates(queue, ids);
    for (const id of ids) found.set(id, states.get(id) ?? "absent");
    if (ids.every((id) => found.get(id) !== "absent")) continue;
    try {
      // All that lies there now, however much: the end of any of these jobs may be the last of it.
      const { error } = await deliverSignals(engine, queue, Number.MAX_SAFE_INTEGER);
      if (error !== undefined) throw error;
    } catch (error) {
      if (isOutage(error)) throw error;
    }
  }
  return found;
}
