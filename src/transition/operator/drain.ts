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
import { type LaneSettings, scanLanes } from "../step/lane-scan.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

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
function drainNamed(s: Server, base: Bytes, settings: LaneSettings, budget: number, heard: number): number {
  let drained = 0;
  let looks = 0;
  let cursor = "0";
  while (drained < budget && looks < budget) {
    const page = scanLanes(s, base, settings, cursor);
    for (const lane of page.lanes) {
      looks += 1;
      if (drained < budget) drained += drainWaiting(s, base, laneKey(base, lane), budget - drained, heard);
    }
    cursor = page.cursor;
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
      drained += drainNamed(s, base, "paused", budget - drained, heard);
      drained += drainNamed(s, base, "glimit", budget - drained, heard);
      // Lanes that have a rate may rest.
      drained += drainNamed(s, base, "rate", budget - drained, heard);
    }
  }
  pushIfClaimable(s, base, open);
  return drained;
}
