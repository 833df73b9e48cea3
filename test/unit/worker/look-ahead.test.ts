import { expect, test } from "vitest";
import { LOOK_AHEAD_MAX } from "../../../src/queue/defaults.ts";
import { LookAhead } from "../../../src/worker/look-ahead.ts";

/** Look-ahead after so many runs of one length. */
function after(runMs: number, options: { concurrency?: number; most?: number; runs?: number } = {}): number {
  const lookAhead = new LookAhead(options.most ?? LOOK_AHEAD_MAX);
  for (let run = 0; run < (options.runs ?? 50); run++) lookAhead.note(runMs);
  return lookAhead.size(options.concurrency ?? 1);
}

test("nothing is leased ahead before the first handler has ended", () => {
  expect(new LookAhead(LOOK_AHEAD_MAX).size(10)).toBe(0);
});

test("quick handlers give 25 times the concurrency, and 256 at most", () => {
  expect([1, 4, 8, 10, 1000].map((concurrency) => after(0, { concurrency }))).toEqual([25, 100, 200, 250, 256]);
});

test("what is leased ahead could start within 5 ms", () => {
  expect([0.5, 1, 2, 4, 4.9].map((ms) => after(ms))).toEqual([10, 5, 2, 1, 1]);
  expect(after(2, { concurrency: 10 })).toBe(25);
});

test("slow handlers give nothing", () => {
  expect(after(5, { concurrency: 100 })).toBe(0);
  expect(after(1000)).toBe(0);
});

test("an option bounds it and 0 switches it off", () => {
  expect(after(0, { concurrency: 50, most: 10 })).toBe(10);
  expect(after(0, { most: 0 })).toBe(0);
});

test("after a job waited too long, quick runs must come first", () => {
  const lookAhead = new LookAhead(LOOK_AHEAD_MAX);
  lookAhead.note(0);
  lookAhead.tooSlow();
  expect(lookAhead.size(1)).toBe(0);
  for (let run = 0; run < 30; run++) lookAhead.note(0);
  expect(lookAhead.size(1)).toBeGreaterThan(0);
});
