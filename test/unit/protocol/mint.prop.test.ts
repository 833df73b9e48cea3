/** The minter under arbitrary clocks: always rising, always its own node, never behind its clock. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeId, idParts } from "../../../src/protocol/id.ts";
import { createMinter } from "../../../src/protocol/mint.ts";

const START = 1769526697641;

/** One step of the clock and the number of ids minted there; bursts are long enough to use a millisecond up. */
const step = fc.record({
  ms: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -100_000, max: 100_000 })),
  burst: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(4095, 4096, 4097)),
  namespace: fc.constantFrom("JOB", "USR", "AAA", "ZZZ"),
});

describe("a minter", () => {
  it("rises strictly and keeps its node, whatever its clock does", () => {
    fc.assert(
      fc.property(fc.nat(1023), fc.array(step, { minLength: 1, maxLength: 12 }), (node, steps) => {
        let now = START;
        const mint = createMinter({ node, clock: () => now });
        let last = -1n;
        let highest = 0;
        for (const { ms, burst, namespace } of steps) {
          now += ms;
          highest = Math.max(highest, now);
          for (let minted = 0; minted < burst; minted++) {
            const id = mint(namespace);
            const value = decodeId(id);
            const parts = idParts(id);
            if (value <= last || parts.node !== node || parts.ms < highest || !id.startsWith(namespace)) {
              throw new Error(`${id} after ${last} at ${now}`);
            }
            last = value;
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it("never gives the id of another node", () => {
    fc.assert(
      fc.property(fc.nat(1023), fc.nat(1023), (a, b) => {
        fc.pre(a !== b);
        const ids = new Set<string>();
        for (const node of [a, b]) {
          const mint = createMinter({ node, clock: () => START });
          for (let minted = 0; minted < 5000; minted++) ids.add(mint("JOB"));
        }
        expect(ids.size).toBe(10_000);
      }),
      { numRuns: 20 },
    );
  });
});
