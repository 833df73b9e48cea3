/**
 * Why a job does not run: reads what decides it and says it, as data and in words.
 *
 * One act reads the job and its queue from one instant of the server; who serves the queue is read beside it. Nothing
 * is written and no command costs more than its one answer, so that asking is always safe, also of a queue with a
 * million jobs. The reasons are a closed union: whoever adds a thing that can hold a job back adds its reason here and
 * its words in {@link wordsOf}, which the compiler demands.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { type Bytes, textOf } from "../protocol/bytes.ts";
import { quote } from "../protocol/quote.ts";
import type { StateAnswer } from "../protocol/registry.generated.ts";
import { PARKED_AT } from "../protocol/score.ts";
import { NAME_DEFAULT } from "./defaults.ts";
import { type Child, openChildren, readChildren } from "./flow-children.ts";
import { type ParentName, readParents } from "./flow-parents.ts";
import { type LaneCounts, Lanes } from "./lanes.ts";
import { isName } from "./option-check.ts";
import { readWorkers, type WorkerInfo } from "./roster.ts";
import { bytesReply, listOf, numberReply, type QueueKeys } from "./verb-call.ts";

/**
 * One thing that keeps a job from running, or says where it is. Instants are the server's Unix ms; `Ms` without an
 * instant counts from the moment of asking.
 *
 * - `absent`: there is no such job: it is completed, was removed, or never was.
 * - `completed`: it ran.
 * - `awaiting_children`: it waits for `open` jobs of its own, of which up to 20 are told; `inMs` until it waits no
 *   longer.
 * - `dead`: it will not run again unless it is retried by hand. `cause` is `crashed` where its leases lapsed too often,
 *   `cancelled` where a cancel was asked for while it ran, and `expired` where it did not begin in its time to live.
 * - `active`: it runs, or its holder is gone: `leaseLeftMs` below 0 is a lease that ran out and is taken back at the
 *   next sweep. `isCancelled`: its holder was asked to stop.
 * - `paused`: the queue is paused. Only jobs that are active already go on.
 * - `delayed`: it is scheduled. `inMs` of 0 or less is due, and moves with the next turn of any worker.
 * - `follows`: it runs after the end of job `id`, which has its deduplication id.
 * - `lane-paused`, `lane-full`: its lane is paused, or has as many jobs active as its limit allows; in an ordered lane
 *   (`isOrdered`) a job that waits for its next attempt counts as active.
 * - `lane-rate`: its lane, or the lane of its name, has started as much as its rate allows; `inMs` until the next job
 *   of it. `cost` is what this job takes from a rate.
 * - `queue-full`: as many jobs of the queue are active as its limits allow.
 * - `rate`: the rate of the queue is spent, or has too little left for the next job, or a handler asked for a pause;
 *   `inMs` until a job starts again.
 * - `turns`: so many other lanes take their turn before its lane does.
 * - `behind`: so many jobs stand before it in the same line.
 * - `no-worker`: nobody asks for work. `silentMs` is how long ago somebody last did; `undefined` when nobody is known.
 * - `unknown-name`: all workers serve chosen names, and this one is not among them. At most 20 of `known` are told.
 * - `workers-paused`: so many workers are known, and somebody has paused each of them.
 * - `busy`: all handlers of the known workers are taken.
 * - `stray`: there is a row and no set holds it. That is damage.
 * - `next`: nothing stands in the way; it runs with the next turn.
 */
