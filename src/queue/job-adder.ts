/**
 * Takes jobs from callers to the server: check, id, act.
 *
 * All checks of a job, and of all jobs of a bulk, are done before the first of them leaves. Ids are minted before the
 * act, so an add whose answer was lost can be repeated and stores one job.
 */

import type { Engine } from "../engine/engine.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { Admission } from "./admission.ts";
import { PENDING_ADDS_MAX_DEFAULT } from "./defaults.ts";
import type { AddedJob, JobVerbs } from "./job.ts";
import { type Draft, DraftAdd, Drafter } from "./job-draft.ts";
import type { JobOptions } from "./job-options.ts";
import type { Jobs } from "./jobs.ts";
import { type MintSource, openMint } from "./mint-source.ts";
import { assertKnownOptions } from "./option-check.ts";
import type { QueueOptions } from "./queue-options.ts";
import { type StandardSchema, validated } from "./schema.ts";

/** What an adder works with. */
export interface JobAdderOptions {
  readonly queue: string;
  readonly engine: Engine;
  readonly jobs: Jobs;
  /** The verbs that an added job carries. */
  readonly verbs: JobVerbs;
  readonly options: QueueOptions<Record<string, unknown>>;
  /** Told of each act, and each renewal of the mint, that failed. */
  readonly onError: (error: unknown) => void;
}

/** One item of a bulk, before it is checked. */
export interface UncheckedItem {
  readonly name: string;
  readonly data: unknown;
  readonly opts?: JobOptions;
}

const BULK_TABLE = { owner: "an item of addBulk", known: ["name", "data", "opts"], foreign: { options: "use opts" } };

/** How often a mint is asked again after it said that it is ready. */
const MINT_TRIES_MAX = 3;

/** The adds of one queue, from call to answer. */
export class JobAdder {
  readonly #options: JobAdderOptions;
  readonly #drafter: Drafter;
  readonly #schemas: Readonly<Record<string, StandardSchema | undefined>> | undefined;
  readonly #admission: Admission;
  readonly #mint: MintSource;
  /** Adds that wait for a node number, and who waits for their end. */
  #mintingCount = 0;
  readonly #mintingEnded: (() => void)[] = [];
  #isRegistered = false;

  /** @throws EchoMQError for what is wrong with the defaults of jobs. */
  constructor(options: JobAdderOptions) {
    const { engine, jobs, queue, onError } = options;
    const { defaultJobOptions, schemas, maxPending, node } = options.options;
    this.#options = options;
    this.#drafter = new Drafter(defaultJobOptions);
    this.#schemas = schemas;
    const pendingMax = maxPending ?? PENDING_ADDS_MAX_DEFAULT;
    this.#admission = new Admission({ jobs, queue, ports: engine.ports, pendingMax, onError });
    this.#mint = openMint(engine, node, onError);
  }

  /**
   * Adds one job. Never throws, but rejects. Not `async`, because this is the hot path: one promise an add, and none
   * between the check and the batch.
   */
  add(name: string, data: unknown, options: JobOptions | undefined): Promise<AddedJob> {
    try {
      this.#admission.assertRoom(this.#mintingCount + 1);
      const draft = this.#drafter.draft(name, data, options);
      const schema = this.#schemas?.[draft.name];
      if (schema !== undefined) return this.#addValidated(schema, draft);
      const id = draft.plan.id ?? this.#mint.tryMint("JOB");
      return id === undefined ? this.#addLater(draft) : this.#admit(draft, id);
    } catch (error) {
      // Anything may be thrown by what a caller's data do when they are read.
      return Promise.reject(error instanceof Error ? error : new EchoMQError("invalid_payload", String(error)));
    }
  }

