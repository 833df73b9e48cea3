/**
 * Finding lanes by their settings: those without work, and those that a pause, a limit or a rest keeps off the ring.
 *
 * A scan goes on by its cursor, so an act looks at a slice of the names and never at all of them.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { ratedLane } from "./limit.ts";

/** Names that one step of a scan asks for. */
const NAMES = 100;

/** A key whose members or fields name lanes. */
export type LaneSettings = "paused" | "glimit" | "gweight" | "gactive" | "rate";

/** What one step of a scan found. */
export interface LanePage {
  /** Where the scan goes on; `0` at its end. */
  readonly cursor: Bytes;
  readonly lanes: Bytes[];
  /** The member or field that names the lane at the same place. */
  readonly entries: Bytes[];
}

/** Takes one step of a scan over the lanes that a key of settings names. */
export function scanLanes(s: Server, base: Bytes, settings: LaneSettings, cursor: Bytes): LanePage {
  const call = s.call;
  const key = base + settings;
  const isSet = settings === "paused";
  const page = isSet ? call("SSCAN", key, cursor, "COUNT", NAMES) : call("HSCAN", key, cursor, "COUNT", NAMES);
  const found = page[1];
  const stop = found.length;
  const width = isSet ? 1 : 2;
  const lanes: Bytes[] = [];
  const entries: Bytes[] = [];
  for (let i = 0; i < stop; i += width) {
    const lane = settings === "rate" ? ratedLane(s, found[i]) : found[i];
    if (lane !== "") {
      lanes[lanes.length] = lane;
      entries[entries.length] = found[i];
    }
  }
  return { cursor: page[0], lanes, entries };
}
