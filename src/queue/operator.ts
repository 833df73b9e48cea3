/**
 * What operators do to a whole queue: drain, obliterate, clean, retry all dead, and look at it from above.
 *
 * Each of these may be larger than an act can be, so it is cut into slices here, and other calls go between them. A
 * slice that was done stays done when a later one fails; doing the whole again goes on where it ended. Every loop ends
 * although producers and workers go on: it works on what was there when it began, or walks by a cursor.
 */

import type { Engine } from "../engine/engine.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { idTime, isValidId } from "../protocol/id.ts";
import { quote } from "../protocol/quote.ts";
import { FLOW_DELIVERY_MAX, THROUGHPUT_MINUTES_DEFAULT, THROUGHPUT_MINUTES_MAX } from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { deliverSignals } from "./flow-delivery.ts";
import { type IdPage, readIdPage } from "./id-page.ts";
import type { Jobs } from "./jobs.ts";
import { keyPages } from "./key-pages.ts";
import { laneNamePages } from "./lane-names.ts";
import { CLEANED_STATES, type CleanedState, OPERATOR_BUDGET_DEFAULT } from "./operator-verbs.ts";
import { assertBoolean, assertKnownOptions, assertLane, assertWhole } from "./option-check.ts";
import { QUEUES_KEY, type QueueNamesOptions, readQueueNames } from "./queue-names.ts";
import { assertListedState, type ListedState, listedWordFor } from "./read-verbs.ts";
import { readServerNow } from "./server-clock.ts";
import { progressHook, type SliceOptions } from "./slice-options.ts";
import { listOf, numberReply, QueueKeys } from "./verb-call.ts";

/** Jobs of one page of {@link Operator.listIds} unless told otherwise, and at most. */
const PAGE_DEFAULT = 100;
const PAGE_MAX = 1000;

/** Looks over all keys before {@link Operator.obliterate} leaves what producers go on writing. */
const PASSES_MAX = 10;

/** Times that {@link Operator.obliterate} pauses a queue that others resume or obliterate meanwhile. */
const PAUSES_MAX = 10;

/** Keys of one `PURGE`. */
const PURGE_KEYS = 500;

/** Priorities of one place that are looked at for the oldest job, at most. */
const PRIORITIES_MAX = 64;

/** Lanes that are looked at in the same moment. */
const LANES_AT_ONCE = 200;

/** What `drain` says to habits of other queues. */
const DRAIN_HELP = {
  owner: "drain",
  example: "drain({ schedule: true })",
  foreign: { delayed: "give schedule: true, which takes delayed jobs" },
} as const;

/** What goes besides flat pending jobs. */
export interface DrainOptions extends SliceOptions {
  /** The jobs that wait in lanes; default false. */
  readonly lanes?: boolean;
  /** The scheduled jobs: delayed ones, and those between two attempts; default false. */
  readonly schedule?: boolean;
}

/**
 * How a queue is obliterated. `onProgress` is told of jobs, lanes and keys alike, and while jobs go, of whole slices:
 * it says about how far the work is.
 */
export interface ObliterateOptions extends SliceOptions {
  /** Pauses the queue and takes active jobs too; default false, and then the queue must be paused and idle. */
  readonly force?: boolean;
}

/** Which jobs are cleaned away. */
export interface CleanOptions extends SliceOptions {
  readonly state: CleanedState;
  /**
   * Only jobs that have been there longer: since they ended if they are dead or completed, else since they were added.
   * Default 0, all of them.
   */
  readonly olderThan?: Duration;
  /** The most jobs to remove; default all. */
  readonly limit?: number;
  /** Only pending jobs of this lane; without it, `pending` means the flat jobs. */
  readonly lane?: string;
  /** Counts them, locked ones too, and removes nothing; default false. */
  readonly dryRun?: boolean;
}

