/**
 * `OBLITERATE`: takes jobs and lanes out of a paused queue, in slices.
 *
 * It goes by members and never reads a row, so no row of a foreign type can stop it, and it costs little for each job.
 * Every step takes what it looked at away, so a repetition always goes on. Lanes are found by the ring and by their
 * settings; deduplication keys, counters and whatever else is left are the host's to unlink by `PURGE`, which finds
 * them by a scan. `meta` stays until then, because it holds the pause.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkObliterate } from "../check/operator/obliterate.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { removeMembers, unlinkKeys } from "../step/bulk.ts";
import { laneKey } from "../step/lane.ts";
import { ratedLane } from "../step/limit.ts";
import { gatherRow } from "../step/row.ts";
import { isOpen } from "../step/wake.ts";

/** Names that one step of a scan asks for. */
const NAMES = 100;

/** Unlinks up to `most` jobs of a set with all that hangs on them; answers how many. */
function wipe(s: Server, base: Bytes, set: Bytes, most: number): number {
  if (most <= 0) return 0;
  const ids = s.call("ZRANGE", set, 0, most - 1);
  const doomed: Bytes[] = [];
  for (const id of ids) gatherRow(doomed, `${base}job:${id}`);
  unlinkKeys(s, doomed);
  removeMembers(s, set, ids);
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

/** Empties a lane that a setting names and drops the setting; answers what is left of the budget. */
function wipeNamed(s: Server, base: Bytes, settings: Bytes, group: Bytes, budget: number): number {
  const call = s.call;
  const lane = laneKey(base, group);
  const left = budget - wipe(s, base, lane, budget) - 1;
  if (call("EXISTS", lane) === 0) {
    if (settings === `${base}paused`) call("SREM", settings, group);
    else call("HDEL", settings, group);
  }
  return left;
}

/** Empties the lanes that a key of settings names; `width` is how far apart names stand in a step of its scan. */
function wipeSettings(s: Server, base: Bytes, settings: Bytes, width: number, budget: number): number {
  const call = s.call;
  let left = budget;
  let cursor = "0";
  while (left > 0) {
    const page =
      width === 1 ? call("SSCAN", settings, cursor, "COUNT", NAMES) : call("HSCAN", settings, cursor, "COUNT", NAMES);
    const names = page[1];
    const stop = names.length;
    for (let i = 0; i < stop; i += width) {
      if (left > 0) left = wipeNamed(s, base, settings, names[i], left);
    }
    cursor = page[0];
    if (cursor === "0") return left;
  }
  return left;
}

/** Empties the lanes that have a rate and drops their rates; answers what is left of the budget. */
function wipeRated(s: Server, base: Bytes, budget: number): number {
  const call = s.call;
  let left = budget;
  let cursor = "0";
  while (left > 0) {
    const page = call("HSCAN", `${base}rate`, cursor, "COUNT", NAMES);
    const fields = page[1];
    const stop = fields.length;
    for (let i = 0; i < stop; i += 2) {
      const group = ratedLane(s, fields[i]);
      if (left > 0 && group !== "") {
        const lane = laneKey(base, group);
        left -= wipe(s, base, lane, left) + 1;
        if (call("EXISTS", lane) === 0) call("HDEL", `${base}rate`, fields[i]);
      }
    }
    cursor = page[0];
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
  for (const set of ["active", "pending", "schedule", "dead", "completed"])
    left -= wipe(s, base, `${base}${set}`, left);
  left = wipeRing(s, base, left);
  left = wipeSettings(s, base, `${base}paused`, 1, left);
  for (const settings of ["glimit", "gweight", "gactive"]) left = wipeSettings(s, base, `${base}${settings}`, 2, left);
  left = wipeRated(s, base, left);
  return left > 0 ? 0 : 1;
}
