/**
 * What a test world knows of the jobs in it: which were added and how, which run, how those ended of which no row is
 * left, and who waits for a state.
 *
 * It is written by the world's engine after every act, in the same step, so that no state is passed over, however short
 * it lasts. It reads the store by plain commands and writes nothing.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { isValidId } from "../protocol/id.ts";
import { jobKey, queueKey, splitQueueKey } from "../protocol/key.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import { turnReply } from "../queue/turn-call.ts";
import { type AskedSettlement, askedSettlements } from "./settled-jobs.ts";

/** Jobs that a world remembers, of those added and of those ended; the oldest are forgotten first. */
export const REMEMBERED_JOBS_MAX = 100_000;

/** Acts that make rows; each names the ids of what it makes. */
const ADDING: ReadonlySet<Verb> = new Set([
  "ADMIT",
  "CHILD",
  "ENQUEUE",
  "FIRE",
  "FIRENOW",
  "FLOW",
  "GENQUEUE",
  "HOLD",
  "SCHEDULE",
] as const);

/** How a job has ended that a settlement of this letter left no row of. */
const ENDS: Readonly<Record<string, "completed" | "dead">> = { c: "completed", r: "completed", f: "dead", k: "dead" };

/** Acts that workers send by themselves while nothing happens. A `TURN` counts only by what it does. */
const IDLE: ReadonlySet<Verb> = new Set(["DUE", "EXTENDM", "OWNED", "SWEEP", "TURN"] as const);

/** A job as it was the moment after it was added. */
export interface AddedRow {
  readonly queue: string;
  readonly id: string;
  readonly addedAt: number;
  readonly row: ReadonlyMap<string, Bytes>;
  /** When it falls due, if it is scheduled. */
  readonly dueAt: number | undefined;
}

/** A job that a handler has, or waits for one. */
export interface HeldJob {
  readonly queue: string;
  readonly id: string;
  readonly token: number;
}

interface Watch {
  readonly queue: string;
  readonly id: string;
  readonly state: string;
  readonly onReached: () => void;
}

export class JobBook {
  readonly #engine: Engine;
  readonly #queues = new Set<string>();
  /** By id, in the order of adding. */
  readonly #added = new Map<string, Promise<AddedRow | undefined>>();
  /** The queue of every job that was added, by its id. */
  readonly #places = new Map<string, string>();
  /** How those ended of which no row may be left. */
  readonly #ended = new Map<string, "completed" | "dead">();
  readonly #held = new Map<string, HeldJob>();
  readonly #watches = new Set<Watch>();
  #changes = 0;

