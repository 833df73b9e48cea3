/**
 * When a scheduler occurs: every so many milliseconds, or by a cron pattern in a time zone.
 *
 * The slots of a rule are fixed instants that depend on the rule alone, never on when it was registered, fired or read:
 * so any number of hosts work out the same next slot from the same record. A local time that the clocks leave out, or
 * that comes twice, means what `dst` says, by these two rules and no third:
 *
 * - missing `shift`: the occurrence moves by the length of the gap (02:30 becomes 03:30 in a gap of an hour, and 02:15
 *   becomes 02:45 in one of half an hour); `skip`: there is none.
 * - repeated `first`, `last`, `both`: at which of the two instants it occurs.
 *
 * Two local times that fall on one instant are one slot.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { CALENDAR_END_MS } from "./civil-time.ts";
import { CronPattern } from "./cron-pattern.ts";
import { TimeZone, type ZoneSegment } from "./time-zone.ts";

/** What a local time means that the clocks leave out, and one that comes twice. */
export interface DstRule {
  /** Default `shift`: later by the length of the gap. */
  readonly missing?: "shift" | "skip";
  /** Default `first`. */
  readonly repeated?: "first" | "last" | "both";
}

/** What decides the slots, as it is stored. Every change of it is another rule. */
export interface RecurrenceRule {
  /** The fixed period in ms; with it there is no pattern. */
  readonly every?: number;
  readonly pattern?: string;
  /** Default `UTC`. */
  readonly tz?: string;
  readonly missing?: "skip";
  readonly repeated?: "last" | "both";
  /** How much later than the pattern, or the grid of the period, every slot is, in ms. */
  readonly offset?: number;
  /** The instant before which there is no slot, in Unix ms; the grid of a period begins at it. */
  readonly start?: number;
}

/** A slot, and local times before it that had none. */
export interface Slot {
  readonly atMs: number;
  /** How many local times between the instant asked for and this slot the clocks left out; 100 at most are counted. */
  readonly missing: number;
  /** Where the last of them would have been, shifted. */
  readonly missingAtMs: number;
}

/** Local times of one gap that are counted. */
const MISSING_MAX = 100;

/** Segments of a zone that are walked for one slot, far more than a pattern can pass over. */
const SEGMENTS_MAX = 12_000;

/** More than any zone is ahead of UTC, in ms. */
const OFFSET_MS_MAX = 26 * 3_600_000;

/** The slots of one rule. */
export class Recurrence {
  readonly rule: RecurrenceRule;
  readonly #pattern: CronPattern | undefined;
  readonly #zone: TimeZone;

  /** @throws EchoMQError `invalid_pattern`, `invalid_time_zone`. */
  constructor(rule: RecurrenceRule) {
    this.rule = rule;
    this.#pattern = rule.pattern === undefined ? undefined : new CronPattern(rule.pattern);
    this.#zone = new TimeZone(rule.tz ?? "UTC");
  }

  /** The first slot after an instant; `undefined` for none. */
  after(ms: number): Slot | undefined {
    const { start = Number.NEGATIVE_INFINITY, offset = 0 } = this.rule;
    const from = Math.max(ms, start - 1) - offset;
    if (this.#pattern === undefined) return this.#onGrid(from, offset);
    const slot = this.#byPattern(this.#pattern, from);
    return slot === undefined || offset === 0 ? slot : { ...slot, atMs: slot.atMs + offset };
  }

  /** {@link Recurrence.after}, the instant alone. */
  next(ms: number): number | undefined {
    return this.after(ms)?.atMs;
  }

  #onGrid(from: number, offset: number): Slot | undefined {
    const { every = 0, start = 0 } = this.rule;
    if (every <= 0) return undefined;
    const steps = Math.floor((from - start) / every) + 1;
    const atMs = start + Math.max(steps, 0) * every + offset;
    return atMs > CALENDAR_END_MS ? undefined : { atMs, missing: 0, missingAtMs: 0 };
  }

