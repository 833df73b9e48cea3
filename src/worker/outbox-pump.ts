/**
 * Carries the signals of children to parents in other queues, beside the handlers of a worker or by itself.
 *
 * It is woken by the act that fills an empty outbox, so a signal lies no longer than a message and two acts take. A
 * message may be lost: then a sweep tells that the outbox is not empty, or, where nobody sweeps, the pump looks by
 * itself once in a while. It goes on until the outbox is empty, rests a little longer each time that a server is away,
 * and any number of pumps may work on one queue.
 */

import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { FLOW_DELIVERY_MAX } from "../queue/defaults.ts";
import { deliverSignals } from "../queue/flow-delivery.ts";
import { type PeriodicOptions, PeriodicService } from "./service.ts";

/** Passes of one round, at most: a round that is longer than that goes on in the next one. */
export const PASSES_PER_ROUND_MAX = 100;

/** First and longest rest while a queue cannot be delivered to, in ms; each is twice the one before. */
export const PUMP_REST_MS_MIN = 50;
export const PUMP_REST_MS_MAX = 5000;

/** Queues of parents that a pump looks after in one round beside its own, at most. */
const FURTHER_MAX = 1000;

/** What an {@link OutboxPump} works with. */
export interface OutboxPumpOptions extends PeriodicOptions {
  readonly engine: Engine;
  readonly queue: string;
  readonly logger: Logger;
  /** How often it looks without being woken, in ms; `undefined` for never, where sweeps tell of what lies there. */
  readonly idleMs?: number;
}

/** The delivering service of one queue. */
export class OutboxPump extends PeriodicService {
  readonly #options: OutboxPumpOptions;
  #restMs = 0;
  #isEnded = false;
  /** The last round ended before the outbox was empty. */
  #isBehind = false;

  constructor(options: OutboxPumpOptions) {
    super(options);
    this.#options = options;
  }

  /** Resolves when the outbox is empty, or cannot be emptied now. For whoever closes: nothing is begun after it. */
  async drained(): Promise<void> {
    if (!this.isRunning || this.#options.engine.state !== "ready") return;
    await super.stop();
    await this.#pumpAll();
  }

  /** Ends it for good; a pass that is under way is its last one. */
  override async stop(): Promise<void> {
    this.#isEnded = true;
    await super.stop();
  }

  protected override firstDelayMs(): number {
    return 0;
  }

  protected override nextDelayMs(): number {
    if (this.#restMs > 0) return this.#restMs;
    return this.#isBehind ? 0 : (this.#options.idleMs ?? Number.POSITIVE_INFINITY);
  }

  protected override async round(): Promise<void> {
    if (this.#options.engine.state !== "ready") return;
    this.#isBehind = false;
    // It holds until the round has shown that nothing is in the way.
    this.#restMs = Math.min(Math.max(this.#restMs * 2, PUMP_REST_MS_MIN), PUMP_REST_MS_MAX);
    const failure = await this.#pumpAll();
    if (failure !== undefined) throw failure.error;
    this.#restMs = 0;
  }

  /** Empties the own outbox, then those of parents that died by it, and theirs. Answers the first failure. */
  async #pumpAll(): Promise<{ readonly error: unknown } | undefined> {
    const queues = [this.#options.queue];
    const seen = new Set(queues);
    let failure: { readonly error: unknown } | undefined;
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift()) {
      const done = await this.#pump(queue);
      failure ??= done.failure;
      for (const further of done.further) {
        if (seen.size < FURTHER_MAX && !seen.has(further)) queues.push(further);
        seen.add(further);
      }
    }
    return failure;
  }

  /** Passes over one outbox until it is empty, or nothing moves any more. */
  async #pump(queue: string): Promise<{ further: Set<string>; failure: { readonly error: unknown } | undefined }> {
    const { engine, logger } = this.#options;
    const further = new Set<string>();
    for (let passes = 0; passes < PASSES_PER_ROUND_MAX && !this.#isEnded; passes++) {
      const pass = await deliverSignals(engine, queue, FLOW_DELIVERY_MAX);
      if (pass.bad > 0) {
        const message = `queue ${queue}: signals of children that cannot be read, or not be taken, were set aside`;
        logger.warn(message, { signals: pass.bad, key: `emq:{${queue}}:flow:outbox:bad` });
      }
      for (const name of pass.further) further.add(name);
      if (pass.error !== undefined) return { further, failure: { error: pass.error } };
      if (pass.left === 0) return { further, failure: undefined };
    }
    this.#isBehind = true;
    return { further, failure: undefined };
  }
}