  /** @param engine the store itself, where no fault comes in between. */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Queues that acts have named, in the order of the first. */
  get queues(): readonly string[] {
    return [...this.#queues];
  }

  /** Counts acts that may have changed where jobs are. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether a handler may be at work on a job. */
  get isBusy(): boolean {
    return this.#held.size > 0;
  }

  /** Whether an act adds jobs. */
  isAdding(verb: Verb): boolean {
    return ADDING.has(verb);
  }

  /** The queue that a job was added to. */
  queueOf(id: string): string | undefined {
    return this.#places.get(id);
  }

  /** Writes down what an act was asked, before it is done. */
  noteAsked(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): void {
    for (const key of keys) {
      const queue = splitQueueKey(key)?.queue;
      if (queue !== undefined) this.#queues.add(textOf(queue));
    }
    if (!IDLE.has(verb)) this.#changes += 1;
    // Whoever settles a job, or lets it rest, has no handler at work on it any more.
    if (verb === "TURN") for (const { id } of askedSettlements(args)) this.#held.delete(id);
    else if (verb === "PARK" || verb === "COMPLETE") for (const arg of args) this.#held.delete(arg);
  }

  /** Writes down what an act did, in the step in which it was done. */
  noteDone(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[], reply: Promise<Reply>): void {
    const [queue] = keys.flatMap((key) => splitQueueKey(key)?.queue ?? []).map((name) => textOf(name));
    if (queue === undefined) return;
    if (ADDING.has(verb)) for (const arg of args) if (isValidId(arg)) this.#noteAdded(queue, arg);
    const isNoted = this.#noteEnds(verb, queue, args, reply);
    for (const watch of this.#watches) void this.#look(watch, isNoted);
  }

  /** Every job that was added and is remembered, oldest first. */
  async added(): Promise<AddedRow[]> {
    const rows = await Promise.all(this.#added.values());
    return rows.filter((row) => row !== undefined);
  }

  /** Jobs that handlers of this world are at work on, or that stand in line for a handler. */
  async heldJobs(): Promise<HeldJob[]> {
    for (const held of this.#held.values()) {
      const [state, attempts] = await this.#fields(held, ["state", "attempts"]);
      if (state !== "active" || attempts !== String(held.token)) this.#held.delete(held.id);
    }
    return [...this.#held.values()];
  }

  /** Where a job is: its row's word, how it ended when no row is left, else `absent`. */
  async stateOf(queue: string, id: string): Promise<string> {
    const [state] = await this.#fields({ queue, id }, ["state"]);
    return state ?? this.#ended.get(id) ?? "absent";
  }

  /** Calls `onReached` once, as soon as a job is in a state; returns what ends that. */
  watch(watch: Watch): () => void {
    this.#watches.add(watch);
    void this.#look(watch, Promise.resolve());
    return () => this.#watches.delete(watch);
  }

  /** Reads the row in this step, and how a job ended once that is noted. */
  async #look(watch: Watch, isNoted: Promise<void>): Promise<void> {
    const [[state]] = await Promise.all([this.#fields(watch, ["state"]), isNoted]);
    const word = state ?? this.#ended.get(watch.id) ?? "absent";
    if (word === watch.state && this.#watches.delete(watch)) watch.onReached();
  }

  #noteAdded(queue: string, id: string): void {
    if (this.#added.has(id)) return;
    this.#added.set(id, this.#readAdded(queue, id));
    // Of the ids that an act names, those without a row in its queue were not admitted, or are values of other kinds.
    void this.#added.get(id)?.then((row) => {
      if (row === undefined) this.#added.delete(id);
    });
    this.#places.set(id, queue);
    forgetOldest(this.#added);
    forgetOldest(this.#places);
  }

  async #readAdded(queue: string, id: string): Promise<AddedRow | undefined> {
    const addedAt = this.#engine.ports.clock.now();
    // Both are asked in this step, so that they tell of one instant.
    const asked = this.#engine.command(["HGETALL", jobKey(bytesOf(queue), id)]);
    const score = this.#engine.command(["ZSCORE", queueKey(bytesOf(queue), "schedule"), id]);
    const flat = (await asked) as readonly Bytes[];
    const dueAt = await score;
    if (flat.length === 0) return undefined;
    const row = new Map<string, Bytes>();
    for (let at = 0; at + 1 < flat.length; at += 2) row.set(flat[at] ?? "", flat[at + 1] ?? "");
    return { queue, id, addedAt, row, dueAt: dueAt === null ? undefined : Number(dueAt) };
  }

  /** What an act settled and claimed. Never rejects. */
  async #noteEnds(verb: Verb, queue: string, args: readonly Bytes[], reply: Promise<Reply>): Promise<void> {
    const asked = verb === "TURN" ? askedSettlements(args) : [];
    if (verb === "COMPLETE") for (const arg of args) if (this.#places.has(arg)) asked.push({ op: "c", id: arg });
    // Read in this step: what has a row now tells by it how it stands.
    const rows = Promise.all(asked.map(({ id }) => this.#fields({ queue, id }, ["state"])));
    let answer: Reply;
    try {
      answer = await reply;
    } catch {
      return;
    }
    if (verb !== "TURN") return this.#noteGone(asked, await rows, new Map());
    const { exceptions, jobs, moved } = turnReply(answer);
    if (asked.length + jobs.length + moved > 0) this.#changes += 1;
    for (const { id, token } of jobs) this.#held.set(id, { queue, id, token });
    this.#noteGone(asked, await rows, exceptions);
  }

  #noteGone(
    asked: readonly AskedSettlement[],
    rows: readonly (string | undefined)[][],
    exceptions: ReadonlyMap<number, string>,
  ): void {
    for (const [at, { op, id }] of asked.entries()) {
      const end = ENDS[op];
      const verdict = exceptions.get(at) ?? "dead";
      if (end === undefined || verdict !== "dead" || rows[at]?.[0] !== undefined) continue;
      this.#ended.delete(id);
      this.#ended.set(id, end);
      forgetOldest(this.#ended);
    }
  }

  async #fields(
    job: { readonly queue: string; readonly id: string },
    names: string[],
  ): Promise<(string | undefined)[]> {
    const reply = await this.#engine.command(["HMGET", jobKey(bytesOf(job.queue), job.id), ...names]);
    return (reply as readonly (Bytes | null)[]).map((value) => value ?? undefined);
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= REMEMBERED_JOBS_MAX) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