  #byPattern(pattern: CronPattern, from: number): Slot | undefined {
    const { missing: rule = "shift", repeated = "first" } = this.rule;
    let missing = 0;
    let missingAtMs = 0;
    let segment = this.#zone.segmentAt(from);
    for (let count = 0; count < SEGMENTS_MAX; count++) {
      const local = plainLocal(pattern, segment, { from, repeated });
      const plain = local !== undefined && local < endOf(segment, repeated) ? local - segment.offsetMs : undefined;
      const shifted = shiftedSlots(pattern, segment, from, rule === "skip" ? MISSING_MAX : 1);
      const [first] = shifted;
      if (rule === "skip") {
        const before = shifted.filter((at) => plain === undefined || at <= plain);
        missing += before.length;
        missingAtMs = before.at(-1) ?? missingAtMs;
      } else if (first !== undefined && (plain === undefined || first < plain)) {
        return { atMs: first, missing, missingAtMs };
      }
      if (plain !== undefined) return { atMs: plain, missing, missingAtMs };
      const next = this.#segmentAfter(segment, local);
      if (next === undefined) return undefined;
      segment = next;
    }
    return undefined;
  }

  /**
   * The next segment that may have a slot; `local` is the first local time of the pattern from this one on. Where the
   * clocks go back at its end, local times before that one come again.
   */
  #segmentAfter({ toMs, offsetMs, afterMs }: ZoneSegment, local: number | undefined): ZoneSegment | undefined {
    if (afterMs < offsetMs) return this.#zone.segmentAt(toMs);
    return local === undefined ? undefined : this.#zone.segmentAt(Math.max(toMs, local - OFFSET_MS_MAX));
  }
}

/** The first local time of a pattern that a segment, or what follows, has after an instant. */
function plainLocal(
  pattern: CronPattern,
  { fromMs, offsetMs, beforeMs }: ZoneSegment,
  { from, repeated }: { readonly from: number; readonly repeated: "first" | "last" | "both" },
): number | undefined {
  // Local times that the segment before has had already are left to it, unless the rule says otherwise.
  const low = fromMs + (repeated === "first" ? Math.max(beforeMs, offsetMs) : offsetMs);
  return firstFrom(pattern, Math.max(low, from + 1 + offsetMs));
}

/** The local time at which a segment ends for plain slots: those that come again later are left to what follows. */
function endOf({ toMs, offsetMs, afterMs }: ZoneSegment, repeated: "first" | "last" | "both"): number {
  return toMs + (repeated === "last" ? Math.min(afterMs, offsetMs) : offsetMs);
}

/** The first slots of a segment after an instant, of the local times that the clocks left out at its beginning. */
function shiftedSlots(pattern: CronPattern, segment: ZoneSegment, from: number, most: number): number[] {
  const { fromMs, offsetMs, beforeMs } = segment;
  const slots: number[] = [];
  if (beforeMs >= offsetMs) return slots;
  const high = fromMs + offsetMs;
  let local = firstFrom(pattern, Math.max(fromMs + beforeMs, from + 1 + beforeMs));
  while (local !== undefined && local < high && slots.length < most) {
    slots.push(local - beforeMs);
    local = pattern.nextAfter(local);
  }
  return slots;
}

/** The first local time of a pattern at or after another one. */
function firstFrom(pattern: CronPattern, localMs: number): number | undefined {
  // Patterns have whole seconds.
  return pattern.nextAfter(Math.ceil(localMs / 1000) * 1000 - 1000);
}

/** The rule that is stored in a record. @throws EchoMQError for what is none, or not on this platform. */
export function recurrenceOf(text: string): Recurrence {
  let rule: unknown;
  try {
    rule = JSON.parse(text);
  } catch (cause) {
    throw new EchoMQError("invalid_schedule", "The rule of the scheduler is no JSON", { cause });
  }
  if (typeof rule !== "object" || rule === null) {
    throw new EchoMQError("invalid_schedule", "The rule of the scheduler is no object");
  }
  return new Recurrence(rule);
}
