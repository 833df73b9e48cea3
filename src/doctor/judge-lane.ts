/** The rules about one lane: its settings, its counter, its place on the ring. */

import type { Bytes } from "../protocol/bytes.ts";
import type { LaneEvidence } from "./evidence.ts";
import type { Fault, FindingCode } from "./finding.ts";

const POSITIVE = /^[1-9][0-9]*$/;

/** Everything that is wrong with one lane. The counter is judged only where the leased jobs were counted. */
export function judgeLane(lane: LaneEvidence): Fault[] {
  return [...settingFaults(lane), ...restFaults(lane), ...activeFaults(lane), ...ringFaults(lane)];
}

/** A name in a list of lanes that no lane can have. */
export function judgeLaneName(name: Bytes, suffix: Bytes): Fault {
  const subject = { kind: "lane", name } as const;
  const code = suffix === "ring" ? "lane-ring" : "lane-settings";
  return { code, suffix, member: name, detail: "can name no lane", destroys: false, subject };
}

/** How many jobs of a lane are active by its counter; a counter that is no number counts nothing. */
function activeOf({ active }: LaneEvidence): number {
  return active !== undefined && POSITIVE.test(active) ? Number(active) : 0;
}

function faultOf(
  lane: LaneEvidence,
  { code, suffix, detail }: { code: FindingCode; suffix: Bytes; detail: string },
): Fault {
  const subject = { kind: "lane", name: lane.lane, more: lane.holders } as const;
  return { code, suffix, member: lane.lane, detail, destroys: false, subject };
}

function settingFaults(lane: LaneEvidence): Fault[] {
  const settings = [
    ["glimit", lane.limit],
    ["gweight", lane.weight],
  ] as const;
  const faults = settings.flatMap(([suffix, text]) =>
    text === undefined || POSITIVE.test(text)
      ? []
      : [faultOf(lane, { code: "lane-settings", suffix, detail: `is ${text}` })],
  );
  // The limit is what keeps the order; where it cannot be read, that has been told.
  if (!lane.isOrdered || lane.limit === "1" || faults.some(({ suffix }) => suffix === "glimit")) return faults;
  const detail = `is ${lane.limit ?? "absent"} although the lane is ordered`;
  return [...faults, faultOf(lane, { code: "lane-settings", suffix: "glimit", detail })];
}

function restFaults(lane: LaneEvidence): Fault[] {
  if (!lane.restsForNothing) return [];
  return [faultOf(lane, { code: "lane-rest", suffix: "rest", detail: "rests although it has no rate" })];
}

function activeFaults(lane: LaneEvidence): Fault[] {
  if (lane.leased === undefined) return [];
  const count = lane.leased + lane.holders.length;
  if (lane.active === (count === 0 ? undefined : String(count))) return [];
  const holding = lane.holders.length === 0 ? "" : ` and ${lane.holders.length} hold it`;
  const detail = `says ${lane.active ?? "nothing"}, ${lane.leased} are leased${holding}`;
  return [faultOf(lane, { code: "lane-active", suffix: "gactive", detail })];
}

function ringFaults(lane: LaneEvidence): Fault[] {
  const reason = whyNotServable(lane);
  const fault = (detail: string): Fault[] => [faultOf(lane, { code: "lane-ring", suffix: "ring", detail })];
  if (lane.places > 1) return fault("stands on it twice");
  // A speaker without a base puts a lane onto the ring that rests; the next claim takes it off.
  if (lane.places <= 1 && (reason === RESTS || lane.restsForNothing)) return [];
  if (lane.places === 1 && reason !== undefined) return fault(`cannot be served: ${reason}`);
  if (lane.places === 0 && reason === undefined) return fault("can be served and is not on it");
  return [];
}

const RESTS = "it rests";

/** What keeps a lane off the ring, or `undefined` when it belongs on it. */
function whyNotServable(lane: LaneEvidence): string | undefined {
  if (lane.depth === 0) return "it has no waiting work";
  if (lane.isPaused) return "it is paused";
  const { limit } = lane;
  return limit !== undefined && POSITIVE.test(limit) && activeOf(lane) >= Number(limit)
    ? "it is at its limit"
    : lane.isResting
      ? RESTS
      : undefined;
}
