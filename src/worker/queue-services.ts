/**
 * One service for each of some queues, on an engine, where no worker of this package runs: what a flow pump and a
 * scheduler have in common.
 *
 * Each service does its rounds by the beat, at once when the message that is meant for it comes on the channel
 * `control` of its queue, and when the server is back.
 */

import type { Engine, Subscription } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { BEAT_MS_MAX, BEAT_MS_MIN } from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import type { EngineLease } from "../queue/engine-lease.ts";
import { assertKnownOptions, assertWhole, checkedLogger } from "../queue/option-check.ts";
import { QueueKeys } from "../queue/verb-call.ts";
import type { PeriodicOptions, PeriodicService } from "./service.ts";

/** At least so long lies between two lines about one queue, in ms. */
const LINE_EVERY_MS = 60_000;

/** What the service of one queue is made with. */
export interface QueueServiceOptions extends PeriodicOptions {
  readonly engine: Engine;
  readonly queue: string;
  readonly logger: Logger;
  /** How often it looks without being told, in ms. */
  readonly idleMs: number;
}

/** What one kind of services has of its own. */
export interface QueueServiceKind<S extends PeriodicService> {
  /** The public class, for messages. */
  readonly owner: string;
  /** How that class is made, for messages. */
  readonly example: string;
  readonly queuesMax: number;
  readonly beatMsDefault: number;
  /** Makes the service of one queue. */
  readonly make: (options: QueueServiceOptions) => S;
  /** The message on the channel `control` that it does a round for. */
  readonly cue: string;
  /** What is logged where such messages cannot be heard. */
  readonly deafText: string;
  /** What is logged of a round that failed, before the cause. */
  readonly failureText: string;
  /** What a service does before it is stopped. */
  readonly beforeStop?: (service: S) => Promise<void>;
}

/** What the caller of the public class may choose. */
interface Choices {
  readonly beat?: Duration;
  readonly logger?: Logger;
}

/** The services of some queues on an engine. */
export class QueueServices<S extends PeriodicService> {
  readonly queueNames: readonly string[];
  readonly #kind: QueueServiceKind<S>;
  readonly #lease: EngineLease;
  readonly #logger: Logger;
  readonly #services: readonly S[];
  readonly #subscriptions: Promise<Subscription | undefined>[] = [];
  readonly #stopWatching: () => void;
  readonly #linedAt = new Map<string, number>();
  #closing: Promise<void> | undefined;

  /**
   * Begins at once.
   *
   * @param lease the share in an engine, which {@link QueueServices.close} releases.
   * @throws EchoMQError `invalid_queue`, `unknown_option`, `invalid_option`; the lease is then the caller's to release.
   */
  constructor(queueNames: readonly string[], lease: EngineLease, options: Choices, kind: QueueServiceKind<S>) {
    const { owner, example } = kind;
    assertKnownOptions(options, { owner, known: ["connection", "beat", "logger"], example });
    this.queueNames = checkedNames(queueNames, kind);
    const beatMs = durationMs(options.beat ?? kind.beatMsDefault, "beat");
    assertWhole(beatMs, "beat", { min: BEAT_MS_MIN, max: BEAT_MS_MAX });
    const { engine } = lease;
    this.#kind = kind;
    this.#lease = lease;
    this.#logger = checkedLogger(options.logger, engine.ports.logger);
    this.#services = this.queueNames.map((queue) => this.#start(engine, queue, beatMs));
    this.#stopWatching = engine.onState((state) => {
      if (state === "ready") for (const service of this.#services) service.kick();
    });
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#lease.engine.ready();
  }

  /** Ends all of them and releases the engine. Calling it twice is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #start(engine: Engine, queue: string, idleMs: number): S {
    const service = this.#kind.make({
      engine,
      clock: engine.ports.clock,
      queue,
      logger: this.#logger,
      idleMs,
      onError: (error) => this.#tell(queue, error),
    });
    const hears = engine.subscribe(new QueueKeys(queue).control, (message) => {
      if (message === this.#kind.cue) service.kick();
    });
    this.#subscriptions.push(
      hears.catch((error: unknown) => {
        this.#logger.debug(this.#kind.deafText, { queue, error });
        return undefined;
      }),
    );
    service.start();
    return service;
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    const { beforeStop } = this.#kind;
    if (beforeStop !== undefined) await Promise.allSettled(this.#services.map(beforeStop));
    await Promise.all(this.#services.map((service) => service.stop()));
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
    this.#logger.warn(`queue ${quote(queue)}: ${this.#kind.failureText}: ${causeText(error)}`, { queue });
  }
}

function checkedNames(
  queueNames: unknown,
  { owner, queuesMax }: { readonly owner: string; readonly queuesMax: number },
): readonly string[] {
  if (!Array.isArray(queueNames) || queueNames.length === 0 || queueNames.length > queuesMax) {
    throw new EchoMQError("invalid_option", `${owner} takes the names of 1 to ${queuesMax} queues`);
  }
  for (const name of queueNames as readonly unknown[]) assertQueueName(name);
  return [...new Set(queueNames as readonly string[])];
}
