/**
 * The schedulers of one queue: made, read, listed, run by hand and taken away.
 *
 * Every check comes before the first write, and what is written is one act: a scheduler is there whole or not at all.
 * Who fires them is no concern of this file (src/worker/repeat-keeper.ts).
 */

import type { Engine } from "../engine/engine.ts";
import { assertOwnWire } from "../engine/shared-mode.ts";
import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { readIdPage } from "./id-page.ts";
import type { JobAdder } from "./job-adder.ts";
import type { Draft } from "./job-draft.ts";
import type { JobOptions } from "./job-options.ts";
import { JobScheduler, type JobSchedulerFacts, type RunNowResult, type SchedulerVerbs } from "./job-scheduler.ts";
import { assertKnownOptions, assertName, assertWhole } from "./option-check.ts";
import type { PayloadCodec } from "./payload-codec.ts";
import { type Recurrence, recurrenceOf } from "./recurrence.ts";
import { ENDED_AT, Repeats, type ShownRepeat, wholeOf } from "./repeats.ts";
import { freshFacts, storedFacts } from "./scheduler-facts.ts";
import {
  type OverlapPolicy,
  type RepeatOptions,
  repeatPairs,
  repeatPlan,
  type SchedulerTemplate,
} from "./scheduler-options.ts";
import { readServerNow } from "./server-clock.ts";
import { QueueKeys } from "./verb-call.ts";

/** Slots of one preview, at most, and unless told otherwise. */
export const PREVIEW_MAX = 1000;
export const PREVIEW_DEFAULT = 10;

/** Schedulers of one page, at most, and unless told otherwise. */
export const PAGE_SCHEDULERS_MAX = 1000;
export const PAGE_SCHEDULERS_DEFAULT = 100;

/** Records that one act shows. */
const RECORDS_AT_ONCE = 100;

/** How often a skip is tried again that another change came before. */
const SKIP_TRIES_MAX = 5;

/** Which page of schedulers. */
export interface SchedulerPageOptions {
  /** The cursor of the page before; absent for the first page. */
  readonly cursor?: string | undefined;
  /** How many, 1 to 1000; default 100. */
  readonly limit?: number;
}

/** A page of schedulers. */
export interface SchedulerPage {
  readonly schedulers: JobScheduler[];
  /** For the next page; `undefined` at the end. */
  readonly cursor: string | undefined;
}

/** What the schedulers of a queue work with. */
export interface JobSchedulersOptions {
  readonly engine: Engine;
  readonly queue: string;
  readonly adder: JobAdder;
  readonly codec: PayloadCodec;
  readonly payloadBytesMax: number;
}

const TEMPLATE_TABLE = {
  owner: "the template of a scheduler",
  known: ["name", "data", "opts"],
  foreign: { options: "it is called opts", payload: "it is called data" },
  example: '{ name: "report", data: { … }, opts: { attempts: 5 } }',
};

const PAGE_TABLE = { owner: "getJobSchedulers", known: ["cursor", "limit"], foreign: { start: "give cursor" } };

/** Options of a single job, which no job of a scheduler can have. */
const SINGLE: Readonly<Record<string, string>> = {
  id: "each occurrence has an id of its own",
  jobId: "each occurrence is a job of its own; the id of the scheduler names them all",
  replaceFinished: "it goes with jobId",
  idempotencyKey: "give deduplication: { id, ttl }",
  idempotencyKeyTTL: "give deduplication: { id, ttl }",
  debounce: "give deduplication, or overlap",
  concurrencyKey: "give lane, and set its limit",
  retryOnDisconnect: "whoever fires tries again by itself",
  repeat: "when it occurs stands in the second argument",
};

/** The word of `REPEAT` for each letter that a plan can have. */
const WORD_OF: Readonly<Record<string, string>> = {
  p: "priority",
  g: "group",
  o: "opts",
  i: "due_in",
  d: "dedup",
  m: "mode",
  t: "dedup_ms",
  w: "max_wait_ms",
  l: "lane_limit",
  x: "expire_ms",
  c: "cost",
};

/** The schedulers of one queue. */
export class JobSchedulers implements SchedulerVerbs {
  readonly #options: JobSchedulersOptions;
  readonly #repeats: Repeats;

  constructor(options: JobSchedulersOptions) {
    this.#options = options;
    this.#repeats = new Repeats(options.engine);
  }

