/**
 * Claims from the flat queue or from lanes alone, by the verbs that do one of the two. Of lanes, one lane is served by
 * an act, the one at the head of the ring.
 *
 * A lane that gives nothing is passed over: an empty one and a full one leave the ring, and the act looks on until it
 * has found work, has seen the whole ring, or is at its budget. So no lane stalls the others.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { type Claim, claimFrom } from "./claim.ts";
import { heardBy, tellIfDrained, UNHEARD } from "./event.ts";
import { laneKey } from "./lane.ts";
import { type Gate, openGate, readGate, readLaneRate, spend } from "./limit.ts";
import { endRests, restAfter } from "./rest.ts";
import { countOf } from "./row.ts";
import { pushIfHead } from "./wake.ts";

/** Jobs of one claim, at most. */
export const LANE_JOBS_MAX = 1000;

/** How much a claim takes of its lane: one job. */
export const ONE_JOB = 1;

/** How much a claim takes of its lane: as its weight says. */
export const BY_WEIGHT = 0;

/**
 * Serves the lane at the head of the ring; answers whether there was one. `most` is a number of jobs, or `BY_WEIGHT`.
 */
function serveOne(s: Server, claim: Claim, most: number): boolean {
  const call = s.call;
  const base = claim.base;
  const ring = `${base}ring`;
  const group = call("LINDEX", ring, 0);
  if (group === false) return false;
  const key = laneKey(base, group);
  const limit = call("HGET", `${base}glimit`, group);
  const active = countOf(s, call("HGET", `${base}gactive`, group));
  const weight = most === BY_WEIGHT ? Math.max(1, countOf(s, call("HGET", `${base}gweight`, group))) : most;
  const wanted = Math.min(weight, LANE_JOBS_MAX);
  const headroom = limit === false ? LANE_JOBS_MAX + 1 : Math.max(0, s.num(limit) - active);
  const rate = claim.gate.rated ? readLaneRate(s, base, group) : false;
  const left = rate === false ? LANE_JOBS_MAX : rate.left;
  claim.laneRate = rate;
  const got = claimFrom(s, claim, key, group, Math.min(wanted, headroom, left, claim.gate.room));
  const kept = claim.held ? 1 : 0;
  claim.held = false;
  claim.looks += 1;
  claim.laneRate = false;
  const tired = rate !== false && spend(s, base, claim.gate, rate);
  if (rate !== false && rate.lacks > 0) claim.short = false;
  if (tired || call("ZCARD", key) === 0 || (limit !== false && got + kept >= headroom)) call("LPOP", ring);
  else if (got > 0 || !claim.short) call("LMOVE", ring, ring, "LEFT", "RIGHT");
  return true;
}

/**
 * Pushes if one of the jobs that went into the schedule stands at its head.
 *
 * @cold
 */
function pushIfLate(s: Server, lease: Claim): void {
  for (const id of lease.late) pushIfHead(s, lease.base, id);
}

/**
 * Takes what was claimed off the rate of the queue, and wakes whoever is to keep the time of a rest that began.
 *
 * @cold
 */
export function endLimited(s: Server, lease: Claim): void {
  const gate = lease.gate;
  if (gate.rate !== false) spend(s, lease.base, gate, gate.rate);
  restAfter(s, lease.base, gate.rested);
}

/**
 * Finds out what a plain claim of a queue that is not bare has to heed; answers what its limits let through.
 *
 * @cold
 */
function lookAround(s: Server, lease: Claim, want: number): Gate {
  const call = s.call;
  const base = lease.base;
  lease.heard = heardBy(s, base);
  lease.tokens = call("ZCARD", `${base}tokens`);
  lease.timed = call("ZCARD", `${base}ttl`);
  if (call("EXISTS", `${base}meta`, `${base}rest`, `${base}rate`) === 0) return openGate(want);
  return readGate(s, base, want);
}

/** How much a plain claim may take: one question tells that there is nothing to heed. */
export function gateOf(s: Server, claim: Claim, want: number): Gate {
  const base = claim.base;
  claim.heard = UNHEARD;
  const found = s.call(
    "EXISTS",
    `${base}meta`,
    `${base}rest`,
    `${base}rate`,
    `${base}tokens`,
    `${base}ttl`,
    `${base}listeners`,
  );
  return found === 0 ? openGate(want) : lookAround(s, claim, want);
}

/** Claims flat jobs, as far as the limits of the queue let it. */
export function claimFlat(s: Server, claim: Claim, gate: Gate, pending: Bytes): void {
  s.call("ZCARD", claim.active);
  claim.gate = gate;
  if (gate.room > 0) claimFrom(s, claim, pending, "", gate.room);
  if (gate.limited) endLimited(s, claim);
  if (claim.heard !== UNHEARD) tellIfDrained(s, claim.base, claim.taken);
}

/** Claims from the first lane of the ring that gives anything, as far as the limits of the queue let it. */
export function claimLane(s: Server, claim: Claim, gate: Gate, most: number): void {
  const call = s.call;
  claim.gate = gate;
  call("ZCARD", claim.active);
  call("HGET", `${claim.base}gactive`, "");
  if (gate.limited) endRests(s, claim.base);
  let turns = gate.room > 0 ? call("LLEN", `${claim.base}ring`) : 0;
  while (turns > 0 && claim.taken === 0 && !claim.full && !claim.short && claim.looks < LANE_JOBS_MAX) {
    turns = serveOne(s, claim, most) ? turns - 1 : 0;
  }
  if (gate.limited) endLimited(s, claim);
  if (claim.late.length > 0) pushIfLate(s, claim);
  if (claim.heard !== UNHEARD) tellIfDrained(s, claim.base, claim.taken);
}

/** The claimed jobs as (id, payload, token, lane). */
export function laneJobs(claim: Claim): (Bytes | number)[][] {
  const out: (Bytes | number)[][] = [];
  const jobs = claim.jobs;
  const stop = jobs.length;
  for (let i = 0; i < stop; i += 8) out[out.length] = [jobs[i], jobs[i + 2], jobs[i + 1], jobs[i + 5]];
  return out;
}
