/**
 * The virtual clock: time moves only when a test moves it, and everything happens in one order.
 */

import { describe, expect, it } from "vitest";
import { VIRTUAL_EPOCH_MS, VirtualClock } from "../../../src/testing/virtual-clock.ts";

function setup() {
  const clock = new VirtualClock();
  const fired: string[] = [];
  const note = (name: string) => () => void fired.push(`${name}@${clock.now() - VIRTUAL_EPOCH_MS}`);
  return { clock, fired, note };
}

describe("advance", () => {
  it("fires timers by due time, and those of one instant in the order in which they were set", async () => {
    const { clock, fired, note } = setup();
    clock.after(20, note("late"));
    clock.after(10, note("first"));
    clock.after(10, note("second"));
    await clock.advance(20);
    expect(fired).toEqual(["first@10", "second@10", "late@20"]);
  });

  it("fires what is due at its end and nothing after", async () => {
    const { clock, fired, note } = setup();
    clock.after(10, note("in"));
    clock.after(11, note("out"));
    await clock.advance(10);
    expect(fired).toEqual(["in@10"]);
    expect(clock.now()).toBe(VIRTUAL_EPOCH_MS + 10);
    expect(clock.nextDueAt).toBe(VIRTUAL_EPOCH_MS + 11);
  });

  it("lets all promises of one timer run before the next one fires", async () => {
    const { clock, fired, note } = setup();
    clock.after(1, () => {
      void (async () => {
        for (let turn = 0; turn < 1000; turn++) await Promise.resolve();
        note("promise")();
      })();
    });
    clock.after(2, note("timer"));
    await clock.advance(2);
    expect(fired).toEqual(["promise@1", "timer@2"]);
  });

  it("fires timers that timers set on the way", async () => {
    const { clock, fired, note } = setup();
    const beat = () => {
      note("beat")();
      clock.after(10, beat);
    };
    clock.after(10, beat);
    await clock.advance(35);
    expect(fired).toEqual(["beat@10", "beat@20", "beat@30"]);
  });

  it("fires a timer of 0 ms without moving time", async () => {
    const { clock, fired, note } = setup();
    clock.after(0, note("now"));
    expect(fired).toEqual([]);
    await clock.advance(0);
    expect(fired).toEqual(["now@0"]);
  });

  it("does not fire a timer that was taken back, and taking back twice is harmless", async () => {
    const { clock, fired, note } = setup();
    const timers = [1, 1, 1].map((ms, index) => clock.after(ms, note(`t${index}`)));
    timers[1]!.cancel();
    timers[1]!.cancel();
    await clock.advance(1);
    expect(fired).toEqual(["t0@1", "t2@1"]);
    timers[0]!.cancel();
    expect(clock.timerCount).toBe(0);
  });

  it("refuses to go back and to be moved twice at once", async () => {
    const { clock } = setup();
    await expect(clock.advance(-1)).rejects.toThrow(RangeError);
    await expect(clock.advance(Number.NaN)).rejects.toThrow(RangeError);
    const first = clock.advance(1);
    await expect(clock.advance(1)).rejects.toThrow(/already/);
    await first;
  });

  it("passes on what a timer throws", async () => {
    const { clock } = setup();
    clock.after(1, () => {
      throw new Error("boom");
    });
    await expect(clock.advance(1)).rejects.toThrow("boom");
  });
});

describe("advanceTo", () => {
  it("moves to an instant, and refuses one that has passed", async () => {
    const { clock } = setup();
    await clock.advanceTo(VIRTUAL_EPOCH_MS + 500);
    expect(clock.now()).toBe(VIRTUAL_EPOCH_MS + 500);
    await expect(clock.advanceTo(VIRTUAL_EPOCH_MS)).rejects.toThrow(RangeError);
  });
});

describe("runUntilIdle", () => {
  it("runs a year of timers and says how many", async () => {
    const { clock } = setup();
    let left = 365;
    const day = () => {
      left -= 1;
      if (left > 0) clock.after(86_400_000, day);
    };
    clock.after(86_400_000, day);
    expect(await clock.runUntilIdle()).toBe(365);
    expect(clock.now()).toBe(VIRTUAL_EPOCH_MS + 365 * 86_400_000);
  });

  it("fires background timers on the way and is idle when only these are left", async () => {
    const { clock, fired, note } = setup();
    clock.after(5, note("early"), { background: true });
    clock.after(10, note("work"));
    clock.after(15, note("never"), { background: true });
    expect(await clock.runUntilIdle()).toBe(2);
    expect(fired).toEqual(["early@5", "work@10"]);
    expect(clock.timerCount).toBe(1);
  });

  it("stops at its limit", async () => {
    const { clock, fired, note } = setup();
    clock.after(10, note("in"));
    clock.after(1000, note("out"));
    await clock.runUntilIdle({ limitMs: 100 });
    expect(fired).toEqual(["in@10"]);
  });
});

describe("shift", () => {
  it("changes what now says and leaves the timers where they are", async () => {
    const { clock } = setup();
    let isFired = false;
    clock.after(100, () => {
      isFired = true;
    });
    clock.shift(-3_600_000);
    expect(clock.now()).toBe(VIRTUAL_EPOCH_MS - 3_600_000);
    await clock.advance(99);
    expect(isFired).toBe(false);
    await clock.advance(1);
    expect(isFired).toBe(true);
  });
});

it("refuses what is no number of milliseconds, and stays as it was", async () => {
  const { clock } = setup();
  const odd: readonly (() => unknown)[] = [
    () => clock.advance(Number.POSITIVE_INFINITY),
    () => clock.advance(Number.NaN),
    () => clock.advanceTo(Number.NaN),
    () => clock.advanceTo(Number.POSITIVE_INFINITY),
    () => clock.runUntilIdle({ limitMs: "1h" as unknown as number }),
    () => clock.shift("1h" as unknown as number),
    () => clock.shift(Number.NaN),
    () => new VirtualClock({ now: "2024-07-01" as unknown as number }),
    () => new VirtualClock({ now: Number.NaN }),
  ];
  for (const call of odd) await expect((async () => await call())(), String(call)).rejects.toThrow(RangeError);
  expect(clock.now()).toBe(VIRTUAL_EPOCH_MS);
});

describe("later", () => {
  it("runs after the promises that wait, in order, without moving time", async () => {
    const { clock, fired, note } = setup();
    clock.later(note("later"));
    clock.later(() => clock.later(note("still later")));
    void Promise.resolve().then(note("promise"));
    await clock.settle();
    expect(fired).toEqual(["promise@0", "later@0", "still later@0"]);
  });
});
