/**
 * A job as the producer's side sees it.
 *
 * Two things are called a job here: what `add` has just sent ({@link AddedJob}, which knows what became of it) and what
 * was read from a row ({@link StoredJob}, a picture of one instant). Both carry the same verbs, which go by the id and
 * always act on what the server holds now, never on the picture.
 */

import { arrayOf, type Bytes, textOf } from "../protocol/bytes.ts";
import { idTime } from "../protocol/id.ts";
import type { StateAnswer } from "../protocol/registry.generated.ts";
import { decodePayload } from "./codec.ts";
import { aliasText, dedupText } from "./dedup-name.ts";
import { NAME_DEFAULT } from "./defaults.ts";
import type { Duration } from "./duration.ts";
import { type JobOverrides, type Occurrence, readOverrides } from "./job-options.ts";
import type { PayloadCodec } from "./payload-codec.ts";
import type { ResultOptions } from "./result-value.ts";

/** The verbs of one job, by its id; a queue has them all. */
export interface JobVerbs {
  getState(id: string): Promise<StateAnswer>;
  updateData(id: string, data: unknown): Promise<"ok" | "gone">;
  updateProgress(id: string, progress: unknown): Promise<"ok" | "gone">;
  log(id: string, line: string, keep?: number): Promise<number | "gone">;
  getLogs(id: string): Promise<string[] | "gone">;
  remove(id: string): Promise<"ok" | "gone" | "locked">;
  retry(id: string): Promise<"ok" | "gone" | "not_dead">;
  promote(id: string): Promise<"ok" | "gone" | "not_scheduled">;
  changeDelay(id: string, delay: Duration): Promise<"ok" | "gone" | "not_scheduled">;
  changePriority(id: string, priority: number): Promise<"ok" | "gone" | "not_waiting">;
  result(id: string, options?: ResultOptions): Promise<unknown>;
}

/** What both kinds of job have in common. */
export abstract class Job<Data = unknown, Name extends string = string> {
  readonly id: string;
  /** `default` for a job that was added without a name. */
  readonly name: Name;
  abstract readonly data: Data;
  readonly #verbs: JobVerbs;

  constructor(verbs: JobVerbs, id: string, name: Name) {
    this.#verbs = verbs;
    this.id = id;
    this.name = name;
  }

  /** When the id was minted, by the clock of the producer. */
  get createdAt(): Date {
    return idTime(this.id);
  }

  /** Where the job is now; `absent` once it is completed or removed. */
  getState(): Promise<StateAnswer> {
    return this.#verbs.getState(this.id);
  }

  /** Replaces the data, in any state. */
  updateData(data: Data): Promise<"ok" | "gone"> {
    return this.#verbs.updateData(this.id, data);
  }

  /** Stores and publishes the progress: any value that JSON can hold. */
  updateProgress(progress: unknown): Promise<"ok" | "gone"> {
    return this.#verbs.updateProgress(this.id, progress);
  }

  /** Appends a log line; answers how many are kept. */
  log(line: string): Promise<number | "gone"> {
    return this.#verbs.log(this.id, line, this.keepLogs);
  }

  /** The log lines, oldest first. */
  getLogs(): Promise<string[] | "gone"> {
    return this.#verbs.getLogs(this.id);
  }

  /** Removes the job from wherever it is. */
  remove(): Promise<"ok" | "gone" | "locked"> {
    return this.#verbs.remove(this.id);
  }

  /** Gives a dead job a fresh budget of attempts and lets it wait again. */
  retry(): Promise<"ok" | "gone" | "not_dead"> {
    return this.#verbs.retry(this.id);
  }

  /** Lets a scheduled job run now. */
  promote(): Promise<"ok" | "gone" | "not_scheduled"> {
    return this.#verbs.promote(this.id);
  }

  /** Lets the job, when it is scheduled, fall due `delay` from now instead. */
  changeDelay(delay: Duration): Promise<"ok" | "gone" | "not_scheduled"> {
    return this.#verbs.changeDelay(this.id, delay);
  }

  /** Changes the priority of the job while it waits or is scheduled; 0 is first. */
  changePriority(priority: number): Promise<"ok" | "gone" | "not_waiting"> {
    return this.#verbs.changePriority(this.id, priority);
  }

  /**
   * Resolves to what the handler returned once the job is completed; `undefined` for a handler that returned nothing.
   *
   * Any process may wait, and many may. The outcome is there for those who wait when the job ends, although its row
   * goes; for whoever asks later only if the job is kept (`removeOnComplete`) or was added with `keepResult`.
   *
   * @throws EchoMQError `job_failed` when it is dead, `job_removed`, `result_timeout`, `result_too_large`.
   */
  result<Result = unknown>(options?: ResultOptions): Promise<Result> {
    return this.#verbs.result(this.id, options) as Promise<Result>;
  }

  /** The scheduler whose occurrence the job is; `undefined` for any other job. */
  get schedulerId(): string | undefined {
    return this.occurrence?.schedulerId;
  }