/** Which page of which state. */
export interface PageOptions {
  /** What the page before answered; without it, and with `undefined`, the first page. */
  readonly cursor?: string | undefined;
  /** Jobs of this page, 1 to 1000; default 100. */
  readonly limit?: number | undefined;
  /** `first`: those that come first, first; `last`: from the other end. Default `first`. */
  readonly from?: "first" | "last" | undefined;
  /** Only for `pending`: the jobs of this lane instead of the flat ones. */
  readonly lane?: string | undefined;
}

/** What ended in one minute. */
export interface MinuteCount {
  /** The beginning of the minute, in server ms. */
  readonly atMs: number;
  readonly completed: number;
  readonly failed: number;
}

/** The operations of one queue. */
export class Operator {
  readonly #jobs: Jobs;
  readonly #engine: Engine;
  readonly #queue: string;
  readonly #keys: QueueKeys;

  constructor(engine: Engine, jobs: Jobs, queue: string) {
    this.#engine = engine;
    this.#jobs = jobs;
    this.#queue = queue;
    this.#keys = new QueueKeys(queue);
  }

  /** Removes the flat jobs that wait now, and what the options name besides; answers how many jobs went. */
  async drain(options: DrainOptions = {}): Promise<number> {
    assertKnownOptions(options, { ...DRAIN_HELP, known: ["lanes", "schedule", "onProgress"] });
    const { lanes = false, schedule = false } = options;
    const tell = progressHook(options);
    assertBoolean(lanes, "lanes");
    assertBoolean(schedule, "schedule");
    const counts = await this.#jobs.getCounts(this.#queue, ["pending", "schedule", "lanes"]);
    const most = counts.pending + (schedule ? counts.schedule : 0) + (lanes ? counts.lanes : 0);
    let drained = 0;
    while (drained < most) {
      const removed = await this.#jobs.drain(this.#queue, { lanes, schedule });
      drained += removed;
      tell(drained);
      if (removed < OPERATOR_BUDGET_DEFAULT) break;
    }
    if (!lanes) return drained;
    const before = drained;
    return before + (await this.#drainHidden(most - before, (hidden) => tell(before + hidden)));
  }

  /** Takes away everything of the queue; docs/guide/operating.md says what that means beside workers. */
  async obliterate(options: ObliterateOptions = {}): Promise<void> {
    assertKnownOptions(options, {
      owner: "obliterate",
      known: ["force", "onProgress"],
      example: "obliterate({ force: true })",
      foreign: { count: "slices have a fixed size", budget: "slices have a fixed size" },
    });
    const { force = false } = options;
    assertBoolean(force, "force");
    const tell = progressHook(options);
    let done = 0;
    const onSlice = (more: number): void => {
      done += more;
      tell(done);
    };
    await this.#takeAll(force, onSlice);
    await this.#engine.command(["SREM", QUEUES_KEY, bytesOf(this.#queue)]);
  }

  /** Removes jobs of a state by age; answers how many went. */
  async clean(options: CleanOptions): Promise<number> {
    assertKnownOptions(options, {
      owner: "clean",
      known: ["state", "olderThan", "limit", "lane", "dryRun", "onProgress"],
      example: 'clean({ state: "dead", olderThan: "1d" })',
      foreign: { grace: "use olderThan", age: "use olderThan", type: "use state", count: "use limit" },
    });
    const state = checkedCleanState(options);
    const { limit = Number.MAX_SAFE_INTEGER, dryRun = false } = options;
    assertWhole(limit, "limit", { min: 1, max: Number.MAX_SAFE_INTEGER });
    assertBoolean(dryRun, "dryRun");
    const tell = progressHook(options);
    const olderThanMs = durationMs(options.olderThan ?? 0, "olderThan");
    const bornBefore = (await readServerNow(this.#engine)) - olderThanMs;
    const key = this.#keyOf(state, options.lane);
    const slice = { key, limit: OPERATOR_BUDGET_DEFAULT, ascending: true };
    let [looked, removed] = [0, 0];
    let cursor: string | undefined;
    do {
      const page = await readIdPage(this.#engine, { ...slice, cursor, rank: dryRun ? looked : looked - removed });
      looked += page.ids.length;
      const old = (await this.#olderIn(state, page.ids, bornBefore)).slice(0, limit - removed);
      if (old.length > 0) removed += dryRun ? old.length : await this.#jobs.clean(this.#queue, state, old);
      tell(removed);
      cursor = page.cursor;
    } while (cursor !== undefined && removed < limit);
    return removed;
  }

  /** Lets every job wait again that is dead now; answers how many. */
  async retryDead(options: SliceOptions = {}): Promise<number> {
    assertKnownOptions(options, { owner: "retryDead", known: ["onProgress"] });
    const tell = progressHook(options);
    const key = this.#keys.dead;
    // No more than were dead at the beginning, so that jobs that die on and on cannot keep this from its end.
    let left = (await this.#jobs.getCounts(this.#queue, ["dead"])).dead;
    let [looked, revived] = [0, 0];
    let cursor: string | undefined;
    while (left > 0) {
      const limit = Math.min(left, OPERATOR_BUDGET_DEFAULT);
      const page = await readIdPage(this.#engine, { key, cursor, limit, rank: looked - revived, ascending: true });
      looked += page.ids.length;
      // What is no id cannot name a row; it is left to the doctor.
      const ids = page.ids.filter((id) => isValidId(id));
      if (ids.length > 0) revived += await this.#jobs.revive(this.#queue, ids);
      tell(revived);
      cursor = page.cursor;
      left = cursor === undefined ? 0 : left - limit;
    }
    return revived;
  }

  /** A page of ids of one state. */
  async listIds(state: ListedState, options: PageOptions = {}): Promise<IdPage> {
    assertListedState(state);
    assertKnownOptions(options, { owner: "a page", known: ["cursor", "limit", "from", "lane"] });
    const { limit = PAGE_DEFAULT, from = "first", cursor } = options;
    assertWhole(limit, "limit", { min: 1, max: PAGE_MAX });
    if (from !== "first" && from !== "last") throw badOption("from", from, "must be first or last");
    const key = this.#keyOf(state, options.lane);
    return await readIdPage(this.#engine, { key, cursor, limit, ascending: from === "first" });
  }

  /** The age of the job that waits longest, counted from its adding, in ms; `undefined` when none waits. */
  async oldestPendingAge(options: { readonly lane?: string } = {}): Promise<number | undefined> {
    assertKnownOptions(options, { owner: "oldestPendingAge", known: ["lane"] });
    let oldest = await this.#oldestIn(this.#keyOf("pending", options.lane));
    if (options.lane === undefined) {
      for await (const names of laneNamePages(this.#engine, this.#keys)) {
        for (let at = 0; at < names.length; at += LANES_AT_ONCE) {
          const some = names.slice(at, at + LANES_AT_ONCE).map((name) => this.#oldestIn(this.#laneKey(name)));
          for (const age of await Promise.all(some)) oldest = earlier(oldest, age);
        }
      }
    }
    return oldest === undefined ? undefined : Math.max(0, (await readServerNow(this.#engine)) - oldest);
  }

  /** What ended in each of the last minutes, the one that runs included, oldest first. */
  async throughput(options: { readonly minutes?: number } = {}): Promise<MinuteCount[]> {
    assertKnownOptions(options, { owner: "throughput", example: "throughput({ minutes: 60 })", known: ["minutes"] });
    const { minutes = THROUGHPUT_MINUTES_DEFAULT } = options;
    assertWhole(minutes, "minutes", { min: 1, max: THROUGHPUT_MINUTES_MAX });
    const [nowMs, completed, failed] = await Promise.all([
      readServerNow(this.#engine),
      this.#jobs.getMinutes(this.#queue, "completed"),
      this.#jobs.getMinutes(this.#queue, "failed"),
    ]);
    const last = Math.floor(nowMs / MINUTE_MS);
    return Array.from({ length: minutes }, (_, at) => {
      const minute = last - minutes + 1 + at;
      return {
        atMs: minute * MINUTE_MS,
        completed: completed.get(minute) ?? 0,
        failed: failed.get(minute) ?? 0,
      };
    });
  }

  /** The names of all queues of the server, in order of their bytes. */
  async queues(options: QueueNamesOptions = {}): Promise<string[]> {
    return await readQueueNames(this.#engine, options);
  }

  // Draining.

  /** Drains lanes that the act does not find, because too many without work stand before them. */
  async #drainHidden(most: number, tell: (done: number) => void): Promise<number> {
    let drained = 0;
    if (most <= 0) return drained;
    const { base } = this.#keys;
    for await (const names of laneNamePages(this.#engine, this.#keys)) {
      const sizes = await Promise.all(names.map((name) => this.#engine.command(["ZCARD", this.#laneKey(name)])));
      for (const [at, name] of names.entries()) {
        let left = numberReply(sizes[at]);
        while (left > 0 && drained < most) {
          const keys = [this.#laneKey(name), `${base}ring`, base];
          const args = [name, String(OPERATOR_BUDGET_DEFAULT)];
          const removed = numberReply(await this.#engine.act("GDRAIN", keys, args));
          drained += removed;
          tell(drained);
          left = removed < OPERATOR_BUDGET_DEFAULT ? 0 : left - removed;
        }
      }
    }
    return drained;
  }

  // Obliterating.

  /**
   * Delivers what the jobs that went have to tell parents in other queues: with the outbox it would be lost, and they
   * would wait for ever.
   */
  async #tellParents(): Promise<void> {
    for (let left = 1; left > 0; ) {
      const pass = await deliverSignals(this.#engine, this.#queue, FLOW_DELIVERY_MAX);
      if (pass.error !== undefined) throw pass.error;
      left = pass.left;
    }
  }

  /** Empties the queue, and again where its pause is taken away meanwhile. */
  async #takeAll(force: boolean, onSlice: (more: number) => void): Promise<void> {
    const wasPaused = force || (await this.#jobs.isPaused(this.#queue));
    for (let pause = 1; ; pause++) {
      if (force) await this.#jobs.pause(this.#queue);
      try {
        await this.#emptySets(force, onSlice);
        await this.#tellParents();
        await this.#unlinkRest(onSlice);
        return;
      } catch (error) {
        if (!wasPaused || !isEchoMQError(error) || error.code !== "not_paused") throw error;
        // Another obliteration that came to its end has taken the pause with it, and perhaps all that was left.
        if (await this.#isGone()) return;
        if (!force || pause === PAUSES_MAX) throw error;
      }
    }
  }

  async #emptySets(force: boolean, onSlice: (more: number) => void): Promise<void> {
    for (;;) {
      const outcome = await this.#obliterateSlice(force);
      if (outcome === "ok") return;
      if (outcome === "more") onSlice(OPERATOR_BUDGET_DEFAULT);
      if (outcome === "not_paused") {
        throw new EchoMQError("not_paused", `The queue ${this.#queue} is not paused: pause it first, or give force`);
      }
      if (outcome === "active") {
        throw new EchoMQError(
          "jobs_active",
          `The queue ${this.#queue} has active jobs: wait for them, or give force to take them too`,
        );
      }
    }
  }

  async #obliterateSlice(force: boolean): Promise<"ok" | "more" | "not_paused" | "active"> {
    try {
      return await this.#jobs.obliterate(this.#queue, { force });
    } catch (error) {
      // Where a set is no set, unlinking goes by keys and needs no type.
      if (force && isEchoMQError(error) && error.message.startsWith("WRONGTYPE ")) return "ok";
      throw error;
    }
  }

  /** Unlinks every key of the queue, and `meta` when no other is left. */
  async #unlinkRest(onSlice: (more: number) => void): Promise<void> {
    const { base, meta } = this.#keys;
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      let found = 0;
      for await (const page of keyPages(this.#engine, base)) {
        const keys = page.filter((key) => key !== meta);
        found += keys.length;
        for (let at = 0; at < keys.length; at += PURGE_KEYS) {
          const some = keys.slice(at, at + PURGE_KEYS);
          await this.#purge(some);
          onSlice(some.length);
        }
      }
      if (found === 0) break;
    }
    await this.#purge([meta]);
  }

  /** Whether nothing is left of the queue but what its workers tell of themselves. */
  async #isGone(): Promise<boolean> {
    const { base } = this.#keys;
    for await (const page of keyPages(this.#engine, base)) {
      if (page.some((key) => key !== `${base}workers`)) return false;
    }
    return true;
  }

  async #purge(keys: readonly Bytes[]): Promise<void> {
    if ((await this.#jobs.purge(this.#queue, keys)) !== "not_paused") return;
    throw new EchoMQError(
      "not_paused",
      `The queue ${this.#queue} was resumed while it was obliterated: pause it again`,
    );
  }

  // Ages.

  /** Those of a page that have been in the state since before an instant. */
  async #olderIn(state: CleanedState, ids: readonly string[], before: number): Promise<string[]> {
    const valid = ids.filter((id) => isValidId(id));
    const hasEnd = state === "dead" || state === "completed";
    const ends = hasEnd
      ? await Promise.all(valid.map((id) => this.#engine.command(["HGET", this.#keys.row(id), "finished_at"])))
      : [];
    return valid.filter((id, at) => {
      const end = ends[at] ?? null;
      return (end === null ? idTime(id).getTime() : numberReply(end)) <= before;
    });
  }

  /** When the oldest job of a set of waiting jobs was added: the first of each priority, the first priorities only. */
  async #oldestIn(key: Bytes): Promise<number | undefined> {
    let oldest: number | undefined;
    let above = "-inf";
    for (let priority = 0; priority < PRIORITIES_MAX; priority++) {
      const parts = ["ZRANGEBYSCORE", key, above, "+inf", "WITHSCORES", "LIMIT", "0", "1"];
      const [id, score] = listOf(await this.#engine.command(parts)).flat() as unknown[];
      if (typeof id !== "string") return oldest;
      if (isValidId(id)) oldest = earlier(oldest, idTime(id).getTime());
      // One more command only where there may be another priority.
      if (priority === 0 && (await this.#isOneScore(key, String(score)))) return oldest;
      above = `(${String(score)}`;
    }
    return oldest;
  }

  async #isOneScore(key: Bytes, score: string): Promise<boolean> {
    return numberReply(await this.#engine.command(["ZCOUNT", key, `(${score}`, "+inf"])) === 0;
  }

  // Keys.

  #keyOf(state: ListedState, lane: string | undefined): Bytes {
    if (lane === undefined) return this.#jobs.listKey(this.#queue, state);
    if (state !== "pending") throw badOption("lane", lane, `is for pending jobs, and ${state} ones stand in one list`);
    assertLane(lane);
    return this.#laneKey(bytesOf(lane));
  }

  #laneKey(name: Bytes): Bytes {
    return `${this.#keys.base}g:${name}:pending`;
  }
}

const MINUTE_MS = 60_000;

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

function checkedCleanState(options: CleanOptions | undefined): CleanedState {
  const state: unknown = options?.state;
  const cleaned = CLEANED_STATES.find((each) => each === state);
  if (cleaned !== undefined) return cleaned;
  const better = listedWordFor(state);
  const advice = better === undefined ? "" : `: use ${better}`;
  throw new EchoMQError(
    "unknown_state",
    `clean takes the state ${CLEANED_STATES.join(", ")}, not ${quote(state)}${advice}`,
    {
      details: { word: state, ...(better === undefined ? {} : { use: better }) },
    },
  );
}

function badOption(option: string, value: unknown, why: string): EchoMQError {
  return new EchoMQError("invalid_option", `${option} ${quote(value)} ${why}`, { details: { option, value } });
}
