/**
 * Waking workers: one token in `wake`, and only where none lies yet (docs/protocol/wake.md).
 *
 * A token is pushed after the writes that made work claimable, so the reads that decide come from the same act.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { isLimited } from "./limit.ts";

/** The list stays within 64 tokens for foreign readers; 62 is the last index kept before one more is pushed. */
const LAST_KEPT = 62;

/** Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed. */
export function isOpen(s: Server, base: Bytes): boolean {
  return s.call("HEXISTS", `${base}meta`, "paused") === 0;
}

/**
 * Pushes one token unless one lies there already.
 *
 * The trim does nothing to a list that is absent, but it is a write that a full server admits, and after one such write
 * the server admits the push as well: settling must work at `maxmemory`.
 */
export function push(s: Server, wake: Bytes): void {
  const call = s.call;
  if (call("EXISTS", wake) === 0) {
    call("LTRIM", wake, 0, LAST_KEPT);
    call("LPUSH", wake, "1");
  }
}

/**
 * Whether limits keep the queue from being claimed from.
 *
 * @cold
 */
function isHeldBack(s: Server, base: Bytes): boolean {
  return isLimited(s, base);
}

/**
 * Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
 * what {@link isOpen} said before the first write of the act.
 */
export function pushIfClaimable(s: Server, base: Bytes, open: boolean): void {
  const call = s.call;
  const wake = `${base}wake`;
  // Asked first, because in a busy queue a token lies there nearly always.
  if (!open || call("EXISTS", wake) === 1 || call("EXISTS", `${base}pending`, `${base}ring`) === 0) return;
  if (call("EXISTS", `${base}meta`, `${base}rest`) > 0 && isHeldBack(s, base)) return;
  push(s, wake);
}

/**
 * Pushes as wire 3 does when a lane comes onto the ring, for an act that knows no more of its queue: always, within 64
 * tokens.
 */
export function pushOfLane(s: Server, wake: Bytes): void {
  s.call("LPUSH", wake, "1");
  s.call("LTRIM", wake, 0, LAST_KEPT + 1);
}

/** Pushes if one of the ids that this act scheduled stands at the head of the schedule now. */
export function pushIfHead(s: Server, base: Bytes, id: Bytes): void {
  const head = s.call("ZRANGE", `${base}schedule`, 0, 0);
  if (head.length > 0 && head[0] === id) push(s, `${base}wake`);
}
