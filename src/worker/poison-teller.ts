/**
 * Tells the user's hook of jobs that died of crashes: their processes died, or froze, as often as the limit allows.
 *
 * Such a job has no handler left that could report it, so the worker whose sweep ended it reads the row and hands it
 * over, once for each death. Hooks run one after the other and never hold up the worker: each has half a minute, and at
 * most a thousand jobs wait for their turn. What is beyond that, or was not told when the worker closed, or died with a
 * reply that was lost, is in `dead` all the same, where `deathReason` is `crashed`.
 */

import type { Clock, Logger } from "../engine/ports.ts";
import { type JobReader, type StoredJob, storedJob } from "../queue/job.ts";
import type { Jobs } from "../queue/jobs.ts";
import { within } from "./within.ts";

/** How long one call of the hook may take before the next one comes, in ms. It is not ended, only no longer awaited. */
export const POISON_HOOK_MS_MAX = 30_000;

/** Jobs that wait to be told, at most. */
export const POISON_WAITING_MAX = 1000;

/** What the hook of a worker is called with; it may be async. */
export type PoisonHook = (job: StoredJob, details: { readonly crashes: number }) => unknown;

/** What a {@link PoisonTeller} works with. */
export interface PoisonTellerOptions {
  readonly hook: PoisonHook;
  readonly jobs: Jobs;
  readonly queue: string;
  readonly reader: JobReader;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the lines are about: `worker of queue "mail"`. */
  readonly subject: string;
}

/** The caller of one worker's hook. */
export class PoisonTeller {
  readonly #options: PoisonTellerOptions;
  #waiting: string[] = [];
  #run: Promise<void> | undefined;
  #isStopped = false;
  /** Resolved by {@link PoisonTeller.abandon}, so that no timer waits on for a hook that hangs. */
  readonly #abandoned: Promise<void>;
  #noteAbandoned: () => void = () => {};

  constructor(options: PoisonTellerOptions) {
    this.#options = options;
    this.#abandoned = new Promise((resolve) => {
      this.#noteAbandoned = resolve;
    });
  }

  /** Jobs that a sweep of this worker has just ended, for whatever reason. */
  tell(ids: readonly string[]): void {
    if (this.#isStopped) {
      if (ids.length > 0) this.#warnUntold(ids.length);
      return;
    }
    const room = Math.max(0, POISON_WAITING_MAX - this.#waiting.length);
    this.#waiting.push(...ids.slice(0, room));
    if (ids.length > room)
      this.#warn(`the hook onPoison is not told of ${ids.length - room} dead jobs: it is too slow`);
    if (this.#waiting.length > 0) this.#run ??= this.#tellAll();
  }

  /** Resolves when the hook has been told of all that it will be told of; {@link PoisonTeller.abandon} ends that. */
  ended(): Promise<void> {
    return this.#run ?? Promise.resolve();
  }

  /** Tells nothing any more, and logs how many jobs that concerns. */
  abandon(): void {
    this.#isStopped = true;
    const left = this.#waiting.length;
    this.#waiting = [];
    this.#noteAbandoned();
    if (left > 0) this.#warnUntold(left);
  }

  async #tellAll(): Promise<void> {
    for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) {
      try {
        await this.#tellOne(id);
      } catch (error) {
        this.#failed(id, error);
      }
    }
    this.#run = undefined;
  }

  async #tellOne(id: string): Promise<void> {
    const { hook, jobs, queue, reader, clock } = this.#options;
    const row = await jobs.getRow(queue, id);
    if (row === undefined || this.#isStopped) return;
    const job = await storedJob(reader, id, row);
    // A job whose cancel was asked for ends at its first lapse; nothing is wrong with it.
    if (job.deathReason !== "crashed") return;
    const ending = Promise.resolve(hook(job, { crashes: job.crashes }));
    const isOver = await within(clock, Promise.race([ending, this.#abandoned]), POISON_HOOK_MS_MAX);
    if (this.#isStopped) ending.catch((error: unknown) => this.#failed(id, error));
    else if (isOver) await ending;
    else this.#warn(`the hook onPoison has not ended for job ${id} in ${POISON_HOOK_MS_MAX} ms and is awaited no more`);
  }

  #failed(id: string, error: unknown): void {
    this.#options.logger.error(`${this.#options.subject}: the hook onPoison failed for job ${id}`, { error });
  }

  #warnUntold(count: number): void {
    this.#warn(`closed before the hook onPoison was told of ${count} dead jobs`);
  }

  #warn(text: string): void {
    this.#options.logger.warn(`${this.#options.subject}: ${text}`);
  }
}
