/**
 * The low-level verbs of the job plane, one method a verb, on any queue of one engine.
 *
 * A method builds the declared keys, sends one act and turns its reply into one of the outcomes that the verb can have.
 * It adds nothing: no options of a queue, no retries, no encoding of payloads. `Queue` and `Worker` stand on these
 * verbs; use them directly to speak the wire byte for byte. docs/protocol/jobs.md says what each does.
 *
 * Common to all: a queue name may be anything without braces and NUL, the empty name included; a malformed id throws
 * `invalid_id` before the wire, whatever its namespace; text is written as UTF-8 and bytes as they are.
 */

import { arrayOf, type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { assertValidId } from "../protocol/id.ts";
import { type AdmitBytesRow, type AdmitOutcome, admitArguments, admitOutcomes } from "./admit-rows.ts";
import { CRASH_LIMIT_DEFAULT, SWEEP_LIMIT_DEFAULT } from "./defaults.ts";
import { OperatorVerbs } from "./operator-verbs.ts";
import { type Outcome, outcomeOf } from "./result-outcome.ts";
import { type Keep, Terms, type TermsSource } from "./retention.ts";
import {
  type Presence,
  presenceArguments,
  type Settlement,
  settlementArguments,
  type TurnJob,
  type TurnReply,
  termsArguments,
  turnJobs,
  turnReply,
} from "./turn-call.ts";
import {
  actOrRefusal,
  bytesReply,
  type Data,
  dataBytes,
  decimal,
  listOf,
  numberReply,
  unexpected,
} from "./verb-call.ts";

/** Single admissions on their way at once in {@link Jobs.enqueueMany}; further ones follow. */
const PIPELINE_MAX = 1000;

/** A claimed job. `attempts` is the token of the claim. */
export interface ClaimedJob {
  readonly id: string;
  readonly payload: Uint8Array;
  readonly attempts: number;
}

/** One job of an {@link Jobs.admit}. */
export interface AdmitRow {
  readonly id: string;
  readonly payload: Data;
  /** Absent, empty and `default` store no name. */
  readonly name?: string;
  /** 0 (first, the default) to 2097152. */
  readonly priority?: number;
  readonly lane?: string;
  /** Compact JSON of what the caller overrode for this job. */
  readonly opts?: string;
  /** The server instant at which it falls due, in ms; excludes `dueInMs`. */
  readonly dueAtMs?: number;
  /** The delay until it falls due; excludes `dueAtMs`. */
  readonly dueInMs?: number;
  /**
   * At most 250 rows of an act have one of the following four. The name `de:<name>` that it holds, and what it means to
   * others (docs/protocol/jobs.md).
   */
  readonly dedup?: DedupRequest;
  /** The name of its alias, as it stands in the key `de:<name>`. */
  readonly alias?: string;
  /** Whether a dead or completed job of that alias gives way. */
  readonly replaceFinished?: boolean;
  /** The limit of the lane, if it has none yet. */
  readonly laneLimit?: number;
  /** How long the job may wait until its first claim, in ms from when it falls due; then it is dead as `expired`. */
  readonly expireInMs?: number;
  /** What its claim takes from a rate: 1, the default, to 1048576. */
  readonly cost?: number;
}

/** A name that a job holds, as the wire has it. */
export interface DedupRequest {
  readonly name: string;
  /** Default `keep`. `extend`, `throttle` and `slide` need `ms`. */
  readonly mode?: DedupMode;
  /** How long the name is held at most; absent for no such bound. */
  readonly ms?: number;
  /** How long replacements may put the job off; absent for no such bound. */
  readonly maxWaitMs?: number;
}

/** What a living holder of a name means to the next job of that name (docs/protocol/jobs.md). */
export type DedupMode =
  | "keep"
  | "extend"
  | "replace"
  | "throttle"
  | "slide"
  | "debounce"
  | "short"
  | "follow"
  | "latest";

/** What a worker asks for in a {@link Jobs.turn}. */
export interface TurnRequest {
  /** The worker's id, written to `owner`. */
  readonly worker: string;
  readonly leaseMs: number;
  /** The most jobs to claim; 0 claims none. */
  readonly want: number;
  /** Lists the worker in the hash `workers`; give it once a beat. */
  readonly presence?: Presence;
  readonly settlements?: readonly Settlement[];
  /** What is kept of the jobs that these settlements end. Without it, completed jobs go and dead ones stay. */
  readonly terms?: TermsSource;
}

/** What is kept of a job that a verb ends, and of others of its kind. */
export interface KeepRequest extends Keep {
  /** How long the outcome is left for whoever asks, in ms. Default 0: for those alone who have asked. */
  readonly resultMs?: number;
}

/** The low-level verbs of one engine. Holds no connection of its own and needs no closing. */
export class Jobs extends OperatorVerbs {
  // Admission.

  /** Admits a job into the flat queue. */
  async enqueue(queue: string, id: string, payload: Data): Promise<"enqueued" | "duplicate" | "kind"> {
    const keys = this.keysOf(queue);
    const call = { verb: "ENQUEUE", keys: [keys.row(id), keys.pending], args: [id, dataBytes(payload)] } as const;
    const reply = await actOrRefusal(this.engine, call, ["kind"]);
    return reply === "kind" ? reply : wordOf(reply, { 1: "enqueued", 0: "duplicate" });
  }

  /** Admits a job that falls due at the server instant `runAtMs`; a past instant is due at once. */
  async enqueueAt(
    queue: string,
    id: string,
    payload: Data,
    runAtMs: number,
  ): Promise<"scheduled" | "duplicate" | "kind"> {
    return await this.#schedule(queue, id, [dataBytes(payload), "at", decimal(runAtMs, "runAtMs")]);
  }

  /** Admits a job that falls due `delayMs` from now, by the server's clock. */
  async enqueueIn(
    queue: string,
    id: string,
    payload: Data,
    delayMs: number,
  ): Promise<"scheduled" | "duplicate" | "kind"> {
    return await this.#schedule(queue, id, [dataBytes(payload), "in", decimal(delayMs, "delayMs")]);
  }

  /**
   * Admits many jobs into the flat queue, each by an act of its own, pipelined. The outcomes stand in the order given;
   * an empty list gives an empty one. A malformed id anywhere throws before the first act.
   */
  async enqueueMany(
    queue: string,
    items: readonly { readonly id: string; readonly payload: Data }[],
  ): Promise<("enqueued" | "duplicate" | "kind")[]> {
    for (const item of items) assertValidId(item.id);
    const outcomes: ("enqueued" | "duplicate" | "kind")[] = [];
    for (let at = 0; at < items.length; at += PIPELINE_MAX) {
      const part = items.slice(at, at + PIPELINE_MAX).map((item) => this.enqueue(queue, item.id, item.payload));
      outcomes.push(...(await Promise.all(part)));
    }
    return outcomes;
  }

  /**
   * Admits 1 to 1000 jobs in one act and wakes workers. More than one row may carry 1 MiB of payload together.
   *
   * @throws EchoMQError `kind` when one id is not of the kind `JOB`, `refused` for a bad value; then none was admitted.
   */
  async admit(queue: string, rows: readonly AdmitRow[]): Promise<AdmitOutcome[]> {
    return await this.admitBytes(queue, rows.map(bytesRow));
  }

  /** {@link Jobs.admit} for rows that are byte strings already. The ids must have been checked. */
  async admitBytes(queue: string, rows: readonly AdmitBytesRow[]): Promise<AdmitOutcome[]> {
    const keys = this.keysOf(queue);
    return admitOutcomes(await this.engine.act("ADMIT", [keys.base, keys.pending], admitArguments(rows)), rows.length);
  }

  // Claims.

  /**
   * Leases the first flat pending job for `leaseMs` (1 to 2^31); `undefined` when none waits or the queue is paused.
   */
  async claim(queue: string, leaseMs: number): Promise<ClaimedJob | undefined> {
    const { pending, active, base } = this.keysOf(queue);
    const reply = listOf(await this.engine.act("CLAIM", [pending, active, base], [decimal(leaseMs, "leaseMs")]));
    return reply.length === 0 ? undefined : claimedJob(reply);
  }

  /** Leases up to `size` (0 to 1000) flat pending jobs with one common deadline. */
  async claimBatch(queue: string, size: number, leaseMs: number): Promise<ClaimedJob[]> {
    const { pending, active, base } = this.keysOf(queue);
    const args = [decimal(leaseMs, "leaseMs"), decimal(size, "size")];
    return listOf(await this.engine.act("BCLAIM", [pending, active, base], args)).map((job) => claimedJob(listOf(job)));
  }

  /** Settles, promotes what is due and claims, in one act. Settlements and `want` together are at most 1000. */
  async turn(queue: string, request: TurnRequest): Promise<TurnReply> {
    const { pending, active, schedule, wake, base } = this.keysOf(queue);
    const fixed = [bytesOf(request.worker), decimal(request.leaseMs, "leaseMs"), decimal(request.want, "want")];
    const { presence, settlements = [], terms } = request;
    const said = terms === undefined ? [] : termsArguments(new Terms(terms));
    const present = presence === undefined ? [] : presenceArguments(presence);
    const args = [...fixed, ...present, ...said, ...settlementArguments(settlements)];
    return turnReply(await this.engine.act("TURN", [pending, active, schedule, wake, base], args));
  }

  /** The leases of a worker that it does not know of, extended; what a `TURN` whose reply was lost had claimed. */
  async owned(
    queue: string,
    request: { readonly worker: string; readonly leaseMs: number; readonly known: readonly string[] },
  ): Promise<TurnJob[]> {
    const { active, base } = this.keysOf(queue);
    const args = [bytesOf(request.worker), decimal(request.leaseMs, "leaseMs"), ...request.known.map(assertValidId)];
    return turnJobs(await this.engine.act("OWNED", [active, base], args));
  }

  // Settlements.

  /**
   * Ends a job as done. Without a result it is the job's own id; the empty text is a result. What is kept needs one;
   * without `keep` nothing is, unless the queue's `meta` says so.
   */
  async complete(
    queue: string,
    id: string,
    token: number,
    result?: Data,
    keep?: KeepRequest,
  ): Promise<"ok" | "gone" | "stale" | "state"> {
    const keys = this.keysOf(queue);
    const args = [id, decimal(token, "token")];
    if (result !== undefined || keep !== undefined) args.push(dataBytes(result ?? ""));
    if (keep !== undefined) args.push(...keepRequestArguments(keep));
    const call = { verb: "COMPLETE", keys: [keys.active, keys.row(id), keys.base], args } as const;
    const reply = await actOrRefusal(this.engine, call, ["stale", "state"]);
    return reply === "stale" || reply === "state" ? reply : wordOf(reply, { 1: "ok", 0: "gone" });
  }

  /**
   * Ends an attempt as failed: the job is scheduled again after `delayMs`, or dead once `maxAttempts` failures are
   * reached.
   */
  async retry(
    queue: string,
    id: string,
    token: number,
    failure: {
      readonly delayMs: number;
      readonly maxAttempts: number;
      readonly error: Data;
      /** What is kept of dead jobs; absent keeps all. */
      readonly keep?: KeepRequest;
    },
  ): Promise<"scheduled" | "dead" | "gone" | "stale" | "state"> {
    const { active, schedule, dead, base, row } = this.#rowKeys(queue, id);
    const numbers = [decimal(failure.delayMs, "delayMs"), decimal(failure.maxAttempts, "maxAttempts")];
    const args = [id, decimal(token, "token"), ...numbers, dataBytes(failure.error)];
    if (failure.keep !== undefined) args.push(...keepRequestArguments(failure.keep));
    const call = { verb: "RETRY", keys: [active, schedule, dead, row, base], args } as const;
    const reply = await actOrRefusal(this.engine, call, ["gone", "stale", "state"]);
    switch (reply) {
      case "scheduled":
      case "dead":
      case "gone":
      case "stale":
      case "state":
        return reply;
      default:
        throw unexpected(reply);
    }
  }

  /** Puts an active job back for `ms`, or with mode `at` until the server instant `ms`, without spending an attempt. */
  async delay(
    queue: string,
    id: string,
    token: number,
    ms: number,
    mode: "in" | "at" = "in",
  ): Promise<"ok" | "gone" | "stale" | "kind" | "state"> {
    const { active, schedule, base, row } = this.#rowKeys(queue, id);
    const args = [id, decimal(token, "token"), mode, decimal(ms, "ms")];
    const call = { verb: "DELAY", keys: [row, active, schedule, base], args } as const;
    return okOr(await actOrRefusal(this.engine, call, ["gone", "stale", "kind", "state"]));
  }

  /** Puts an active job back to its place at once, without spending an attempt. */
  async giveBack(queue: string, id: string, token: number): Promise<"ok" | "gone" | "stale" | "state"> {
    const { active, pending, base, row } = this.#rowKeys(queue, id);
    const call = { verb: "GIVEBACK", keys: [active, row, pending, base], args: [id, decimal(token, "token")] } as const;
    return okOr(await actOrRefusal(this.engine, call, ["gone", "stale", "state"]));
  }

  // Leases and background.

  /** Moves up to `batch` (0 to 1000) due jobs to where they wait; answers how many. */
  async promote(queue: string, batch: number): Promise<number> {
    const { schedule, pending, base } = this.keysOf(queue);
    return numberReply(await this.engine.act("PROMOTE", [schedule, pending, base], [decimal(batch, "batch")]));
  }

  /** Moves one scheduled job to where it waits, before its time. */
  async release(queue: string, id: string): Promise<"ok" | "gone" | "not_scheduled"> {
    const { schedule, pending, base, row } = this.#rowKeys(queue, id);
    const call = { verb: "RELEASE", keys: [row, schedule, pending, base], args: [id] } as const;
    const reply = await actOrRefusal(this.engine, call, ["state"]);
    return reply === "state" ? "not_scheduled" : wordOf(reply, { 1: "ok", [-1]: "gone" });
  }

  /** Takes back up to `limit` lapsed leases (0 to 1000, default 100) and never kills; answers how many. */
  async reap(queue: string, limit = SWEEP_LIMIT_DEFAULT): Promise<number> {
    const { active, pending, base } = this.keysOf(queue);
    return numberReply(await this.engine.act("REAP", [active, pending, base], [decimal(limit, "limit")]));
  }

  /**
   * Takes back up to `limit` lapsed leases (0 to 1000, default 100); a job whose leases lapsed `maxStalled` times
   * (0 and more, default 3) is dead. With `keep`, which says what is kept of dead jobs, kept jobs whose time is over go
   * as well, within the same limit, of which `expired` says how many; and jobs that have not begun in their time to
   * live are dead, the `overdue`.
   */
  async sweep(
    queue: string,
    bounds: { readonly maxStalled?: number; readonly limit?: number; readonly keep?: KeepRequest } = {},
  ): Promise<{ recovered: string[]; dead: string[]; expired?: number; overdue?: string[] }> {
    const { active, pending, dead, base } = this.keysOf(queue);
    const { maxStalled = CRASH_LIMIT_DEFAULT, limit = SWEEP_LIMIT_DEFAULT, keep } = bounds;
    const args = [decimal(maxStalled, "maxStalled"), decimal(limit, "limit")];
    if (keep !== undefined) args.push(...keepRequestArguments(keep));
    const reply = listOf(await this.engine.act("SWEEP", [active, pending, dead, base], args));
    const swept = { recovered: idsOf(reply[0]), dead: idsOf(reply[1]) };
    return keep === undefined ? swept : { ...swept, expired: numberReply(reply[2]), overdue: idsOf(reply[5]) };
  }

  /**
   * How a job ended; `undefined` while it has not. With `waitMs` above 0 (to 2^31) such a job is marked, so that its
   * outcome is left that long, and the channel `results` of the queue tells its id when it ends.
   */
  async outcome(queue: string, id: string, waitMs = 0): Promise<Outcome | undefined> {
    const { base, row } = this.#rowKeys(queue, id);
    return outcomeOf(await this.engine.act("RESULT", [row, base], [id, decimal(waitMs, "waitMs")]));
  }

  /** Renews a lease. `cancel`: renewed, but the job was asked to stop. */
  async extendLock(
    queue: string,
    id: string,
    token: number,
    leaseMs: number,
  ): Promise<"ok" | "cancel" | "gone" | "stale"> {
    const { active, row } = this.#rowKeys(queue, id);
    const args = [id, decimal(token, "token"), decimal(leaseMs, "leaseMs")];
    const reply = await actOrRefusal(this.engine, { verb: "EXTEND", keys: [active, row], args }, ["gone", "stale"]);
    return reply === "gone" || reply === "stale" ? reply : wordOf(reply, { 1: "ok", 2: "cancel", [-1]: "gone" });
  }

  /** Renews up to 1000 leases with one common deadline; answers which were not renewed and which were asked to stop. */
  async extendLocks(
    queue: string,
    held: readonly { readonly id: string; readonly token: number }[],
    leaseMs: number,
  ): Promise<{ failed: string[]; cancelled: string[] }> {
    const { active, base } = this.keysOf(queue);
    const args = [decimal(leaseMs, "leaseMs")];
    for (const { id, token } of held) args.push(assertValidId(id), decimal(token, "token"));
    const reply = listOf(await this.engine.act("EXTENDM", [active, base], args));
    return { failed: idsOf(reply[0]), cancelled: idsOf(reply[1]) };
  }

  /** Removes a job that waits, or marks an active one so that its holder stops. */
  async cancel(queue: string, id: string, reason: string): Promise<"marked" | "removed" | "gone"> {
    const { active, base, row } = this.#rowKeys(queue, id);
    const reply = await this.engine.act("CANCEL", [row, active, base], [id, bytesOf(reason)]);
    return wordOf(reply, { 1: "marked", 2: "removed", [-1]: "gone" });
  }

  // Events.

  /**
   * Tells an event of a job by hand, whoever listens; `more` comes after the two, in its own order. For events of your
   * own and for speakers whose acts tell none: what acts tell (docs/protocol/events.md) is not to be told twice.
   */
  async publish(queue: string, event: string, id: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const { events } = this.keysOf(queue);
    const text = JSON.stringify({ event, job: assertValidId(id), ...more });
    await this.engine.command(["PUBLISH", events, bytesOf(text)]);
  }

  // Changes of one job.

  /** Replaces the payload, in any state; with a token only for the holder of that claim. */
  async updateData(queue: string, id: string, payload: Data, token?: number): Promise<"ok" | "gone" | "stale"> {
    const args = [dataBytes(payload), ...tokenArgument(token)];
    return await this.#change("UPDATE", [this.keysOf(queue).row(id)], args);
  }

  /** Stores the progress and publishes it; with a token only for the holder of that claim. */
  async updateProgress(queue: string, id: string, progress: Data, token?: number): Promise<"ok" | "gone" | "stale"> {
    const { base, row } = this.#rowKeys(queue, id);
    return await this.#change("PROGRESS", [row, base], [dataBytes(progress), id, ...tokenArgument(token)]);
  }

  /** Appends a log line and keeps the newest `keep` (0 keeps all); answers how many lines there are. */
  async addLog(queue: string, id: string, line: Data, keep = 0, token?: number): Promise<number | "gone" | "stale"> {
    const row = this.keysOf(queue).row(id);
    const args = [dataBytes(line), decimal(keep, "keep"), ...tokenArgument(token)];
    const reply = await actOrRefusal(this.engine, { verb: "LOG", keys: [row, `${row}:logs`], args }, ["gone", "stale"]);
    if (reply === "gone" || reply === "stale") return reply;
    const lines = numberReply(reply);
    return lines < 0 ? "gone" : lines;
  }

  /** Removes a job from wherever it is, and a deduplication key that it holds. A locked job stays, unless forced. */
  async removeJob(
    queue: string,
    id: string,
    dedupId = "",
    options: { readonly force?: boolean } = {},
  ): Promise<"ok" | "gone" | "locked"> {
    const { pending, active, schedule, dead, base, row } = this.#rowKeys(queue, id);
    const args = [id, bytesOf(dedupId)];
    if (options.force === true) args.push("force");
    const call = { verb: "REMOVE", keys: [row, pending, active, schedule, dead, base], args } as const;
    const reply = await actOrRefusal(this.engine, call, ["locked"]);
    return reply === "locked" ? reply : wordOf(reply, { 1: "ok", [-1]: "gone" });
  }

  /** Gives a dead job a fresh budget of attempts and lets it wait again. */
  async reprocessJob(queue: string, id: string): Promise<"ok" | "gone" | "not_dead"> {
    const { dead, pending, base, row } = this.#rowKeys(queue, id);
    const call = { verb: "REPROCESS", keys: [row, dead, pending, base], args: [id] } as const;
    const reply = await actOrRefusal(this.engine, call, ["state"]);
    return reply === "state" ? "not_dead" : wordOf(reply, { 1: "ok", [-1]: "gone" });
  }

  async #schedule(queue: string, id: string, tail: Bytes[]): Promise<"scheduled" | "duplicate" | "kind"> {
    const { schedule, row } = this.#rowKeys(queue, id);
    const call = { verb: "SCHEDULE", keys: [row, schedule], args: [id, ...tail] } as const;
    const reply = await actOrRefusal(this.engine, call, ["kind"]);
    return reply === "kind" ? reply : wordOf(reply, { 1: "scheduled", 0: "duplicate" });
  }

  async #change(verb: "UPDATE" | "PROGRESS", keys: Bytes[], args: Bytes[]): Promise<"ok" | "gone" | "stale"> {
    const reply = await actOrRefusal(this.engine, { verb, keys, args }, ["gone", "stale"]);
    return reply === "gone" || reply === "stale" ? reply : wordOf(reply, { 1: "ok", [-1]: "gone" });
  }

  /** The keys of a queue and of one row in it. */
  #rowKeys(queue: string, id: string) {
    const keys = this.keysOf(queue);
    const { base, pending, active, schedule, dead } = keys;
    return { base, pending, active, schedule, dead, row: keys.row(id) };
  }
}