export type Reason =
  | { readonly kind: "absent" | "completed" | "paused" | "next" }
  | {
      readonly kind: "awaiting_children";
      readonly open: number;
      readonly children: readonly ParentName[];
      readonly inMs: number | undefined;
    }
  | { readonly kind: "dead"; readonly cause: "failed" | "crashed" | "cancelled" | "expired"; readonly error: string }
  | {
      readonly kind: "active";
      readonly worker: string | undefined;
      readonly token: number;
      readonly leaseLeftMs: number;
      readonly isCancelled: boolean;
    }
  | { readonly kind: "delayed"; readonly dueAt: number; readonly inMs: number; readonly lastError: string | undefined }
  | { readonly kind: "follows"; readonly id: string }
  | { readonly kind: "lane-paused"; readonly lane: string }
  | {
      readonly kind: "lane-full";
      readonly lane: string;
      readonly active: number;
      readonly limit: number;
      readonly isOrdered: boolean;
    }
  | { readonly kind: "lane-rate"; readonly lane: string; readonly inMs: number; readonly cost: number }
  | { readonly kind: "queue-full"; readonly active: number; readonly limit: number }
  | { readonly kind: "rate"; readonly inMs: number; readonly cost: number }
  | { readonly kind: "turns"; readonly lane: string; readonly turns: number }
  | { readonly kind: "behind"; readonly jobs: number; readonly lane: string | undefined }
  | { readonly kind: "no-worker"; readonly silentMs: number | undefined }
  | { readonly kind: "unknown-name"; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: "workers-paused"; readonly workers: number }
  | { readonly kind: "busy"; readonly active: number; readonly concurrency: number }
  | { readonly kind: "stray"; readonly state: string };

/** Why a job does not run, or that it does. */
export interface Explanation {
  readonly id: string;
  readonly state: StateAnswer;
  /** When the server was asked, by its own clock. */
  readonly askedAt: number;
  /** What decides, the nearest first; never empty. */
  readonly reasons: readonly Reason[];
  /** The jobs that wait for it, 20 at most. */
  readonly parents: readonly ParentName[];
  /** The same as sentences, in one text. */
  readonly text: string;
}

/**
 * Beats of silence after which a worker that has a free slot counts as gone, and after which any does. The former sends
 * a turn every second beat, and a sweep, which does not tell who asks, on the others.
 */
const FREE_SILENT_BEATS = 5;
const SILENT_BEATS = 10;

/** Names that a reason tells, and children and parents, at most. */
const NAMES_TOLD = 20;

/** What `EXPLAIN` answered. */
interface Facts {
  readonly now: number;
  readonly state: StateAnswer;
  readonly score: number;
  readonly rank: number;
  readonly isPaused: boolean;
  readonly active: number;
  readonly attempts: number;
  readonly name: string;
  readonly lane: string | undefined;
  readonly owner: string | undefined;
  readonly lastError: string | undefined;
  readonly isCancelled: boolean;
  /** Leases that lapsed. */
  readonly crashes: number;
}

/** What the limits of the queue tell. */
interface LimitFacts {
  /** The most jobs that may be active; 0 for no limit. */
  readonly concurrency: number;
  /** Until when nothing of the queue starts, in server ms; 0 for no such time. */
  readonly restsUntil: number;
  /** What the job takes from a rate. */
  readonly cost: number;
}

/** What the lane of a job tells. */
interface LaneFacts {
  readonly counts: LaneCounts;
  /** Lanes that take their turn before. */
  readonly turns: number;
  /** Until when the job keeps its place in an ordered lane without running; 0 for no such time. */
  readonly due: number;
}

/** For what a parent waits. */
interface WaitFacts {
  readonly open: number;
  readonly children: readonly ParentName[];
  /** Until when, in server ms; `undefined` for no such time. */
  readonly until: number | undefined;
}

/** What may hold a job back that waits. */
interface Holds {
  readonly wait: WaitFacts | undefined;
  readonly lane: LaneFacts | undefined;
  readonly limits: LimitFacts | undefined;
}

/** Where a job is asked about. */
export interface ExplainSource {
  readonly engine: Engine;
  readonly keys: QueueKeys;
}

/** Says why a job does not run. Throws `invalid_id` for a malformed id, before anything is asked. */
export async function explainJob({ engine, keys }: ExplainSource, id: string): Promise<Explanation> {
  const places = [keys.pending, keys.active, keys.schedule, keys.dead, keys.row(id), keys.base];
  const [reply, workers] = await Promise.all([engine.act("EXPLAIN", places, [id]), readWorkers({ engine, keys })]);
  const facts = factsOf(listOf(reply));
  const leader = facts.score >= PARKED_AT ? await engine.command(["HGET", keys.row(id), "follows"]) : null;
  const isParked = facts.state === "scheduled" && leader !== null;
  const [holds, parents] = await Promise.all([
    readHolds({ engine, keys }, id, facts),
    facts.state === "absent" ? [] : readParents(engine, keys.queue, id),
  ]);
  const reasons: Reason[] = isParked
    ? [{ kind: "follows", id: bytesReply(leader) }, ...pauseOf(facts), ...hindrancesOf(facts, workers)]
    : reasonsOf(facts, workers, holds);
  const text = [...reasons.map(wordsOf), ...parentWords(parents)].join(" ");
  return { id, state: facts.state, askedAt: facts.now, reasons, parents: parents.slice(0, NAMES_TOLD), text };
}

