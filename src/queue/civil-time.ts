/**
 * The calendar without a clock: instants of a calendar that no zone bends, as numbers and as text.
 *
 * A local time is handled as if it were UTC, in milliseconds since 1970, so that walking a calendar and bending it to a
 * zone (time-zone.ts) stay two things. Nothing here knows what time it is.
 */

const DAY_MS = 86_400_000;

/** The last second of the year 9998: beyond it the walk over a calendar ends. */
export const CALENDAR_END_MS = 253_370_764_799_000;

/** The text `YYYY-MM-DDTHH:MM:SS` of an instant, of which the milliseconds are cut off. */
export function civilText(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const seconds = Math.floor((ms - days * DAY_MS) / 1000);
  const { year, month, day } = civilDay(days);
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const date = [String(year).padStart(4, "0"), two(month), two(day)].join("-");
  return `${date}T${time.map(two).join(":")}`;
}

/**
 * Year, month and day of a count of days since 1970. Years are taken to begin in March, so that the leap day is the
 * last of its year, and 400 of them are one round of the calendar.
 */
function civilDay(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const fromMarch = days + 719_468;
  const round = Math.floor(fromMarch / 146_097);
  const dayOfRound = fromMarch - round * 146_097;
  const yearOfRound = Math.floor(
    (dayOfRound - Math.floor(dayOfRound / 1460) + Math.floor(dayOfRound / 36_524) - Math.floor(dayOfRound / 146_096)) /
      365,
  );
  const dayOfYear = dayOfRound - (365 * yearOfRound + Math.floor(yearOfRound / 4) - Math.floor(yearOfRound / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfRound + round * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
