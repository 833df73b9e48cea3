/**
 * One lane of a queue, as its user sees it: settings, depth, and what can be done with its jobs.
 *
 * A lane is nothing that must be made: it exists while jobs wait in it or a setting names it. Settings stay until they
 * are taken away, also while the lane is empty, because a limit that is forgotten between two jobs is no limit.
 */

import type { Engine } from "../engine/engine.ts";
import { assertOwnWire } from "../engine/shared-mode.ts";
import type { LaneCounts, Lanes } from "./lanes.ts";
import { OPERATOR_BUDGET_DEFAULT } from "./operator-verbs.ts";
import { assertBoolean, assertKnownOptions } from "./option-check.ts";
import type { Rate } from "./rate.ts";
import { progressHook, type SliceOptions } from "./slice-options.ts";

/** Where a {@link Lane} belongs. */
export interface LanePlace {
  readonly engine: Engine;
  readonly lanes: Lanes;
  readonly queue: string;
  /** Throws `closed` once the queue is closed. */
  readonly assertOpen: () => void;
}

/** A lane of a queue. Holds nothing but its name, so it may be kept or made anew. */
export class Lane {
  readonly name: string;
  readonly #place: LanePlace;

  /** The name must have been checked. */
  constructor(name: string, place: LanePlace) {
    this.name = name;
    this.#place = place;
  }

  /** Pauses the lane: none of its jobs starts after this resolves; those that run go on. Stays until {@link resume}. */
  async pause(): Promise<void> {
    await this.#lanes.pause(this.#queue, this.name);
  }

  /** Resumes the lane. */
  async resume(): Promise<void> {
    await this.#lanes.resume(this.#queue, this.name);
  }

  /**
   * Sets how many jobs of the lane may run at once, over all workers: 1 to 2^31; `null` takes the limit away. A limit
   * below what runs takes nothing back; no further job starts until there is room.
   *
   * @throws EchoMQError `invalid_limit`; `full` when 100,000 lanes have a limit; `state` while the lane is ordered.
   */
  async limit(limit: number | null): Promise<void> {
    await this.#lanes.limit(this.#queue, this.name, limit);
  }

  /**
   * Sets how many jobs of the lane may start in a time, over all workers; `null` takes the rate away. A lane that has
   * none left waits without being looked at, and others take their turns meanwhile.
   *
   * @throws EchoMQError `invalid_rate`, `invalid_option`, `unknown_option`, `shared_mode`; `full` when about 50,000
   *   lanes have a rate.
   */
  async rate(rate: Rate | null): Promise<void> {
    assertOwnWire(this.#place.engine, "Rates");
    await this.#lanes.rate(this.#queue, this.name, rate);
  }

  /**
   * Sets how many jobs the lane gets in a turn for each that a lane without a weight gets: 1 to 1,000,000; `null` takes
   * the weight away, which is then 1.
   *
   * @throws EchoMQError `invalid_weight`; `full` when 100,000 lanes have a weight.
   */
  async weight(weight: number | null): Promise<void> {
    await this.#lanes.weight(this.#queue, this.name, weight);
  }

  /**
   * Makes the lane strictly ordered, or ends that. In an ordered lane one job runs at a time, and a job that failed,
   * was delayed or lost its worker keeps all later ones waiting until it is completed or dead. A job that is added with
   * a delay keeps its place as well: what comes behind it waits for it. Otherwise (`limit(1)` alone) a later job
   * overtakes one that waits for its next attempt.
   *
   * The limit of an ordered lane is 1, in the place of any that it had; ending the order leaves it without one. Jobs
   * that were delayed before the lane became ordered do not hold it.
   *
   * @throws EchoMQError `invalid_option` for no boolean; `full` when 100,000 lanes are ordered or have a limit.
   */
  async ordered(isOrdered: boolean): Promise<void> {
    assertBoolean(isOrdered, "ordered");
    await this.#lanes.order(this.#queue, this.name, isOrdered);
  }

  /**
   * Deletes the jobs that wait in the lane; answers how many. Those that run, are scheduled or are dead stay, and so do
   * the settings. What is added meanwhile may stay as well: no more are deleted than waited when it began. 100 jobs a
   * slice.
   */
  async drain(options: SliceOptions = {}): Promise<number> {
    const { lanes, queue } = this.#open();
    assertKnownOptions(options, { owner: "drain", known: ["onProgress"] });
    const tell = progressHook(options);
    let left = await lanes.depth(queue, this.name);
    let drained = 0;
    while (left > 0) {
      const budget = Math.min(left, OPERATOR_BUDGET_DEFAULT);
      const gone = await lanes.drain(queue, this.name, budget);
      drained += gone;
      tell(drained);
      left = gone < budget ? 0 : left - gone;
    }
    return drained;
  }

  /** How many jobs wait in the lane. */
  async depth(): Promise<number> {
    return await this.#lanes.depth(this.#queue, this.name);
  }

  /** Depth, active jobs and settings of the lane, from one instant. A lane that does not exist has none. */
  async counts(): Promise<LaneCounts> {
    const [counts] = await this.#lanes.counts(this.#queue, [this.name]);
    return counts as LaneCounts;
  }

  /**
   * Moves a job that waits in another lane into this one, where it keeps its priority and its place by age.
   * `not_found`: there is no such job, or it is of no lane; `not_pending`: it is active, scheduled or dead.
   */
  async reassign(id: string): Promise<"reassigned" | "noop" | "not_found" | "not_pending"> {
    return await this.#lanes.reassign(this.#queue, id, this.name);
  }

  get #lanes(): Lanes {
    return this.#open().lanes;
  }

  get #queue(): string {
    return this.#place.queue;
  }

  #open(): LanePlace {
    this.#place.assertOpen();
    return this.#place;
  }
}
