/**
 * The low-level verbs of the lane plane, one method a verb, on any queue of one engine.
 *
 * Like `Jobs` beside it, a method builds the declared keys, sends one act and turns its reply into one of the outcomes
 * that the verb can have, and adds nothing: no loop, no option of a queue. `queue.lane(name)` stands on these verbs.
 *
 * Common to all: a bad name of a lane throws `invalid_lane` before the wire. A queue keeps weights, limits, pauses and
 * orders of at most 100,000 lanes each; one more throws `full`.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { arrayOf, type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import type { ErrorCode } from "../protocol/error-codes.generated.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { assertValidId } from "../protocol/id.ts";
import { quote } from "../protocol/quote.ts";
import { LANE_LIMIT_MAX, LANE_WEIGHT_MAX, SWEEP_LIMIT_DEFAULT } from "./defaults.ts";
import type { ClaimedJob } from "./jobs.ts";
import { assertLane } from "./option-check.ts";
import { type Rate, rateArguments } from "./rate.ts";
import {
  actOrRefusal,
  bytesReply,
  type Data,
  dataBytes,
  decimal,
  listOf,
  numberReply,
  QueueKeys,
  unexpected,
} from "./verb-call.ts";

/** A job that was claimed from a lane. */
export interface LaneClaimedJob extends ClaimedJob {
  readonly lane: string;
}

/** Depth and settings of one lane. */
export interface LaneCounts {
  readonly lane: string;
  /** Jobs that wait in it. */
  readonly depth: number;
  /** Jobs of it that are leased; in an ordered lane also a begun job that waits for its next attempt. */
  readonly active: number;
  /** The most that may be leased at once; `undefined` for no limit. */
  readonly limit: number | undefined;
  /** Jobs of one turn, 1 unless it was set. */
  readonly weight: number;
  readonly isPaused: boolean;
  readonly isOrdered: boolean;
  /** Milliseconds until its rate lets a job through again; 0 while it does. */
  readonly restMs: number;
}

/** A part of the ring. */
export interface RingPart {
  /** How many lanes stand on the ring. */
  readonly size: number;
  /** Lanes in the order of their turns. */
  readonly lanes: string[];
}

/** The numbers that `LANECOUNTS` answers for a lane. */
const COUNTS = 7;

/** The low-level lane verbs of one engine. Holds no connection of its own and needs no closing. */
export class Lanes {
  readonly #engine: Engine;
  /** The keys of the queue that was used last: nearly every caller stays with one. */
  #keys: LaneKeys | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  #keysOf(queue: string): LaneKeys {
    if (this.#keys?.queue !== queue) this.#keys = new LaneKeys(queue);
    return this.#keys;
  }

  // Admission and claims.