/** For what a parent waits, read behind the parent; nothing for any other job. */
async function readWait({ engine, keys }: ExplainSource, id: string, facts: Facts): Promise<WaitFacts | undefined> {
  if (facts.state !== "awaiting_children") return undefined;
  const [open, children, until] = await Promise.all([
    openChildren(engine, keys.queue, id),
    readChildren(engine, keys.queue, id, (seen) => openOf(seen).length >= NAMES_TOLD),
    engine.command(["ZSCORE", keys.schedule, id]),
  ]);
  const names = openOf(children).slice(0, NAMES_TOLD);
  return {
    open,
    children: names.map((child) => ({ id: child.standIn ?? child.id, queueName: child.queueName })),
    until: until === null ? undefined : numberReply(until),
  };
}

function openOf(children: readonly Child[]): Child[] {
  return children.filter(({ state }) => state === "open");
}

/** Who waits for the job. */
function parentWords(parents: readonly ParentName[]): string[] {
  const [first] = parents;
  if (first === undefined) return [];
  const name = `Job ${first.id} of the queue ${quote(first.queueName)}`;
  return [parents.length === 1 ? `${name} waits for it.` : `${name} and ${parents.length - 1} more wait for it.`];
}

/** What the queue and the lane of a job that waits hold against it. */
async function readHolds(source: ExplainSource, id: string, facts: Facts): Promise<Holds> {
  const [lane, limits, wait] = await Promise.all([
    readLane(source, id, facts),
    readLimits(source, id, facts),
    readWait(source, id, facts),
  ]);
  return { lane, limits, wait };
}

/** The limits of the queue, read behind a job that waits; nothing for any other. */
async function readLimits(
  { engine, keys }: ExplainSource,
  id: string,
  { state }: Facts,
): Promise<LimitFacts | undefined> {
  if (state !== "pending") return undefined;
  const [ceiling, rest, stored] = await Promise.all([
    engine.command(["HGET", keys.meta, "concurrency"]),
    engine.command(["ZSCORE", `${keys.base}rest`, ""]),
    engine.command(["HGET", keys.row(id), "cost"]),
  ]);
  const concurrency = Number(ceiling === null ? 0 : bytesReply(ceiling));
  const cost = Number(stored === null ? 1 : bytesReply(stored));
  return {
    concurrency: Number.isSafeInteger(concurrency) ? concurrency : 0,
    restsUntil: rest === null ? 0 : numberReply(rest),
    cost: Number.isSafeInteger(cost) && cost > 0 ? cost : 1,
  };
}

/** What keeps the lane of a job that waits, read behind the job; nothing for a flat one. */
async function readLane({ engine, keys }: ExplainSource, id: string, facts: Facts): Promise<LaneFacts | undefined> {
  const { lane, state } = facts;
  // Another speaker may have written a name that no lane can have, and then none holds the job.
  if (lane === undefined || state !== "pending" || !isName(lane)) return undefined;
  const lanes = new Lanes(engine);
  const [[counts], turns, due] = await Promise.all([
    lanes.counts(keys.queue, [lane]),
    lanes.turnsAway(keys.queue, lane),
    engine.command(["HGET", keys.row(id), "due"]),
  ]);
  return counts === undefined ? undefined : { counts, turns: turns ?? 0, due: due === null ? 0 : numberReply(due) };
}

