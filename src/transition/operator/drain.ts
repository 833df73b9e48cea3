/**
 * `DRAIN`: removes jobs that wait, in slices.
 *
 * Flat jobs go first, then scheduled ones where their set is declared, then those of lanes: the lanes of the ring, and
 * those that a pause, a limit or a rest keeps off it. A lane with work always gives at least one job, so looking at
 * lanes costs no more than the jobs that are removed; lanes without work are looked at up to the budget once more.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkDrain } from "../check/operator/drain.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { drainScheduled, drainWaiting } from "../step/drain.ts";
import { heardBy } from "../step/event.ts";
import { laneKey } from "../step/lane.ts";
import { ratedLane } from "../step/limit.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Names that one step of a scan asks for. */
const NAMES = 100;

/** Drains lanes from the head of the ring; one that is empty leaves it. Answers how many jobs went. */
function drainRing(s: Server, base: Bytes, budget: number, heard: number): number {
  const call = s.call;
  const ring = `${base}ring`;
  let drained = 0;
  let empty = 0;
  while (drained < budget && empty < budget) {
    const group = call("LINDEX", ring, 0);
    if (group === false) return drained;
    const lane = laneKey(base, group);
    const removed = drainWaiting(s, base, lane, budget - drained, heard);
    if (removed === 0) empty += 1;
    drained += removed;
    if (call("EXISTS", lane) === 0) call("LPOP", ring);
  }
  return drained;
}

/** Drains lanes that a key of settings names, none of which is on the ring any more. Answers how many jobs went. */
function drainNamed(s: Server, base: Bytes, settings: Bytes, width: number, budget: number, heard: number): number {
  const call = s.call;
  let drained = 0;
  let looks = 0;
  let cursor = "0";
  while (drained < budget && looks < budget) {
    const page =
      width === 1 ? call("SSCAN", settings, cursor, "COUNT", NAMES) : call("HSCAN", settings, cursor, "COUNT", NAMES);
    const names = page[1];
    const stop = names.length;
    for (let i = 0; i < stop; i += width) {
      looks += 1;
      if (drained < budget) drained += drainWaiting(s, base, laneKey(base, names[i]), budget - drained, heard);
    }
    cursor = page[0];
    if (cursor === "0") return drained;
  }
  return drained;
}

/**
 * Drains lanes that have a rate, and so may rest. Answers how many jobs went.
 */
function drainRated(s: Server, base: Bytes, budget: number, heard: number): number {
  const call = s.call;
  let drained = 0;
  let looks = 0;
  let cursor = "0";
  while (drained < budget && looks < budget) {
    const page = call("HSCAN", `${base}rate`, cursor, "COUNT", NAMES);
    const fields = page[1];
    const stop = fields.length;
    for (let i = 0; i < stop; i += 2) {
      const lane = ratedLane(s, fields[i]);
      if (lane !== "") {
        looks += 1;
        if (drained < budget) drained += drainWaiting(s, base, laneKey(base, lane), budget - drained, heard);
      }
    }
    cursor = page[0];
    if (cursor === "0") return drained;
  }
  return drained;
}

/** Keys: pending, base and perhaps schedule. Arguments: budget, lanes. Answers how many jobs were removed. */
export function drain(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkDrain(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const base = keys[1];
  const budget = s.num(args[0]);
  const open = isOpen(s, base);
  const heard = heardBy(s, base);
  let drained = drainWaiting(s, base, keys[0], budget, heard);
  if (keys.length > 2) drained += drainScheduled(s, base, keys[2], budget - drained, heard);
  if (args[1] === "1") {
    drained += drainRing(s, base, budget - drained, heard);
    // A lane that stands on the ring is emptied from there only, as it must leave it.
    if (s.call("LLEN", `${base}ring`) === 0) {
      drained += drainNamed(s, base, `${base}paused`, 1, budget - drained, heard);
      drained += drainNamed(s, base, `${base}glimit`, 2, budget - drained, heard);
      drained += drainRated(s, base, budget - drained, heard);
    }
  }
  pushIfClaimable(s, base, open);
  return drained;
}
