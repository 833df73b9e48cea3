/**
 * `TURN`: settles, promotes and claims in one act, the only one that a worker sends on its way.
 *
 * Settlements come first, so that what they free can be claimed; then due jobs; then up to `want` jobs are claimed,
 * flat work and lanes in turn, as far as the limits of the queue let it. A worker that tells of itself hears whether it
 * is paused, and claims nothing then. A turn that may leave claimable work behind pushes a token, whatever it claimed.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkTurn } from "../check/job/turn.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { NUMBER_MAX } from "../step/bound.ts";
import { type Claim, claimFrom, startClaim } from "../step/claim.ts";
import { tellIfDrained, UNHEARD, wantOf } from "../step/event.ts";
import { openGate, readGate, spend } from "../step/limit.ts";
import { notePresence, PRESENCE_WIDTH } from "../step/presence.ts";
import { promoteDue } from "../step/promote-due.ts";
import { endRests, restAfter } from "../step/rest.ts";
import { claimRound } from "../step/round.ts";
import { type Settled, settleAll } from "../step/settlements.ts";
import { isOpen, push, pushIfClaimable } from "../step/wake.ts";

/** Due jobs promoted by one act, at most. */
const PROMOTE_MAX = 100;

/** What the question of {@link lookAround} answers more when somebody listens; the keys of settings are three. */
const HEARD = 4;

/** Settlements, members looked at and claims of one act together, at most. */
const UNITS_MAX = 1000;

/** Whether an id is one of these. */
function isAmong(ids: Bytes[], id: Bytes): boolean {
  for (const one of ids) if (one === id) return true;
  return false;
}

/**
 * Milliseconds until the head of the schedule falls due, -1 when it is empty; pushes if this act put the head there.
 */
function dueAfter(s: Server, schedule: Bytes, wake: Bytes, scheduled: Bytes[], late: Bytes[]): number {
  const head = s.call("ZRANGE", schedule, 0, 0, "WITHSCORES");
  if (head.length === 0) return -1;
  if (isAmong(scheduled, head[0]) || isAmong(late, head[0])) push(s, wake);
  return Math.max(0, Math.min(s.num(head[1]), NUMBER_MAX) - s.now());
}

/**
 * The milliseconds until something falls due, given those of the schedule, or may be claimed again; -1 for no such
 * time.
 *
 * @cold
 */
function endLimited(s: Server, taken: Claim, due: number): number {
  const gate = taken.gate;
  const rests = restAfter(s, taken.base, gate.rested);
  if (rests < 0) return due;
  return due < 0 ? rests : Math.min(due, rests);
}

/**
 * What follows the settlements where more than flat work may wait: promotion, claims by turns, and when to ask again.
 *
 * @cold
 */
function goRound(
  s: Server,
  keys: Bytes[],
  settled: Settled,
  taken: Claim,
  want: number,
  open: boolean,
  wasSet: boolean,
): TransitionReply[] {
  const base = keys[4];
  const isSet = wasSet || settled.rested;
  const promoted = promoteDue(s, keys[2], base, PROMOTE_MAX, UNITS_MAX - settled.count);
  const back = isSet ? endRests(s, base) : 0;
  taken.looks += promoted.looks + back;
  const gate = isSet ? readGate(s, base, want) : openGate(want);
  taken.gate = gate;
  if (gate.room > 0) claimRound(s, taken, gate.room);
  if (gate.rate !== false && gate.rate.spent + gate.rate.lacks > 0) spend(s, base, gate, gate.rate);
  if (settled.rested) gate.rested[gate.rested.length] = "";
  const due = dueAfter(s, keys[2], keys[3], settled.scheduled, taken.late);
  pushIfClaimable(s, base, open && (taken.full || taken.sorted > 0 || taken.taken >= gate.room));
  const next = gate.limited ? endLimited(s, taken, due) : due;
  return [settled.exceptions, next, promoted.moved + back, taken.jobs];
}

/**
 * Finds who listens and reads what a queue that is not bare may write to in this act; answers whether it may have
 * settings or limits. One question stands for both, so an act without listeners asks no more than it must.
 *
 * @cold
 */
function lookAround(s: Server, keys: Bytes[], taken: Claim, found: number): boolean {
  const call = s.call;
  const base = keys[4];
  const ears = `${base}listeners`;
  const answer = call("EXISTS", `${base}meta`, `${base}rest`, `${base}rate`, ears, ears, ears, ears);
  const isSet = answer !== 0 && answer !== HEARD;
  if (answer >= HEARD) taken.heard = wantOf(s, base);
  if (found === 1 && taken.heard !== UNHEARD) return false;
  taken.tokens = call("ZCARD", `${base}tokens`);
  taken.timed = call("ZCARD", `${base}ttl`);
  call("ZCARD", keys[2]);
  if (isSet) {
    call("ZCARD", `${base}rest`);
    call("HLEN", `${base}rate`);
  }
  return isSet;
}

/** Keys: pending, active, schedule, wake, base. Arguments: worker, lease_ms, want, presence, settlements. */
export function turn(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkTurn(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[4];
  let want = s.num(args[2]);
  const taken = startClaim(base, keys[1], args[0], s.num(args[1]));
  // Asked before the first write, as each may be of a foreign type; one question stands for all when all say no.
  const waiting = call("ZCARD", keys[0]);
  call("ZCARD", keys[1]);
  const found = call(
    "EXISTS",
    `${base}meta`,
    `${base}ring`,
    keys[2],
    `${base}tokens`,
    `${base}rest`,
    `${base}rate`,
    `${base}ttl`,
    `${base}listeners`,
  );
  taken.heard = UNHEARD;
  taken.tokens = 0;
  taken.timed = 0;
  const isSet = found > 0 && lookAround(s, keys, taken, found);
  const heard = taken.heard;
  const bare = found === 0 || (found === 1 && heard !== UNHEARD);
  const open = !isSet || isOpen(s, base);
  let from = 3;
  let leaves = false;
  let presence = -1;
  if (args.length > 3 && args[3] === "w") {
    presence = notePresence(s, base, args[0], args, 3);
    if (presence === 1) want = 0;
    from += PRESENCE_WIDTH;
    leaves = args[6] === "0";
  }
  const settled = settleAll(s, base, args, from, bare, heard);
  taken.looks = settled.count;
  if (bare && settled.flat) {
    if (want > 0 && waiting > 0) claimFrom(s, taken, keys[0], "", want);
    if (waiting > taken.looks - settled.count) push(s, keys[3]);
    const done: TransitionReply[] = [settled.exceptions, -1, 0, taken.jobs];
    if (presence >= 0) done[4] = presence;
    if (heard !== UNHEARD) tellIfDrained(s, base, taken.taken);
    return done;
  }
  const reply: TransitionReply[] = goRound(s, keys, settled, taken, want, open, isSet);
  if (heard !== UNHEARD) tellIfDrained(s, base, taken.taken);
  // It may have kept time for the schedule; whoever takes the token does so from now on.
  if (leaves && call("EXISTS", keys[2]) === 1) push(s, keys[3]);
  if (presence >= 0) reply[4] = presence;
  return reply;
}