  /** Makes a scheduler, or gives the one of that id this content. */
  async upsert(id: string, repeat: RepeatOptions, template: SchedulerTemplate = {}): Promise<JobScheduler> {
    const { engine, queue, adder } = this.#options;
    assertOwnWire(engine, "Schedulers");
    assertSchedulerId(id);
    const plan = repeatPlan(repeat);
    assertKnownOptions(template, TEMPLATE_TABLE);
    const { name = id, data = {}, opts } = template;
    const { draft, payload } = await adder.template(name, data, jobOptions(opts));
    const lane = laneOf(id, plan.overlap, draft);
    const nowMs = await readServerNow(engine);
    const firstAtMs = plan.isImmediate ? nowMs : (plan.recurrence.next(nowMs) ?? ENDED_AT);
    const outcome = await this.#repeats.put(queue, id, {
      everyMs: plan.recurrence.rule.every ?? 0,
      template: payload,
      firstAtMs,
      pairs: [...jobPairs(draft, lane), ...repeatPairs(plan)],
    });
    const facts = await this.#read(bytesOf(id));
    // Somebody has taken it away since: it is told as it was made.
    return new JobScheduler(this, facts ?? freshFacts(id, { plan, draft, firstAtMs }), outcome);
  }

  /** Reads one scheduler; `undefined` when there is none. */
  async get(id: string): Promise<JobScheduler | undefined> {
    assertSchedulerId(id);
    const facts = await this.#read(bytesOf(id));
    return facts === undefined ? undefined : new JobScheduler(this, facts, undefined);
  }

  /** A page of schedulers, those that occur first first. */
  async list(options: SchedulerPageOptions = {}): Promise<SchedulerPage> {
    assertKnownOptions(options, PAGE_TABLE);
    const { cursor, limit = PAGE_SCHEDULERS_DEFAULT } = options;
    assertWhole(limit, "limit", { min: 1, max: PAGE_SCHEDULERS_MAX });
    const { engine } = this.#options;
    const page = await readIdPage(engine, { key: `${this.#base}cron`, cursor, limit, ascending: true });
    const schedulers: JobScheduler[] = [];
    for (let at = 0; at < page.ids.length; at += RECORDS_AT_ONCE) {
      const names = page.ids.slice(at, at + RECORDS_AT_ONCE);
      const shown = await this.#repeats.show(this.#options.queue, names);
      for (const [index, one] of shown.entries()) {
        if (one === undefined) continue;
        schedulers.push(new JobScheduler(this, await this.#factsOf(names[index] ?? "", one), undefined));
      }
    }
    return { schedulers, cursor: page.cursor };
  }

  async removeJobScheduler(id: string): Promise<boolean> {
    assertSchedulerId(id);
    return (await this.#repeats.cancel(this.#options.queue, id, "cron")) === "cancelled";
  }

  async runJobScheduler(id: string): Promise<RunNowResult> {
    assertSchedulerId(id);
    const { queue, adder } = this.#options;
    const jobId = await adder.mintId();
    const outcome = await this.#repeats.fireNow(queue, id, jobId);
    if (outcome === "fired") return { outcome: "added", id: jobId };
    if (outcome === "overlapping" || outcome === "held" || outcome === "gone") return { outcome, id: undefined };
    throw new EchoMQError("internal", `A freshly minted id was refused (${outcome})`, { details: { id: jobId } });
  }

  async previewJobScheduler(id: string, count = PREVIEW_DEFAULT): Promise<Date[]> {
    assertSchedulerId(id);
    assertWhole(count, "count", { min: 1, max: PREVIEW_MAX });
    const stored = await this.#record(bytesOf(id));
    if (stored === undefined) return [];
    const { record, nextAtMs } = stored;
    const left = (wholeOf(record.get("limit")) ?? ENDED_AT) - (wholeOf(record.get("fired")) ?? 0);
    const until = wholeOf(record.get("until")) ?? ENDED_AT;
    return slotsFrom(recurrenceOf(record.get("rule") ?? ""), { nextAtMs, count: Math.min(count, left), until });
  }

  async skipJobScheduler(id: string): Promise<Date | undefined> {
    assertSchedulerId(id);
    for (let tries = 0; tries < SKIP_TRIES_MAX; tries++) {
      const stored = await this.#record(bytesOf(id));
      if (stored === undefined || stored.nextAtMs === ENDED_AT) return undefined;
      const { record, nextAtMs } = stored;
      const outcome = await this.#repeats.skip(this.#options.queue, id, {
        dueAtMs: nextAtMs,
        rev: wholeOf(record.get("rev")) ?? 0,
        nextAtMs: recurrenceOf(record.get("rule") ?? "").next(nextAtMs) ?? ENDED_AT,
        skipped: { count: 1, slotAtMs: nextAtMs, why: "hand" },
      });
      if (outcome === "skipped") return new Date(nextAtMs);
      if (outcome === "gone") return undefined;
    }
    throw new EchoMQError("server_busy", `The scheduler ${quote(id)} changes all the time: try again`);
  }

  get #base(): Bytes {
    return new QueueKeys(this.#options.queue).base;
  }

  /** A scheduler as it stands; `undefined` when there is none. */
  async #record(name: Bytes): Promise<ShownRepeat | undefined> {
    const [shown] = await this.#repeats.show(this.#options.queue, [name]);
    return shown;
  }

  async #read(name: Bytes): Promise<JobSchedulerFacts | undefined> {
    const shown = await this.#record(name);
    return shown === undefined ? undefined : await this.#factsOf(name, shown);
  }

  async #factsOf(name: Bytes, shown: ShownRepeat): Promise<JobSchedulerFacts> {
    const { codec, payloadBytesMax } = this.#options;
    const data = await decoded(() => codec.decode(shown.record.get("template") ?? "", payloadBytesMax));
    return storedFacts(textOf(name), { ...shown, data });
  }
}

