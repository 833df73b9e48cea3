/**
 * A cron pattern: checked here, walked by croner.
 *
 * The text is judged field by field before croner sees it, so that a refusal names the field, the place and the value,
 * and so that nothing passes which two readers of cron would take for two things. The walk is over a calendar that no
 * zone bends: what a zone makes of a local time is not croner's to say (recurrence.ts).
 */

import { Cron } from "croner";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { CALENDAR_END_MS, civilText } from "./civil-time.ts";

/** Characters of a pattern, at most. */
export const PATTERN_LENGTH_MAX = 256;

/** One field of a pattern. */
interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Words for values, the first of which is `min`. */
  readonly words?: readonly string[];
  readonly special?: "day" | "weekday";
}

const SECOND: Field = { name: "second", min: 0, max: 59 };
const MINUTE: Field = { name: "minute", min: 0, max: 59 };
const HOUR: Field = { name: "hour", min: 0, max: 23 };
const DAY: Field = { name: "day of month", min: 1, max: 31, special: "day" };
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const MONTH: Field = { name: "month", min: 1, max: 12, words: MONTHS };
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const WEEKDAY: Field = { name: "day of week", min: 0, max: 7, words: DAYS, special: "weekday" };
const YEAR: Field = { name: "year", min: 1970, max: 9998 };

const FIVE = [MINUTE, HOUR, DAY, MONTH, WEEKDAY];

/** The fields of patterns by their number. */
const FIELDS: Readonly<Record<number, readonly Field[]>> = {
  5: FIVE,
  6: [SECOND, ...FIVE],
  7: [SECOND, ...FIVE, YEAR],
};

const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** A checked pattern. */
export class CronPattern {
  readonly text: string;
  readonly #cron: Cron;

  /**
   * @throws EchoMQError `invalid_pattern` with `details.field`, `position` (from 0) and `value`.
   */
  constructor(text: string) {
    this.text = text;
    const plain = checkedPattern(text);
    try {
      this.#cron = new Cron(plain, { paused: true, utcOffset: 0 });
    } catch (cause) {
      throw new EchoMQError("invalid_pattern", `The pattern ${quote(text)} cannot be read: ${causeText(cause)}`, {
        cause,
        details: { value: text },
      });
    }
  }

  /** The first local time of the pattern after another one, both as if they were UTC; `undefined` for none. */
  nextAfter(localMs: number): number | undefined {
    if (localMs >= CALENDAR_END_MS) return undefined;
    const next = this.#cron.nextRun(civilText(localMs))?.getTime();
    return next === undefined || next > CALENDAR_END_MS ? undefined : next;
  }
}

/** A part of a pattern: where it stands, for whom it speaks and what it is. */
interface Part {
  readonly pattern: string;
  readonly field: Field;
  readonly position: number;
  readonly value: string;
}

/** The pattern as croner is to read it. */
function checkedPattern(text: unknown): string {
  if (typeof text !== "string" || text.length > PATTERN_LENGTH_MAX) {
    const message = `A pattern must be text of ${PATTERN_LENGTH_MAX} characters at most, not ${quote(text)}`;
    throw new EchoMQError("invalid_pattern", message, { details: { value: text } });
  }
  const trimmed = text.trim();
  if (trimmed.startsWith("@")) {
    const plain = NICKNAMES[trimmed.toLowerCase()];
    if (plain !== undefined) return plain;
    const message = `There is no pattern ${quote(trimmed)}: it can be ${Object.keys(NICKNAMES).join(", ")}`;
    throw new EchoMQError("invalid_pattern", message, { details: { value: trimmed, position: 0 } });
  }
  const words = [...text.matchAll(/\S+/g)];
  const fields = FIELDS[words.length];
  if (fields === undefined) {
    const forms = "5 fields (minute, hour, day of month, month, day of week), 6 with the second first, 7 with the year";
    const message = `The pattern ${quote(text)} has ${words.length} fields, and must have ${forms} last`;
    throw new EchoMQError("invalid_pattern", message, { details: { value: text } });
  }
  for (const [at, field] of fields.entries()) {
    const word = words[at];
    if (word !== undefined) checkField({ pattern: text, field, position: word.index, value: word[0] });
  }
  return words.map(([word]) => word).join(" ");
}

