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
    }
    const plan = this.#planner.plan(options);
    const payload = this.#codec.encode(data, plan.payloadBytesMax);
    return { name: this.#name, nameBytes: this.#nameBytes, data, plan, payload };
  }
}

/** The row of a draft whose payload is there. */
export function rowOf({ nameBytes, plan }: Draft, id: string, payload: Bytes): AdmitBytesRow {
  const { shape, namedShape, values } = plan;
  if (nameBytes === "") return { id, payload, shape, values };
  return { id, payload, shape: namedShape, values: values.length === 0 ? [nameBytes] : [nameBytes, ...values] };
}

/** What one add has of its own beside its draft. */
export interface OwnPart {
  readonly id: string;
  readonly payload: Bytes;
  /** See `WaitingAdd.retryUntil`. */
  readonly retryUntil: number;
}

/** One add, and the promise of its caller. */
export class DraftAdd implements WaitingAdd {
  readonly row: AdmitBytesRow;
  readonly promise: Promise<AddedJob>;
  readonly retryUntil: number;
  wasSent = false;
  readonly #verbs: JobVerbs;
  readonly #draft: Draft;
  #resolve: (job: AddedJob) => void = ignore;
  #reject: (error: unknown) => void = ignore;

  constructor(verbs: JobVerbs, draft: Draft, { id, payload, retryUntil }: OwnPart) {
    this.row = rowOf(draft, id, payload);
    this.retryUntil = retryUntil;
    this.#verbs = verbs;
    this.#draft = draft;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(outcome: AdmitOutcome, state = "unknown"): void {
    const { name, data } = this.#draft;
    const { id } = this.row;
    const other = outcome.id ?? id;
    // Nobody else has an id that was minted for this add: what lies there is what an earlier try stored.
    const isOurs = this.wasSent && this.#draft.plan.id === undefined && other === id;
    if (isOurs || outcome.outcome === "added") {
      this.#resolve(new AddedJob(this.#verbs, { id, name, data, outcome: "added", existing: undefined }));
      return;
    }
    // A finished job that gave way is gone; in all other cases the job to look at is the one that was there.
    const isNew = outcome.outcome === "replaced" && outcome.state !== undefined;
    const existing = { id: other, state };
    const job = { id: isNew ? id : other, name, data, outcome: outcome.outcome, existing };
    this.#resolve(new AddedJob(this.#verbs, job));
  }

  fail(error: unknown): void {
    // A caller that does not wait must not end its process because a server went away; it is told by `error`.
    this.promise.catch(ignore);
    this.#reject(error);
  }
}

function ignore(): void {}
