/**
 * Durations as users write them: milliseconds, or text such as `"5m"`.
 *
 * Inside the project a duration is a whole number of milliseconds, always; this is the one place that reads text.
 * Numbers that no clock can honour are refused here, before anything is written.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { MS_MAX } from "./defaults.ts";

/** Milliseconds, or a number with a unit: `ms s m h d w`, as in `"250ms"`, `"1.5h"`, `"7d"`. */
export type Duration = number | DurationText;

/** A duration as text. */
export type DurationText = `${number}${DurationUnit}`;

/** The units of {@link DurationText}. */
export type DurationUnit = keyof typeof UNIT_MS;

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Digits, perhaps a fraction, then a unit; no sign, so that a negative duration is not even a form. */
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/;

/**
 * The whole milliseconds of a duration.
 *
 * @param name what the option is called, for the message.
 * @throws EchoMQError `invalid_option` for what is negative, not a number, infinite, fractional in milliseconds, larger
 *   than 2^53 - 1, or text of another form; a bare number as text (`"500"`) has no unit and is refused too.
 */
export function durationMs(value: Duration, name: string): number {
  const ms = typeof value === "string" ? textMs(value) : value;
  if (typeof ms === "number" && Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw new EchoMQError(
    "invalid_option",
    `${name} must be whole milliseconds from 0 to ${MS_MAX} or text such as "500ms", "30s", "5m", "2h", "1d", ` +
      `not ${quote(value)}`,
    { details: { option: name, value } },
  );
}

/** Milliseconds of a text, NaN for another form. Rounded against the error of fractions: 1.1s is 1100 and not more. */
function textMs(text: string): number {
  const match = FORM.exec(text);
  if (match === null) return Number.NaN;
  const ms = Number(match[1]) * UNIT_MS[match[2] as DurationUnit];
  const rounded = Math.round(ms);
  return Math.abs(ms - rounded) < 1e-6 * Math.max(1, ms) ? rounded : ms;
}
