/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A world for one test: a store of its own, a clock that the test moves, and everything that a test asks about jobs.
 *
 * Queues and workers in it are those of production, on the embedded engine. Nothing of two worlds meets, so tests run
 * beside each other; a world that is closed leaves nothing behind.
 */

import type { Engine } from "../engine/engine.ts";
import { Queue, type QueueOptions, Worker, type WorkerOptions } from "../index.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { borrowed } from "../queue/engine-lease.ts";
import type { AddedJob, StoredJob } from "../queue/job.ts";
import type { JobOptions } from "../queue/job-options.ts";
import { assertBoolean, assertKnownOptions, assertWhole, nearestName } from "../queue/option-check.ts";
import { type CodecOption, PayloadCodec } from "../queue/payload-codec.ts";
import { type AddedJobOf, type BulkItem, QueueCore } from "../queue/queue.ts";
import type { PayloadMap } from "../queue/queue-options.ts";
import { LISTED_STATES, type ListedState } from "../queue/read-verbs.ts";
import type { Handler, Handlers } from "../worker/worker-events.ts";
import {
  AddedAssertionError,
  type AddedJobRecord,
  type AddedPattern,
  hitText,
  likePattern,
  missText,
} from "./added-job.ts";
import { readAdded } from "./added-reader.ts";
import type { Faults } from "./faults.ts";
import { createTestPorts, type RecordingLogger, type TestPorts } from "./test-ports.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { WorldEngine } from "./world-engine.ts";
import { WorldTime } from "./world-time.ts";

/** How long a world waits in real time for a handler that does nothing, in ms. */
const PATIENCE_MS_DEFAULT = 3000;

/** How far `drain` and `waitForState` move time unless told otherwise. */
const WITHIN_DEFAULT = "7d";

/** How far time moves at most while a world closes, in ms. */
const CLOSE_MS_MAX = 600_000;

/** Failures that a world remembers, the newest. */
const FAILURES_MAX = 10_000;

/**
 * The beat of workers in a world that say none, in ms. No token is lost there, and each beat is an act: a day of the
 * usual second would be 86,400 of them.
 */
const BEAT_MS = 60_000;

/** What {@link TestWorld.waitForState} waits for. */
export type WaitedState = ListedState | "absent";

const WAITED_STATES: readonly string[] = [...LISTED_STATES, "absent"] satisfies readonly WaitedState[];

/** Options of {@link createTestWorld}. */
export interface TestWorldOptions {
  /** Where chance starts, a whole number; 1 by default. One seed gives one sequence, of ids too. */
  readonly seed?: number;
  /** The instant at which the clock starts, in Unix ms. Default 2024-07-01T00:00:00Z. */
  readonly now?: number;
  /**
   * Whether an add resolves only when its job has run, with the workers that there are, and all jobs that it caused;
   * with a queue of the world it rejects with what the handler threw. Default false. An add by a handler never waits.
   */
  readonly inline?: boolean;
  /** How long, in real time, nothing may happen while a handler is at work. Default 3 s. */
  readonly patience?: Duration;
  /** How {@link TestWorld.added} reads data: what the queues have. Default JSON. */
  readonly codec?: CodecOption;
}

/** Options of {@link TestWorld.drain}. */
export interface DrainRunOptions {
  /**
   * Whether to go on with what is scheduled: delayed jobs, and those that wait for their next attempt. Time moves on
   * until nothing is left. Default false.
   */
  readonly scheduled?: boolean;
  /** How far time may move at most. Default 7 days. */
  readonly within?: Duration;
}

/** A run that failed. */
export interface FailedRun {
  readonly id: string;
  readonly name: string;
  /** What the handler threw. */
  readonly error: unknown;
  /** Whether the job runs again, or is dead. */
  readonly outcome: "scheduled" | "dead";
}

/** What workers that the world made have run since the {@link TestWorld.drain} before, or since the beginning. */
export interface DrainRunReport {
  /** Jobs that were completed. */
  readonly completed: number;
  /** Runs that failed, in their order. */
  readonly failed: readonly FailedRun[];
}

