/**
 * `OBLITERATE`: takes jobs and lanes out of a paused queue, in slices.
 *
 * It goes by members, and of a row it reads only who hears of the job's end in other queues, if it is one, so no row of
 * a foreign type can stop it. Those signals are left in the outbox, which the host has delivered before it purges.
 * Every step takes what it looked at away, so a repetition always goes on. Lanes are found by the ring and by their
 * settings; deduplication keys, counters and whatever else is left are the host's to unlink by `PURGE`, which finds
 * them by a scan. `meta` stays until then, because it holds the pause.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkObliterate } from "../check/operator/obliterate.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { deleteKeys, removeMembers } from "../step/bulk.ts";
import { type Notice, noteLast, tellGone } from "../step/family.ts";
import { nothingTold } from "../step/kin.ts";
import { laneKey } from "../step/lane.ts";
import { type LaneSettings, scanLanes } from "../step/lane-scan.ts";
import { gatherRow } from "../step/row.ts";
import { isOpen } from "../step/wake.ts";

/** Keys that name lanes which may not be on the ring. */
const LANE_SETTINGS: LaneSettings[] = ["paused", "glimit", "gweight", "gactive", "rate"];

/** Notes which jobs of other queues wait for one that goes with its queue; those know already if it is over. */
function noteGone(s: Server, base: Bytes, ids: Bytes[]): Notice[] {
  const notices: Notice[] = [];
  const told = nothingTold();
  for (const id of ids) {
    const row = `${base}job:${id}`;
    const fields: (Bytes | false)[] =
      s.holds(row) === "hash" ? s.call("HMGET", row, "state", "parent") : [false, false];
    const state = fields[0];
    const parent = fields[1];
    if (parent !== false && state !== "dead" && state !== "completed") {
      const notice = noteLast(s, base, id, parent, told);
      if (notice !== false) notices[notices.length] = notice;
    }
  }
  return notices;
}

/** Unlinks up to `most` jobs of a set with all that hangs on them; answers how many. */
function wipe(s: Server, base: Bytes, set: Bytes, most: number): number {
  if (most <= 0) return 0;
  const ids = s.call("ZRANGE", set, 0, most - 1);
  const doomed: Bytes[] = [];
  const notices = noteGone(s, base, ids);
  for (const id of ids) gatherRow(doomed, `${base}job:${id}`);
  deleteKeys(s, "UNLINK", doomed);
  removeMembers(s, set, ids);
  for (const notice of notices) tellGone(s, base, notice);
  return ids.length;
}

/** Empties the lanes of the ring, from its head; answers what is left of the budget. */
function wipeRing(s: Server, base: Bytes, budget: number): number {
  const call = s.call;
  const ring = `${base}ring`;
  let left = budget;
  while (left > 0) {
    const group = call("LINDEX", ring, 0);
    if (group === false) return left;
    const lane = laneKey(base, group);
    left -= wipe(s, base, lane, left) + 1;
    if (call("EXISTS", lane) === 0) call("LPOP", ring);
  }
  return left;
}

/** Empties the lanes that a key of settings names and drops the settings; answers what is left of the budget. */
function wipeNamed(s: Server, base: Bytes, settings: LaneSettings, budget: number): number {
  const call = s.call;
  const key = base + settings;
  let left = budget;
  let cursor = "0";
  while (left > 0) {
    const page = scanLanes(s, base, settings, cursor);
    const stop = page.lanes.length;
    for (let i = 0; i < stop && left > 0; i += 1) {
      const lane = laneKey(base, page.lanes[i]);
      left -= wipe(s, base, lane, left) + 1;
      if (call("EXISTS", lane) === 0) {
        if (settings === "paused") call("SREM", key, page.entries[i]);
        else call("HDEL", key, page.entries[i]);
      }
    }
    cursor = page.cursor;
    if (cursor === "0") return left;
  }
  return left;
}

/** Keys: meta, base. Arguments: force or empty, budget. Answers 1 when there may be more, 0 when nothing is. */
export function obliterate(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkObliterate(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const base = keys[1];
  if (isOpen(s, base)) return s.error("EMQSTATE not paused");
  if (args[0] === "" && s.call("ZCARD", `${base}active`) > 0) return s.error("EMQSTATE active jobs present");
  let left = s.num(args[1]);
  for (const set of ["active", "pending", "schedule", "awaiting", "dead", "completed"])
    left -= wipe(s, base, `${base}${set}`, left);
  left = wipeRing(s, base, left);
  for (const settings of LANE_SETTINGS) left = wipeNamed(s, base, settings, left);
  return left > 0 ? 0 : 1;
}
