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
 * Carries over the signals of each queue in which one of these jobs has no row; answers whether there was one, so that
 * what their parents know may have changed. Signals that may not be delivered by whoever asks are left where they are.
 *
 * @throws EchoMQError `disconnected`, `timeout`, `server_busy`.
 */
export async function carryEnds(engine: Engine, jobs: Jobs, places: readonly JobPlace[]): Promise<boolean> {
  let isOneGone = false;
  for (const queue of new Set(places.map(({ queueName }) => queueName))) {
    const ids = places.filter(({ queueName }) => queueName === queue).map(({ id }) => id);
    const states = await jobs.getStates(queue, ids);
    if (ids.every((id) => (states.get(id) ?? "absent") !== "absent")) continue;
    isOneGone = true;
    try {
      // All that lies there now, however much: the end of any of these jobs may be the last of it.
      await deliverSignals(engine, queue, Number.MAX_SAFE_INTEGER);
    } catch (error) {
      if (isOutage(error)) throw error;
    }
  }
  return isOneGone;
}