/** Which job is waited for, and how far. */
export interface WaitForStateOptions {
  /** The queue of the job; only for an id that was not added in this world. */
  readonly queue?: string;
  /** How far time may move at most; 0 moves none. Default 7 days. */
  readonly within?: Duration;
}

/** How many jobs an assertion asks for. */
export interface AssertAddedOptions {
  /** Exactly so many; default one or more. */
  readonly times?: number;
}

/** What is asked of workers that run only while the world drains. */
type Manual = Pick<Worker, "pause" | "resume" | "run">;

/** A queue that is asked about: itself, or by its name. */
type QueueOrName = string | { readonly name: string };

/** The names of jobs and their data, as far as a queue tells them. */
type PayloadsOf<Asked> = Asked extends QueueCore<infer Payloads> ? Payloads : Record<string, unknown>;

/** A record of any name of a queue's map. */
export type AddedRecordOf<Payloads> = {
  [Name in keyof Payloads & string]: AddedJobRecord<Payloads[Name], Name>;
}[keyof Payloads & string];

/** A pattern of any name of a queue's map. */
export type AddedPatternOf<Payloads> = {
  [Name in keyof Payloads & string]: AddedPattern<Payloads[Name], Name>;
}[keyof Payloads & string];

/**
 * Makes a world for one test.
 *
 * @throws EchoMQError `unknown_option` or `invalid_option`.
 * @example
 * await using world = createTestWorld();
 * const mail = world.queue<{ welcome: { to: string } }>("mail");
 * world.worker("mail", async (job) => send(job.data));
 * await mail.add("welcome", { to: "ada@example.com" }, { delay: "1h" });
 * await world.clock.advance("1h");
 */
export function createTestWorld(options: TestWorldOptions = {}): TestWorld {
  return new TestWorld(options);
}

export class TestWorld implements AsyncDisposable {
  /** Clock, chance and log of everything in this world. */
  readonly ports: TestPorts;
  /** The clock: `advance("1h")` runs what is due until then. */
  readonly clock: VirtualClock;
  /** What queues and workers of this world have logged. */
  readonly logger: RecordingLogger;
  /** For queues, workers and other things that the world does not make: `new Queue("mail", { connection })`. */
  readonly connection: Engine;
  readonly #engine: WorldEngine;
  readonly #time: WorldTime;
  readonly #codec: PayloadCodec;
  readonly #isInline: boolean;
  readonly #closables: { close(options?: { readonly timeout?: Duration }): Promise<void> }[] = [];
  /** Workers that run only in {@link TestWorld.drain}. */
  readonly #manual: Manual[] = [];
  readonly #inspectors = new Map<string, QueueCore>();
  /** Since the last drain. */
  #completedCount = 0;
  #failed: FailedRun[] = [];
  #closing: Promise<void> | undefined;

