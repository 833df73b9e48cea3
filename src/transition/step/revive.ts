/**
 * Reviving: a dead job gets a fresh budget and waits again, at its own place.
 *
 * The attempts number stays: it is the fencing token and must never repeat. The attempts so far count as interruptions.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { letWait, readPlace } from "./waiting.ts";

/** Revives a member of `dead`; `fields` are `attempts`, `group` and `priority` of its row, which must be there. */
export function reviveDead(s: Server, base: Bytes, id: Bytes, fields: (Bytes | false)[]): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  const attempts = fields[0];
  readPlace(s, base, fields[1]);
  call("ZCARD", `${base}expiry`);
  call("ZREM", `${base}dead`, id);
  call("ZREM", `${base}expiry`, id);
  call("HDEL", row, "last_error", "stalled", "cancel", "owner", "finished_at");
  if (attempts !== false) call("HSET", row, "state", "pending", "deferred", attempts);
  if (attempts === "0") call("HDEL", row, "deferred");
  letWait(s, base, id, fields[1], fields[2]);
}
