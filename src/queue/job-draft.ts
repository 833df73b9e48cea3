/**
 * A job on its way from a caller to its act: first checked and encoded, then with an id and a promise.
 *
 * A draft has passed every check that the host can make, so the act has nothing left to refuse but what only the server
 * knows.
 */

import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import type { WaitingAdd } from "./admission.ts";
import type { AdmitBytesRow, AdmitOutcome } from "./admit-rows.ts";
import { NAME_DEFAULT } from "./defaults.ts";
import { AddedJob, type JobVerbs } from "./job.ts";
import type { JobOptions, JobPlan, JobPlanner } from "./job-options.ts";
import { assertName } from "./option-check.ts";
import type { PayloadCodec } from "./payload-codec.ts";

/** A checked job without an id. */
export interface Draft {
  readonly name: string;
  /** Empty for a job that stores no name. */
  readonly nameBytes: Bytes;
  /** The name as the only value of a row, shared by all jobs of the name that have no other. */
  readonly nameValues: readonly Bytes[];
  readonly data: unknown;
  readonly plan: JobPlan;
  /** A promise only when the codec takes time. */
  readonly payload: Bytes | Promise<Bytes>;
}

/** Checks and encodes the jobs of one queue. Writes nothing. */
export class Drafter {
  readonly #planner: JobPlanner;
  readonly #codec: PayloadCodec;
  /** The name that was checked last: most queues have few names. */
  #name = NAME_DEFAULT;
  #nameBytes: Bytes = "";
  #nameValues: readonly Bytes[] = [];

  /** @throws EchoMQError for what is wrong with the defaults. */
  constructor(planner: JobPlanner, codec: PayloadCodec) {
    this.#planner = planner;
    this.#codec = codec;
  }

  /**
   * @throws EchoMQError `invalid_name`, `invalid_payload`, `payload_too_large`, and what the planner throws.
   */
  draft(name: string, data: unknown, options: JobOptions | undefined): Draft {
    if (name !== this.#name) {
      assertName(name, "job name", { mayBeEmpty: true });
      this.#name = name === "" ? NAME_DEFAULT : name;
      this.#nameBytes = this.#name === NAME_DEFAULT ? "" : bytesOf(name);
      this.#nameValues = [this.#nameBytes];
    }
    const plan = this.#planner.plan(options);
    const payload = this.#codec.encode(data, plan.payloadBytesMax);
    return { name: this.#name, nameBytes: this.#nameBytes, nameValues: this.#nameValues, data, plan, payload };
  }
}

/** A draft whose payload is there. */
export interface ReadyDraft extends Draft {
  readonly payload: Bytes;
}

/** Whether a draft only has to be sent. */
export function isReady(draft: Draft): draft is ReadyDraft {
  return typeof draft.payload === "string";
}

/** The row of a draft whose payload is there. */
export function rowOf(draft: Draft, id: string, payload: Bytes): AdmitBytesRow {
  return { id, payload, shape: shapeOf(draft), values: valuesOf(draft) };
}

function shapeOf({ nameBytes, plan }: Draft): Bytes {
  return nameBytes === "" ? plan.shape : plan.namedShape;
}

function valuesOf({ nameBytes, nameValues, plan }: Draft): readonly Bytes[] {
  if (nameBytes === "") return plan.values;
  return plan.values.length === 0 ? nameValues : [nameBytes, ...plan.values];
}

/** What one add has of its own beside its draft. */
export interface OwnPart {
  readonly id: string;
  readonly payload: Bytes;
  /** See `WaitingAdd.retryUntil`. */
  readonly retryUntil: number;
}

/** One add on its way: its own row, so that a job costs one object until it has its answer. */
abstract class DraftedAdd implements WaitingAdd {
  readonly id: Bytes;
  readonly payload: Bytes;
  readonly shape: Bytes;
  readonly values: readonly Bytes[];
  readonly retryUntil: number;
  wasSent = false;
  waitsSince = 0;
  readonly #verbs: JobVerbs;
  readonly #name: string;
  readonly #data: unknown;
  /** Whether the id was minted for this add, and not given by the caller. */
  readonly #isMinted: boolean;

