/** Durations on the command line: as they are typed, and as they are shown. */

import { type Duration, durationMs } from "../queue/duration.ts";

/** From the largest, since a text should be short. */
const UNITS = [
  ["w", 604_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** A parser for the value of an option that is a duration, in ms. It throws EchoMQError `invalid_option`. */
export function durationOption(flag: string): (text: string) => number {
  return (text) => durationMs(text as Duration, flag);
}

/** The duration in its largest unit: `7d`, `90m`. */
export function durationText(ms: number): string {
  const unit = UNITS.find(([, size]) => ms > 0 && ms % size === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`;
}

/** How long something has lasted, for people: its two largest units, such as `3h 5m`; below a second `0s`. */
export function spanText(ms: number): string {
  const parts: string[] = [];
  let left = ms;
  for (const [unit, size] of UNITS.slice(1)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count}${unit}`);
  }
  return parts.slice(0, 2).join(" ") || "0s";
}
