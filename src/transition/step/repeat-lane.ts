/**
 * The lane in which the occurrences of a repeat run one after another, and what of it goes when they no longer do.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { laneKey, readLanes, setLimit } from "./lane.ts";

/**
 * Whether the lane of a repeat has settings that may go: there are any, and nothing is in it. Reads what
 * {@link freeLane} will meet, so it stands before the first write.
 */
export function mayFreeLane(s: Server, base: Bytes, overlap: Bytes | false, group: Bytes | false): boolean {
  const call = s.call;
  if (overlap !== "queue" || group === false) return false;
  readLanes(s, base, [group], 1);
  call("SCARD", `${base}gordered`);
  return call("ZCARD", laneKey(base, group)) === 0 && call("HEXISTS", `${base}gactive`, group) === 0;
}

/** Takes the limit and the order of such a lane away. */
export function freeLane(s: Server, base: Bytes, group: Bytes): void {
  setLimit(s, base, group, 0);
  s.call("SREM", `${base}gordered`, group);
}
