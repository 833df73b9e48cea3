/** What a pattern may be, and that a refusal names the field, the place and the value. */

import { Cron } from "croner";
import { describe, expect, it } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { civilText } from "../../../src/queue/civil-time.ts";
import { CronPattern } from "../../../src/queue/cron-pattern.ts";
import { createRandom } from "../../../src/testing/test-ports.ts";

function refusal(text: unknown): EchoMQError {
  try {
    text = new CronPattern(text as string).text;
  } catch (error) {
    if (error instanceof EchoMQError) return error;
    throw error;
  }
  throw new Error(`${String(text)} was not refused`);
}

const BAD: readonly (readonly [text: string, field: string, position: number, value: string])[] = [
  ["60 * * * *", "minute", 0, "60"],
  ["* 24 * * *", "hour", 2, "24"],
  ["* * 0 * *", "day of month", 4, "0"],
  ["* * 32 * *", "day of month", 4, "32"],
  ["* * * 13 *", "month", 6, "13"],
  ["* * * FOO *", "month", 6, "FOO"],
  ["* * * * 8", "day of week", 8, "8"],
  ["* * * * MO", "day of week", 8, "MO"],
  ["99 * * * * *", "second", 0, "99"],
  ["0 0 0 1 1 * 26", "year", 12, "26"],
  ["1,2,,3 * * * *", "minute", 4, ""],
  ["0 1,2,99 * * *", "hour", 6, "99"],
  ["0  0   5-32 * *", "day of month", 9, "32"],
  ["30-10 * * * *", "minute", 0, "30-10"],
  ["1-2-3 * * * *", "minute", 0, "1-2-3"],
  ["*/0 * * * *", "minute", 2, "0"],
  ["*/60 * * * *", "minute", 2, "60"],
  ["*/5/5 * * * *", "minute", 0, "*/5/5"],
  ["3/5 * * * *", "minute", 0, "3/5"],
  ["a * * * *", "minute", 0, "a"],
  ["+5 * * * *", "minute", 0, "+5"],
  ["-5 * * * *", "minute", 0, ""],
  ["1.5 * * * *", "minute", 0, "1.5"],
  ["? * * * *", "minute", 0, "?"],
  ["0 0 W * *", "day of month", 4, ""],
  ["0 0 40W * *", "day of month", 4, "40"],
  ["0 0 L-3 * *", "day of month", 4, "L"],
  ["0 0 * * L", "day of week", 8, "L"],
  ["0 0 * * 5#6", "day of week", 10, "6"],
  ["0 0 * * #2", "day of week", 8, "#2"],
];

const GOOD = [
  "* * * * *",
  "0 0 1 1 *",
  "*/15 0-6,22 * * MON-FRI",
  "0 0 L * *",
  "0 0 LW * *",
  "0 0 15W * *",
  "0 0 * * 5L",
  "0 0 * * FRI#2",
  "0 0 * * 5#L",
  "0 0 ? * 7",
  "0 0 12 * jan,Feb,DEC *",
  "  5   4 * * sun ",
  "0-30/5 * * * *",
  "0 0 0 1 1 * 2030",
  "@daily",
  "@Weekly",
];

describe("a pattern", () => {
  it.each(BAD)("%s is refused by its %s at %i: %j", (text, field, position, value) => {
    const error = refusal(text);
    expect(error.code).toBe("invalid_pattern");
    expect(error.details).toEqual({ field, position, value });
    expect(error.message).toContain(`character ${position + 1}`);
    expect(text.slice(position, position + value.length)).toBe(value);
  });

  it("of another number of fields, of another type, or of a name that there is not, is refused", () => {
    for (const text of ["", " ", "* * * *", "* * * * * * * *", "@reboot", "@every 5m", 5, null, undefined, {}]) {
      expect(refusal(text).code).toBe("invalid_pattern");
    }
    expect(refusal("x".repeat(257)).message).toContain("256 characters");
    expect(refusal("* * * *").message).toContain("4 fields");
  });

  it.each(GOOD)("%s is read", (text) => {
    const pattern = new CronPattern(text);
    const first = pattern.nextAfter(Date.UTC(2026, 0, 1)) ?? 0;
    expect(first).toBeGreaterThan(Date.UTC(2026, 0, 1));
    expect(pattern.nextAfter(first - 1000)).toBe(first);
  });

  it("that is none for the check is none that croner could not read", () => {
    const random = createRandom(7);
    const items = "* 1 5 9 1-5 5,9 */5 1-9/3 ? L 5L MON JAN 1,L 5#2 15W LW mon-fri 59 31 FRI#L 7 0-7 SUNL".split(" ");
    const letters = ["*", "0", "1", "5", "9", "-", "/", ",", "L", "W", "#", "?", "MON", "JAN", "59", "23", "31"];
    const one = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "";
    const word = () =>
      random() < 0.8 ? one(items) : Array.from({ length: 1 + Math.floor(random() * 4) }, () => one(letters)).join("");
    let read = 0;
    for (let round = 0; round < 4000; round++) {
      const text = [word(), "*", word(), "*", word()].join(" ");
      let pattern: CronPattern;
      try {
        pattern = new CronPattern(text);
      } catch (error) {
        // Each refusal is of the check, which names the field; none is left to croner's own words.
        expect((error as EchoMQError).details).toHaveProperty("field");
        continue;
      }
      read++;
      const own = new Cron(text, { paused: true, utcOffset: 0 }).nextRun("2026-01-01T00:00:00");
      expect(pattern.nextAfter(Date.UTC(2026, 0, 1)), text).toBe(own?.getTime());
    }
    expect(read).toBeGreaterThan(200);
  });
});

describe("the text of a local time", () => {
  it("is that of the calendar, from 1900 to 9998", () => {
    const random = createRandom(3);
    const [from, to] = [Date.UTC(1900, 0, 1), Date.UTC(9998, 11, 31)];
    for (let round = 0; round < 5000; round++) {
      const ms = from + Math.floor(random() * (to - from));
      expect(civilText(ms)).toBe(new Date(ms).toISOString().slice(0, 19));
    }
    for (const day of ["2000-02-29", "1900-03-01", "2100-02-28", "2024-12-31", "1969-12-31", "1970-01-01"]) {
      expect(civilText(Date.parse(`${day}T23:59:59Z`))).toBe(`${day}T23:59:59`);
    }
  });
});
