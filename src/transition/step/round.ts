/**
 * The round: who is served next when there are lanes.
 *
 * The flat queue counts as one lane more. A turn is weight x share jobs. The share is max(1, floor(want / lanes)) of
 * the act that begins a round, so one act visits each lane about once, and where all acts want 1 it is strict rotation;
 * it holds until every lane has had its turn, whatever later acts want, or lanes would get their turns by shares that
 * differ. An empty or full lane passes on. The place of the round is kept in the hash `cursor`: `passed` counts the
 * lanes served in this round, `credit` is what is left of the turn that is on (negative when it is the flat queue's),
 * `share` the share. `cursor` is touched only while lanes are on the ring; a mark in the ring itself would be thrown
 * out by a foreign consumer.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { type Claim, claimFrom } from "./claim.ts";
import { laneKey } from "./lane.ts";
import { readLaneRate, spend } from "./limit.ts";
import { countOf } from "./row.ts";

/** A cursor is a few numbers of one act. */
interface Round {
  lanes: number;
  passed: number;
  credit: number;
  /** Jobs in one turn of a lane of weight 1; 0 before a round has begun. */
  share: number;
}

/** The share of a round that an act begins: so much that it visits each lane, and the flat queue, about once. */
function shareOf(want: number, lanes: number, flat: number): number {
  return Math.max(1, Math.floor(want / Math.max(1, lanes + (flat > 0 ? 1 : 0))));
}

/** Every lane has had its turn. Whoever serves next begins a round by what it wants. */
function endRound(round: Round): void {
  round.passed = 0;
  round.credit = 0;
  round.share = 0;
}

/** Serves the lane at the head of the ring; answers how many jobs it gave. */
function serveHead(s: Server, claim: Claim, round: Round, room: number): number {
  const call = s.call;
  const base = claim.base;
  const ring = `${base}ring`;
  const group = call("LINDEX", ring, 0);
  if (group === false) {
    round.lanes = 0;
    return 0;
  }
  const key = laneKey(base, group);
  const weight = call("HGET", `${base}gweight`, group);
  const limit = call("HGET", `${base}glimit`, group);
  const active = countOf(s, call("HGET", `${base}gactive`, group));
  const turn = round.share * (weight === false ? 1 : Math.max(1, s.num(weight)));
  const rest = round.credit > 0 ? Math.min(round.credit, turn) : turn;
  const headroom = limit === false ? room : Math.max(0, s.num(limit) - active);
  const rate = claim.gate.rated ? readLaneRate(s, base, group) : false;
  const left = rate === false ? room : rate.left;
  claim.laneRate = rate;
  const got = claimFrom(s, claim, key, group, Math.min(rest, room, headroom, left));
  claim.looks += 1;
  // A head that went into the schedule and holds its lane counts as active.
  const kept = claim.held ? 1 : 0;
  claim.held = false;
  claim.laneRate = false;
  const tired = rate !== false && spend(s, base, claim.gate, rate);
  // Where the lane alone is short, others may be served.
  if (rate !== false && rate.lacks > 0) claim.short = false;
  if (tired || call("ZCARD", key) === 0 || (limit !== false && got + kept >= headroom)) {
    call("LPOP", ring);
    round.lanes -= 1;
    round.credit = 0;
  } else if (got >= rest || kept > 0) {
    call("LMOVE", ring, ring, "LEFT", "RIGHT");
    round.passed += 1;
    round.credit = 0;
  } else {
    round.credit = rest - got;
  }
  return got;
}

/** Serves the flat queue's turn, the last of a round; answers how many jobs it gave. */
function serveFlat(s: Server, claim: Claim, round: Round, room: number): number {
  const rest = round.credit < 0 ? Math.min(-round.credit, round.share) : round.share;
  const got = claimFrom(s, claim, `${claim.base}pending`, "", Math.min(rest, room));
  if (got >= rest || got < room) endRound(round);
  else round.credit = got - rest;
  claim.looks += 1;
  return got;
}

/** Writes the place of the round, if it moved. */
function keepPlace(s: Server, base: Bytes, round: Round): void {
  const cursor = `${base}cursor`;
  if (round.lanes > 0) s.call("HSET", cursor, "passed", round.passed, "credit", round.credit, "share", round.share);
  else s.call("DEL", cursor);
}

/**
 * Claims up to `want` jobs from the flat queue and the lanes in turn. It looks on past lanes that give nothing until it
 * has enough, has seen everything, or is at the budget.
 */
export function claimRound(s: Server, claim: Claim, want: number): void {
  const call = s.call;
  const base = claim.base;
  const pending = `${base}pending`;
  const lanes = call("LLEN", `${base}ring`);
  if (lanes === 0) {
    claimFrom(s, claim, pending, "", want);
    return;
  }
  let flat = call("ZCARD", pending);
  const place = call("HMGET", `${base}cursor`, "passed", "credit", "share");
  const round: Round = {
    lanes,
    passed: countOf(s, place[0]),
    credit: countOf(s, place[1]),
    share: countOf(s, place[2]),
  };
  let taken = 0;
  while (taken < want && !claim.full && !claim.short && (flat > 0 || round.lanes > 0)) {
    const room = want - taken;
    const isPast = round.credit < 0 || round.passed >= round.lanes;
    if (isPast && flat === 0) endRound(round);
    if (round.share === 0) round.share = shareOf(want, round.lanes, flat);
    if (isPast && flat > 0) {
      taken += serveFlat(s, claim, round, room);
      flat = call("ZCARD", pending);
    } else {
      taken += serveHead(s, claim, round, room);
    }
    if (claim.looks >= 1000) claim.full = true;
  }
  keepPlace(s, base, round);
}
