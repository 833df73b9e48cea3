/**
 * Lists the lanes of a queue by page: first those that may be served, in the order of their turns, then those that a
 * setting or a running job names.
 *
 * Each lane that has work is on the ring, paused, or at its limit and so among those with running jobs; the other keys
 * hold settings of lanes without work. They are walked one behind the other, and a lane is told at the first of them
 * that it stands in, so at rest each comes once. The ring turns while it is read: it is read as a circle from behind
 * the lane that came last, which its turning does not change. A lane that changes its situation between two pages may
 * come twice or not at all.
 *
 * A cursor is text without meaning for others. It holds where the walk is and at most a few names.
 */

import type { Engine } from "../engine/engine.ts";
import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { baseKey } from "../protocol/key.ts";
import { PAGE_LANES_DEFAULT, PAGE_LANES_MAX } from "./defaults.ts";
import type { LaneCounts, Lanes } from "./lanes.ts";
import { assertKnownOptions, assertWhole } from "./option-check.ts";
import { bytesReply, listOf, unexpected } from "./verb-call.ts";

/** Which page of lanes. */
export interface LanePageOptions {
  /** The cursor of the page before; absent for the first page. */
  readonly cursor?: string | undefined;
  /** About how many lanes, 1 to 1000; default 100. A page may have fewer, even none, and a few more. */
  readonly limit?: number;
}

/** A page of lanes. */
export interface LanePage {
  readonly lanes: LaneCounts[];
  /** For the next page; `undefined` at the end. */
  readonly cursor: string | undefined;
}

/** Where a page is read from. */
export interface LaneSource {
  readonly engine: Engine;
  readonly lanes: Lanes;
  readonly queue: string;
}

/** Names that a cursor keeps of the ring: if the last has left it, one before is likely to be there still. */
const ANCHORS = 4;

/** What is walked behind the ring, with the command that walks it. */
const PARKED = [
  ["paused", "SSCAN"],
  ["gactive", "HSCAN"],
  ["gordered", "SSCAN"],
  ["glimit", "HSCAN"],
  ["gweight", "HSCAN"],
  ["rate", "HSCAN"],
  ["rest", "ZRANGE"],
] as const;

/** A place of the walk. */
type Place =
  | { readonly ring: true; readonly left: number | undefined; readonly anchors: readonly string[] }
  | { readonly ring: false; readonly part: number; readonly scan: string };

/** Names and where to go on; no place is the end. */
interface Step {
  readonly names: string[];
  readonly next: Place | undefined;
}

/**
 * Reads one page.
 *
 * @throws EchoMQError `invalid_option` for a cursor that is none or a limit out of range, `unknown_option`.
 */
export async function readLanePage(source: LaneSource, options: LanePageOptions = {}): Promise<LanePage> {
  assertKnownOptions(options, { owner: "lanes", known: ["cursor", "limit"], foreign: FOREIGN });
  const { cursor, limit = PAGE_LANES_DEFAULT } = options;
  assertWhole(limit, "limit", { min: 1, max: PAGE_LANES_MAX });
  const place: Place = cursor === undefined ? { ring: true, left: undefined, anchors: [] } : placeOf(cursor);
  const { names, next } = place.ring ? await stepRing(source, place, limit) : await stepParked(source, place, limit);
  const lanes: LaneCounts[] = [];
  // A scan may answer more than it was asked for.
  for (let at = 0; at < names.length; at += PAGE_LANES_MAX) {
    lanes.push(...(await source.lanes.counts(source.queue, names.slice(at, at + PAGE_LANES_MAX))));
  }
  const told = place.ring ? lanes : lanes.filter((lane) => partOf(lane) === place.part);
  return { lanes: told, cursor: next === undefined ? undefined : JSON.stringify(next) };
}

const FOREIGN: Readonly<Record<string, string>> = {
  start: "lanes are read by cursor: give the cursor of the page before",
  end: "lanes are read by cursor: give limit",
};

/** The place of lanes that rest among {@link PARKED}. */
const RESTING = PARKED.length - 1;

