/**
 * One claim of one job, from the reply that brought it to the acknowledgement of its settlement.
 *
 * The turn loop owns the phase and the settlement, the handler runner what lies between them, the lease keeper the
 * lease. All fields exist from birth on, so that all attempts have one shape.
 */

import type { Timer } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { EchoMQError } from "../protocol/errors.ts";
import type { Terms } from "../queue/retention.ts";
import type { TurnJob } from "../queue/turn-call.ts";
import type { JobContext } from "./context.ts";
import type { WorkerJob } from "./worker-job.ts";

/**
 * `buffered`: leased, its handler has not begun · `running` · `settled`: its settlement is decided and not yet
 * acknowledged · `over`: nothing more is to be done with it.
 */
export type Phase = "buffered" | "running" | "settled" | "over";

/** The letter of a settlement on the wire (docs/protocol/jobs.md, Settlement). */
export type SettlementOp = "c" | "r" | "f" | "k" | "d" | "a" | "b" | "l";

/** One claim of one job. Who writes which field stands at the head of this file. */
export class Attempt {
  readonly claimed: TurnJob;
  /** When the reply came, by the host's clock. */
  readonly receivedAt: number;
  phase: Phase = "buffered";
  /** Until when the lease holds at least, by the host's clock. */
  leaseUntil: number;
  startedAt = 0;
  /** The lease is known to be over. */
  isLost = false;
  /** It is being put to rest: that its lease is over is then no loss. */
  isParking = false;
  /** Why the handler was told to stop; the first reason stays. */
  stopReason: EchoMQError | undefined;
  job: WorkerJob | undefined;
  context: JobContext | undefined;
  /** The handler's time limit, or the grace after it. */
  timer: Timer | undefined;

  op: SettlementOp | undefined;
  /** What follows id and token in the settlement: result, error, or delay, attempts and error. */
  values: readonly Bytes[] = [];
  /** What the job asks to be kept of it; `undefined` for what the worker keeps. */
  terms: Terms | undefined;
  /** What the handler returned or threw, for listeners. */
  outcome: unknown;
  /** It was sent and no answer came: it may have been acted upon. */
  wasSent = false;

  constructor(claimed: TurnJob, receivedAt: number, leaseUntil: number) {
    this.claimed = claimed;
    this.receivedAt = receivedAt;
    this.leaseUntil = leaseUntil;
  }

  get id(): string {
    return this.claimed.id;
  }

  /** Failures of this job when this attempt fails too: what a backoff counts. From 1 on. */
  get failureNumber(): number {
    return Math.max(1, this.claimed.token - this.claimed.stalled - this.claimed.deferred);
  }

  /** Tells the handler to stop. Only the first reason counts. */
  stop(reason: EchoMQError): void {
    if (this.stopReason !== undefined) return;
    this.stopReason = reason;
    this.context?.abort(reason);
  }
}
