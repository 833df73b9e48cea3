import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startWorld } from "./lease-world.ts";

const PROCESSES = 3;
const process = fc.nat(PROCESSES - 1);

const step = fc.oneof(
  fc.record({ kind: fc.constant("mint" as const), process, count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 100_000 }) }),
  fc.record({ kind: fc.constant("skew" as const), process, ms: fc.integer({ min: -200_000, max: 200_000 }) }),
  fc.record({ kind: fc.constant("away" as const), process, isAway: fc.boolean() }),
  fc.record({ kind: fc.constant("restart" as const), process }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Three processes that draw the same numbers, so that they collide wherever they can. */
function setup() {
  const world = startWorld();
  const start = () => ({ ...world.startProcess(1), last: "" });
  const processes = Array.from({ length: PROCESSES }, start);
  const ids: string[] = [];
  const mint = async (at: number, count: number) => {
    const one = processes[at]!;
    if (one.mint() === undefined) one.lease.whenReady().catch(() => undefined);
    await world.clock.settle();
    for (let id = one.mint(); id !== undefined && count > 0; id = one.mint(), count--) {
      expect(id > one.last).toBe(true);
      one.last = id;
      ids.push(id);
    }
  };
  const run = async (one: Step) => {
    if (one.kind === "pass") await world.clock.advance(one.ms);
    else if (one.kind === "mint") await mint(one.process, one.count);
    else if (one.kind === "skew") processes[one.process]!.process.skewMs = one.ms;
    else if (one.kind === "away") processes[one.process]!.process.isAway = one.isAway;
    else processes[one.process] = start();
  };
  return { ids, run };
}

describe("NodeLease", () => {
  it("makes no id twice whatever the clocks, the server and the processes do", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { ids, run } = setup();
        for (const one of steps) await run(one);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 150 },
    );
  });
});