/** Judges the list that a field is. */
function checkField(part: Part): void {
  let { position } = part;
  for (const value of part.value.split(",")) {
    checkItem({ ...part, position, value });
    position += value.length + 1;
  }
}

/** Judges one item of a list: a value, a range or a star, perhaps with a step, or what only days have. */
function checkItem(part: Part): void {
  const { field, value, position } = part;
  if (value === "") throw bad(part, "is empty");
  const [body = "", step, ...more] = value.split("/");
  if (more.length > 0) throw bad(part, "has more than one step");
  if (step !== undefined) {
    checkNumber({ ...part, value: step, position: position + body.length + 1 }, 1, field.max, "a step");
    if (body !== "*" && !body.includes("-"))
      throw bad(part, `has a step without a range: write ${body}-${field.max}/${step}`);
  }
  if (body === "*") return;
  if (body === "?" && field.special !== undefined && step === undefined) return;
  if (field.special === "day" && step === undefined && isSpecialDay(part, body)) return;
  if (field.special === "weekday" && step === undefined && isSpecialWeekday(part, body)) return;
  const ends = body.split("-");
  if (ends.length > 2) throw bad(part, "has more than one range");
  const [from = "", to] = ends;
  const low = checkValue({ ...part, value: from });
  if (to === undefined) return;
  const high = checkValue({ ...part, value: to, position: position + from.length + 1 });
  if (low > high)
    throw bad(part, `begins after its end: write it as two, such as ${from}-${field.max},${field.min}-${to}`);
}

/** `L`, `LW` and `15W`: the last day, the last weekday, the weekday nearest to a day. */
function isSpecialDay(part: Part, body: string): boolean {
  if (/^LW?$/i.test(body)) return true;
  const [, day] = /^(.*)W$/i.exec(body) ?? [];
  if (day === undefined) return false;
  checkValue({ ...part, value: day });
  return true;
}

/** `5L`, `5#2` and `5#L`: the last of a weekday in a month, and its second. */
function isSpecialWeekday(part: Part, body: string): boolean {
  const [, day, which] = /^(.+?)(?:L|#(.*))$/i.exec(body) ?? [];
  if (day === undefined || (which === undefined && /^[A-Z]+$/i.test(body) && isWord(part.field, body))) return false;
  checkValue({ ...part, value: day });
  if (which === undefined || /^L$/i.test(which)) return true;
  checkNumber({ ...part, value: which, position: part.position + day.length + 1 }, 1, 5, "the number behind #");
  return true;
}

function isWord({ words = [] }: Field, text: string): boolean {
  return words.includes(text.toUpperCase());
}

/** The number that a value stands for. */
function checkValue(part: Part): number {
  const { field, value } = part;
  const at = field.words?.indexOf(value.toUpperCase()) ?? -1;
  return at >= 0 ? at + field.min : checkNumber(part, field.min, field.max);
}

function checkNumber(part: Part, min: number, max: number, what = ""): number {
  const number = /^\d{1,4}$/.test(part.value) ? Number(part.value) : Number.NaN;
  if (number >= min && number <= max) return number;
  const { words } = part.field;
  const names = words === undefined || what !== "" ? "" : `, or ${words[0] ?? ""} to ${words.at(-1) ?? ""}`;
  throw bad(part, `must be ${what === "" ? "" : `${what} `}from ${min} to ${max}${names}`);
}

function bad({ pattern, field, position, value }: Part, why: string): EchoMQError {
  const message = `The pattern ${quote(pattern)} cannot be read: ${field.name} ${quote(value)} at character ${position + 1} ${why}`;
  return new EchoMQError("invalid_pattern", message, { details: { field: field.name, position, value } });
}
