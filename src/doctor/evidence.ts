/**
 * What an `EXAMINE` tells, as the rules read it.
 *
 * Each piece was read at one instant on the server, so a rule about one job or one lane never sees two halves of a
 * move.
 */

import type { Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";

/** The fields of a row that the act answers, in its order. */
export const EXAMINED_FIELDS = [
  "state",
  "attempts",
  "group",
  "priority",
  "owner",
  "stalled",
  "deferred",
  "finished_at",
  "wait",
  "held",
  "due",
  "expires",
  "cost",
] as const;

/** The sets whose scores the act answers first, in its order; the lane of the row and the given lane follow. */
const EXAMINED_SETS = ["pending", "active", "schedule", "dead", "completed"] as const;

/** One job. */
export interface JobEvidence {
  readonly id: Bytes;
  /** The lane that was looked into besides that of the row, empty for none. */
  readonly lane: Bytes;
  /** Values of those of {@link EXAMINED_FIELDS} that the row has. */
  readonly fields: ReadonlyMap<Bytes, Bytes>;
  /** Names of all fields; empty when there is no row. */
  readonly names: readonly Bytes[];
  /** Suffix of each set that holds the id, with the score. */
  readonly places: ReadonlyMap<Bytes, number>;
  /** Whether it lies in `expiry`, which is no place of a job but says when one goes that has ended. */
  readonly isToGo: boolean;
  /** When `ttl` has it looked at, `undefined` where it is not in there. */
  readonly timedAt: number | undefined;
  /** Side keys that are left without a row: `logs`, `lock` and so on. */
  readonly side: readonly Bytes[];
  /** For a job that runs after another: what that one says; `undefined` for a job that runs after none. */
  readonly leader: LeaderEvidence | undefined;
  /** What it counts of its children; `undefined` for a job that was never a parent. */
  readonly family: FamilyEvidence | undefined;
}

/** What a parent counts. */
export interface FamilyEvidence {
  /** The count as it stands. */
  readonly count: Bytes;
  /** Children that have not ended, `undefined` when there are too many to look at. */
  readonly open: number | undefined;
  /** Children that it was told of; a parent of a foreign speaker was told of none. */
  readonly children: number;
}

/** The job after whose end another is to run. */
export interface LeaderEvidence {
  /** Its state, `undefined` when it has no row. */
  readonly state: Bytes | undefined;
  /** The job that it lets run at its end. */
  readonly next: Bytes | undefined;
}

/** One lane. */
export interface LaneEvidence {
  readonly lane: Bytes;
  readonly depth: number;
  readonly isPaused: boolean;
  readonly limit: Bytes | undefined;
  readonly active: Bytes | undefined;
  readonly weight: Bytes | undefined;
  readonly isOrdered: boolean;
  /** How often it stands on the ring, 2 for more. */
  readonly places: number;
  /** Its leased jobs as counted, `undefined` when they were not or are too many to count. */
  readonly leased: number | undefined;
  /** Jobs that are scheduled and hold it, among those that were asked about. */
  readonly holders: readonly Bytes[];
  /** Whether it stays off the ring because it has spent its rate. */
  readonly isResting: boolean;
  /** Whether it does so although it has no rate. */
  readonly restsForNothing: boolean;
}

/** One deduplication key. */
export interface DedupEvidence {
  readonly dedup: Bytes;
  readonly holder: Bytes;
  readonly isAlive: boolean;
  readonly isExpiring: boolean;
}

/** What one act told. */
export interface Evidence {
  /** The server's clock, in Unix ms. */
  readonly nowMs: number;
  readonly lane: LaneEvidence | undefined;
  readonly dedup: DedupEvidence | undefined;
  readonly jobs: readonly JobEvidence[];
}

/** What was asked for. */
export interface Question {
  readonly lane: Bytes;
  readonly dedup: Bytes;
  readonly ids: readonly Bytes[];
}

/** Reads the reply to a question. */
export function evidenceOf(question: Question, reply: Reply): Evidence {
  const [now, lane, dedup, jobs] = listOf(reply);
  const seen = listOf(jobs).map((job, at) => jobOf(question.ids[at] ?? "", question.lane, listOf(job)));
  return {
    nowMs: Number(now),
    lane: question.lane === "" ? undefined : laneOf(question.lane, listOf(lane), seen),
    dedup: dedupOf(question.dedup, listOf(dedup)),
    jobs: seen,
  };
}

/** Whether a job is scheduled and holds its lane meanwhile. */
export function holdsLane({ fields }: JobEvidence): boolean {
  return fields.get("state") === "scheduled" && fields.has("held") && fields.has("group");
}

/** The list that a reply must be; anything else is none. */
export function listOf(reply: Reply | undefined): readonly Reply[] {
  return typeof reply === "object" && reply !== null ? reply : [];
}

/** The text of a reply, `undefined` for nil. */
export function textIn(reply: Reply | undefined): Bytes | undefined {
  return reply === null || reply === undefined ? undefined : String(reply);
}

function jobOf(id: Bytes, lane: Bytes, reply: readonly Reply[]): JobEvidence {
  const [values, names, scores, side, leader, family] = reply;
  const fields = new Map<Bytes, Bytes>();
  for (const [at, value] of listOf(values).entries()) {
    const text = textIn(value);
    const field = EXAMINED_FIELDS[at];
    if (text !== undefined && field !== undefined) fields.set(field, text);
  }
  const group = fields.get("group");
  const suffixes = [...EXAMINED_SETS, laneSuffix(group ?? ""), laneSuffix(lane), "expiry", "awaiting", "ttl"];
  const places = new Map<Bytes, number>();
  for (const [at, score] of listOf(scores).entries()) {
    const suffix = suffixes[at];
    if (score !== null && suffix !== undefined) places.set(suffix, Number(score));
  }
  const isToGo = places.delete("expiry");
  const timedAt = places.get("ttl");
  places.delete("ttl");
  const left = listOf(side).map(String);
  return {
    id,
    lane,
    fields,
    names: listOf(names).map(String),
    places,
    isToGo,
    timedAt,
    side: left,
    leader: leaderOf(leader),
    family: familyOf(family),
  };
}

function leaderOf(reply: Reply | undefined): LeaderEvidence | undefined {
  const parts = listOf(reply);
  return parts.length === 0 ? undefined : { state: textIn(parts[0]), next: textIn(parts[1]) };
}

function familyOf(reply: Reply | undefined): FamilyEvidence | undefined {
  const [count, open, children] = listOf(reply);
  if (count === undefined) return undefined;
  return { count: String(count), open: Number(open) < 0 ? undefined : Number(open), children: Number(children) };
}

function laneOf(lane: Bytes, parts: readonly Reply[], jobs: readonly JobEvidence[]): LaneEvidence {
  const leased = Number(parts[7]);
  return {
    lane,
    depth: Number(parts[0]),
    isPaused: parts[1] === 1,
    limit: textIn(parts[2]),
    active: textIn(parts[3]),
    weight: textIn(parts[4]),
    isOrdered: parts[5] === 1,
    places: Number(parts[6]),
    leased: leased < 0 ? undefined : leased,
    holders: jobs.filter((job) => holdsLane(job) && job.fields.get("group") === lane).map((job) => job.id),
    isResting: parts[8] === 1,
    restsForNothing: parts[8] === 2,
  };
}

function dedupOf(dedup: Bytes, [holder, alive, ends]: readonly Reply[]): DedupEvidence | undefined {
  const text = textIn(holder);
  return text === undefined ? undefined : { dedup, holder: text, isAlive: alive === 1, isExpiring: ends === 1 };
}

/** The suffix of a lane's set. */
export function laneSuffix(lane: Bytes): Bytes {
  return `g:${lane}:pending`;
}
