/**
 * The metrics of `echomq work --health`: those of `echomq/prometheus` for this worker and its queue.
 *
 * `prom-client` is the user's to install, so its absence is an answer of `/metrics` and no fault of the command: health
 * works without it.
 */

import type { Engine } from "../../engine/engine.ts";
import { type PrometheusMetrics, prometheusMetrics } from "../../prometheus.ts";
import { isEchoMQError } from "../../protocol/errors.ts";
import { Jobs } from "../../queue/jobs.ts";
import { Operator } from "../../queue/operator.ts";
import type { CountWord } from "../../queue/read-verbs.ts";
import { readWorkers } from "../../queue/roster.ts";
import { QueueKeys } from "../../queue/verb-call.ts";

/** The metrics, or what has to be installed for them. */
export function queueMetrics(engine: Engine, queue: string): PrometheusMetrics | string {
  const jobs = new Jobs(engine);
  const operator = new Operator(engine, jobs, queue);
  const keys = new QueueKeys(queue);
  const measured = {
    name: queue,
    getJobCounts: (...words: readonly CountWord[]) => jobs.getCounts(queue, words),
    oldestPendingAge: () => operator.oldestPendingAge(),
    isPaused: () => jobs.isPaused(queue),
    workers: () => readWorkers({ engine, keys }),
  };
  try {
    return prometheusMetrics({ queues: [measured] });
  } catch (error) {
    if (isEchoMQError(error, "missing_peer")) return error.message;
    throw error;
  }
}