/** What a payload holds; `undefined` where it cannot be read, so that the scheduler is seen all the same. */
async function decoded(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

function assertSchedulerId(id: unknown): asserts id is string {
  assertName(id, "scheduler", { mayBeEmpty: false });
}

/** The options of the jobs, without what belongs to one job alone. */
function jobOptions(opts: SchedulerTemplate["opts"]): JobOptions | undefined {
  if (opts === undefined || typeof opts !== "object" || opts === null) return opts;
  for (const name of Object.keys(opts)) {
    if (!Object.hasOwn(SINGLE, name)) continue;
    throw new EchoMQError("unknown_option", `opts of a scheduler has no option ${name}: ${SINGLE[name]}`, {
      details: { option: name },
    });
  }
  return opts as JobOptions;
}

/** The lane of the jobs; `undefined` for none. Jobs that run one after another have one of their own. */
function laneOf(id: string, overlap: OverlapPolicy, { plan }: Draft): Bytes | undefined {
  const at = plan.shape.indexOf("g");
  const lane = at < 0 ? undefined : plan.values[at];
  if (overlap !== "queue") return lane;
  if (lane !== undefined) {
    throw new EchoMQError(
      "invalid_schedule",
      'overlap: "queue" gives the jobs a lane of their own: leave out opts.lane',
    );
  }
  assertName(`repeat:${id}`, "scheduler with overlap: queue", { mayBeEmpty: false });
  return bytesOf(`repeat:${id}`);
}

/** The pairs of a record that say what the jobs have, in the order of the contract. */
function jobPairs({ nameBytes, plan }: Draft, lane: Bytes | undefined): Bytes[] {
  const pairs: Bytes[] = nameBytes === "" ? [] : ["name", nameBytes];
  const letters = [...plan.shape];
  for (const letter of "pgoidmtwlxc") {
    const at = letters.indexOf(letter);
    const value = letter === "g" ? lane : plan.values[at];
    const word = WORD_OF[letter];
    if (word !== undefined && value !== undefined && (at >= 0 || letter === "g")) pairs.push(word, value);
  }
  return pairs;
}

/** The slots from the next one on. */
function slotsFrom(
  recurrence: Recurrence,
  { nextAtMs, count, until }: { readonly nextAtMs: number; readonly count: number; readonly until: number },
): Date[] {
  const slots: Date[] = [];
  let at: number | undefined = nextAtMs;
  while (at !== undefined && at < ENDED_AT && at <= until && slots.length < count) {
    slots.push(new Date(at));
    at = recurrence.next(at);
  }
  return slots;
}

/**
 * The next slots of a schedule that is nowhere stored.
 *
 * @param options.count 1 to 1000, default 10. @param options.from the instant after which they lie.
 * @throws EchoMQError what {@link repeatPlan} throws.
 */
export function scheduleSlots(
  repeat: RepeatOptions,
  { from, count = PREVIEW_DEFAULT }: { readonly from: number; readonly count?: number },
): Date[] {
  assertWhole(count, "count", { min: 1, max: PREVIEW_MAX });
  const { recurrence, limit = ENDED_AT, untilMs = ENDED_AT } = repeatPlan(repeat);
  const nextAtMs = recurrence.next(from) ?? ENDED_AT;
  return slotsFrom(recurrence, { nextAtMs, count: Math.min(count, limit), until: untilMs });
}
