/**
 * Gathers jobs into batches and hands each member its verdict.
 *
 * Every member is a job of an ordinary worker whose handler waits here, so leases, cancellation, retries, limits and
 * the wake rule are the worker's and hold unchanged: a batch that waits to be full holds leases that are renewed, and
 * nobody polls. What is decided here is when a batch begins and what became of each member.
 *
 * Bounds: at most `concurrency` batches run, each of at most `maxSize` members; the worker claims no more than fit into
 * them. A batch begins when it is full, when it has `minSize` members and no more are arriving, or when its first
 * member has waited for `timeout`.
 */

import type { Ports, Timer } from "../engine/ports.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { decide } from "../queue/batch.ts";
import type { Duration } from "../queue/duration.ts";
import type { Context } from "./context.ts";
import { DelayedError, GiveBackError } from "./control-error.ts";
import type { WorkerJob } from "./worker-job.ts";

/** What became of one member, as the handler of the batch says it. */
export type BatchVerdict<Result = unknown> =
  | "ok"
  | { readonly result: Result; readonly error?: never; readonly delay?: never }
  | { readonly error: unknown; readonly result?: never; readonly delay?: never }
  | { readonly delay: Duration; readonly result?: never; readonly error?: never };

/** Verdicts by the id of the job. A member without one is tried again, as one that failed. */
export type BatchVerdicts<Result = unknown> = ReadonlyMap<string, BatchVerdict<Result>>;

/** The second argument of a handler of batches. */
export interface BatchContext {
  /** The lane of all members, where batches are gathered by lane; otherwise `undefined`. */
  readonly lane: string | undefined;
  /** What the handler of a single job would get: token, signal, progress and log of one member. */
  of(job: { readonly id: string }): Context;
}

/** The members of a batch by how they ended, each list in the order of the batch. */
export interface BatchReport {
  readonly lane: string | undefined;
  readonly completed: readonly string[];
  /** Failed, and tried again later; or no longer this worker's, and found by another. */
  readonly retried: readonly string[];
  readonly dead: readonly string[];
  readonly delayed: readonly string[];
}

/** Handles a batch. Nothing answered means that all members are completed; throwing that all of them failed. */
export type GatheredHandler = (jobs: readonly WorkerJob[], context: BatchContext) => unknown;

export interface BatchGathererOptions {
  readonly ports: Pick<Ports, "clock" | "later">;
  readonly handler: GatheredHandler;
  readonly minSize: number;
  readonly maxSize: number;
  readonly timeoutMs: number;
  /** Batches that run at once. */
  readonly concurrency: number;
  readonly byLane: boolean;
  /** Told how a batch ended, once all of its members have. */
  readonly onReport: (report: BatchReport) => void;
}

/** A job that waits for its batch, or for the batch to end. */
interface Member {
  readonly job: WorkerJob;
  readonly context: Context;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Jobs that wait for the same batch. */
interface Gathering {
  readonly lane: string | undefined;
  readonly members: Member[];
  readonly openedAt: number;
  timer: Timer | undefined;
  /** Whether a look is planned for when what is arriving has arrived. */
  isLookPlanned: boolean;
}

type Outcome = "completed" | "retried" | "dead" | "delayed";

/** A batch whose members have not all ended. */
interface Batch {
  readonly lane: string | undefined;
  readonly ids: readonly string[];
  readonly outcomes: Map<string, Outcome>;
}

export class BatchGatherer {
  readonly #options: BatchGathererOptions;
  /** The gatherings that are open, by lane; the empty text where lanes do not matter. */
  readonly #gatherings = new Map<string, Gathering>();
  /** Full batches for which there is no place yet, the oldest first. */
  readonly #full: Gathering[] = [];
  readonly #batches = new Map<WorkerJob, Batch>();
  #runningCount = 0;
  #isClosed = false;

  constructor(options: BatchGathererOptions) {
    this.#options = options;
  }

