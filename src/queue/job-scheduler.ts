/**
 * A scheduler as its user sees it: when it occurs, what its jobs are, how it has fared, and what can be done with it.
 *
 * It is a picture of one instant; its verbs go by the id and act on what the server holds now.
 */

import type { MissedPolicy, OverlapPolicy } from "./scheduler-options.ts";

/** What became of an upsert: the scheduler is new, has another content, or was just so already. */
export type UpsertOutcome = "added" | "replaced" | "unchanged";

/**
 * What became of an occurrence that was asked for by hand: its job `id` is added; `overlapping`, the job before has not
 * ended; `held`, a deduplication id held it back; `gone`, there is no such scheduler.
 */
export type RunNowResult =
  | { readonly outcome: "added"; readonly id: string }
  | { readonly outcome: "overlapping" | "held" | "gone"; readonly id: undefined };

/** Slots of a scheduler that became no job. */
export interface SkippedSlots {
  readonly count: number;
  /** The last of them, and why it became none: as in the event `skipped`. */
  readonly lastAt: Date | undefined;
  readonly why: string | undefined;
}

/** What is known of a scheduler. */
export interface JobSchedulerFacts {
  readonly id: string;
  /** The name of its jobs. */
  readonly name: string;
  /** What they are given. */
  readonly data: unknown;
  /** The period in ms; `undefined` for a pattern. */
  readonly every: number | undefined;
  readonly pattern: string | undefined;
  /** The time zone of the pattern; `undefined` for a period. */
  readonly tz: string | undefined;
  readonly dst: { readonly missing: "shift" | "skip"; readonly repeated: "first" | "last" | "both" };
  /** In ms. */
  readonly offset: number;
  readonly jitter: number;
  readonly startDate: Date | undefined;
  readonly endDate: Date | undefined;
  readonly limit: number | undefined;
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  /** The next slot; `undefined` once it has ended. */
  readonly nextAt: Date | undefined;
  /** Jobs that its slots have become. */
  readonly fired: number;
  /** The slot of the last job, and its id; `undefined` before the first. */
  readonly lastSlotAt: Date | undefined;
  readonly lastJobId: string | undefined;
  readonly skipped: SkippedSlots;
}

/** The verbs of one scheduler, by its id; a queue has them all. */
export interface SchedulerVerbs {
  runJobScheduler(id: string): Promise<RunNowResult>;
  previewJobScheduler(id: string, count?: number): Promise<Date[]>;
  skipJobScheduler(id: string): Promise<Date | undefined>;
  removeJobScheduler(id: string): Promise<boolean>;
}

/** A scheduler as it was read. */
export class JobScheduler {
  readonly id: string;
  /** What is known of it. */
  readonly facts: JobSchedulerFacts;
  /** What became of the upsert that answered it; `undefined` for one that was read. */
  readonly outcome: UpsertOutcome | undefined;
  readonly #verbs: SchedulerVerbs;

  constructor(verbs: SchedulerVerbs, facts: JobSchedulerFacts, outcome: UpsertOutcome | undefined) {
    this.#verbs = verbs;
    this.id = facts.id;
    this.facts = facts;
    this.outcome = outcome;
  }

  /** The next slot; `undefined` once it has ended. */
  get nextAt(): Date | undefined {
    return this.facts.nextAt;
  }

  /** Makes a job of it now; the next slot stays, and `limit` does not count it. `overlap` holds for it too. */
  runNow(): Promise<RunNowResult> {
    return this.#verbs.runJobScheduler(this.id);
  }

  /** Its next slots, `count` (1 to 1000, default 10) at most; none once it has ended or is gone. */
  preview(count?: number): Promise<Date[]> {
    return this.#verbs.previewJobScheduler(this.id, count);
  }

  /** Leaves out the next slot; answers it, `undefined` when there is none. */
  skipNext(): Promise<Date | undefined> {
    return this.#verbs.skipJobScheduler(this.id);
  }

  /** Takes the scheduler away; jobs that it has made stay. Whether there was one. */
  remove(): Promise<boolean> {
    return this.#verbs.removeJobScheduler(this.id);
  }
}
