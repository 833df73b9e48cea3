/**
 * Takes jobs from callers to the server: check, id, act.
 *
 * All checks of a job, and of all jobs of a bulk, are done before the first of them leaves. Ids are minted before the
 * act, so an add whose answer was lost can be repeated and stores one job; with `retryOnDisconnect` that is done here
 * and in the admission, up to a deadline that counts from the call.
 */

import type { Engine } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { Admission } from "./admission.ts";
import { PENDING_ADDS_MAX_DEFAULT } from "./defaults.ts";
import type { AddedJob, JobVerbs } from "./job.ts";
import { Bulk, BulkAdd, type Draft, DraftAdd, Drafter, isReady, type OwnPart, type ReadyDraft } from "./job-draft.ts";
import { type JobOptions, JobPlanner } from "./job-options.ts";
import type { Jobs } from "./jobs.ts";
import { type MintSource, mintThroughOutage, openMint } from "./mint-source.ts";
import { askBehind } from "./near-workers.ts";
import { assertKnownOptions } from "./option-check.ts";
import type { PayloadCodec } from "./payload-codec.ts";
import { NamedQueues } from "./queue-names.ts";
import type { QueueOptions } from "./queue-options.ts";
import { type CheckedSchemas, checkedSchemas, type StandardSchema, validated } from "./schema.ts";
import { type AddSpan, beginAdd, checkedTelemetry, type Telemetry, tracedAdd, tracedDraft } from "./telemetry.ts";
import { QueueKeys } from "./verb-call.ts";

/** What an adder works with. */
export interface JobAdderOptions {
  readonly queue: string;
  readonly engine: Engine;
  readonly jobs: Jobs;
  /** The verbs that an added job carries. */
  readonly verbs: JobVerbs;
  readonly options: QueueOptions<Record<string, unknown>>;
  readonly codec: PayloadCodec;
  /** Told of each act, and each renewal of the mint, that failed. */
  readonly onError: (error: unknown) => void;
}

/** One item of a bulk, before it is checked. */
export interface UncheckedItem {
  readonly name: string;
  readonly data: unknown;
  readonly opts?: JobOptions;
}

/** A bulk that only has to be sent: its drafts, their ids, and when it was called, by the host's clock. */
interface ReadyBulk {
  readonly drafts: readonly ReadyDraft[];
  readonly ids: readonly string[];
  readonly calledAt: number;
}

const BULK_TABLE = { owner: "an item of addBulk", known: ["name", "data", "opts"], foreign: { options: "use opts" } };

/** The adds of one queue, from call to answer. */
export class JobAdder {
  readonly #options: JobAdderOptions;
  readonly #drafter: Drafter;
  readonly #schemas: CheckedSchemas | undefined;
  readonly #telemetry: Telemetry | undefined;
  readonly #admission: Admission;
  readonly #mint: MintSource;
  readonly #names: NamedQueues;
  /** Adds that wait for a node number, a validator or a codec, and who waits for their end. */
  #preparingCount = 0;
  readonly #preparingEnded: (() => void)[] = [];
  /** Whether the queue is open, so that an outage is worth waiting for. */
  #mayRetry = true;

  /** @throws EchoMQError for what is wrong with the defaults of jobs. */
  constructor(options: JobAdderOptions) {
    const { engine, jobs, queue, codec, onError } = options;
    const { defaultJobOptions, retryOnDisconnect, schemas, maxPending, node } = options.options;
    this.#options = options;
    this.#drafter = new Drafter(new JobPlanner(defaultJobOptions, retryOnDisconnect, engine), codec);
    this.#schemas = checkedSchemas(schemas);
    this.#telemetry = checkedTelemetry(options.options.telemetry);
    const pendingMax = maxPending ?? PENDING_ADDS_MAX_DEFAULT;
    const onGather = (): void => this.#names.note(queue);
    const { wake } = new QueueKeys(queue);
    const onSent = (): void => askBehind(engine, wake);
    this.#admission = new Admission({ jobs, queue, ports: engine.ports, pendingMax, onError, onGather, onSent });
    this.#mint = openMint(engine, node, onError);
    this.#names = new NamedQueues(engine);
  }

