/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Delivers the signals of children by itself, for queues whose jobs no worker of this package runs.
 *
 * Every worker delivers those of its own queue, so a fleet of workers needs no pump. One is needed where children are
 * settled by others: by low-level verbs, or by speakers in other languages.
 *
 * This class sees an engine only. `FlowPump` of the package is this class with a connection in front of it.
 */

import type { Engine, Subscription } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { BEAT_MS_DEFAULT, BEAT_MS_MAX, BEAT_MS_MIN, FLOW_PUMP_QUEUES_MAX } from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import type { EngineLease } from "../queue/engine-lease.ts";
import { assertKnownOptions, assertWhole, checkedLogger } from "../queue/option-check.ts";
import { QueueKeys } from "../queue/verb-call.ts";
import { OutboxPump } from "./outbox-pump.ts";

/** Options of a flow pump. */
export interface FlowPumpOptions {
  /** How often it looks at each outbox without being told: 10 ms to 60 s. Default 1 s. */
  readonly beat?: Duration;
  /** Where warnings go. Default: one line each on stderr. */
  readonly logger?: Logger;
}

const TABLE = {
  owner: "FlowPump",
  known: ["connection", "beat", "logger"],
  example: 'new FlowPump(["files"], { connection })',
};

/** At least so long lies between two lines about one queue, in ms. */
const LINE_EVERY_MS = 60_000;

/** A delivering service of some queues on an engine. */
export class FlowPumpCore implements AsyncDisposable {
  readonly queueNames: readonly string[];
  readonly #lease: EngineLease;
  readonly #logger: Logger;
  readonly #pumps: readonly OutboxPump[];
  readonly #subscriptions: Promise<Subscription | undefined>[] = [];
  readonly #stopWatching: () => void;
  readonly #linedAt = new Map<string, number>();
  #closing: Promise<void> | undefined;

  /**
   * Delivers from now on.
   *
   * @param queueNames the queues of the children, 1 to 1000.
   * @param lease the share in an engine, which {@link FlowPumpCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `unknown_option`, `invalid_option`; the lease is then the caller's to release.
   */
  constructor(queueNames: readonly string[], lease: EngineLease, options: FlowPumpOptions = {}) {
    assertKnownOptions(options, TABLE);
    this.queueNames = checkedNames(queueNames);
    const beatMs = durationMs(options.beat ?? BEAT_MS_DEFAULT, "beat");
    assertWhole(beatMs, "beat", { min: BEAT_MS_MIN, max: BEAT_MS_MAX });
    const { engine } = lease;
    this.#lease = lease;
    this.#logger = checkedLogger(options.logger, engine.ports.logger);
    this.#pumps = this.queueNames.map((queue) => this.#startPump(engine, queue, beatMs));
    this.#stopWatching = engine.onState((state) => {
      if (state === "ready") for (const pump of this.#pumps) pump.kick();
    });
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#lease.engine.ready();
  }

  /** Delivers what lies there, as far as that is possible, and ends. Calling it twice is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** {@link FlowPumpCore.close} at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #startPump(engine: Engine, queue: string, beatMs: number): OutboxPump {
    const pump = new OutboxPump({
      engine,
      clock: engine.ports.clock,
      queue,
      logger: this.#logger,
      idleMs: beatMs,
      onError: (error) => this.#tell(queue, error),
    });
    const hears = engine.subscribe(new QueueKeys(queue).control, (message) => {
      if (message === "f") pump.kick();
    });
    this.#subscriptions.push(
      hears.catch((error: unknown) => {
        this.#logger.debug("Signals cannot be heard at once, so they are looked for at each beat", { queue, error });
        return undefined;
      }),
    );
    pump.start();
    return pump;
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    await Promise.allSettled(this.#pumps.map((pump) => pump.drained()));
    await Promise.all(this.#pumps.map((pump) => pump.stop()));
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
    this.#logger.warn(`queue ${quote(queue)}: signals of children cannot be delivered: ${causeText(error)}`, { queue });
  }
}

function checkedNames(queueNames: unknown): readonly string[] {
  if (!Array.isArray(queueNames) || queueNames.length === 0 || queueNames.length > FLOW_PUMP_QUEUES_MAX) {
    throw new EchoMQError("invalid_option", `FlowPump takes the names of 1 to ${FLOW_PUMP_QUEUES_MAX} queues`);
  }
  for (const name of queueNames as readonly unknown[]) assertQueueName(name);
  return [...new Set(queueNames as readonly string[])];
}
