import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffDelayMs, checkedBackoff, storedBackoff } from "../../../src/queue/backoff.ts";

const ms = fc.oneof(fc.nat(100_000), fc.maxSafeNat());
const policy = fc.record(
  {
    type: fc.constantFrom("fixed" as const, "exponential" as const),
    delay: ms,
    cap: ms,
    jitter: fc.oneof(fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true })),
  },
  { requiredKeys: ["type"] },
);
const attempt = fc.integer({ min: 1, max: 2 ** 31 });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("a backoff", () => {
  it("is whole milliseconds from 0 to the cap, whatever the attempt and chance", () => {
    fc.assert(
      fc.property(policy, attempt, chance, (backoff, number, drawn) => {
        const checked = checkedBackoff(backoff);
        const delay = backoffDelayMs(checked, number, () => drawn);
        expect(Number.isSafeInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(checked.capMs);
      }),
    );
  });

  it("never falls with the attempt when nothing is left to chance", () => {
    fc.assert(
      fc.property(policy, attempt, (backoff, number) => {
        const checked = { ...checkedBackoff(backoff), jitter: 0 };
        const at = (failures: number) => backoffDelayMs(checked, failures, () => 0);
        expect(at(number + 1)).toBeGreaterThanOrEqual(at(number));
      }),
    );
  });

  it("comes back from its stored form unchanged", () => {
    fc.assert(
      fc.property(policy, (backoff) => {
        const checked = checkedBackoff(backoff);
        expect(checkedBackoff(storedBackoff(checked))).toEqual(checked);
      }),
    );
  });
});