  /**
   * The slot for which a scheduler made the job, however late it runs; `undefined` for any other job. For what must be
   * worked out for an instant, take this and not the clock.
   */
  get slotAt(): Date | undefined {
    return this.occurrence === undefined ? undefined : new Date(this.occurrence.slotMs);
  }

  /** What the job is an occurrence of. */
  protected get occurrence(): Occurrence | undefined {
    return undefined;
  }

  /** Log lines to keep, when the job has its own number. */
  protected get keepLogs(): number | undefined {
    return undefined;
  }
}

/** What `add` resolves to. */
export class AddedJob<Data = unknown, Name extends string = string> extends Job<Data, Name> {
  /** The data as they were given to `add`. What was held back or is a duplicate left nothing of them on the server. */
  readonly data: Data;
  readonly outcome: AddOutcome;
  /**
   * The job that was there, and where it is; `undefined` for `added`. {@link Job.id} is its id as well, so that what
   * is asked of this job is asked of the one that counts; but for a finished one that gave way to this job.
   */
  readonly existing: ExistingJob | undefined;

  constructor(
    verbs: JobVerbs,
    job: {
      readonly id: string;
      readonly name: Name;
      readonly data: Data;
      readonly outcome: AddOutcome;
      readonly existing: ExistingJob | undefined;
    },
  ) {
    super(verbs, job.id, job.name);
    this.data = job.data;
    this.outcome = job.outcome;
    this.existing = job.existing;
  }
}

/**
 * What became of an add.
 *
 * - `added`: it is a job of its own.
 * - `duplicate`: a job of its `id` or `jobId` exists, and nothing was changed.
 * - `deduplicated`: another job holds its deduplication id, and nothing was changed.
 * - `replaced`: a job that waits has its data now; or, with `replaceFinished`, it stands in place of a finished one.
 */
export type AddOutcome = "added" | "duplicate" | "deduplicated" | "replaced";

/** The job that an add met, and where it is: a state word, `absent` when it is gone by now. */
export interface ExistingJob {
  readonly id: string;
  readonly state: string;
}

/** What the row of a job is read with. */
export interface JobReader {
  readonly verbs: JobVerbs;
  readonly codec: PayloadCodec;
  /** Bytes of a payload once its layers are off, at most. */
  readonly payloadBytesMax: number;
}

/**
 * What came of decoding a payload or result: it is told when it is looked at, so that the job can be seen all the same.
 */
type Decoded<Value> = { readonly value: Value } | { readonly error: unknown };

/** What is decoded already, or how. */
type Content<Value> = Decoded<Value> | (() => unknown);

/** The parts of a job that a codec reads. */
interface Contents<Data> {
  readonly data: Content<Data>;
  readonly result: Content<unknown>;
}

/**
 * The job of a row. Never rejects because of its payload or result.
 */
export async function storedJob(reader: JobReader, id: string, row: ReadonlyMap<string, Bytes>): Promise<StoredJob> {
  const { verbs, codec, payloadBytesMax } = reader;
  const result = row.get("result");
  const readers = {
    data: () => codec.decode(row.get("payload") ?? "", payloadBytesMax),
    result: () => (result === undefined ? undefined : codec.decode(result, payloadBytesMax)),
  };
  // Without a codec nothing takes a promise, and what nobody looks at is not decoded.
  if (codec.isPlain) return new StoredJob(verbs, id, row, readers);
  const [data, value] = await Promise.all([decoded(readers.data), decoded(readers.result)]);
  return new StoredJob(verbs, id, row, { data, result: value });
}

async function decoded(read: () => unknown): Promise<Decoded<unknown>> {
  try {
    return { value: await read() };
  } catch (error) {
    return { error };
  }
}

/** A job as its row was read. */
export class StoredJob<Data = unknown, Name extends string = string> extends Job<Data, Name> {
  /** The state word of the row at that instant. */
  readonly state: string;
  /** Claims so far, and the token of the current one. */
  readonly attempts: number;
  /** 0 is first, and what a job has that was given none. */
  readonly priority: number;
  /** What its claim takes from a rate; 1 for a job that was given none. */
  readonly cost: number;
  /** The lane that it waits in; `undefined` for none. */
  readonly lane: string | undefined;
  /** The first job that waits for it, `queueName` being absent for its own queue; `undefined` when none does. */
  readonly parent: { readonly id: string; readonly queueName: string | undefined } | undefined;
  /** Its name by any text, as `add` was given it; `undefined` for none. */
  readonly jobId: string | undefined;
  /** The deduplication id that it holds, or held until it was over; `undefined` for none. */
  readonly deduplicationId: string | undefined;
  /** Why it failed last; `undefined` when it never did. */
  readonly lastError: string | undefined;
  /** Leases that lapsed: the {@link StoredJob.crashes} by their name on the wire. */
  readonly stalled: number;
  /** How often it was delayed or given back: the {@link StoredJob.interruptions} by their name on the wire. */
  readonly deferred: number;
  /**
   * Why it is dead; `undefined` for a job that is not. `failed`: its handler failed as often as it may, or said that
   * it cannot be recovered. `crashed`: its leases lapsed as often as they may, because its processes died or froze.
   * `cancelled`: a cancel was asked for while it ran. `expired`: it did not begin in its time to live.
   */
  readonly deathReason: "failed" | "crashed" | "cancelled" | "expired" | undefined;
  /** Why a cancel of it was asked for while it ran; `undefined` when none was. */
  readonly cancelReason: string | undefined;
  /** The worker that holds or held it. */
  readonly owner: string | undefined;
  /** What it overrides for its worker. */
  readonly options: JobOverrides;
  readonly #finishedAt: number | undefined;
  readonly #payload: Bytes;
  readonly #progress: Bytes | undefined;
  #data: Content<Data>;
  #result: Content<unknown>;