  /** Handlers of single jobs: resolves to the result of the job when its batch has ended, or rejects for it. */
  add(job: WorkerJob, context: Context): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new GiveBackError());
    return new Promise((resolve, reject) => {
      const member: Member = { job, context, resolve, reject };
      const gathering = this.#gatheringFor(this.#options.byLane ? job.lane : undefined);
      gathering.members.push(member);
      context.signal.addEventListener("abort", () => this.#leave(gathering, member), { once: true });
      if (gathering.members.length >= this.#options.maxSize) this.#close(gathering);
      else this.#lookSoon(gathering);
    });
  }

  /** How one job ended at the server. */
  settled(job: WorkerJob, outcome: Outcome): void {
    const batch = this.#batches.get(job);
    if (batch === undefined) return;
    this.#batches.delete(job);
    if (!batch.outcomes.has(job.id)) batch.outcomes.set(job.id, outcome);
    if (batch.outcomes.size === batch.ids.length) this.#report(batch);
  }

  /** Gives back what waits for a batch; batches that run go on. */
  close(): void {
    this.#isClosed = true;
    for (const gathering of [...this.#gatherings.values(), ...this.#full]) {
      gathering.timer?.cancel();
      for (const { reject } of gathering.members.splice(0)) reject(new GiveBackError());
    }
    this.#gatherings.clear();
    this.#full.length = 0;
  }

  #gatheringFor(lane: string | undefined): Gathering {
    const key = lane ?? "";
    const present = this.#gatherings.get(key);
    if (present !== undefined) return present;
    const { clock } = this.#options.ports;
    const gathering: Gathering = { lane, members: [], openedAt: clock.now(), timer: undefined, isLookPlanned: false };
    gathering.timer = clock.after(this.#options.timeoutMs, () => this.#look(gathering));
    this.#gatherings.set(key, gathering);
    return gathering;
  }

  /** Looks once what came together has been taken in, so that one claim makes one batch. */
  #lookSoon(gathering: Gathering): void {
    if (gathering.isLookPlanned) return;
    gathering.isLookPlanned = true;
    this.#options.ports.later(() => {
      gathering.isLookPlanned = false;
      this.#look(gathering);
    });
  }

  #look(gathering: Gathering): void {
    if (this.#gatherings.get(gathering.lane ?? "") !== gathering) return;
    const { minSize, timeoutMs, ports } = this.#options;
    const elapsedMs = Math.max(0, Math.floor(ports.clock.now() - gathering.openedAt));
    // A batch that may begin still grows while there is no place for it.
    if (this.#runningCount >= this.#options.concurrency) return;
    if (decide(gathering.members.length, elapsedMs, minSize, timeoutMs) !== "wait") this.#close(gathering);
  }

  /** The gathering takes nobody in any more, and runs when there is a place. */
  #close(gathering: Gathering): void {
    const key = gathering.lane ?? "";
    if (this.#gatherings.get(key) === gathering) this.#gatherings.delete(key);
    gathering.timer?.cancel();
    if (gathering.members.length === 0 || this.#full.includes(gathering)) return;
    this.#full.push(gathering);
    this.#runFull();
  }

  #runFull(): void {
    while (this.#runningCount < this.#options.concurrency) {
      const gathering = this.#full.shift();
      if (gathering === undefined) return;
      if (gathering.members.length > 0) void this.#run(gathering);
    }
  }

  async #run({ lane, members }: Gathering): Promise<void> {
    this.#runningCount += 1;
    const ids = members.map(({ job }) => job.id);
    const batch: Batch = { lane, ids, outcomes: new Map() };
    for (const { job } of members) this.#batches.set(job, batch);
    const contexts = new Map(members.map(({ job, context }) => [job.id, context]));
    const jobs = members.map(({ job }) => job);
    try {
      const answer = await this.#options.handler(jobs, { lane, of: ({ id }) => contextOf(contexts, id) });
      this.#tellAll(members, answer);
    } catch (error) {
      for (const { reject } of members) reject(error);
    }
    this.#runningCount -= 1;
    this.#runFull();
    for (const gathering of this.#gatherings.values()) this.#look(gathering);
  }

  #tellAll(members: readonly Member[], answer: unknown): void {
    if (answer === undefined) {
      for (const { resolve } of members) resolve(undefined);
      return;
    }
    if (!(answer instanceof Map)) {
      const text = `bad verdict: a batch handler answers nothing, or a Map of verdicts by id, not ${quote(answer)}`;
      for (const { reject } of members) reject(new Error(text));
      return;
    }
    const verdicts = answer as ReadonlyMap<string, unknown>;
    for (const member of members) this.#tell(member, verdicts.get(member.job.id), verdicts.has(member.job.id));
  }

  #tell({ job, resolve, reject }: Member, verdict: unknown, isThere: boolean): void {
    if (!isThere) return reject(new Error("missing verdict"));
    if (verdict === "ok") return resolve(undefined);
    if (typeof verdict === "object" && verdict !== null) {
      const { result, error, delay } = verdict as { result?: unknown; error?: unknown; delay?: unknown };
      if ("error" in verdict) return reject(error);
      if ("result" in verdict) return resolve(result);
      const put = delayOf(delay);
      if (put !== undefined) {
        this.settled(job, "delayed");
        return reject(put);
      }
    }
    reject(new Error(`bad verdict: ${quote(verdict)}`));
  }

  /** The job is no longer this worker's, or is to stop: its batch goes without it. */
  #leave(gathering: Gathering, member: Member): void {
    const at = gathering.members.indexOf(member);
    if (at < 0 || this.#batches.has(member.job)) return;
    gathering.members.splice(at, 1);
    member.reject(member.context.signal.reason);
    if (gathering.members.length > 0 || this.#full.includes(gathering)) return;
    gathering.timer?.cancel();
    if (this.#gatherings.get(gathering.lane ?? "") === gathering) this.#gatherings.delete(gathering.lane ?? "");
  }

  #report({ lane, ids, outcomes }: Batch): void {
    const of = (outcome: Outcome): string[] => ids.filter((id) => outcomes.get(id) === outcome);
    this.#options.onReport({
      lane,
      completed: of("completed"),
      retried: of("retried"),
      dead: of("dead"),
      delayed: of("delayed"),
    });
  }
}

/** The control error of a delay; `undefined` for what is none. */
function delayOf(delay: unknown): DelayedError | undefined {
  if (typeof delay !== "number" && typeof delay !== "string") return undefined;
  try {
    return new DelayedError(delay as Duration);
  } catch {
    return undefined;
  }
}

function contextOf(contexts: ReadonlyMap<string, Context>, id: string): Context {
  const context = contexts.get(id);
  if (context !== undefined) return context;
  throw new EchoMQError("invalid_option", `The job ${quote(id)} is not of this batch`);
}
