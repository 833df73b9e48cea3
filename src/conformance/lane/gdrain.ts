/** What `GDRAIN` promises: what waits in the lane goes, and nothing else. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const gdrainScenarios: readonly ScenarioDraft[] = [
  {
    row: 45,
    name: "lane_drain",
    contract: "Draining a lane deletes its waiting jobs with all that hangs on them, and leaves everything else.",
    async run(t) {
      const [a1, a2, a3, b1] = t.ids(4);
      for (const id of [a1, a2, a3]) await t.lanes.enqueue(t.queue, "A", { id, payload: "p" });
      await t.lanes.enqueue(t.queue, "B", { id: b1, payload: "p" });
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, a1, "the claim");
      await t.jobs.addLog(t.queue, a2, "line");
      await t.repeats.register(t.queue, "rep", { everyMs: 60_000, template: "tick" });
      same(await t.lanes.drain(t.queue, "A", 1000), 2, "the answer");
      for (const key of [t.row(a2), t.row(a3), t.key("g:A:pending"), `${t.row(a2)}:logs`]) {
        same(await t.exists(key), false, `whether ${key} is left`);
      }
      same(await t.list("ring"), ["B"], "the ring");
      same(await t.jobs.getState(t.queue, a1), "active", "the state of the active job");
      same(await t.command("HGET", t.key("gactive"), "A"), "1", "the lane's count");
      same([await t.exists(t.row(b1)), await t.lanes.depth(t.queue, "B")], [true, 1], "the other lane");
      same(await t.exists(t.key("repeat")), true, "the repeats");
      same(await t.lanes.drain(t.queue, "unknown", 1000), 0, "the answer for an unknown lane");
    },
  },
  {
    name: "lane_drain_settings",
    contract: "Limit and pause of a lane outlive its draining, which goes in steps of the budget.",
    async run(t) {
      await t.lanes.limit(t.queue, "a", 5);
      for (let at = 0; at < 5; at++) await t.lanes.enqueue(t.queue, "a", { id: t.id(), payload: "p" });
      same(await t.lanes.drain(t.queue, "a", 2), 2, "the first step");
      same([await t.lanes.depth(t.queue, "a"), await t.list("ring")], [3, ["a"]], "depth and ring between");
      await t.lanes.pause(t.queue, "a");
      same(await t.lanes.drain(t.queue, "a", 1000), 3, "the last step");
      same(await t.command("HGET", t.key("glimit"), "a"), "5", "the limit");
      same(await t.command("SISMEMBER", t.key("paused"), "a"), 1, "the pause");
      same(await t.list("ring"), [], "the ring");
    },
  },
  {
    name: "lane_drain_names",
    contract: "A drained job lets its deduplication id go and tells those who wait for it; what others hold stays.",
    expectFindings: ["dedup-holder"],
    async run(t) {
      const [id, other] = t.ids(2);
      for (const job of [id, other]) await t.lanes.enqueue(t.queue, "a", { id: job, payload: "p" });
      await t.command("HSET", t.row(id), "dedup", "mine", "wait", String((await t.port.serverNow()) + LEASE_MS));
      await t.command("SET", t.key("de:mine"), id);
      await t.command("HSET", t.row(other), "dedup", "theirs");
      await t.command("SET", t.key("de:theirs"), t.id());
      const told = await t.messages(t.key("results"));
      same(await t.lanes.drain(t.queue, "a", 1000), 2, "the answer");
      same([await t.exists(t.key("de:mine")), await t.exists(t.key("de:theirs"))], [false, true], "the names");
      await t.until(() => told.length > 0, "the message to those who wait");
      same(told, [id], "the messages");
    },
  },
  {
    name: "lane_drain_strays",
    contract: "A member without a row goes; a job that is elsewhere by its row stays, whatever the lane says.",
    async run(t) {
      const { id } = await t.active();
      await t.command("ZADD", t.key("g:a:pending"), "0", id, "0", t.id());
      same(await t.lanes.drain(t.queue, "a", 1000), 2, "the answer");
      same(await t.jobs.getState(t.queue, id), "active", "the state of the job");
      same(await t.exists(t.key("g:a:pending")), false, "the lane");
    },
  },
];
