/** What `LANES` promises: the ring as a circle, read from anywhere. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const lanesScenarios: readonly ScenarioDraft[] = [
  {
    name: "lane_ring",
    contract: "The ring is read in the order of turns, in a circle from behind a lane, each lane once.",
    async run(t) {
      for (const lane of ["a", "b", "c", "d"])
        await t.jobs.admit(
          t.queue,
          t.ids(3).map((id) => ({ id, payload: "p", lane })),
        );
      same(await t.lanes.ring(t.queue, 2), { size: 4, lanes: ["a", "b"] }, "the first two");
      same(await t.lanes.ring(t.queue, 10, "b"), { size: 4, lanes: ["c", "d", "a", "b"] }, "the circle behind b");
      for (let at = 0; at < 3; at++) await t.lanes.claim(t.queue, LEASE_MS);
      same(await t.lanes.ring(t.queue, 2, "b"), { size: 4, lanes: ["c", "d"] }, "what follows b after three turns");
      same(await t.lanes.ring(t.queue, 3, "d"), { size: 4, lanes: ["a", "b", "c"] }, "what follows d");
      await t.lanes.pause(t.queue, "c");
      same(await t.lanes.ring(t.queue, 3, "c"), "gone", "the answer for a lane that left");
      same(await t.lanes.ring(t.queue, 1), { size: 3, lanes: ["d"] }, "the head");
    },
  },
  {
    name: "lane_ring_empty",
    contract: "Without lanes the ring is empty, and nothing is made by asking.",
    async run(t) {
      same(await t.lanes.ring(t.queue, 5), { size: 0, lanes: [] }, "the ring");
      same(await t.lanes.ring(t.queue, 5, "a"), "gone", "the answer for a lane");
      same([...(await t.snapshot()).keys()], [], "keys");
    },
  },
];