/** The word that an integer reply stands for. */
function wordOf<const W extends string>(reply: unknown, words: Readonly<Record<number, W>>): W {
  const word = typeof reply === "number" ? words[reply] : undefined;
  if (word === undefined) throw unexpected(reply);
  return word;
}

/** `ok` for 1, the refusal for its word. */
function okOr<R extends string>(reply: unknown): "ok" | R {
  return typeof reply === "string" ? (reply as R) : wordOf(reply, { 1: "ok" });
}

function claimedJob(parts: readonly unknown[]): ClaimedJob {
  const [id, payload, attempts] = parts as Parameters<typeof bytesReply>[0][];
  return { id: bytesReply(id), payload: arrayOf(bytesReply(payload)), attempts: numberReply(attempts) };
}

function idsOf(reply: Parameters<typeof listOf>[0] | undefined): string[] {
  return listOf(reply ?? null).map((id) => bytesReply(id));
}

function keepRequestArguments({ count, ms, resultMs = 0 }: KeepRequest): Bytes[] {
  return [decimal(count, "count"), decimal(ms, "ms"), decimal(resultMs, "resultMs")];
}

function tokenArgument(token: number | undefined): Bytes[] {
  return token === undefined ? [] : [decimal(token, "token")];
}

/** Turns a caller's row into byte strings. Throws `invalid_id` and, for both due times at once, `invalid_option`. */
function bytesRow(row: AdmitRow): AdmitBytesRow {
  let shape = "";
  const values: Bytes[] = [];
  const add: AddLetter = (letter, value) => {
    shape += letter;
    values.push(value);
  };
  if (row.name !== undefined && row.name !== "" && row.name !== "default") add("n", bytesOf(row.name));
  if (row.priority !== undefined && row.priority !== 0) add("p", decimal(row.priority, "priority"));
  if (row.lane !== undefined) add("g", bytesOf(row.lane));
  if (row.opts !== undefined && row.opts !== "") add("o", bytesOf(row.opts));
  if (row.dueAtMs !== undefined && row.dueInMs !== undefined) {
    throw new EchoMQError("invalid_option", "dueAtMs and dueInMs exclude each other: give one of them");
  }
  if (row.dueAtMs !== undefined) add("a", decimal(row.dueAtMs, "dueAtMs"));
  if (row.dueInMs !== undefined) add("i", decimal(row.dueInMs, "dueInMs"));
  addNames(row, add);
  const { expireInMs, cost } = row;
  if (expireInMs !== undefined) add("x", decimal(expireInMs, "expireInMs"));
  if (cost !== undefined && cost !== 1) add("c", decimal(cost, "cost"));
  return { id: assertValidId(row.id), payload: dataBytes(row.payload), shape, values };
}

type AddLetter = (letter: string, value: Bytes) => void;

/** Adds the letters of the names of a row, and of the limit of its lane. */
function addNames({ dedup, alias, laneLimit, replaceFinished }: AdmitRow, add: AddLetter): void {
  if (dedup !== undefined) {
    add("d", bytesOf(dedup.name));
    if (dedup.mode !== undefined && dedup.mode !== "keep") add("m", dedup.mode);
    if (dedup.ms !== undefined) add("t", decimal(dedup.ms, "dedup.ms"));
    if (dedup.maxWaitMs !== undefined) add("w", decimal(dedup.maxWaitMs, "dedup.maxWaitMs"));
  }
  if (alias !== undefined) add(replaceFinished === true ? "k" : "j", bytesOf(alias));
  if (laneLimit !== undefined) add("l", decimal(laneLimit, "laneLimit"));
}
