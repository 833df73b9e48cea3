/**
 * Judging a settlement and ending its lease.
 *
 * A settlement is accepted from the holder of the current token, while the job is active or has lapsed and was not
 * claimed again. A lapsed job waits with an `owner` field that is empty: that tells it from one that was put back on
 * purpose, whose token has been used up. Order of judgement: gone, token, state.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { occupyLane, releaseLane } from "./lane.ts";
import { countOf, setCount } from "./row.ts";
import { stopWaiting } from "./waiting.ts";

/** What a settlement reads of a row, in this order. */
export function readHolder(s: Server, row: Bytes): (Bytes | false)[] {
  return s.call(
    "HMGET",
    row,
    "attempts",
    "state",
    "owner",
    "group",
    "priority",
    "stalled",
    "deferred",
    "cancel",
    "dedup",
    "wait",
    "parent",
  );
}

/** Whether a token is the current one. No claim ever gave `0`, although a row is born with that number. */
export function isCurrent(attempts: Bytes | false, token: Bytes): boolean {
  return token !== "0" && attempts === token;
}

/** The refusal of a settlement, empty when it is accepted. `gone` and `stale` are the verb's own texts. */
export function judge(holder: (Bytes | false)[], token: Bytes, gone: Bytes, stale: Bytes): Bytes {
  const attempts = holder[0];
  if (attempts === false) return gone;
  if (token === "0" || attempts !== token) return stale;
  const state = holder[1];
  if (state === "active" || (state === "pending" && holder[2] !== false)) return "";
  return "EMQSTATE job is not active";
}

/** Takes an accepted job from where it waits after a lapse. The lapse was no crash and is taken back. */
function leaveWaiting(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[]): void {
  stopWaiting(s, base, id, holder[3]);
  setCount(s, `${base}job:${id}`, "stalled", countOf(s, holder[5]) - 1);
}

/** Takes an accepted job from where it is; its row still says that it is held, which suits one that is to go. */
export function leavePlace(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[]): void {
  const group = holder[3];
  if (holder[1] === "active") {
    s.call("ZREM", `${base}active`, id);
    if (group !== false) releaseLane(s, base, group);
  } else leaveWaiting(s, base, id, holder);
}

/**
 * Ends the lease of an accepted settlement: out of `active`, or out of where a lapsed job waits. The lapse of a holder
 * that came back after all was no crash and is taken back.
 */
export function endLease(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[]): void {
  const group = holder[3];
  const row = `${base}job:${id}`;
  leavePlace(s, base, id, holder);
  if (group === false) s.call("HDEL", row, "owner");
  else s.call("HDEL", row, "owner", "held");
}

/**
 * Ends the lease of an accepted settlement after which the job holds its ordered lane: the lane goes on counting it.
 */
export function keepLane(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], group: Bytes): void {
  if (holder[1] === "active") s.call("ZREM", `${base}active`, id);
  else {
    leaveWaiting(s, base, id, holder);
    occupyLane(s, base, group);
  }
  s.call("HDEL", `${base}job:${id}`, "owner");
  s.call("HSET", `${base}job:${id}`, "held", "1");
}