  /** Adds many jobs; rejects with the first failure once all have their answer. */
  async addAll(items: readonly UncheckedItem[]): Promise<AddedJob[]> {
    this.#admission.assertRoom(items.length);
    const drafts: Draft[] = [];
    for (const [index, item] of items.entries()) drafts.push(await this.#bulkDraft(item, index));
    const ids: string[] = [];
    for (const { plan } of drafts) ids.push(plan.id ?? this.#mint.tryMint("JOB") ?? (await this.#mintLater()));
    // There was room before the checks; what came in between may have taken it.
    this.#admission.assertRoom(drafts.length);
    const results = await Promise.allSettled(drafts.map((draft, at) => this.#admit(draft, ids[at] ?? "")));
    return results.map((result, index) => {
      if (result.status === "rejected") throw bulkFailure(result.reason, index, ids);
      return result.value;
    });
  }

  /** Resolves when every add that was accepted has its answer. */
  async drained(): Promise<void> {
    if (this.#mintingCount > 0) await new Promise<void>((resolve) => this.#mintingEnded.push(resolve));
    await this.#admission.idle();
  }

  /** Gives the node number back. */
  async release(): Promise<void> {
    await this.#mint.release();
  }

  async #addValidated(schema: StandardSchema, draft: Draft): Promise<AddedJob> {
    await validated(schema, draft.data);
    this.#admission.assertRoom(1);
    return await this.#admit(draft, draft.plan.id ?? this.#mint.tryMint("JOB") ?? (await this.#mintLater()));
  }

  async #addLater(draft: Draft): Promise<AddedJob> {
    return await this.#admit(draft, await this.#mintLater());
  }

  async #bulkDraft(item: UncheckedItem, index: number): Promise<Draft> {
    try {
      if (item === undefined) throw new EchoMQError("invalid_option", "An item of addBulk must be an object");
      assertKnownOptions(item, BULK_TABLE);
      const draft = this.#drafter.draft(item.name, item.data, item.opts);
      const schema = this.#schemas?.[draft.name];
      if (schema !== undefined) await validated(schema, item.data);
      return draft;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new EchoMQError("invalid_bulk", `Item ${index} is bad and nothing was stored: ${why}`, {
        cause,
        details: { index },
      });
    }
  }

  /** An id, once a node number is held. */
  async #mintLater(): Promise<string> {
    this.#mintingCount++;
    try {
      for (let tries = 0; tries < MINT_TRIES_MAX; tries++) {
        await this.#mint.whenReady();
        const id = this.#mint.tryMint("JOB");
        if (id !== undefined) return id;
      }
      throw new EchoMQError("timeout", "No id could be minted: the clock of this machine keeps running away");
    } finally {
      this.#mintingCount--;
      if (this.#mintingCount === 0) this.#options.engine.ports.soon(() => this.#endMinting());
    }
  }

  /** Tells {@link JobAdder.drained} that no add waits for an id; those that had one are with the admission by now. */
  #endMinting(): void {
    if (this.#mintingCount > 0) return;
    for (const end of this.#mintingEnded.splice(0)) end();
  }

  #admit(draft: Draft, id: string): Promise<AddedJob> {
    this.#register();
    const add = new DraftAdd(this.#options.verbs, draft, id);
    this.#admission.push(add);
    return add.promise;
  }

  /** Writes the queue's name to the list of queues, once and beside the way: it is a convenience for operators. */
  #register(): void {
    if (this.#isRegistered) return;
    this.#isRegistered = true;
    const { engine, queue } = this.#options;
    engine.command(["SADD", "{emq}:queues", bytesOf(queue)]).catch((error: unknown) => {
      this.#isRegistered = false;
      engine.ports.logger.debug("The queue's name could not be written to {emq}:queues", { queue, error });
    });
  }
}

function bulkFailure(reason: unknown, index: number, ids: readonly string[]): unknown {
  if (!isEchoMQError(reason)) return reason;
  return new EchoMQError(reason.code, `Item ${index} of the bulk was not stored: ${reason.message}`, {
    cause: reason,
    details: { ...reason.details, index, ids },
  });
}