  /**
   * Adds one job. Never throws, but rejects. Not `async`, because this is the hot path: one promise an add, and none
   * between the check and the batch.
   */
  add(name: string, data: unknown, options: JobOptions | undefined): Promise<AddedJob> {
    try {
      this.#admission.assertRoom(this.#preparingCount + 1);
      const draft = this.#drafter.draft(name, data, options);
      const span = this.#telemetry === undefined ? undefined : this.#beginSpan([draft]);
      if (span === undefined) return this.#send(draft);
      return tracedAdd(span, this.#send(tracedDraft(draft, span.carrier)), isTold);
    } catch (error) {
      // Anything may be thrown by what a caller's data do when they are read.
      return Promise.reject(error instanceof Error ? error : new EchoMQError("invalid_payload", causeText(error)));
    }
  }

  /** Sends a job that has passed its checks. Never throws, but rejects. */
  #send(draft: Draft): Promise<AddedJob> {
    try {
      const schema = this.#schemas?.[draft.name];
      // Minted at once, so that jobs keep the order of their adds whatever their codec and validator take.
      const id = draft.plan.id ?? this.#mint.tryMint("JOB");
      const { payload } = draft;
      const retryUntil = draft.plan.retryMs === 0 ? 0 : retryUntilOf(draft, this.#options.engine.ports.clock.now());
      if (id === undefined || schema !== undefined || typeof payload !== "string") {
        return this.#addLater(draft, schema, { id, retryUntil });
      }
      return this.#admit(draft, { id, payload, retryUntil });
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new EchoMQError("internal", causeText(error)));
    }
  }

  /** Adds many jobs; rejects with the first failure once all have their answer. */
  async addAll(items: readonly UncheckedItem[]): Promise<AddedJob[]> {
    this.#admission.assertRoom(items.length);
    const ready = await this.#prepared(this.#prepareAll(items));
    // There was room before the checks; what came in between may have taken it.
    this.#admission.assertRoom(items.length);
    const span = this.#telemetry === undefined ? undefined : this.#beginSpan(ready.drafts);
    if (span === undefined) return await this.#admitAll(ready);
    const drafts = ready.drafts.map((draft) => ({ ...tracedDraft(draft, span.carrier), payload: draft.payload }));
    return await tracedAdd(span, this.#admitAll({ ...ready, drafts }), isTold);
  }

  /** The span of an add, or of a bulk. */
  #beginSpan(drafts: readonly Draft[]): AddSpan | undefined {
    return beginAdd(this.#telemetry, this.#options.queue, drafts);
  }

  /** Hands all to the admission, which sends the first while the next are still handed over. */
  async #admitAll({ drafts, ids, calledAt }: ReadyBulk): Promise<AddedJob[]> {
    if (drafts.length === 0) return [];
    const { verbs } = this.#options;
    const bulk = new Bulk(drafts.length);
    let index = 0;
    for (const draft of drafts) {
      const { payload } = draft;
      const own = { id: ids[index] ?? "", payload, retryUntil: retryUntilOf(draft, calledAt), bulk, index };
      this.#admission.push(new BulkAdd(verbs, draft, own));
      index += 1;
    }
    const { jobs, failures } = await bulk.ended;
    if (failures.size === 0) return jobs;
    const failed = [...failures.keys()].sort((a, b) => a - b);
    throw bulkFailure(failures.get(failed[0] ?? 0), { ids, failed });
  }

