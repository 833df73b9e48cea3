/**
 * A job as its handler sees it: the data, and verbs that carry the token of the claim.
 *
 * A write of a handler whose lease is over must not reach the job, which may be another worker's by then. So its data,
 * progress and log lines are written with the token and refused with `lease_lost`.
 */

import { arrayOf, bytesFrom, textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import type { StateAnswer } from "../protocol/registry.generated.ts";
import { encodePayload } from "../queue/codec.ts";
import { KEEP_LOGS_DEFAULT, NAME_DEFAULT, PRIORITY_MAX } from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { Job, type JobVerbs } from "../queue/job.ts";
import { type JobOverrides, type Occurrence, readOverrides } from "../queue/job-options.ts";
import type { Jobs } from "../queue/jobs.ts";
import { assertWhole } from "../queue/option-check.ts";
import type { PayloadCodec } from "../queue/payload-codec.ts";
import type { TurnJob } from "../queue/turn-call.ts";

/** The verbs of the jobs of one worker. */
export class WorkerVerbs implements JobVerbs {
  readonly #jobs: Jobs;
  readonly #queue: string;
  readonly #codec: PayloadCodec;
  readonly #payloadBytesMax: number;

  constructor(jobs: Jobs, queue: string, encoding: { readonly codec: PayloadCodec; readonly payloadBytesMax: number }) {
    this.#jobs = jobs;
    this.#queue = queue;
    this.#codec = encoding.codec;
    this.#payloadBytesMax = encoding.payloadBytesMax;
  }

  getState(id: string): Promise<StateAnswer> {
    return this.#jobs.getState(this.#queue, id);
  }

  async getLogs(id: string): Promise<string[] | "gone"> {
    const lines = await this.#jobs.getLogs(this.#queue, id);
    return lines === "gone" ? lines : lines.map((line) => textOf(bytesFrom(line)));
  }

  remove(id: string): Promise<"ok" | "gone" | "locked"> {
    return this.#jobs.removeJob(this.#queue, id);
  }

  retry(id: string): Promise<"ok" | "gone" | "not_dead"> {
    return this.#jobs.reprocessJob(this.#queue, id);
  }

  /** The job of a handler ends when the handler has ended: waiting for it in there would be for ever. */
  async result(): Promise<never> {
    throw new EchoMQError("unsupported", "A handler cannot wait for the result of its own job");
  }

  /** The job of a handler is active, so there is nothing to promote. */
  async promote(id: string): Promise<"ok" | "gone" | "not_scheduled"> {
    return (await this.getState(id)) === "absent" ? "gone" : "not_scheduled";
  }

  changeDelay(id: string, delay: Duration): Promise<"ok" | "gone" | "not_scheduled"> {
    return this.#jobs.changeDelay(this.#queue, id, durationMs(delay, "delay"));
  }

  changePriority(id: string, priority: number): Promise<"ok" | "gone" | "not_waiting"> {
    assertWhole(priority, "priority", { min: 0, max: PRIORITY_MAX });
    return this.#jobs.changePriority(this.#queue, id, priority);
  }

  async updateData(id: string, data: unknown, token?: number): Promise<"ok" | "gone"> {
    const payload = arrayOf(await this.#codec.encode(data, this.#payloadBytesMax));
    return unlessStale(await this.#jobs.updateData(this.#queue, id, payload, token));
  }

  async updateProgress(id: string, progress: unknown, token?: number): Promise<"ok" | "gone"> {
    const bytes = arrayOf(encodePayload(progress, this.#payloadBytesMax));
    return unlessStale(await this.#jobs.updateProgress(this.#queue, id, bytes, token));
  }

  async log(id: string, line: string, keep = KEEP_LOGS_DEFAULT, token?: number): Promise<number | "gone"> {
    return unlessStale(await this.#jobs.addLog(this.#queue, id, line, keep, token));
  }
}

/** A job in the hand of a worker. */
export class WorkerJob<Data = unknown, Name extends string = string> extends Job<Data, Name> {
  /** What the schema of its name made of the data, else the data as they were decoded. */
  readonly data: Data;
  /** The number of the claim: it only grows for one job, so it can fence the handler's own writes. */
  readonly token: number;
  /** Leases of this job that lapsed before. */
  readonly stalled: number;
  /** How often it was delayed or given back before. */
  readonly deferred: number;
  /** How long it was asked to wait after it was added, by `delay`, in ms; 0 for a job that could run at once. */
  readonly delayMs: number;
  /** The lane that it waited in; `undefined` for none. */
  readonly lane: string | undefined;
  readonly #verbs: WorkerVerbs;
  readonly #keepLogs: number | undefined;
  readonly #opts: string;

  constructor(
    verbs: WorkerVerbs,
    claimed: TurnJob,
    data: Data,
    { keepLogs, delayMs = 0 }: Pick<JobOverrides, "keepLogs" | "delayMs">,
  ) {
    super(verbs, claimed.id, (claimed.name === "" ? NAME_DEFAULT : claimed.name) as Name);
    this.#verbs = verbs;
    this.#keepLogs = keepLogs;
    this.data = data;
    this.delayMs = delayMs;
    this.token = claimed.token;
    this.stalled = claimed.stalled;
    this.deferred = claimed.deferred;
    this.lane = claimed.lane === "" ? undefined : claimed.lane;
    this.#opts = claimed.opts;
  }

  /** Read when it is asked for: most jobs are none of a scheduler, and most handlers do not ask. */
  protected override get occurrence(): Occurrence | undefined {
    return readOverrides(this.#opts).occurrence;
  }

  /** Earlier runs whose handler failed. */
  get failures(): number {
    return this.attempt - 1;
  }

  /** Earlier runs that ended with a lapsed lease: the process died, froze, or lost the server for too long. */
  get crashes(): number {
    return this.stalled;
  }

  /** Earlier runs that were put off or given back, which costs nothing. */
  get interruptions(): number {
    return this.deferred;
  }

  /** Which run this is: 1 for the first, and one more for each earlier run that failed. */
  get attempt(): number {
    return Math.max(1, this.token - this.stalled - this.deferred);
  }

  /**
   * Replaces the data of this job for its next run.
   *
   * @throws EchoMQError `lease_lost` when this claim is over.
   */
  override updateData(data: Data): Promise<"ok" | "gone"> {
    return this.#verbs.updateData(this.id, data, this.token);
  }

  /** Stores and publishes the progress. Throws `lease_lost` when this claim is over. */
  override updateProgress(progress: unknown): Promise<"ok" | "gone"> {
    return this.#verbs.updateProgress(this.id, progress, this.token);
  }

  /** Appends a log line; answers how many are kept. Throws `lease_lost` when this claim is over. */
  override log(line: string): Promise<number | "gone"> {
    return this.#verbs.log(this.id, line, this.#keepLogs ?? KEEP_LOGS_DEFAULT, this.token);
  }
}

function unlessStale<Answer>(answer: Answer | "stale"): Answer {
  if (answer !== "stale") return answer;
  throw new EchoMQError(
    "lease_lost",
    "The lease of this job is over; another worker may hold it, so nothing was written",
  );
}
