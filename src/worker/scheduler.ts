/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Fires the schedulers of some queues by itself, where no worker of this package does.
 *
 * Every worker fires those of its own queue, so a fleet of workers needs nothing else. One is needed where jobs are to
 * be made while no worker runs, or where workers are told to leave it (`schedulers: false`). Any number may run.
 *
 * This class sees an engine only. `Scheduler` of the package is this class with a connection in front of it.
 */

import type { Logger, Timer } from "../engine/ports.ts";
import { SCHEDULER_BEAT_MS_DEFAULT, SCHEDULER_QUEUES_MAX } from "../queue/defaults.ts";
import type { Duration } from "../queue/duration.ts";
import type { EngineLease } from "../queue/engine-lease.ts";
import { type QueueServiceKind, QueueServices } from "./queue-services.ts";
import { RepeatKeeper } from "./repeat-keeper.ts";

/** Options of a scheduler process. */
export interface SchedulerOptions {
  /**
   * How often it looks without being told, which only matters when a message was lost: 10 ms to 60 s. Default 10 s.
   */
  readonly beat?: Duration;
  /** Where warnings go. Default: one line each on stderr. */
  readonly logger?: Logger;
}

const KIND: QueueServiceKind<RepeatKeeper> = {
  owner: "Scheduler",
  example: 'new Scheduler(["mail"], { connection })',
  queuesMax: SCHEDULER_QUEUES_MAX,
  beatMsDefault: SCHEDULER_BEAT_MS_DEFAULT,
  make: (options) => new RepeatKeeper(options),
  cue: "r",
  deafText: "New schedulers cannot be heard of at once, so they are looked for",
  failureText: "schedulers cannot be fired",
};

/** One timer that never comes keeps the process alive, in ms: 2^53 - 1. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** A firing service of some queues on an engine. */
export class SchedulerCore implements AsyncDisposable {
  readonly queueNames: readonly string[];
  readonly #keepers: QueueServices<RepeatKeeper>;
  readonly #life: Timer;

  /**
   * Fires from now on, and keeps the process alive until it is closed.
   *
   * @param queueNames the queues whose schedulers it fires, 1 to 1000.
   * @param lease the share in an engine, which {@link SchedulerCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `unknown_option`, `invalid_option`; the lease is then the caller's to release.
   */
  constructor(queueNames: readonly string[], lease: EngineLease, options: SchedulerOptions = {}) {
    this.#keepers = new QueueServices(queueNames, lease, options, KIND);
    this.queueNames = this.#keepers.queueNames;
    this.#life = lease.engine.ports.clock.after(NEVER_MS, () => {});
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#keepers.waitUntilReady();
  }

  /** Ends; what is being fired is fired. Calling it twice is harmless. */
  close(): Promise<void> {
    this.#life.cancel();
    return this.#keepers.close();
  }

  /** {@link SchedulerCore.close} at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