/** The place of lanes of which nothing but their rate is known; a lane without one is not found there. */
const RATED = RESTING - 1;

/** The place among {@link PARKED} at which a lane is told; -1 for one that the ring tells. */
function partOf({ depth, active, limit, weight, isPaused, isOrdered, restMs }: LaneCounts): number {
  if (isPaused) return 0;
  if (restMs > 0) return RESTING;
  if (depth > 0 && (limit === undefined || active < limit)) return -1;
  if (active > 0) return 1;
  if (isOrdered) return 2;
  if (limit !== undefined) return 3;
  return weight === 1 ? RATED : 4;
}

async function stepRing(source: LaneSource, place: Place & { ring: true }, limit: number): Promise<Step> {
  const { lanes, queue } = source;
  const most = Math.min(limit, place.left ?? limit);
  const tries = [...place.anchors, undefined];
  for (const after of tries) {
    const part = await lanes.ring(queue, most, after);
    if (part === "gone") continue;
    const left = (place.left ?? part.size) - part.lanes.length;
    const anchors = [...part.lanes].reverse().concat(place.anchors).slice(0, ANCHORS);
    const isOver = left <= 0 || part.lanes.length < most;
    return { names: part.lanes, next: isOver ? { ring: false, part: 0, scan: "0" } : { ring: true, left, anchors } };
  }
  throw unexpected("gone");
}

async function stepParked(source: LaneSource, place: Place & { ring: false }, limit: number): Promise<Step> {
  const [suffix, command] = PARKED[place.part] ?? PARKED[0];
  const key = `${baseKey(bytesOf(source.queue))}${suffix}`;
  if (command === "ZRANGE") return await stepResting(source, key, { from: Number(place.scan), limit });
  const reply = listOf(await source.engine.command([command, key, place.scan, "COUNT", String(limit)]));
  const parts = listOf(reply[1] ?? null);
  const width = command === "HSCAN" ? 2 : 1;
  const names: string[] = [];
  for (let at = 0; at < parts.length; at += width) {
    const name = bytesReply(parts[at]);
    if (suffix !== "rate") names.push(textOf(name));
    // Each rate has several fields, one of which is always there.
    else if (name.startsWith("m") && name.length > 1) names.push(textOf(name.slice(1)));
  }
  const scan = bytesReply(reply[0]);
  if (scan !== "0") return { names, next: { ...place, scan } };
  const part = place.part + 1;
  return { names, next: part < PARKED.length ? { ring: false, part, scan: "0" } : undefined };
}

/** Lanes that rest, those whose rest ends first before others; one that goes back meanwhile moves the others up. */
async function stepResting(
  source: LaneSource,
  key: Bytes,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<Step> {
  const to = from + limit;
  const members = listOf(await source.engine.command(["ZRANGE", key, String(from), String(to - 1)]));
  // The empty one is the queue itself, at rest.
  const names = members.map((name) => textOf(bytesReply(name))).filter((name) => name !== "");
  const isOver = members.length < limit;
  return { names, next: isOver ? undefined : { ring: false, part: RESTING, scan: String(to) } };
}

/** Reads a cursor of ours. */
function placeOf(cursor: unknown): Place {
  try {
    const place: unknown = JSON.parse(String(cursor));
    if (isPlace(place)) return place;
  } catch {
    // Told below.
  }
  throw new EchoMQError("invalid_option", "cursor must be what the page before answered", {
    details: { option: "cursor", value: cursor },
  });
}

function isPlace(place: unknown): place is Place {
  if (typeof place !== "object" || place === null) return false;
  const { ring, left, anchors, part, scan } = place as Record<string, unknown>;
  if (ring === true) {
    const hasAnchors = Array.isArray(anchors) && anchors.length <= ANCHORS && anchors.every(isText);
    return hasAnchors && typeof left === "number" && Number.isSafeInteger(left) && left > 0;
  }
  const isPart = typeof part === "number" && Number.isInteger(part) && part >= 0 && part < PARKED.length;
  return ring === false && isPart && typeof scan === "string" && /^[0-9]{1,20}$/.test(scan);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
