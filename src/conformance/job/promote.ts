/** What `PROMOTE` promises: due jobs wait, in the order of their times, each where it belongs. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const promoteScenarios: readonly ScenarioDraft[] = [
  {
    name: "promote",
    contract: "Only what is due is promoted, at most as many as asked for, the longest due first.",
    async run(t) {
      const [late, early, middle, future] = t.ids(4);
      await t.jobs.enqueueAt(t.queue, late, "p", 30);
      await t.jobs.enqueueAt(t.queue, early, "p", 10);
      await t.jobs.enqueueAt(t.queue, middle, "p", 20);
      await t.jobs.enqueueIn(t.queue, future, "p", 60_000);
      same(await t.jobs.promote(t.queue, 0), 0, "a batch of none");
      same(await t.jobs.promote(t.queue, 2), 2, "a batch of two");
      same(await t.members("schedule"), [late, future], "the schedule");
      same(await t.jobs.promote(t.queue, 10), 1, "the rest");
      same(await t.members("pending"), [late, early, middle], "pending, in mint order");
      same(await t.field(late, "state"), "pending", "the state");
    },
  },
  {
    name: "promote_lane",
    contract: "A lane job is promoted into its lane, and its lane comes onto the ring once.",
    async run(t) {
      const rows = t.ids(3).map((id) => ({ id, payload: "p", lane: "lane-a", priority: 3, dueAtMs: 1 }));
      await t.jobs.admit(t.queue, rows);
      same(await t.list("ring"), [], "the ring before");
      same(await t.jobs.promote(t.queue, 10), 3, "promoted");
      same(
        await t.members("g:lane-a:pending"),
        rows.map(({ id }) => id),
        "the lane",
      );
      same(await t.score("g:lane-a:pending", rows[0]?.id ?? ""), 3, "the score of the first");
      same(await t.list("ring"), ["lane-a"], "the ring");
      same(await t.members("pending"), [], "flat pending");
    },
  },
  {
    name: "promote_lane_held",
    contract: "A lane that is paused or at its limit takes promoted jobs and stays off the ring.",
    expectFindings: ["lane-active"],
    async run(t) {
      await t.command("SADD", t.key("paused"), "lane-p");
      await t.command("HSET", t.key("glimit"), "lane-f", "1");
      await t.command("HSET", t.key("gactive"), "lane-f", "1");
      const lanes = ["lane-p", "lane-f"];
      await t.jobs.admit(
        t.queue,
        lanes.map((lane) => ({ id: t.id(), payload: "p", lane, dueAtMs: 1 })),
      );
      await t.takeTokens();
      same(await t.jobs.promote(t.queue, 10), 2, "promoted");
      for (const lane of lanes) same((await t.members(`g:${lane}:pending`)).length, 1, `jobs in ${lane}`);
      same([await t.list("ring"), await t.tokens()], [[], 0], "ring and wake tokens");
    },
  },
  {
    name: "promote_owner",
    contract:
      "A job that another speaker scheduled under its owner waits without one, so no old token settles it (C7).",
    async run(t) {
      for (const verb of ["PROMOTE", "RELEASE", "TURN"] as const) {
        const { id } = await t.active();
        await t.command("ZREM", t.key("active"), id);
        await t.command("HSET", t.row(id), "state", "scheduled", "owner", "w");
        await t.command("ZADD", t.key("schedule"), "1", id);
        await t.act(verb, { PROMOTE: ["1"], RELEASE: [id], TURN: ["w", "60000", "0"] }[verb]);
        same([await t.field(id, "state"), await t.field(id, "owner")], ["pending", null], `the row after ${verb}`);
        same(await t.jobs.complete(t.queue, id, 1), "state", `an old token after ${verb}`);
        await t.jobs.removeJob(t.queue, id);
      }
    },
  },
];
