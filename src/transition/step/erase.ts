/**
 * Erasing a job from wherever it is, with its row, its side keys and its deduplication key.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { leaveLane, readLanes, releaseLane } from "./lane.ts";
import { deleteRow, heldDedup } from "./row.ts";

/**
 * Removes an id from the four sets and its lane, then deletes the row. Membership decides, not the row's word, so a
 * member that strayed goes as well.
 */
export function erase(s: Server, base: Bytes, id: Bytes, group: Bytes | false, dedup: Bytes | false): void {
  const call = s.call;
  call("ZCARD", `${base}active`);
  call("ZCARD", `${base}schedule`);
  call("ZCARD", `${base}dead`);
  if (group !== false) readLanes(s, base, [group], 1);
  const held = heldDedup(s, base, dedup, id);
  call("ZREM", `${base}pending`, id);
  const wasActive = call("ZREM", `${base}active`, id);
  call("ZREM", `${base}schedule`, id);
  call("ZREM", `${base}dead`, id);
  if (group !== false) {
    leaveLane(s, base, group, id);
    if (wasActive === 1) releaseLane(s, base, group);
  }
  deleteRow(s, `${base}job:${id}`);
  if (held !== "") call("DEL", held);
}
