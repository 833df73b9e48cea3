/** What `GRESUME` promises: the lane stands on the ring again if it may, and a worker is woken then. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const gresumeScenarios: readonly ScenarioDraft[] = [
  {
    name: "lane_resume",
    contract: "A resumed lane comes onto the ring, with a token, only if it has work and is under its limit.",
    async run(t) {
      await t.lanes.pause(t.queue, "empty");
      await t.lanes.resume(t.queue, "empty");
      same([await t.list("ring"), await t.tokens()], [[], 0], "the ring and tokens after the resume of an empty lane");
      await t.lanes.limit(t.queue, "full", 1);
      for (let at = 0; at < 2; at++) await t.lanes.enqueue(t.queue, "full", { id: t.id(), payload: "p" });
      const job = await t.lanes.claim(t.queue, LEASE_MS);
      await t.lanes.pause(t.queue, "full");
      await t.takeTokens();
      await t.lanes.resume(t.queue, "full");
      same([await t.list("ring"), await t.tokens()], [[], 0], "the ring and tokens after the resume of a full lane");
      await t.lanes.pause(t.queue, "full");
      await t.jobs.complete(t.queue, job?.id ?? "", 1);
      same(await t.list("ring"), [], "the ring while it is paused and under its limit");
      await t.takeTokens();
      await t.lanes.resume(t.queue, "full");
      same([await t.list("ring"), await t.tokens()], [["full"], 1], "the ring and tokens after the resume");
      await t.lanes.resume(t.queue, "full");
      same(await t.list("ring"), ["full"], "the ring after a second resume");
    },
  },
  {
    name: "lane_resume_silent",
    contract: "The resume of a lane in a paused queue wakes nobody.",
    async run(t) {
      await t.lanes.enqueue(t.queue, "a", { id: t.id(), payload: "p" });
      await t.lanes.pause(t.queue, "a");
      await t.jobs.pause(t.queue);
      await t.takeTokens();
      await t.lanes.resume(t.queue, "a");
      same([await t.list("ring"), await t.tokens()], [["a"], 0], "the ring and tokens");
    },
  },
];
