/**
 * Slots of random patterns over five years in ten zones, against a computation of its own: day after day, with the
 * offsets that the platform writes out in parts, on each day on which the clocks stay as they are.
 */

import { describe, expect, it } from "vitest";
import { Recurrence } from "../../../src/queue/recurrence.ts";
import { createRandom } from "../../../src/testing/test-ports.ts";

const DAY = 86_400_000;

/** Five years of days. */
const FIRST_DAY = Date.UTC(2026, 0, 1) / DAY;
const DAYS = 1826;

const ZONES = [
  "UTC",
  "America/New_York",
  "America/St_Johns",
  "America/Santiago",
  "Europe/Berlin",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Apia",
];

/** Patterns of a zone. */
const PATTERNS = 4;

/** A pattern and the sets that it stands for. */
interface Drawn {
  readonly text: string;
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly isDay: (day: number, month: number, weekday: number) => boolean;
}

function draw(random: () => number): Drawn {
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const some = (from: number, to: number, most: number) =>
    [...new Set(Array.from({ length: whole(1, most) }, () => whole(from, to)))].sort((a, b) => a - b);
  const minutes = some(0, 59, 2);
  const hours = some(0, 23, 2);
  const months = random() < 0.5 ? undefined : some(1, 12, 4);
  const days = random() < 0.5 ? undefined : some(1, 31, 3);
  const weekdays = random() < 0.5 ? undefined : some(0, 6, 2);
  const field = (set: readonly number[] | undefined) => set?.join(",") ?? "*";
  const isDay = (day: number, month: number, weekday: number) => {
    if (months !== undefined && !months.includes(month)) return false;
    if (days === undefined && weekdays === undefined) return true;
    return days?.includes(day) === true || weekdays?.includes(weekday) === true;
  };
  return {
    text: `${field(minutes)} ${field(hours)} ${field(days)} ${field(months)} ${field(weekdays)}`,
    minutes,
    hours,
    isDay,
  };
}

/** What local time is ahead of UTC at an instant, by the parts that the platform writes. */
function offsetsOf(tz: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: tz,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
  };
}

/** The local days of five years on which, and around which, no clock is moved, each with its offset. */
function quietDays(tz: string): Map<number, number> {
  const offsetAt = offsetsOf(tz);
  const offsets = Array.from({ length: DAYS + 3 }, (_, at) => offsetAt((FIRST_DAY + at - 1) * DAY));
  const quiet = new Map<number, number>();
  for (let at = 0; at < DAYS; at++) {
    const around = new Set(offsets.slice(at, at + 4));
    const [offset] = around;
    if (around.size === 1 && offset !== undefined) quiet.set(FIRST_DAY + at, offset);
  }
  return quiet;
}

/** The slots of a pattern on quiet days, each day by itself. */
function expectedSlots({ minutes, hours, isDay }: Drawn, quiet: ReadonlyMap<number, number>): number[] {
  const found: number[] = [];
  for (const [day, offset] of quiet) {
    const date = new Date(day * DAY);
    if (!isDay(date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay())) continue;
    for (const hour of hours)
      for (const minute of minutes) found.push(day * DAY + (hour * 60 + minute) * 60_000 - offset);
  }
  return found;
}

/** The slots of five years on quiet days, one after another. */
function slotsOf(pattern: string, tz: string, quiet: ReadonlyMap<number, number>): number[] {
  const recurrence = new Recurrence({ pattern, tz });
  const offsetAt = offsetsOf(tz);
  const found: number[] = [];
  for (let at = recurrence.next((FIRST_DAY - 2) * DAY); at !== undefined; at = recurrence.next(at)) {
    const day = Math.floor((at + offsetAt(at)) / DAY);
    if (day >= FIRST_DAY + DAYS) break;
    if (quiet.has(day)) found.push(at);
  }
  return found;
}

describe.each(ZONES)("five years of random patterns in %s", (tz) => {
  const quiet = quietDays(tz);
  const random = createRandom(ZONES.indexOf(tz) + 1);
  const drawn = Array.from({ length: PATTERNS }, () => draw(random));

  it.each(drawn)("$text has the slots that a calendar gives", (pattern) => {
    expect(quiet.size).toBeGreaterThan(1700);
    const expected = expectedSlots(pattern, quiet);
    expect(expected.length).toBeGreaterThan(0);
    expect(slotsOf(pattern.text, tz, quiet)).toEqual(expected);
  });
});
