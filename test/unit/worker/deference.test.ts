import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { Deference, SLOT_MS, SLOTS_MAX } from "../../../src/worker/deference.ts";

async function setup() {
  const clock = new VirtualClock();
  await clock.advance(7);
  return { clock, deference: new Deference(clock) };
}

describe("letting others go first", () => {
  test("is for the moment around the instant that was expected, and no longer", async () => {
    const { clock, deference } = await setup();
    expect(deference.leftMs()).toBe(0);
    deference.expect(1000);
    const moments: number[] = [];
    for (let ms = 0; ms < 1200; ms++) {
      if (deference.leftMs() > 0) moments.push(ms);
      await clock.advance(1);
    }
    expect(moments[0]).toBeGreaterThan(1000 - 2 * SLOT_MS);
    expect(moments[0]).toBeLessThanOrEqual(1000);
    expect(moments.at(-1)).toBeGreaterThanOrEqual(1000 + SLOT_MS);
    expect(moments.length).toBe(3 * SLOT_MS);
  });

  test("takes a small part of the time only, however many jobs are expected", async () => {
    const { clock, deference } = await setup();
    let deferring = 0;
    for (let ms = 0; ms < 10_000; ms++) {
      deference.expect(1000);
      if (deference.leftMs() > 0) deferring += 1;
      await clock.advance(1);
    }
    expect(deferring).toBeLessThanOrEqual(10 * SLOTS_MAX * 3 * SLOT_MS);
    expect(deferring).toBeGreaterThan(0);
    await clock.advance(5000);
    expect(deference.leftMs()).toBe(0);
  });
});
