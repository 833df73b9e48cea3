/** What `LANECOUNTS` promises. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const lanecountsScenarios: readonly ScenarioDraft[] = [
  {
    row: 24,
    name: "lane_depth",
    contract: "The depths of lanes are what waits in each.",
    async run(t) {
      for (const lane of ["A", "A", "B"]) await t.lanes.enqueue(t.queue, lane, { id: t.id(), payload: "p" });
      const counts = await t.lanes.counts(t.queue, ["A", "B"]);
      same(
        counts.map(({ lane, depth }) => [lane, depth]),
        [
          ["A", 2],
          ["B", 1],
        ],
        "the depths",
      );
      same([await t.lanes.depth(t.queue, "A"), await t.lanes.depth(t.queue, "none")], [2, 0], "single depths");
    },
  },
  {
    name: "lane_counts",
    contract: "Depth, leased jobs and settings of lanes come together; a lane that does not exist has none.",
    async run(t) {
      await t.lanes.limit(t.queue, "a", 3);
      await t.lanes.weight(t.queue, "a", 2);
      for (let at = 0; at < 4; at++) await t.lanes.enqueue(t.queue, "a", { id: t.id(), payload: "p" });
      await t.lanes.claim(t.queue, LEASE_MS);
      await t.lanes.pause(t.queue, "a");
      await t.lanes.order(t.queue, "b", true);
      same(
        await t.lanes.counts(t.queue, ["b", "none", "a"]),
        [
          { lane: "b", depth: 0, active: 0, limit: 1, weight: 1, isPaused: false, isOrdered: true, restMs: 0 },
          {
            lane: "none",
            depth: 0,
            active: 0,
            limit: undefined,
            weight: 1,
            isPaused: false,
            isOrdered: false,
            restMs: 0,
          },
          { lane: "a", depth: 3, active: 1, limit: 3, weight: 2, isPaused: true, isOrdered: false, restMs: 0 },
        ],
        "the counts",
      );
      same(await t.lanes.counts(t.queue, []), [], "the counts of no lane");
    },
  },
];
