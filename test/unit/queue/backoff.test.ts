import { describe, expect, it } from "vitest";
import {
  type Backoff,
  backoffDelayMs,
  checkedBackoff,
  type JobBackoff,
  storedBackoff,
} from "../../../src/queue/backoff.ts";
import { errorOf } from "./scripted-engine.ts";

/** Chance is asked only where there is jitter. */
const noChance = () => {
  throw new Error("chance was asked");
};

function delays(backoff: JobBackoff, attempts: number[], random: () => number = noChance): number[] {
  return attempts.map((attempt) => backoffDelayMs(checkedBackoff(backoff), attempt, random));
}

describe("backoffDelayMs", () => {
  it("waits the same each time when the backoff is fixed", () => {
    expect(delays(250, [1, 2, 50])).toEqual([250, 250, 250]);
    expect(delays("2s", [1])).toEqual([2000]);
    expect(delays({ type: "fixed", delay: 0 }, [1, 9])).toEqual([0, 0]);
  });

  it("doubles up to the cap when the backoff is exponential", () => {
    expect(delays({ type: "exponential", delay: 100, cap: 10_000 }, [1, 2, 3, 4, 20])).toEqual([
      100, 200, 400, 800, 10_000,
    ]);
  });

  it("gives the cap at attempts where the power would overflow", () => {
    expect(delays({ type: "exponential", delay: 100, cap: 1000 }, [5, 50, 1100, 2 ** 31])).toEqual([
      1000, 1000, 1000, 1000,
    ]);
    expect(delays({ type: "exponential", delay: 3 }, [1100])).toEqual([2 ** 53 - 1]);
  });

  it("gives the cap when it lies below the delay", () => {
    expect(delays({ type: "exponential", delay: 500, cap: 100 }, [1, 2])).toEqual([100, 100]);
  });

  it("chooses from nothing to the whole delay, both ends included, with full jitter", () => {
    const backoff = { type: "fixed", delay: 10, jitter: true } as const;
    expect(delays(backoff, [1], () => 0)).toEqual([0]);
    expect(delays(backoff, [1], () => 1 - 2 ** -53)).toEqual([10]);
    const seen = new Set(
      delays(
        backoff,
        Array.from({ length: 110 }, () => 1),
        evenly(110),
      ),
    );
    expect([...seen].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("leaves only its share of the delay to chance", () => {
    const backoff = { type: "exponential", delay: 100, jitter: 0.5 } as const;
    expect(delays(backoff, [2], () => 0)).toEqual([100]);
    expect(delays(backoff, [2], () => 1 - 2 ** -53)).toEqual([200]);
  });
});

describe("checkedBackoff", () => {
  it("waits a second when only the type is given", () => {
    expect(delays({ type: "fixed" }, [1])).toEqual([1000]);
  });

  it.each([
    [-1, "invalid_option"],
    [Number.NaN, "invalid_option"],
    [null, "invalid_option"],
    [{ type: "linear" }, "invalid_option"],
    [{ delay: 5 }, "invalid_option"],
    [{ type: "fixed", delay: 1.5 }, "invalid_option"],
    [{ type: "exponential", cap: "soon" }, "invalid_option"],
    [{ type: "fixed", jitter: 2 }, "invalid_option"],
    [{ type: "fixed", jitter: "some" }, "invalid_option"],
    [{ type: "fixed", dealy: 5 }, "unknown_option"],
    [() => 5, "invalid_option"],
  ])("refuses %o as %s", async (backoff, code) => {
    expect((await errorOf(() => checkedBackoff(backoff as JobBackoff))).code).toBe(code);
  });

  it("says where a function belongs", async () => {
    const backoff: Backoff = () => 5;
    expect((await errorOf(() => checkedBackoff(backoff as unknown as JobBackoff))).message).toContain("Worker");
  });

  it.each([
    7,
    { type: "exponential", delay: "1s", cap: "1m", jitter: 0.2 },
    { type: "fixed", delay: 5, jitter: true },
  ] as JobBackoff[])("reads back what it stores of %o", (backoff) => {
    const checked = checkedBackoff(backoff);
    expect(checkedBackoff(JSON.parse(JSON.stringify(storedBackoff(checked))) as JobBackoff)).toEqual(checked);
  });
});

/** A source that passes through 0 to 1 in equal steps. */
function evenly(steps: number): () => number {
  let step = 0;
  return () => step++ / steps;
}