function factsOf(parts: readonly Reply[]): Facts {
  const [now, state, score, rank, paused, active, attempts, name, group, owner, error, stalled, , cancel] = parts;
  return {
    now: numberReply(now),
    state: bytesReply(state) as StateAnswer,
    score: score === "" ? 0 : numberReply(score),
    rank: numberReply(rank),
    isPaused: numberReply(paused) === 1,
    active: numberReply(active),
    attempts: attempts === "" ? 0 : numberReply(attempts),
    name: textReply(name) ?? NAME_DEFAULT,
    lane: textReply(group),
    owner: textReply(owner),
    lastError: textReply(error),
    isCancelled: cancel !== "",
    crashes: stalled === "" ? 0 : numberReply(stalled),
  };
}

/** A field as text; `undefined` for one that is absent, which the act tells as empty. */
function textReply(reply: Reply | undefined): string | undefined {
  const bytes: Bytes = bytesReply(reply);
  return bytes === "" ? undefined : textOf(bytes);
}

function reasonsOf(facts: Facts, workers: readonly WorkerInfo[], holds: Holds): Reason[] {
  const { state, now, score, owner, attempts, isCancelled, lastError } = facts;
  switch (state) {
    case "absent":
    case "completed":
      return [{ kind: state }];
    case "awaiting_children": {
      const { open = 0, children = [], until } = holds.wait ?? {};
      return [{ kind: state, open, children, inMs: until === undefined ? undefined : until - now }];
    }
    case "unknown":
      return [{ kind: "stray", state }];
    case "dead":
      return [deathOf(facts)];
    case "active": {
      const leaseLeftMs = score - now;
      const held = { kind: "active", worker: owner, token: attempts, leaseLeftMs, isCancelled } as const;
      // A lease that ran out is taken back by whoever works.
      return leaseLeftMs > 0 ? [held] : [held, ...silenceOf(facts, workers)];
    }
    case "scheduled": {
      const delayed = { kind: "delayed", dueAt: score, inMs: score - now, lastError } as const;
      return [delayed, ...pauseOf(facts), ...hindrancesOf(facts, workers)];
    }
    case "pending":
      return waitOf(facts, workers, holds);
  }
}

/** The wire's own words for a job whose leases lapsed too often. */
const CRASHED_ERROR = "stalled";

/** And for one that did not begin in time, which has no attempt. */
const EXPIRED_ERROR = "expired";

function deathOf({ lastError = "", crashes, isCancelled, attempts }: Facts): Reason {
  const isCrash = lastError === CRASHED_ERROR && crashes > 0;
  const isLate = lastError === EXPIRED_ERROR && attempts === 0;
  const cause = isCancelled ? "cancelled" : isCrash ? "crashed" : isLate ? "expired" : "failed";
  return { kind: "dead", cause, error: lastError };
}

/** Why a job that could run does not. */
function waitOf(facts: Facts, workers: readonly WorkerInfo[], { lane, limits }: Holds): Reason[] {
  const reasons: Reason[] = [...pauseOf(facts), ...limitsOf(facts, limits), ...hindrancesOf(facts, workers)];
  if (lane !== undefined) reasons.push(...laneReasons(facts, lane, limits?.cost ?? 1));
  if (facts.rank > 0) reasons.push({ kind: "behind", jobs: facts.rank, lane: facts.lane });
  return reasons.length > 0 ? reasons : [{ kind: "next" }];
}

/** What the limits of the queue have to do with it. */
function limitsOf({ now, active }: Facts, limits: LimitFacts | undefined): Reason[] {
  if (limits === undefined) return [];
  const { concurrency, restsUntil, cost } = limits;
  const reasons: Reason[] = [];
  if (restsUntil > now) reasons.push({ kind: "rate", inMs: restsUntil - now, cost });
  if (concurrency > 0 && active >= concurrency) reasons.push({ kind: "queue-full", active, limit: concurrency });
  return reasons;
}

/** What the lane of a job has to do with it. */
function laneReasons({ now, lastError }: Facts, { counts, turns, due }: LaneFacts, cost: number): Reason[] {
  const { lane, active, limit, isPaused, isOrdered, restMs } = counts;
  const reasons: Reason[] = [];
  if (due > now) reasons.push({ kind: "delayed", dueAt: due, inMs: due - now, lastError });
  if (isPaused) reasons.push({ kind: "lane-paused", lane });
  if (limit !== undefined && active >= limit) reasons.push({ kind: "lane-full", lane, active, limit, isOrdered });
  if (restMs > 0) reasons.push({ kind: "lane-rate", lane, inMs: restMs, cost });
  if (turns > 0) reasons.push({ kind: "turns", lane, turns });
  return reasons;
}

