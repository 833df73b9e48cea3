/** What `DELAY` promises: an active job put back until an instant, as an interruption and not as a failure. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const delayScenarios: readonly ScenarioDraft[] = [
  {
    row: 72,
    name: "batch_delay",
    contract: "A delayed job leaves its lease for the schedule, keeps its token and comes back.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.delay(t.queue, id, 1, 40), "ok", "delay");
      same([await t.field(id, "state"), await t.field(id, "attempts")], ["scheduled", "1"], "the row");
      holds((await t.score("schedule", id)) !== null, "it stands in the schedule");
      same(await t.score("active", id), null, "its score in active");
      same(await t.jobs.claim(t.queue, LEASE_MS), undefined, "a claim before the time");
      await t.advance(60);
      same(await t.jobs.promote(t.queue, 10), 1, "promoted");
      same((await t.claimed()).attempts, 2, "the token of the second claim");
      same(await t.jobs.complete(t.queue, id, 2), "ok", "complete");
    },
  },
  {
    row: 73,
    name: "batch_delay_stale",
    contract: "A stale holder cannot delay a job, its new holder can; an unknown id is gone.",
    async run(t) {
      await t.port.flush();
      const { id } = await t.active("work", 30);
      await t.advance(60);
      same(await t.jobs.reap(t.queue), 1, "reaped");
      same((await t.claimed()).attempts, 2, "the token of the second claim");
      same(await t.jobs.delay(t.queue, id, 1, 50), "stale", "delay by the former holder");
      same(await t.members("active"), [id], "active");
      same(await t.jobs.delay(t.queue, id, 2, 50), "ok", "delay by the holder");
      same([await t.field(id, "state"), await t.members("active")], ["scheduled", []], "state and active");
      same(await t.jobs.delay(t.queue, t.id(), 1, 50), "gone", "delay of an unknown id");
    },
  },
  {
    name: "delay_until",
    contract: "A job may be put back until an instant, and each delay counts as an interruption.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.delay(t.queue, id, 1, 1, "at"), "ok", "delay until an instant that has passed");
      same([await t.score("schedule", id), await t.field(id, "deferred")], [1, "1"], "score and interruptions");
      same(await t.jobs.promote(t.queue, 10), 1, "promoted");
      await t.claimed();
      same(await t.jobs.delay(t.queue, id, 2, 1, "at"), "ok", "delay again");
      same([await t.field(id, "deferred"), await t.field(id, "last_error")], ["2", null], "interruptions and error");
    },
  },
  {
    name: "c05_delay_lane",
    contract: "Delaying a lane job lowers its lane's count and brings a lane at its limit back onto the ring (C5).",
    async run(t) {
      const [first, second] = t.ids(2);
      await t.command("HSET", t.key("glimit"), "lane-a", "1");
      await t.jobs.admit(t.queue, [
        { id: first, payload: "p", lane: "lane-a" },
        { id: second, payload: "p", lane: "lane-a" },
      ]);
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 5 });
      same([await t.list("ring"), await t.command("HGET", t.key("gactive"), "lane-a")], [[], "1"], "ring and count");
      await t.takeTokens();
      same(await t.jobs.delay(t.queue, first, 1, LEASE_MS), "ok", "delay");
      same([await t.list("ring"), await t.exists(t.key("gactive"))], [["lane-a"], false], "ring and count afterwards");
      same(await t.tokens(), 1, "wake tokens");
    },
  },
];