  /** Use {@link createTestWorld}. */
  constructor(options: TestWorldOptions) {
    assertKnownOptions(options, {
      owner: "createTestWorld",
      known: ["seed", "now", "inline", "patience", "codec"],
      foreign: { connection: "a world has a store of its own: give its connection to what you test" },
    });
    const { seed = 1, now, inline = false, patience = PATIENCE_MS_DEFAULT } = options;
    assertWhole(seed, "seed", { min: 0, max: Number.MAX_SAFE_INTEGER });
    assertBoolean(inline, "inline");
    this.ports = createTestPorts({ seed, beatMs: BEAT_MS, ...(now === undefined ? {} : { now }) });
    this.clock = this.ports.clock;
    this.logger = this.ports.logger;
    this.#isInline = inline;
    this.#codec = new PayloadCodec(options.codec);
    this.#time = new WorldTime({
      clock: this.clock,
      book: () => this.#engine.book,
      patienceMs: durationMs(patience, "patience"),
    });
    this.#engine = new WorldEngine({
      ports: this.ports,
      onCall: this.#time.onCall,
      // A handler whose add waited for the world to rest would wait for itself.
      afterAdding: () => (inline && !this.#engine.book.isBusy ? this.#time.rest() : undefined),
    });
    this.connection = this.#engine;
  }

  /** Calls that are refused, answers that are lost, a server that is away. Time is stepped by `clock.shift(ms)`. */
  get faults(): Faults {
    return this.#engine.faults;
  }

  /** A queue of this world, which closes it. Options are those of `Queue`. */
  queue<Payloads extends PayloadMap<Payloads> = Record<string, unknown>>(
    name: string,
    options: Omit<QueueOptions<Payloads>, "connection"> = {},
  ): Queue<Payloads> {
    const own = { ...options, connection: this.connection };
    const queue = this.#isInline
      ? new InlineQueue<Payloads>(name, own, (id) => this.#failed.findLast((run) => run.id === id))
      : new Queue<Payloads>(name, own);
    this.#closables.push(queue);
    return queue;
  }

  /**
   * A worker of this world, which closes it. Options are those of `Worker`; the `beat` of every worker on the world's
   * connection is a minute unless told otherwise. With `autorun: false` it takes jobs only while
   * {@link TestWorld.drain} runs.
   */
  worker<Payloads = Record<string, unknown>, Result = unknown>(
    name: string,
    handler: Handler<Payloads, Result> | Handlers<NoInfer<Payloads>, Result>,
    options: Omit<WorkerOptions<Payloads>, "connection"> = {},
  ): Worker<Payloads, Result> {
    const worker = new Worker<Payloads, Result>(name, handler, { ...options, connection: this.connection });
    worker.on("completed", () => void this.#completedCount++);
    worker.on("failed", ({ id, name: jobName }, error, outcome) =>
      this.#noteFailed({ id, name: jobName, error, outcome }),
    );
    // Closed before the queues: a handler may still add.
    this.#closables.unshift(worker);
    if (options.autorun === false) this.#manual.push(worker);
    return worker;
  }

  /**
   * Runs everything that waits, to its end, and what that adds; with `scheduled` also what falls due later. Resolves to
   * what ran since the last drain. A handler that fails is no error here: look at `failed`.
   *
   * @throws Error when jobs are left that no worker takes, with the reason, or that are not done `within` the time.
   * @example
   * const { completed, failed } = await world.drain({ scheduled: true });
   */
  async drain(options: DrainRunOptions = {}): Promise<DrainRunReport> {
    assertKnownOptions(options, {
      owner: "drain",
      known: ["scheduled", "within"],
      foreign: { queue: "all queues of the world are drained", schedule: "it is called scheduled" },
    });
    const { scheduled = false, within = WITHIN_DEFAULT } = options;
    assertBoolean(scheduled, "scheduled");
    const limitAt = this.clock.now() + durationMs(within, "within");
    for (const worker of this.#manual) release(worker);
    try {
      if (scheduled) await this.#time.moveUntil(() => this.#isEmpty(), { limitAt });
      else await this.#time.rest();
    } finally {
      await Promise.all(this.#manual.map((worker) => worker.pause({ waitForActive: false })));
    }
    await this.#assertDrained(scheduled);
    const report = { completed: this.#completedCount, failed: this.#failed };
    this.#completedCount = 0;
    this.#failed = [];
    return report;
  }

  /**
   * Waits until a job is in a state, however shortly, and moves time on where nothing else is left to wait for.
   *
   * `completed` is also told of a job of which nothing is kept, and `dead` likewise.
   *
   * @throws Error that says where the job is and why, when it does not get there `within` 7 days or the time given.
   * @throws EchoMQError `unknown_state` with the word to use.
   */
  async waitForState(
    job: string | AddedJob | StoredJob,
    state: WaitedState,
    options: WaitForStateOptions = {},
  ): Promise<void> {
    assertKnownOptions(options, {
      owner: "waitForState",
      known: ["queue", "within"],
      foreign: { timeout: "it is called within, and counts on the virtual clock" },
    });
    assertWaitedState(state);
    const id = idOf(job);
    const queue = options.queue === undefined ? this.#engine.book.queueOf(id) : nameOf(options.queue);
    if (queue === undefined) {
      throw new Error(`no job ${quote(id)} was added in this world; name its queue in the options if there is one`);
    }
    const { within = WITHIN_DEFAULT } = options;
    const limitAt = this.clock.now() + durationMs(within, "within");
    let isReached = false;
    const isEnough = (): boolean => isReached;
    const onReached = (): void => {
      isReached = true;
    };
    const stop = this.#engine.book.watch({ queue, id, state, onReached });
    try {
      if (await this.#time.moveUntil(isEnough, { limitAt, isEnough })) return;
    } finally {
      stop();
    }
    const { state: is, text } = await this.#inspector(queue).explain(id);
    throw new Error(
      `job ${id} of queue ${quote(queue)} is ${is} and did not become ${state} within ${within}. ${text}`,
    );
  }

  /**
   * The jobs that were added to a queue, or to all, oldest first: whoever added them, and whatever became of them. The
   * newest 100,000 of a world are remembered.
   */
  async added<Asked extends QueueOrName = string>(queue?: Asked): Promise<AddedRecordOf<PayloadsOf<Asked>>[]> {
    return (await this.#added(queue)) as AddedRecordOf<PayloadsOf<Asked>>[];
  }

  /**
   * Resolves to the first job that was added like this; what the pattern does not name may be anything.
   *
   * @throws Error named `AssertionError` that shows the nearest job and where it differs.
   * @example
   * await world.assertAdded(mail, { name: "welcome", data: { to: "ada@example.com" }, delay: "1h" });
   */
  async assertAdded<Asked extends QueueOrName>(
    queue: Asked,
    pattern: AddedPatternOf<PayloadsOf<Asked>>,
    options: AssertAddedOptions = {},
  ): Promise<AddedRecordOf<PayloadsOf<Asked>>> {
    assertKnownOptions(options, { owner: "assertAdded", known: ["times"], foreign: { count: "it is called times" } });
    const { times } = options;
    if (times !== undefined) assertWhole(times, "times", { min: 1, max: Number.MAX_SAFE_INTEGER });
    const name = nameOf(queue);
    const jobs = await this.#added(queue);
    const found = likePattern(jobs, pattern);
    const [first] = found;
    if (first !== undefined && (times === undefined || found.length === times)) {
      return first as AddedRecordOf<PayloadsOf<Asked>>;
    }
    throw new AddedAssertionError(missText(name, jobs, { pattern, times, found }));
  }

  /**
   * Resolves when no job was added like this.
   *
   * @throws Error named `AssertionError` that shows those that were.
   */
  async assertNotAdded<Asked extends QueueOrName>(
    queue: Asked,
    pattern: AddedPatternOf<PayloadsOf<Asked>>,
  ): Promise<void> {
    const name = nameOf(queue);
    const found = likePattern(await this.#added(queue), pattern);
    if (found.length > 0) throw new AddedAssertionError(hitText(name, pattern, found));
  }

  /**
   * Ends the world: its workers, of which handlers that still run are told to stop, its queues and its store. Faults
   * end first. Calling it twice is harmless.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** {@link TestWorld.close} at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.faults.clear();
    for (const closable of this.#closables) await this.#moveThrough(closable.close({ timeout: 0 }));
    await this.connection.close();
  }

  async #added(queue: QueueOrName | undefined): Promise<AddedJobRecord[]> {
    const rows = await this.#engine.book.added();
    const wanted = queue === undefined ? rows : rows.filter((row) => row.queue === nameOf(queue));
    return await Promise.all(wanted.map((row) => readAdded(row, this.#inspector(row.queue), this.#codec)));
  }

  /** Moves time on until a promise has ended, and answers as it does. */
  async #moveThrough(promise: Promise<void>): Promise<void> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    promise.then(end, end);
    const limitAt = this.clock.now() + CLOSE_MS_MAX;
    await this.#time.moveUntil(() => isOver, { limitAt, isEnough: () => isOver, isResting: false });
    await promise;
  }

  #noteFailed(run: FailedRun): void {
    this.#failed.push(run);
    if (this.#failed.length > FAILURES_MAX) this.#failed.shift();
  }

  /** Looks at a queue past the faults, and unnoticed. */
  #inspector(queue: string): QueueCore {
    const inspector = this.#inspectors.get(queue) ?? new QueueCore(queue, borrowed(this.#engine.store));
    this.#inspectors.set(queue, inspector);
    return inspector;
  }

  /** Whether nothing waits or is scheduled, or something waits that time alone does not help. */
  async #isEmpty(): Promise<boolean> {
    let isEmpty = true;
    for (const queue of this.#engine.book.queues) {
      const inspector = this.#inspector(queue);
      const { pending, lanes, schedule } = await inspector.getJobCounts("pending", "lanes", "schedule");
      if (pending + lanes > 0 && (await whyStuck(inspector)) !== undefined) return true;
      if (pending + lanes + schedule > 0) isEmpty = false;
    }
    return isEmpty;
  }

  async #assertDrained(withScheduled: boolean): Promise<void> {
    for (const queue of this.#engine.book.queues) {
      const inspector = this.#inspector(queue);
      const { pending, lanes, schedule } = await inspector.getJobCounts("pending", "lanes", "schedule");
      const left = pending + lanes + (withScheduled ? schedule : 0);
      if (left === 0) continue;
      const ids = [...(await inspector.listIds("pending", { limit: 1 })).ids];
      if (ids.length === 0 && withScheduled) ids.push(...(await inspector.listIds("scheduled", { limit: 1 })).ids);
      const why = ids[0] === undefined ? "" : `: ${(await inspector.explain(ids[0])).text}`;
      throw new Error(`${left} jobs of queue ${quote(queue)} are left that no worker of this world has run${why}`);
    }
  }
}

/** A queue whose adds, once their job has run, end as its handler did. */
class InlineQueue<Payloads extends PayloadMap<Payloads>> extends Queue<Payloads> {
  readonly #failureOf: (id: string) => FailedRun | undefined;

  constructor(name: string, options: QueueOptions<Payloads>, failureOf: (id: string) => FailedRun | undefined) {
    super(name, options);
    this.#failureOf = failureOf;
  }

  override async add<Name extends keyof Payloads & string>(
    name: Name,
    data: Payloads[Name],
    options?: JobOptions,
  ): Promise<AddedJob<Payloads[Name], Name>> {
    const job = await super.add(name, data, options);
    this.#throwFailureOf(job.id);
    return job;
  }

  override async addBulk(items: readonly BulkItem<Payloads>[]): Promise<AddedJobOf<Payloads>[]> {
    const jobs = await super.addBulk(items);
    for (const job of jobs) this.#throwFailureOf(job.id);
    return jobs;
  }

  #throwFailureOf(id: string): void {
    const failed = this.#failureOf(id);
    if (failed !== undefined) throw failed.error;
  }
}

/** The name of a queue that is meant; what names none would match no job, and a test would pass without it. */
function nameOf(queue: unknown): string {
  const name = typeof queue === "object" && queue !== null && "name" in queue ? queue.name : queue;
  assertQueueName(name);
  return name;
}

/** The id of a job that is meant. */
function idOf(job: unknown): string {
  const id = typeof job === "object" && job !== null && "id" in job ? job.id : job;
  if (typeof id === "string") return id;
  throw new TypeError(`waitForState waits for a job, or for the id of one, not for ${quote(job)}`);
}

/** Reasons that time alone does not take away. */
const LASTING: ReadonlySet<string> = new Set(["no-worker", "paused", "lane-paused", "unknown-name", "workers-paused"]);

/** Why the first job that waits will wait for ever; `undefined` when it may run yet. */
async function whyStuck(inspector: QueueCore): Promise<string | undefined> {
  const [id] = (await inspector.listIds("pending", { limit: 1 })).ids;
  if (id === undefined) return undefined;
  const { reasons, text } = await inspector.explain(id);
  return reasons.some(({ kind }) => LASTING.has(kind)) ? text : undefined;
}

/** Lets a worker work that was made with `autorun: false`: for the first time, or again. */
function release(worker: Manual): void {
  worker.resume();
  void worker.run();
}

function assertWaitedState(state: unknown): asserts state is WaitedState {
  if (typeof state === "string" && WAITED_STATES.includes(state)) return;
  const nearest = typeof state === "string" ? nearestName(state, WAITED_STATES) : undefined;
  const advice = nearest === undefined ? `use one of ${WAITED_STATES.join(", ")}` : `did you mean ${nearest}?`;
  throw new EchoMQError("unknown_state", `A job is never ${quote(state)}: ${advice}`, { details: { state } });
}