function pauseOf({ isPaused }: Facts): Reason[] {
  return isPaused ? [{ kind: "paused" }] : [];
}

/** What workers, or the lack of them, have to do with it. */
function hindrancesOf(facts: Facts, workers: readonly WorkerInfo[]): Reason[] {
  const silence = silenceOf(facts, workers);
  if (silence.length > 0) return silence;
  const living = workers.filter((worker) => !isSilent(worker, facts, SILENT_BEATS));
  const serving = living.filter(({ isPaused }) => !isPaused);
  if (serving.length === 0) return [{ kind: "workers-paused", workers: living.length }];
  const known = new Set(serving.flatMap(({ names }) => names ?? []));
  if (serving.every(({ names }) => names !== undefined) && !known.has(facts.name)) {
    return [{ kind: "unknown-name", name: facts.name, known: [...known].sort().slice(0, NAMES_TOLD) }];
  }
  const concurrency = slotsOf(serving);
  const isBusy = facts.state === "pending" && facts.active >= concurrency;
  return isBusy ? [{ kind: "busy", active: facts.active, concurrency }] : [];
}

/** Whether nobody asks. A worker with a free slot does so every second beat; one without tells of itself less often. */
function silenceOf(facts: Facts, workers: readonly WorkerInfo[]): Reason[] {
  const living = workers.filter((worker) => !isSilent(worker, facts, SILENT_BEATS));
  const beats = facts.active < slotsOf(living) ? FREE_SILENT_BEATS : SILENT_BEATS;
  if (living.some((worker) => !isSilent(worker, facts, beats))) return [];
  const last = workers[0];
  return [{ kind: "no-worker", silentMs: last === undefined ? undefined : Math.max(0, facts.now - last.askedAt) }];
}

function isSilent({ askedAt, beatMs }: WorkerInfo, { now }: Facts, beats: number): boolean {
  return now - askedAt > beats * beatMs;
}

function slotsOf(workers: readonly WorkerInfo[]): number {
  return workers.reduce((slots, { concurrency }) => slots + concurrency, 0);
}

/** A reason as a sentence or two. */
export function wordsOf(reason: Reason): string {
  switch (reason.kind) {
    case "absent":
      return "There is no job of this id: it is completed, was removed, or was never added.";
    case "completed":
      return "It is completed.";
    case "awaiting_children":
      return childrenWords(reason);
    case "paused":
      return "The queue is paused: resume it.";
    case "next":
      return "Nothing stands in its way: it runs with the next turn of a worker.";
    case "dead":
      return deathWords(reason);
    case "active":
      return activeWords(reason);
    case "delayed":
      return delayWords(reason);
    case "follows":
      return `It runs after the end of job ${reason.id}, which has its deduplication id.`;
    case "lane-paused":
      return `Its lane ${quote(reason.lane)} is paused: resume it.`;
    case "lane-full":
      return fullWords(reason);
    case "lane-rate":
      return `The rate of its lane ${quote(reason.lane)} is spent: the next of it starts in ${rateEnd(reason)}`;
    case "queue-full":
      return `The queue is at its limit: ${countOf(reason.active, "job")} active of ${reason.limit} at once.`;
    case "rate":
      return `The rate of the queue is spent, or a handler asked for a pause: it goes on in ${rateEnd(reason)}`;
    case "turns":
      return `${countOf(reason.turns, "other lane")} before its lane ${quote(reason.lane)} in the round.`;
    case "behind":
      return behindWords(reason);
    case "no-worker":
      return reason.silentMs === undefined
        ? "No worker is known to ask for work of this queue."
        : `No worker has asked for work of this queue for ${spanOf(reason.silentMs)}.`;
    case "unknown-name":
      return unknownWords(reason);
    case "workers-paused":
      return `All known workers are paused (${reason.workers}): resume one by its id.`;
    case "busy":
      return `All workers are busy: ${countOf(reason.active, "job")} active, they run ${reason.concurrency} at once.`;
    case "stray":
      return "It has a row and stands in no set of the queue, so nothing will ever run it: the doctor mends that.";
  }
}

