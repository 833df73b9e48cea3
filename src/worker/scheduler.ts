/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Fires the schedulers of some queues by itself, where no worker of this package does.
 *
 * Every worker fires those of its own queue, so a fleet of workers needs nothing else. One is needed where jobs are to
 * be made while no worker runs, or where workers are told to leave it (`schedulers: false`). Any number may run.
 *
 * This class sees an engine only. `Scheduler` of the package is this class with a connection in front of it.
 */

import type { Engine, Subscription } from "../engine/engine.ts";
import type { Logger, Timer } from "../engine/ports.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { BEAT_MS_MAX, BEAT_MS_MIN, SCHEDULER_BEAT_MS_DEFAULT, SCHEDULER_QUEUES_MAX } from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import type { EngineLease } from "../queue/engine-lease.ts";
import { assertKnownOptions, assertWhole, checkedLogger } from "../queue/option-check.ts";
import { QueueKeys } from "../queue/verb-call.ts";
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

const TABLE = {
  owner: "Scheduler",
  known: ["connection", "beat", "logger"],
  example: 'new Scheduler(["mail"], { connection })',
};

/** At least so long lies between two lines about one queue, in ms. */
const LINE_EVERY_MS = 60_000;

/** One timer that never comes keeps the process alive, in ms: 2^53 - 1. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** A firing service of some queues on an engine. */
export class SchedulerCore implements AsyncDisposable {
  readonly queueNames: readonly string[];
  readonly #lease: EngineLease;
  readonly #logger: Logger;
  readonly #keepers: readonly RepeatKeeper[];
  readonly #subscriptions: Promise<Subscription | undefined>[] = [];
  readonly #stopWatching: () => void;
  readonly #life: Timer;
  readonly #linedAt: Map<string, number> = new Map();
  #closing: Promise<void> | undefined;

  /**
   * Fires from now on, and keeps the process alive until it is closed.
   *
   * @param queueNames the queues whose schedulers it fires, 1 to 1000.
   * @param lease the share in an engine, which {@link SchedulerCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `unknown_option`, `invalid_option`; the lease is then the caller's to release.
   */
  constructor(queueNames: readonly string[], lease: EngineLease, options: SchedulerOptions = {}) {
    assertKnownOptions(options, TABLE);
    this.queueNames = checkedNames(queueNames);
    const beatMs = durationMs(options.beat ?? SCHEDULER_BEAT_MS_DEFAULT, "beat");
    assertWhole(beatMs, "beat", { min: BEAT_MS_MIN, max: BEAT_MS_MAX });
    const { engine } = lease;
    this.#lease = lease;
    this.#logger = checkedLogger(options.logger, engine.ports.logger);
    this.#life = engine.ports.clock.after(NEVER_MS, () => {});
    this.#keepers = this.queueNames.map((queue) => this.#startKeeper(engine, queue, beatMs));
    this.#stopWatching = engine.onState((state) => {
      if (state === "ready") for (const keeper of this.#keepers) keeper.kick();
    });
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#lease.engine.ready();
  }

  /** Ends; what is being fired is fired. Calling it twice is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** {@link SchedulerCore.close} at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #startKeeper(engine: Engine, queue: string, beatMs: number): RepeatKeeper {
    const keeper = new RepeatKeeper({
      engine,
      clock: engine.ports.clock,
      queue,
      logger: this.#logger,
      idleMs: beatMs,
      onError: (error) => this.#tell(queue, error),
    });
    const hears = engine.subscribe(new QueueKeys(queue).control, (message) => {
      if (message === "r") keeper.kick();
    });
    this.#subscriptions.push(
      hears.catch((error: unknown) => {
        this.#logger.debug("New schedulers cannot be heard of at once, so they are looked for", { queue, error });
        return undefined;
      }),
    );
    keeper.start();
    return keeper;
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    this.#life.cancel();
    await Promise.all(this.#keepers.map((keeper) => keeper.stop()));
    const { engine } = this.#lease;
    // A subscription that is on its way while the server is away ends with the engine.
    if (engine.state === "ready") for (const made of this.#subscriptions) await (await made)?.close();
    await this.#lease.release();
  }

  /** One line a queue and minute, so that an outage does not flood the log. */
  #tell(queue: string, error: unknown): void {
    const { clock } = this.#lease.engine.ports;
    if (clock.now() - (this.#linedAt.get(queue) ?? Number.NEGATIVE_INFINITY) < LINE_EVERY_MS) return;
    this.#linedAt.set(queue, clock.now());
    this.#logger.warn(`queue ${quote(queue)}: schedulers cannot be fired: ${causeText(error)}`, { queue });
  }
}

function checkedNames(queueNames: unknown): readonly string[] {
  if (!Array.isArray(queueNames) || queueNames.length === 0 || queueNames.length > SCHEDULER_QUEUES_MAX) {
    throw new EchoMQError("invalid_option", `Scheduler takes the names of 1 to ${SCHEDULER_QUEUES_MAX} queues`);
  }
  for (const name of queueNames as readonly unknown[]) assertQueueName(name);
  return [...new Set(queueNames as readonly string[])];
}
