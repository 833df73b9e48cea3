/** What `GPAUSE` promises: nothing of the lane starts, and nothing is lost. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const gpauseScenarios: readonly ScenarioDraft[] = [
  {
    row: 13,
    name: "pause",
    contract: "A paused lane gives nothing and keeps what it has; after the resume it is served again.",
    async run(t) {
      for (const lane of ["A", "A", "B", "B"]) await t.lanes.enqueue(t.queue, lane, { id: t.id(), payload: "p" });
      await t.lanes.pause(t.queue, "A");
      const lanes: (string | undefined)[] = [];
      for (let at = 0; at < 3; at++) lanes.push((await t.lanes.claim(t.queue, LEASE_MS))?.lane);
      same(lanes, ["B", "B", undefined], "the claims");
      same(await t.lanes.depth(t.queue, "A"), 2, "the depth");
      await t.lanes.resume(t.queue, "A");
      const job = await t.lanes.claim(t.queue, LEASE_MS);
      same([job?.lane, job?.attempts], ["A", 1], "the claim after the resume");
    },
  },
  {
    name: "lane_pause_twice",
    contract: "Pausing twice is pausing once; a lane without jobs can be paused, and jobs that come then wait.",
    async run(t) {
      for (let at = 0; at < 2; at++) await t.lanes.pause(t.queue, "a");
      same(await t.command("SMEMBERS", t.key("paused")), ["a"], "paused lanes");
      await t.lanes.enqueue(t.queue, "a", { id: t.id(), payload: "p" });
      same([await t.list("ring"), await t.tokens()], [[], 0], "the ring and tokens");
    },
  },
];
