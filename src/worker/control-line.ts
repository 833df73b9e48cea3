/**
 * Hears at once what a worker would otherwise hear with its next word: that a job which it holds is to stop, that it is
 * paused or resumed itself, that children have signals for parents in other queues, and that a repeat occurs earlier
 * than any other.
 *
 * A message is only a hint, and nothing depends on it: what it tells stands in the row, which every renewal reads, and
 * in the worker's entry, which every TURN reads that tells of the worker. So a message that was lost, or a user without
 * the right to listen, costs time and nothing else. One subscription a worker, made once the server is there and tried
 * again whenever the connection is back.
 */

import type { Engine, Subscription } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { type Bytes, textOf } from "../protocol/bytes.ts";

/** What a {@link ControlLine} works with, and whom it tells. */
export interface ControlLineOptions {
  readonly engine: Engine;
  readonly channel: Bytes;
  readonly workerId: string;
  readonly logger: Logger;
  /** The job of this id may have been told to stop. */
  readonly onCancel: (id: string) => void;
  /** The worker may have been paused or resumed. */
  readonly onPause: () => void;
  /** Signals of children lie in the outbox of the queue, which was empty. */
  readonly onSignals: () => void;
  /** The queue has a repeat that occurs before all others. */
  readonly onRepeat: () => void;
}

/** The subscription of one worker. */
export class ControlLine {
  readonly #options: ControlLineOptions;
  #subscription: Promise<Subscription | undefined> | undefined;
  #isStopped = false;

  constructor(options: ControlLineOptions) {
    this.#options = options;
  }

  /** Listens, unless it does so already. Call it whenever the server can be asked. */
  start(): void {
    if (this.#isStopped) return;
    this.#subscription ??= this.#subscribe();
  }

  /** Listens no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const subscription = await this.#subscription;
    await subscription?.close();
  }

  async #subscribe(): Promise<Subscription | undefined> {
    const { engine, channel, logger } = this.#options;
    try {
      return await engine.subscribe(channel, (message) => this.#hear(message));
    } catch (error) {
      logger.debug("Cancels and pauses cannot be heard at once, so they are read at each renewal and beat", { error });
      this.#subscription = undefined;
      return undefined;
    }
  }

  #hear(message: Bytes): void {
    if (this.#isStopped) return;
    const name = message.slice(1);
    if (message === "f") this.#options.onSignals();
    else if (message === "r") this.#options.onRepeat();
    else if (message.startsWith("c")) this.#options.onCancel(name);
    else if (message.startsWith("w") && textOf(name) === this.#options.workerId) this.#options.onPause();
  }
}
