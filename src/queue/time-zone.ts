/**
 * A time zone as a line of segments, each with one offset from UTC.
 *
 * Where two segments meet the clocks are moved: forward, and local times are missing; back, and local times come twice.
 * Whoever walks local times segment by segment meets both cases at an edge and nowhere else, so what a missing or a
 * repeated time means is decided in one place (recurrence.ts), for gaps of any length. The platform knows the offsets.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { nearestName } from "./option-check.ts";

/** A stretch of time with one offset: from `fromMs`, and before `toMs`. */
export interface ZoneSegment {
  readonly fromMs: number;
  readonly toMs: number;
  /** What local time is ahead of UTC, in ms. */
  readonly offsetMs: number;
  /** The offset just before it, and that of what follows. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Time is cut into blocks, so that a look at one instant costs a bounded search. */
const BLOCK_MS = 32 * 86_400_000;

/** Offsets are compared this far apart; no zone moves its clocks forth and back within it. */
const STEP_MS = 4 * 86_400_000;

/** Blocks of one zone that are remembered: 22 years. */
const BLOCKS_KEPT_MAX = 256;

const OFFSET = /GMT(?:([+-])(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** One time zone of the platform. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | undefined;
  readonly #blocks: Map<number, readonly ZoneSegment[]> = new Map();

  /** @throws EchoMQError `invalid_time_zone` for a name that the platform does not know. */
  constructor(name: string) {
    this.name = name;
    this.#format = name === "UTC" ? undefined : formatOf(name);
  }

  /** What local time is ahead of UTC at an instant, in ms. */
  offsetAt(ms: number): number {
    if (this.#format === undefined) return 0;
    const [, sign, hours = "0", minutes = "0", seconds = "0"] = OFFSET.exec(this.#format.format(ms)) ?? [];
    if (sign === undefined) return 0;
    const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return sign === "-" ? -size : size;
  }

  /** The segment of an instant. Two neighbours may have the same offset. */
  segmentAt(ms: number): ZoneSegment {
    const index = Math.floor(ms / BLOCK_MS);
    const found = this.#blockAt(index).find((segment) => ms < segment.toMs);
    if (found === undefined) throw new EchoMQError("internal", `The zone ${this.name} has no segment at ${ms}`);
    return found;
  }

  #blockAt(index: number): readonly ZoneSegment[] {
    const known = this.#blocks.get(index);
    if (known !== undefined) return known;
    if (this.#blocks.size >= BLOCKS_KEPT_MAX) this.#blocks.clear();
    const segments = this.#segmentsOf(index * BLOCK_MS);
    this.#blocks.set(index, segments);
    return segments;
  }

  #segmentsOf(startMs: number): ZoneSegment[] {
    const endMs = startMs + BLOCK_MS;
    const edges = [startMs];
    for (let from = startMs; from < endMs; from += STEP_MS) {
      // The edge of the block is looked at from both sides, so a change right there is found too.
      const to = Math.min(from + STEP_MS, endMs - 1);
      if (this.offsetAt(from) !== this.offsetAt(to)) edges.push(this.#changeBetween(from, to));
    }
    edges.push(endMs);
    return edges.slice(0, -1).map((fromMs, at) => {
      const toMs = edges[at + 1] ?? endMs;
      return {
        fromMs,
        toMs,
        offsetMs: this.offsetAt(fromMs),
        beforeMs: this.offsetAt(fromMs - 1),
        afterMs: this.offsetAt(toMs),
      };
    });
  }

  /** The first instant with another offset than that of `from`. */
  #changeBetween(from: number, to: number): number {
    const offset = this.offsetAt(from);
    let [before, after] = [from, to];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    return after;
  }
}

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch (cause) {
    const nearest = nearestName(name, Intl.supportedValuesOf("timeZone"));
    const advice = nearest === undefined ? 'give a name such as "Europe/Berlin" or "UTC"' : `did you mean ${nearest}?`;
    throw new EchoMQError("invalid_time_zone", `There is no time zone ${quote(name)}: ${advice}`, {
      cause,
      details: { value: name, ...(nearest === undefined ? {} : { nearest }) },
    });
  }
}