  constructor(verbs: JobVerbs, draft: Draft, own: OwnPart) {
    this.id = own.id;
    this.payload = own.payload;
    this.shape = shapeOf(draft);
    this.values = valuesOf(draft);
    this.retryUntil = own.retryUntil;
    this.#verbs = verbs;
    this.#name = draft.name;
    this.#data = draft.data;
    this.#isMinted = draft.plan.id === undefined;
  }

  abstract settle(outcome: AdmitOutcome, state?: string): void;
  abstract fail(error: unknown): void;

  /** What the caller gets for an outcome. `state` is where the job that stood in its way is now. */
  protected jobOf(outcome: AdmitOutcome, state: string): AddedJob {
    const { id } = this;
    const name = this.#name;
    const data = this.#data;
    const other = outcome.id ?? id;
    // Nobody else has an id that was minted for this add: what lies there is what an earlier try stored.
    const isOurs = this.wasSent && this.#isMinted && other === id;
    if (isOurs || outcome.outcome === "added") {
      return new AddedJob(this.#verbs, { id, name, data, outcome: "added", existing: undefined });
    }
    // A finished job that gave way is gone; in all other cases the job to look at is the one that was there.
    const isNew = outcome.outcome === "replaced" && outcome.state !== undefined;
    const existing = { id: other, state };
    return new AddedJob(this.#verbs, { id: isNew ? id : other, name, data, outcome: outcome.outcome, existing });
  }
}

/** One add, and the promise of its caller. */
export class DraftAdd extends DraftedAdd {
  readonly promise: Promise<AddedJob>;
  #resolve: (job: AddedJob) => void = ignore;
  #reject: (error: unknown) => void = ignore;

  constructor(verbs: JobVerbs, draft: Draft, own: OwnPart) {
    super(verbs, draft, own);
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(outcome: AdmitOutcome, state = "unknown"): void {
    this.#resolve(this.jobOf(outcome, state));
  }

  fail(error: unknown): void {
    // A caller that does not wait must not end its process because a server went away; it is told by `error`.
    this.promise.catch(ignore);
    this.#reject(error);
  }
}

/** How the adds of a bulk ended: the jobs by their places, and why those failed that have none. */
export interface BulkEnd {
  readonly jobs: AddedJob[];
  readonly failures: ReadonlyMap<number, unknown>;
}

/**
 * The adds of one bulk, and the one promise that all of them have: a promise for each would cost more than the rest of
 * a job.
 */
export class Bulk {
  /** Resolves when each add has its answer. Never rejects. */
  readonly ended: Promise<BulkEnd>;
  readonly #jobs: AddedJob[];
  readonly #failures = new Map<number, unknown>();
  #left: number;
  #end: (end: BulkEnd) => void = ignore;

  /** @param count how many adds it has; at least one. */
  constructor(count: number) {
    this.#jobs = new Array<AddedJob>(count);
    this.#left = count;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  succeeded(index: number, job: AddedJob): void {
    this.#jobs[index] = job;
    this.#count();
  }

  failed(index: number, error: unknown): void {
    this.#failures.set(index, error);
    this.#count();
  }

  #count(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#end({ jobs: this.#jobs, failures: this.#failures });
  }
}

/** One add of a bulk. */
export class BulkAdd extends DraftedAdd {
  readonly #bulk: Bulk;
  readonly #index: number;

  constructor(verbs: JobVerbs, draft: Draft, own: OwnPart & { readonly bulk: Bulk; readonly index: number }) {
    super(verbs, draft, own);
    this.#bulk = own.bulk;
    this.#index = own.index;
  }

  settle(outcome: AdmitOutcome, state = "unknown"): void {
    this.#bulk.succeeded(this.#index, this.jobOf(outcome, state));
  }

  fail(error: unknown): void {
    this.#bulk.failed(this.#index, error);
  }
}

function ignore(): void {}