  /** Resolves when every add that was accepted has its answer. */
  async drained(): Promise<void> {
    if (this.#preparingCount > 0) await new Promise<void>((resolve) => this.#preparingEnded.push(resolve));
    await this.#admission.idle();
  }

  /** Tries no add again, and gives the node number back. */
  async release(): Promise<void> {
    this.#mayRetry = false;
    this.#admission.stopRetrying();
    await this.#mint.release();
  }

  /** Adds a job that lacks its id or payload yet, or that a validator has to judge. */
  async #addLater(
    draft: Draft,
    schema: StandardSchema | undefined,
    { id, retryUntil }: { readonly id: string | undefined; readonly retryUntil: number },
  ): Promise<AddedJob> {
    const [payload, itsId] = await this.#prepared(
      Promise.all([
        draft.payload,
        id ?? this.#mintLater(retryUntil),
        schema === undefined ? undefined : validated(schema, draft.data),
      ]),
    );
    this.#admission.assertRoom(1);
    return await this.#admit(draft, { id: itsId, payload, retryUntil });
  }

  /** Checks and encodes all items, then mints their ids. What takes no time costs no promise. */
  async #prepareAll(items: readonly UncheckedItem[]): Promise<ReadyBulk> {
    const calledAt = this.#options.engine.ports.clock.now();
    const drafts: ReadyDraft[] = [];
    for (let index = 0; index < items.length; index++) {
      const draft = this.#bulkDraft(items[index], index);
      const schema = this.#schemas?.[draft.name];
      drafts.push(schema === undefined && isReady(draft) ? draft : await this.#draftLater(draft, schema, index));
    }
    const ids: string[] = [];
    for (const draft of drafts) {
      const id = draft.plan.id ?? this.#mint.tryMint("JOB");
      ids.push(id ?? (await this.#mintLater(retryUntilOf(draft, calledAt))));
    }
    return { drafts, ids, calledAt };
  }

  #bulkDraft(item: UncheckedItem | undefined, index: number): Draft {
    try {
      if (item === undefined) throw new EchoMQError("invalid_option", "An item of addBulk must be an object");
      assertKnownOptions(item, BULK_TABLE);
      return this.#drafter.draft(item.name, item.data, item.opts);
    } catch (cause) {
      throw badItem(cause, index);
    }
  }

  /** The draft of an item once its codec has encoded it and its validator has passed it. */
  async #draftLater(draft: Draft, schema: StandardSchema | undefined, index: number): Promise<ReadyDraft> {
    try {
      const [payload] = await Promise.all([
        draft.payload,
        schema === undefined ? undefined : validated(schema, draft.data),
      ]);
      return { ...draft, payload };
    } catch (cause) {
      throw badItem(cause, index);
    }
  }

  /** An id, once a node number is held; an outage is waited for until the add may be tried no more. */
  async #mintLater(retryUntil: number): Promise<string> {
    const { clock } = this.#options.engine.ports;
    const mayWait = () => this.#mayRetry && clock.now() < retryUntil;
    const [id = ""] = await mintThroughOutage(this.#mint, 1, { clock, mayWait });
    return id;
  }

  /** Counts an add as one that is being prepared for as long as `parts` take. */
  async #prepared<Parts>(parts: Promise<Parts>): Promise<Parts> {
    this.#preparingCount++;
    try {
      return await parts;
    } finally {
      this.#preparingCount--;
      if (this.#preparingCount === 0) this.#options.engine.ports.soon(() => this.#endPreparing());
    }
  }

  /** Tells {@link JobAdder.drained} that no add is being prepared; those that were are with the admission by now. */
  #endPreparing(): void {
    if (this.#preparingCount > 0) return;
    for (const end of this.#preparingEnded.splice(0)) end();
  }

  #admit(draft: Draft, own: OwnPart): Promise<AddedJob> {
    const add = new DraftAdd(this.#options.verbs, draft, own);
    this.#admission.push(add);
    return add.promise;
  }

  /**
   * Checks and encodes what each job of a scheduler is; nothing is sent.
   *
   * @throws EchoMQError what an add of such a job would be refused with.
   */
  async template(
    name: string,
    data: unknown,
    options: JobOptions | undefined,
  ): Promise<{ readonly draft: Draft; readonly payload: Bytes }> {
    const draft = this.#drafter.draft(name, data, options);
    const schema = this.#schemas?.[draft.name];
    const [payload] = await Promise.all([draft.payload, schema === undefined ? undefined : validated(schema, data)]);
    this.#names.note(this.#options.queue);
    return { draft, payload };
  }

  /** An id for a job that is not added but made by an act. */
  async mintId(): Promise<string> {
    return this.#mint.tryMint("JOB") ?? (await this.#mintLater(0));
  }

  /** The queue's name left the list of queues: the next add writes it again. */
  forgetName(): void {
    this.#names.forget(this.#options.queue);
  }
}

/** Until when an add that was called at `calledAt` may be tried again; 0 for never. */
function retryUntilOf({ plan }: Draft, calledAt: number): number {
  return plan.retryMs === 0 ? 0 : calledAt + plan.retryMs;
}

/** Whether the queue's `error` tells of it as well: what the server, or the way to it, did to a job that has its id. */
function isTold(error: unknown): boolean {
  return isEchoMQError(error) && ("id" in error.details || "ids" in error.details);
}

/** The error of a bulk for an item that cannot be added. */
function badItem(cause: unknown, index: number): EchoMQError {
  const why = causeText(cause);
  const message = `Item ${index} is bad and nothing was stored: ${why}`;
  return new EchoMQError("invalid_bulk", message, { cause, details: { index } });
}

/** The error of a bulk of which the items at `failed` have no good answer, with the reason of the first of them. */
function bulkFailure(
  reason: unknown,
  { ids, failed }: { readonly ids: readonly string[]; readonly failed: readonly number[] },
): unknown {
  if (!isEchoMQError(reason)) return reason;
  const [index = 0] = failed;
  return new EchoMQError(reason.code, `Item ${index} of the bulk got no good answer: ${reason.message}`, {
    cause: reason,
    details: { ...reason.details, index, ids, failed },
  });
}
