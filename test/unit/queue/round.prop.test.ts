/** The round of `TURN` over flat work and lanes: whatever the weights, limits and sizes, nobody is passed over. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { Lanes } from "../../../src/queue/lanes.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

const QUEUE = "q";
const LEASE_MS = 60_000;

/** One lane; the name is its place in the list. The empty name is the flat queue. */
interface Line {
  readonly weight: number;
  readonly limit: number | undefined;
  readonly jobs: number;
}

const line = fc.record({
  weight: fc.integer({ min: 1, max: 5 }),
  limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  jobs: fc.integer({ min: 0, max: 25 }),
});

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const mint = createMinter({ node: 1, clock: () => ports.clock.now() });
  const jobs = new Jobs(engine);
  const lanes = new Lanes(engine);
  const add = async (lane: string, count: number) => {
    const rows = Array.from({ length: count }, () => ({
      id: mint("JOB"),
      payload: "p",
      ...(lane === "" ? {} : { lane }),
    }));
    if (count > 0) await jobs.admit(QUEUE, rows);
  };
  /** Makes lanes `0`, `1` … and so many flat jobs. */
  const arrange = async (lines: readonly Line[], flat: number) => {
    for (const [at, { weight, limit }] of lines.entries()) {
      if (weight > 1) await lanes.weight(QUEUE, String(at), weight);
      if (limit !== undefined) await lanes.limit(QUEUE, String(at), limit);
    }
    for (const [at, { jobs: count }] of lines.entries()) await add(String(at), count);
    await add("", flat);
  };
  const turn = async (want: number) => await jobs.turn(QUEUE, { worker: "w", leaseMs: LEASE_MS, want });
  return { engine, jobs, lanes, add, arrange, turn };
}

describe("the round", () => {
  it("gives as much as was wanted and may run, never above a limit, each lane in its order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 6 }),
        fc.nat({ max: 25 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 }),
        async (lines, flat, wants) => {
          const { engine, arrange, turn } = setup();
          await arrange(lines, flat);
          const left = new Map([["", flat], ...lines.map((entry, at): [string, number] => [String(at), entry.jobs])]);
          const active = new Map<string, number>();
          const last = new Map<string, string>();
          const room = (name: string) => {
            const limit = name === "" ? undefined : lines[Number(name)]?.limit;
            const waiting = left.get(name) ?? 0;
            return limit === undefined ? waiting : Math.min(waiting, limit - (active.get(name) ?? 0));
          };
          for (const want of wants) {
            const mayRun = [...left.keys()].reduce((sum, name) => sum + room(name), 0);
            const claimed = (await turn(want)).jobs;
            expect(claimed).toHaveLength(Math.min(want, mayRun));
            for (const { id, lane } of claimed) {
              expect(room(lane)).toBeGreaterThan(0);
              left.set(lane, (left.get(lane) ?? 0) - 1);
              active.set(lane, (active.get(lane) ?? 0) + 1);
              expect(id > (last.get(lane) ?? "")).toBe(true);
              last.set(lane, id);
            }
          }
          expect(await checkInvariants(engine, QUEUE)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("gives lanes that are always full their shares by weight to within one turn, flat work as a lane of weight 1", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }), async (weights) => {
        const { arrange, turn } = setup();
        const rounds = 6;
        const full = weights.map((weight): Line => ({ weight, limit: undefined, jobs: 5 * (rounds + 1) }));
        await arrange(full, rounds + 1);
        const shares = [...weights, 1];
        const sum = shares.reduce((total, weight) => total + weight, 0);
        const served = new Map<string, number>();
        for (let act = 0; act < sum * rounds; act++) {
          for (const { lane } of (await turn(1)).jobs) served.set(lane, (served.get(lane) ?? 0) + 1);
        }
        for (const [at, weight] of shares.entries()) {
          const name = at === weights.length ? "" : String(at);
          expect(Math.abs((served.get(name) ?? 0) - weight * rounds)).toBeLessThanOrEqual(weight);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("lets a lane that comes in wait for one turn of each other at most", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
        fc.nat({ max: 12 }),
        fc.boolean(),
        async (weights, before, hasFlat) => {
          const { add, arrange, turn } = setup();
          const lines = weights.map((weight): Line => ({ weight, limit: undefined, jobs: 80 }));
          await arrange(lines, hasFlat ? 80 : 0);
          for (let act = 0; act < before; act++) await turn(1);
          await add("late", 1);
          const others = weights.reduce((total, weight) => total + weight, hasFlat ? 1 : 0);
          const served: string[] = [];
          // The turn that is on when the lane comes may be any part of one.
          for (let act = 0; act < others + 6; act++) served.push((await turn(1)).jobs[0]?.lane ?? "");
          const at = served.indexOf("late");
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(others);
        },
      ),
      { numRuns: 60 },
    );
  });
});