  constructor(verbs: JobVerbs, id: string, row: ReadonlyMap<string, Bytes>, contents: Contents<Data>) {
    super(verbs, id, (text(row, "name") ?? NAME_DEFAULT) as Name);
    this.state = row.get("state") ?? "unknown";
    this.attempts = count(row, "attempts");
    this.priority = count(row, "priority");
    this.cost = row.has("cost") ? count(row, "cost") : 1;
    this.lane = text(row, "group");
    const parent = text(row, "parent");
    this.parent = parent === undefined ? undefined : { id: parent, queueName: text(row, "parent_queue") };
    this.jobId = aliasText(row.get("alias") ?? "");
    const dedup = row.get("dedup") ?? "";
    this.deduplicationId = dedup === "" ? undefined : dedupText(dedup);
    this.lastError = text(row, "last_error");
    this.stalled = count(row, "stalled");
    this.deferred = count(row, "deferred");
    this.deathReason = deathReason(row);
    this.cancelReason = text(row, "cancel");
    this.owner = text(row, "owner");
    this.options = readOverrides(text(row, "opts") ?? "");
    this.#finishedAt = row.has("finished_at") ? count(row, "finished_at") : undefined;
    this.#payload = row.get("payload") ?? "";
    this.#progress = row.get("progress");
    this.#data = contents.data;
    this.#result = contents.result;
  }

  protected override get occurrence(): Occurrence | undefined {
    return this.options.occurrence;
  }

  /** When it ended, by the server's clock: of a completed or dead job; `undefined` for one that has not ended. */
  get finishedAt(): Date | undefined {
    return this.#finishedAt === undefined ? undefined : new Date(this.#finishedAt);
  }

  /**
   * What the handler of a completed job that is kept returned; `undefined` when it returned nothing, and for any other
   * job: {@link Job.result} waits for those.
   *
   * @throws EchoMQError as {@link StoredJob.data} does.
   */
  get returnValue(): unknown {
    if (typeof this.#result === "function") this.#result = { value: this.#result() };
    if ("value" in this.#result) return this.#result.value;
    throw this.#result.error;
  }

  /** Runs whose handler failed. */
  get failures(): number {
    // The claim of a job that runs has not ended in anything yet.
    const open = this.state === "active" ? 1 : 0;
    return Math.max(0, this.attempts - open - this.stalled - this.deferred);
  }

  /** Runs that ended with a lapsed lease: the process died, froze, or lost the server for too long. */
  get crashes(): number {
    return this.stalled;
  }

  /** Runs that were put off or given back, which costs nothing: a delay, a limit, a deploy. */
  get interruptions(): number {
    return this.deferred;
  }

  /**
   * The data.
   *
   * @throws EchoMQError `invalid_payload` when a foreign producer wrote no JSON, `unknown_codec`, `unknown_key` or
   *   `decryption_failed` when the queue lacks what they were encoded with; {@link StoredJob.payload} has the bytes.
   */
  get data(): Data {
    if (typeof this.#data === "function") this.#data = { value: this.#data() as Data };
    if ("value" in this.#data) return this.#data.value;
    throw this.#data.error;
  }

  /** The payload's bytes: a fresh copy at each reading. */
  get payload(): Uint8Array {
    return arrayOf(this.#payload);
  }

  /** The last progress: decoded JSON, else its text, `undefined` when there is none. */
  get progress(): unknown {
    if (this.#progress === undefined) return undefined;
    try {
      return decodePayload(this.#progress);
    } catch {
      return textOf(this.#progress);
    }
  }

  protected override get keepLogs(): number | undefined {
    return this.options.keepLogs;
  }
}

function text(row: ReadonlyMap<string, Bytes>, field: string): string | undefined {
  const bytes = row.get(field);
  return bytes === undefined ? undefined : textOf(bytes);
}

/** What a sweep writes to `last_error` of a job that it ends for its lapses. */
const LAPSED = "stalled";

/** What a claim or a sweep writes there of a job that did not begin in time. */
const EXPIRED = "expired";

function deathReason(row: ReadonlyMap<string, Bytes>): StoredJob["deathReason"] {
  if (row.get("state") !== "dead") return undefined;
  if (row.has("cancel")) return "cancelled";
  const error = row.get("last_error");
  if (error === LAPSED && row.has("stalled")) return "crashed";
  return error === EXPIRED && row.get("attempts") === "0" ? "expired" : "failed";
}

/** A decimal field; 0 when it is absent. */
function count(row: ReadonlyMap<string, Bytes>, field: string): number {
  return Number(row.get(field) ?? 0);
}
