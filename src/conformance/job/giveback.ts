/** What `GIVEBACK` promises: the job stands where it stood, at once, and nothing of its budget is spent. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const givebackScenarios: readonly ScenarioDraft[] = [
  {
    name: "giveback",
    contract: "A job given back waits at its own place again, with its token raised and no attempt spent.",
    async run(t) {
      const [first, second] = (await t.enqueuedMany(2)) as [string, string];
      await t.claimed();
      same(await t.jobs.giveBack(t.queue, first, 1), "ok", "giveBack");
      same(await t.members("pending"), [first, second], "pending");
      same(await t.members("active"), [], "active");
      const row = { state: "pending", attempts: "1", payload: "work", deferred: "1" };
      same(await t.fields(first), row, "the row");
      const next = await t.claimed();
      same([next.id, next.attempts], [first, 2], "the next claim");
      const failure = { delayMs: 5, maxAttempts: 2, error: "boom" };
      same(await t.jobs.retry(t.queue, first, 2, failure), "scheduled", "the first failure of two");
    },
  },
  {
    name: "giveback_refused",
    contract: "Only the current holder can give a job back.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.giveBack(t.queue, id, 2), "stale", "with a wrong token");
      same(await t.jobs.giveBack(t.queue, t.id(), 1), "gone", "an unknown id");
      same(await t.jobs.giveBack(t.queue, id, 1), "ok", "by the holder");
      same(await t.jobs.giveBack(t.queue, id, 1), "state", "a second time");
      same(await t.field(id, "deferred"), "1", "interruptions");
    },
  },
  {
    name: "giveback_lane",
    contract: "A lane job goes back into its lane, its lane's count falls, and the ring stays exact (C5).",
    async run(t) {
      const id = t.id();
      await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "lane-a", priority: 7 }]);
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      same([await t.list("ring"), await t.command("HGET", t.key("gactive"), "lane-a")], [[], "1"], "ring and count");
      same(await t.jobs.giveBack(t.queue, id, 1), "ok", "giveBack");
      same([await t.list("ring"), await t.exists(t.key("gactive"))], [["lane-a"], false], "ring and count afterwards");
      same(await t.score("g:lane-a:pending", id), 7, "its score in the lane");
      same(await t.members("pending"), [], "flat pending");
    },
  },
];
