/** What `GLIMIT` promises: no claim brings a lane above its limit. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const glimitScenarios: readonly ScenarioDraft[] = [
  {
    row: 14,
    name: "limit",
    contract: "A lane with the limit 1 gives one job, and the next when that one is completed.",
    async run(t) {
      await t.lanes.limit(t.queue, "A", 1);
      const [first] = t.ids(1);
      await t.lanes.enqueue(t.queue, "A", { id: first ?? "", payload: "p" });
      await t.lanes.enqueue(t.queue, "A", { id: t.id(), payload: "p" });
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, first, "the claim");
      same(await t.lanes.claim(t.queue, LEASE_MS), undefined, "a claim at the limit");
      same(await t.jobs.complete(t.queue, first ?? "", 1), "ok", "the completion");
      same((await t.lanes.claim(t.queue, LEASE_MS))?.lane, "A", "the claim after it");
    },
  },
  {
    name: "lane_limit_line",
    contract:
      "A changed limit takes the lane over the line of the ring exactly where it must, and wakes when it opens.",
    async run(t) {
      for (let at = 0; at < 4; at++) await t.lanes.enqueue(t.queue, "a", { id: t.id(), payload: "p" });
      for (let at = 0; at < 2; at++) await t.lanes.claim(t.queue, LEASE_MS);
      for (const [limit, isOn] of [
        [2, false],
        [3, true],
        [1, false],
        [null, true],
        [2, false],
        [4, true],
      ] as const) {
        await t.takeTokens();
        await t.lanes.limit(t.queue, "a", limit);
        same(
          [await t.list("ring"), await t.tokens()],
          isOn ? [["a"], 1] : [[], 0],
          `ring and tokens at limit ${limit}`,
        );
      }
      await t.lanes.pause(t.queue, "a");
      await t.lanes.limit(t.queue, "a", null);
      same(await t.list("ring"), [], "the ring with the lane paused");
      same(await t.exists(t.key("glimit")), false, "the limits");
    },
  },
];
