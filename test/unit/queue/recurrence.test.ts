/** Slots in time zones: days of change against what a calendar says, ordinary days against another computation. */

import { describe, expect, it } from "vitest";
import { Recurrence, type RecurrenceRule } from "../../../src/queue/recurrence.ts";

const HOUR = 3_600_000;

/** The first slots of a rule after an instant, as text. */
function slots(rule: RecurrenceRule, from: string, count: number): string[] {
  const recurrence = new Recurrence(rule);
  const found: string[] = [];
  let at: number | undefined = Date.parse(from) - 1;
  while (found.length < count) {
    at = recurrence.next(at);
    if (at === undefined) break;
    found.push(new Date(at).toISOString().replace(/:00\.000Z$/, "Z"));
  }
  return found;
}

const NEW_YORK = "America/New_York";
const BERLIN = "Europe/Berlin";
const LORD_HOWE = "Australia/Lord_Howe";

describe("a pattern in a zone", () => {
  it("occurs once on each Sunday around the end of summer time (PB-077)", () => {
    const rule = { pattern: "0 6 * * 0", tz: NEW_YORK };
    expect(slots(rule, "2021-10-30T00:00Z", 2)).toEqual(["2021-10-31T10:00Z", "2021-11-07T11:00Z"]);
    expect(slots(rule, "2026-10-24T00:00Z", 2)).toEqual(["2026-10-25T10:00Z", "2026-11-01T11:00Z"]);
  });

  it("moves a missing local time by the length of the gap, or leaves it out, as is declared (PB-079)", () => {
    const cases = [
      [NEW_YORK, "2026-03-07T12:00Z", "2026-03-08T07:30Z", "2026-03-09T06:30Z"],
      [BERLIN, "2026-03-28T12:00Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"],
    ] as const;
    for (const [tz, from, gap, day] of cases) {
      const rule = { pattern: "30 2 * * *", tz };
      expect(slots(rule, from, 2)).toEqual([gap, day]);
      expect(slots({ ...rule, missing: "skip" }, from, 1)).toEqual([day]);
      const slot = new Recurrence({ ...rule, missing: "skip" }).after(Date.parse(from));
      expect(slot).toEqual({ atMs: Date.parse(day), missing: 1, missingAtMs: Date.parse(gap) });
    }
  });

  it("has the length of a gap of half an hour right (PB-080)", () => {
    const rule = { pattern: "15 2 * * *", tz: LORD_HOWE };
    const days = ["2026-10-02T15:45Z", "2026-10-03T15:45Z", "2026-10-04T15:15Z"];
    expect(slots(rule, "2026-10-02T00:00Z", 3)).toEqual(days);
    expect(slots({ ...rule, missing: "skip" }, "2026-10-02T00:00Z", 2)).toEqual([days[0], days[2]]);
  });

  it("occurs once at a local time that comes twice half an hour apart (PB-082)", () => {
    const rule = { pattern: "45 1 * * *", tz: LORD_HOWE };
    const from = "2026-04-04T00:00Z";
    expect(slots(rule, from, 2)).toEqual(["2026-04-04T14:45Z", "2026-04-05T15:15Z"]);
    expect(slots({ ...rule, repeated: "last" }, from, 2)).toEqual(["2026-04-04T15:15Z", "2026-04-05T15:15Z"]);
    expect(slots({ ...rule, repeated: "both" }, from, 3)).toEqual([
      "2026-04-04T14:45Z",
      "2026-04-04T15:15Z",
      "2026-04-05T15:15Z",
    ]);
  });

  it("is right on the very day of the change (PB-083)", () => {
    expect(slots({ pattern: "0 4 8 3 *", tz: NEW_YORK }, "2026-01-01T00:00Z", 1)).toEqual(["2026-03-08T08:00Z"]);
  });

  it("obeys every rule in every case of change (PB-085)", () => {
    const gap = { pattern: "*/20 2 * * *", tz: NEW_YORK };
    const inGap = ["2026-03-08T07:00Z", "2026-03-08T07:20Z", "2026-03-08T07:40Z", "2026-03-09T06:00Z"];
    expect(slots(gap, "2026-03-08T06:59Z", 4)).toEqual(inGap);
    expect(slots({ ...gap, missing: "skip" }, "2026-03-08T06:59Z", 1)).toEqual(["2026-03-09T06:00Z"]);
    const fold = { pattern: "30 1 * * *", tz: NEW_YORK };
    const table = [
      ["first", ["2026-11-01T05:30Z", "2026-11-02T06:30Z"]],
      ["last", ["2026-11-01T06:30Z", "2026-11-02T06:30Z"]],
      ["both", ["2026-11-01T05:30Z", "2026-11-01T06:30Z", "2026-11-02T06:30Z"]],
    ] as const;
    for (const [repeated, expected] of table) {
      const rule = repeated === "first" ? fold : { ...fold, repeated };
      expect(slots(rule, "2026-11-01T00:00Z", expected.length)).toEqual(expected);
    }
  });

  it("is one slot where a shifted local time meets one that exists", () => {
    const rule = { pattern: "0,30 2,3 * * *", tz: NEW_YORK };
    expect(slots(rule, "2026-03-08T06:59Z", 3)).toEqual([
      "2026-03-08T07:00Z",
      "2026-03-08T07:30Z",
      "2026-03-09T06:00Z",
    ]);
  });

  it("goes on through a day that a zone left out", () => {
    const rule = { pattern: "0 12 * * *", tz: "Pacific/Apia" };
    const days = ["2011-12-29T22:00Z", "2011-12-30T22:00Z", "2011-12-31T22:00Z"];
    // 30 December 2011 did not exist there: its noon is the next day's, which is one slot.
    expect(slots(rule, "2011-12-29T12:00Z", 3)).toEqual(days);
    expect(slots({ ...rule, missing: "skip" }, "2011-12-29T12:00Z", 3)).toEqual(days);
  });

  it("joins day of month and day of week by or, as cron does (PB-086)", () => {
    expect(slots({ pattern: "0 0 13 * 5" }, "2026-09-01T00:00Z", 4)).toEqual([
      "2026-09-04T00:00Z",
      "2026-09-11T00:00Z",
      "2026-09-13T00:00Z",
      "2026-09-18T00:00Z",
    ]);
  });

  it("keeps local time through the change (PB-088)", () => {
    const rule = { pattern: "0 8 * * *", tz: NEW_YORK };
    expect(slots(rule, "2026-03-07T00:00Z", 3)).toEqual([
      "2026-03-07T13:00Z",
      "2026-03-08T12:00Z",
      "2026-03-09T12:00Z",
    ]);
  });

  it("begins each minute anew for a step that does not divide it (PB-092)", () => {
    const found = slots({ pattern: "*/47 * * * * *" }, "2026-01-01T00:00Z", 6);
    expect(found).toEqual([
      "2026-01-01T00:00Z",
      "2026-01-01T00:00:47.000Z",
      "2026-01-01T00:01Z",
      "2026-01-01T00:01:47.000Z",
      "2026-01-01T00:02Z",
      "2026-01-01T00:02:47.000Z",
    ]);
  });

  it("finds what is years away, and that there is nothing more", () => {
    expect(slots({ pattern: "0 0 29 2 *", tz: BERLIN }, "2096-03-01T00:00Z", 1)).toEqual(["2104-02-28T23:00Z"]);
    expect(slots({ pattern: "0 0 0 1 1 * 2030", tz: BERLIN }, "2026-01-01T00:00Z", 2)).toEqual(["2029-12-31T23:00Z"]);
    expect(slots({ pattern: "0 0 30 2 *", tz: BERLIN }, "2026-01-01T00:00Z", 1)).toEqual([]);
  });

  it("is later by its offset, and has nothing before its start", () => {
    const rule = { pattern: "0 0 * * *", offset: 90_000, start: Date.parse("2026-05-05T12:00Z") };
    expect(slots(rule, "2026-01-01T00:00Z", 2)).toEqual(["2026-05-06T00:01:30.000Z", "2026-05-07T00:01:30.000Z"]);
  });
});

describe("a period", () => {
  it("lies on a grid that depends on nothing but the rule", () => {
    const rule = { every: 7 * HOUR };
    const recurrence = new Recurrence(rule);
    for (const ms of [0, 1, 7 * HOUR - 1, 7 * HOUR, Date.parse("2026-01-01T00:00Z")]) {
      const next = recurrence.next(ms) ?? 0;
      expect([next % (7 * HOUR), next > ms, next - ms <= 7 * HOUR]).toEqual([0, true, true]);
    }
  });

  it("has its grid at its start, and later by its offset", () => {
    const start = Date.parse("2026-01-01T00:07Z");
    expect(slots({ every: HOUR, start }, "2025-01-01T00:00Z", 2)).toEqual(["2026-01-01T00:07Z", "2026-01-01T01:07Z"]);
    const later = { every: HOUR, start, offset: 60_000 };
    expect(slots(later, "2026-01-01T00:08Z", 2)).toEqual(["2026-01-01T00:08Z", "2026-01-01T01:08Z"]);
  });
});
