/**
 * `GDRAIN`: deletes waiting jobs of a lane, those that would run first before others.
 *
 * A member whose row is of another lane, or does not wait, strayed here: it goes, and the job stays.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGdrain } from "../check/lane/gdrain.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { removeMembers } from "../step/bulk.ts";
import { letGo, type Names, readNames } from "../step/dedup.ts";
import { heardBy, tellOfJob } from "../step/event.ts";
import { type Notice, noteEnd, tellGone } from "../step/family.ts";
import { nothingTold } from "../step/kin.ts";
import { isServable } from "../step/lane.ts";
import { REMOVED_ERROR } from "../step/parent.ts";
import { tellWaiters, waitedUntil } from "../step/result.ts";
import { deleteRow } from "../step/row.ts";
import { lastToken, rememberTokens } from "../step/tokens.ts";

/**
 * Keys: lane, ring, base. Arguments: group, budget. Answers how many members went; as many as the budget means more.
 */
export function gdrain(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGdrain(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[2];
  const group = args[0];
  const ids = call("ZRANGE", keys[0], 0, s.num(args[1]) - 1);
  const stop = ids.length;
  if (stop === 0) return 0;
  call("LLEN", keys[1]);
  const servable = isServable(s, base, group);
  const heard = heardBy(s, base);
  const doomed: Bytes[] = [];
  const gone: Bytes[] = [];
  const tokens: number[] = [];
  const held: Names[] = [];
  const waited: Bytes[] = [];
  const notices: Notice[] = [];
  const told = nothingTold();
  for (const id of ids) {
    const fields = call("HMGET", `${base}job:${id}`, "state", "group", "dedup", "wait", "attempts", "parent");
    if (fields[0] === "pending" && fields[1] === group) {
      doomed[doomed.length] = `${base}job:${id}`;
      gone[gone.length] = id;
      tokens[tokens.length] = lastToken(s, base, fields[4]);
      const notice = noteEnd(s, base, id, fields[5], "removed", REMOVED_ERROR, true, told);
      if (notice !== false) notices[notices.length] = notice;
      if (heard > 0) tellOfJob(s, base, "removed", id, fields[2], ["state", "pending"]);
      const names = readNames(s, base, id, fields[2], true);
      if (names !== false) held[held.length] = names;
      if (waitedUntil(s, fields[3], 0) > 0) waited[waited.length] = id;
    }
  }
  const timed = call("ZCARD", `${base}ttl`);
  for (const id of waited) tellWaiters(s, base, id);
  // By member and not by rank: an operator is kept from claiming by lacking the command for ranks.
  removeMembers(s, keys[0], ids);
  if (timed > 0) removeMembers(s, `${base}ttl`, ids);
  for (const row of doomed) deleteRow(s, row);
  rememberTokens(s, base, gone, tokens);
  for (const notice of notices) tellGone(s, base, notice);
  for (const names of held) letGo(s, base, names);
  if (servable && call("ZCARD", keys[0]) === 0) call("LREM", keys[1], 1, group);
  return stop;
}
