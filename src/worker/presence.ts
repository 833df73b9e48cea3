/**
 * When a worker tells the server that it is there, which others read as the list of workers.
 *
 * It goes along with a TURN that leaves anyway, at most once a beat, so it costs no act of its own. A worker that takes
 * no jobs is not listed, and says so once.
 */

import type { Clock } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { presenceArguments } from "../queue/turn-call.ts";

/** What a {@link Presence} works with. */
export interface PresenceOptions {
  readonly clock: Clock;
  readonly beatMs: number;
  /** The job names that the worker serves; `undefined` for all. */
  readonly names: readonly string[] | undefined;
}

/** What the server was told of one worker. */
export class Presence {
  readonly #options: PresenceOptions;
  /** When the server was last told, by the host's clock. */
  #toldAt = Number.NEGATIVE_INFINITY;
  #isListed = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Whether the server lists this worker, as far as is known. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Whether so many beats have passed since the server was told. */
  isDue(beats: number): boolean {
    const sinceMs = this.#options.clock.now() - this.#toldAt;
    return sinceMs < 0 || sinceMs >= beats * this.#options.beatMs;
  }

  /**
   * Adds to the arguments of a TURN who asks, if that is due; answers whether it did.
   *
   * @param concurrency the handlers that run at once; 0 says that the worker takes no jobs now.
   */
  tell(args: Bytes[], concurrency: number): boolean {
    const leaves = concurrency === 0;
    if (leaves ? !this.#isListed : !this.isDue(1)) return false;
    const { clock, beatMs, names } = this.#options;
    args.push(...presenceArguments({ beatMs, concurrency, names }));
    this.#toldAt = clock.now();
    this.#isListed = !leaves;
    return true;
  }

  /** The TURN that told it failed. It may have been taken all the same: then it is told once more. */
  failed(): void {
    this.forget();
    this.#isListed = true;
  }

  /** The next TURN tells it, whenever the last one did. */
  forget(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
  }
}