/** How long a spent rate lasts, and what the job takes of it where that is more than others do. */
function rateEnd({ inMs, cost }: { readonly inMs: number; readonly cost: number }): string {
  return cost === 1 ? `${spanOf(inMs)}.` : `${spanOf(inMs)}. This job takes ${cost} of it.`;
}

function deathWords({ cause, error }: Extract<Reason, { kind: "dead" }>): string {
  const why = {
    failed: error === "" ? "no error was told" : error,
    crashed: "the leases of its holders lapsed too often, so it may be what ends their process",
    cancelled: "it was cancelled while it ran",
    expired: "it did not begin in its time to live",
  }[cause];
  return `It is dead: ${why}. Nothing runs it but a retry by hand.`;
}

function activeWords({ worker, token, leaseLeftMs, isCancelled }: Extract<Reason, { kind: "active" }>): string {
  const holder = worker === undefined ? "a holder without a name" : `worker ${quote(worker)}`;
  const asked = isCancelled ? " It was asked to stop." : "";
  const held = `It is active: ${holder} has it under token ${token}`;
  if (leaseLeftMs > 0) return `${held}, with ${leaseLeftMs} ms of its lease left.${asked}`;
  return `${held}, but the lease ran out ${-leaseLeftMs} ms ago: a worker that works takes it back.${asked}`;
}

function delayWords({ dueAt, inMs, lastError }: Extract<Reason, { kind: "delayed" }>): string {
  const because = lastError === undefined ? "" : ` after it failed: ${lastError}`;
  const at = isoOf(dueAt);
  if (inMs <= 0) return `It was due at ${at}${because}: it moves with the next turn of a worker.`;
  return `It is delayed until ${at}, ${spanOf(inMs)} from now${because}.`;
}

function fullWords({ lane, active, limit, isOrdered }: Extract<Reason, { kind: "lane-full" }>): string {
  if (!isOrdered)
    return `Its lane ${quote(lane)} is at its limit: ${countOf(active, "job")} active of ${limit} at once.`;
  return `Its lane ${quote(lane)} is ordered, and a job that was begun before it has not ended yet.`;
}

function behindWords({ jobs, lane }: Extract<Reason, { kind: "behind" }>): string {
  return `${countOf(jobs, "job")} before it${lane === undefined ? "" : ` in the lane ${quote(lane)}`}.`;
}

function unknownWords({ name, known }: Extract<Reason, { kind: "unknown-name" }>): string {
  const names = known.map((one) => quote(one)).join(", ");
  return `No worker knows the name ${quote(name)}; they know ${names === "" ? "none" : names}.`;
}

/** An instant as people read it; beyond what a calendar holds, the number. */
function isoOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms}` : date.toISOString();
}

/** A time in the largest unit of which there are at least ten, so that it is right to a twentieth. */
function spanOf(ms: number): string {
  const [, unitMs, unit] = SPANS.find(([from]) => ms >= from) ?? [0, 1, "ms"];
  return `${Math.round(ms / unitMs)} ${unit}`;
}

/** From how many ms on, the unit in ms, and its name; the largest first. */
const SPANS: readonly (readonly [fromMs: number, unitMs: number, unit: string])[] = [
  [864_000_000, 86_400_000, "days"],
  [36_000_000, 3_600_000, "hours"],
  [600_000, 60_000, "minutes"],
  [10_000, 1000, "s"],
];

function countOf(count: number, what: string): string {
  return count === 1 ? `1 ${what} is` : `${count} ${what}s are`;
}

function childrenWords(reason: Reason & { readonly kind: "awaiting_children" }): string {
  const { open, children, inMs } = reason;
  const names = children.map(({ id, queueName }) => `${id} of ${quote(queueName)}`).join(", ");
  const listed = names === "" ? "" : `: ${names}${open > children.length ? " and others" : ""}`;
  const time = inMs === undefined ? "" : ` It waits ${spanOf(Math.max(0, inMs))} longer at most.`;
  return `It waits for ${open === 1 ? "1 child" : `${open} children`}${listed}.${time}`;
}