  /** Admits a job into a lane. A repeated id adds nothing, whatever the lane. */
  async enqueue(
    queue: string,
    lane: string,
    job: { readonly id: string; readonly payload: Data },
  ): Promise<"enqueued" | "duplicate" | "kind"> {
    const keys = this.#keysOf(queue);
    const group = laneBytes(lane);
    const row = keys.row(job.id);
    const declared = [row, waitingKey(keys, group), keys.ring, keys.paused, keys.glimit, keys.gactive, keys.wake];
    const call = { verb: "GENQUEUE", keys: declared, args: [job.id, dataBytes(job.payload), group] } as const;
    const reply = await actOrRefusal(this.#engine, call, ["kind"]);
    if (reply === "kind") return reply;
    return numberReply(reply) === 1 ? "enqueued" : "duplicate";
  }

  /** Leases one job of the lane whose turn it is; `undefined` when no lane can be served or the queue is paused. */
  async claim(queue: string, leaseMs: number): Promise<LaneClaimedJob | undefined> {
    const { ring, active, base } = this.#keysOf(queue);
    const reply = listOf(await this.#engine.act("GCLAIM", [ring, active, base], [decimal(leaseMs, "leaseMs")]));
    return reply.length === 0 ? undefined : claimedJob(reply);
  }

  /** Leases as many jobs of the lane whose turn it is as its weight says. */
  async claimWeighted(queue: string, leaseMs: number): Promise<LaneClaimedJob[]> {
    const { ring, active, base } = this.#keysOf(queue);
    return claimedJobs(await this.#engine.act("GWCLAIM", [ring, active, base], [decimal(leaseMs, "leaseMs")]));
  }

  /** Leases up to `size` (1 to 1000, 0 for 1000) jobs of the lane whose turn it is; all are of one lane. */
  async claimBatch(queue: string, size: number, leaseMs: number): Promise<LaneClaimedJob[]> {
    const { ring, active, base } = this.#keysOf(queue);
    const args = [decimal(leaseMs, "leaseMs"), decimal(size, "size")];
    return claimedJobs(await this.#engine.act("GBCLAIM", [ring, active, base], args));
  }

  // Settings.

  /**
   * Sets the weight of a lane, 1 to 1,000,000, or removes it (`null`).
   *
   * @throws EchoMQError `invalid_weight`, `full`.
   */
  async weight(queue: string, lane: string, weight: number | null): Promise<void> {
    const text = setting(weight, { what: "weight", code: "invalid_weight", max: LANE_WEIGHT_MAX });
    await this.#engine.act("GWEIGHT", [this.#keysOf(queue).gweight], [laneBytes(lane), text]);
  }

  /**
   * Sets how many jobs of a lane may be leased at once, 1 to 2^31, or removes the limit (`null`). What is leased beyond
   * a new limit is not taken back.
   *
   * @throws EchoMQError `invalid_limit`, `full`, and `state` for an ordered lane, whose limit is 1.
   */
  async limit(queue: string, lane: string, limit: number | null): Promise<void> {
    const text = setting(limit, { what: "limit", code: "invalid_limit", max: LANE_LIMIT_MAX });
    const { glimit, gactive, ring, paused, wake, base } = this.#keysOf(queue);
    await this.#engine.act("GLIMIT", [glimit, gactive, ring, paused, wake, base], [laneBytes(lane), text]);
  }

  /**
   * Sets how many jobs of a lane may be claimed in a time, or takes the rate away (`null`). What a claim has spent
   * stays while duration and way do.
   *
   * @throws EchoMQError `invalid_rate`, `invalid_option`, `unknown_option`, `full`.
   */
  async rate(queue: string, lane: string, rate: Rate | null): Promise<void> {
    const args = [laneBytes(lane), ...rateArguments(rate)];
    const { rate: rates, rest, ring, wake, base } = this.#keysOf(queue);
    await this.#engine.act("GRATE", [rates, rest, ring, wake, base], args);
  }

  /** Makes a lane strictly ordered, or ends that, which leaves it without a limit. */
  async order(queue: string, lane: string, isOrdered: boolean): Promise<void> {
    const { gordered, glimit, gactive, ring, paused, wake, base } = this.#keysOf(queue);
    const args = [laneBytes(lane), isOrdered ? "on" : "off"];
    await this.#engine.act("GORDER", [gordered, glimit, gactive, ring, paused, wake, base], args);
  }

  /** Pauses a lane: none of its jobs starts from now on. Those that run go on. */
  async pause(queue: string, lane: string): Promise<void> {
    const { paused, ring } = this.#keysOf(queue);
    await this.#engine.act("GPAUSE", [paused, ring], [laneBytes(lane)]);
  }

  /** Resumes a lane. */
  async resume(queue: string, lane: string): Promise<void> {
    const { paused, ring, glimit, gactive, wake, base } = this.#keysOf(queue);
    await this.#engine.act("GRESUME", [paused, ring, glimit, gactive, wake, base], [laneBytes(lane)]);
  }

  // Jobs of a lane.

  /** Moves a waiting job to a lane. `not_found` also for a job of no lane; `not_pending` for one that does not wait. */
  async reassign(
    queue: string,
    id: string,
    lane: string,
  ): Promise<"reassigned" | "noop" | "not_found" | "not_pending"> {
    const keys = this.#keysOf(queue);
    const group = laneBytes(lane);
    const places = [keys.row(assertValidId(id)), waitingKey(keys, group), keys.ring, keys.paused];
    const counters = [keys.glimit, keys.gactive, keys.wake, keys.base];
    const reply = numberReply(await this.#engine.act("GREASSIGN", [...places, ...counters], [id, group]));
    if (reply === 1) return "reassigned";
    if (reply === 0) return "noop";
    return reply === -1 ? "not_found" : "not_pending";
  }

  /** Deletes up to `budget` (1 to 1000) waiting jobs of a lane; an answer that equals it means that more may wait. */
  async drain(queue: string, lane: string, budget: number): Promise<number> {
    const keys = this.#keysOf(queue);
    const group = laneBytes(lane);
    const args = [group, decimal(budget, "budget")];
    return numberReply(await this.#engine.act("GDRAIN", [waitingKey(keys, group), keys.ring, keys.base], args));
  }

  /** Takes back up to `limit` (0 to 1000, default 100) lapsed leases of one lane and never kills; answers how many. */
  async reap(queue: string, lane: string, limit = SWEEP_LIMIT_DEFAULT): Promise<number> {
    const { active, base } = this.#keysOf(queue);
    return numberReply(await this.#engine.act("GREAP", [active, base], [laneBytes(lane), decimal(limit, "limit")]));
  }

  // Reading.

  /** How many jobs wait in a lane. */
  async depth(queue: string, lane: string): Promise<number> {
    return numberReply(await this.#engine.command(["ZCARD", waitingKey(this.#keysOf(queue), laneBytes(lane))]));
  }

  /** Depth and settings of up to 1000 lanes, from one instant, in the order given. */
  async counts(queue: string, lanes: readonly string[]): Promise<LaneCounts[]> {
    const { ring, base } = this.#keysOf(queue);
    const reply = listOf(await this.#engine.act("LANECOUNTS", [ring, base], lanes.map(laneBytes)));
    if (reply.length !== lanes.length * COUNTS) throw unexpected(reply);
    return lanes.map((lane, at) => countsAt(lane, reply, at * COUNTS));
  }

  /**
   * Up to `n` (1 to 1000) lanes of the ring, each once: from the lane that is served next on, or from behind `after`.
   * `gone` when that one is not on the ring.
   */
  async ring(queue: string, n: number, after?: string): Promise<RingPart | "gone"> {
    const { ring, base } = this.#keysOf(queue);
    const args = [after === undefined ? "" : laneBytes(after), decimal(n, "n")];
    const reply = listOf(await this.#engine.act("LANES", [ring, base], args));
    if (reply.length === 0) return "gone";
    return { size: numberReply(reply[0]), lanes: reply.slice(1).map((lane) => textOf(bytesReply(lane))) };
  }

  /** How many lanes take their turn before this one; `undefined` when it is not on the ring. */
  async turnsAway(queue: string, lane: string): Promise<number | undefined> {
    const reply = await this.#engine.command(["LPOS", this.#keysOf(queue).ring, laneBytes(lane)]);
    return reply === null ? undefined : numberReply(reply);
  }
}

/** The keys of a queue's lanes. */
class LaneKeys extends QueueKeys {
  readonly ring: Bytes = `${this.base}ring`;
  readonly paused: Bytes = `${this.base}paused`;
  readonly glimit: Bytes = `${this.base}glimit`;
  readonly gactive: Bytes = `${this.base}gactive`;
  readonly gweight: Bytes = `${this.base}gweight`;
  readonly gordered: Bytes = `${this.base}gordered`;
  readonly rate: Bytes = `${this.base}rate`;
  readonly rest: Bytes = `${this.base}rest`;
}

/** The sorted set of a lane's waiting jobs. */
function waitingKey({ base }: QueueKeys, group: Bytes): Bytes {
  return `${base}g:${group}:pending`;
}

function laneBytes(lane: string): Bytes {
  assertLane(lane);
  return bytesOf(lane);
}

/** The text of a setting, `0` for none. */
function setting(
  value: number | null,
  { what, code, max }: { readonly what: string; readonly code: ErrorCode; readonly max: number },
): Bytes {
  if (value === null) return "0";
  if (Number.isInteger(value) && value >= 1 && value <= max) return String(value);
  const rule = `The ${what} of a lane must be a whole number from 1 to ${max}, or null for none`;
  throw new EchoMQError(code, `${rule}, not ${quote(value)}`, { details: { value } });
}

function claimedJobs(reply: Reply): LaneClaimedJob[] {
  return listOf(reply).map((job) => claimedJob(listOf(job)));
}

function claimedJob(parts: readonly Reply[]): LaneClaimedJob {
  return {
    id: bytesReply(parts[0]),
    payload: arrayOf(bytesReply(parts[1])),
    attempts: numberReply(parts[2]),
    lane: textOf(bytesReply(parts[3])),
  };
}

function countsAt(lane: string, reply: readonly Reply[], at: number): LaneCounts {
  const limit = numberReply(reply[at + 2]);
  return {
    lane,
    depth: numberReply(reply[at]),
    active: numberReply(reply[at + 1]),
    limit: limit === 0 ? undefined : limit,
    weight: numberReply(reply[at + 3]),
    isPaused: numberReply(reply[at + 4]) === 1,
    isOrdered: numberReply(reply[at + 5]) === 1,
    restMs: numberReply(reply[at + 6]),
  };
}
