/** What `GENQUEUE` promises: one row, one member, one place on the ring, one token for it. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const genqueueScenarios: readonly ScenarioDraft[] = [
  {
    name: "lane_enqueue",
    contract: "A job of a lane has four fields; its lane comes onto the ring once, and a repeated id changes nothing.",
    async run(t) {
      const [id, next] = t.ids(2);
      same(await t.lanes.enqueue(t.queue, "a", { id, payload: "p" }), "enqueued", "the outcome");
      same(await t.fields(id), { state: "pending", attempts: "0", payload: "p", group: "a" }, "the row");
      same(await t.score("g:a:pending", id), 0, "the score");
      same(await t.list("ring"), ["a"], "the ring");
      same(await t.tokens(), 1, "tokens");
      same(await t.lanes.enqueue(t.queue, "b", { id, payload: "q" }), "duplicate", "the repeated id");
      same(await t.exists(t.key("g:b:pending")), false, "the other lane");
      await t.lanes.enqueue(t.queue, "a", { id: next, payload: "p" });
      same([await t.list("ring"), await t.tokens()], [["a"], 1], "the ring and tokens after a second job");
      same(await t.jobs.getState(t.queue, next), "pending", "its state");
      same(
        await t.lanes.enqueue(t.queue, "a", { id: t.port.mint("ORD"), payload: "p" }),
        "kind",
        "an id of another kind",
      );
    },
  },
  {
    name: "lane_enqueue_parked",
    contract: "A job of a lane that is paused or at its limit waits without a place on the ring and without a token.",
    async run(t) {
      await t.lanes.pause(t.queue, "a");
      await t.lanes.limit(t.queue, "b", 1);
      await t.lanes.enqueue(t.queue, "b", { id: t.id(), payload: "p" });
      await t.lanes.claim(t.queue, 60_000);
      await t.takeTokens();
      for (const lane of ["a", "b"]) await t.lanes.enqueue(t.queue, lane, { id: t.id(), payload: "p" });
      same([await t.list("ring"), await t.tokens()], [[], 0], "the ring and tokens");
      same(await Promise.all(["a", "b"].map((lane) => t.lanes.depth(t.queue, lane))), [1, 1], "the depths");
    },
  },
  {
    name: "lane_enqueue_tokens",
    contract: "Each lane that comes onto the ring pushes a token, and the list keeps at most 64.",
    async run(t) {
      for (let at = 0; at < 70; at++) await t.lanes.enqueue(t.queue, `lane-${at}`, { id: t.id(), payload: "p" });
      same(await t.tokens(), 64, "tokens");
      same((await t.list("ring")).length, 70, "lanes on the ring");
    },
  },
];
