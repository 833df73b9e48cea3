/** Durations on the command line: ages to filter by, and the text of a duration to be typed again. */

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
