/** What `RELEASE` promises: one scheduled job waits at once, at its own place. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const releaseScenarios: readonly ScenarioDraft[] = [
  {
    name: "release",
    contract: "A scheduled job waits before its time; its priority and lane are kept.",
    async run(t) {
      const [flat, inLane] = t.ids(2);
      await t.jobs.admit(t.queue, [
        { id: flat, payload: "p", priority: 5, dueInMs: LEASE_MS },
        { id: inLane, payload: "p", priority: 6, lane: "lane-a", dueInMs: LEASE_MS },
      ]);
      same(await t.act("RELEASE", [flat]), 1, "release the flat job");
      same(await t.act("RELEASE", [inLane]), 1, "release the lane job");
      same([await t.score("pending", flat), await t.score("g:lane-a:pending", inLane)], [5, 6], "scores");
      same([await t.field(flat, "state"), await t.field(inLane, "state")], ["pending", "pending"], "states");
      same([await t.members("schedule"), await t.list("ring")], [[], ["lane-a"]], "schedule and ring");
      same(await t.field(flat, "deferred"), null, "interruptions");
    },
  },
  {
    name: "release_refused",
    contract: "Only a scheduled job can be released; an unknown one is gone.",
    async run(t) {
      const { id } = await t.active();
      same(await t.refusalOf("RELEASE", [id]), "EMQSTATE not scheduled", "an active job");
      same(await t.act("RELEASE", [t.id()]), -1, "an unknown id");
      same(await t.members("active"), [id], "active");
    },
  },
];
