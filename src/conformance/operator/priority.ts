/** What `PRIORITY` promises: the row keeps it, and a waiting job moves to its place. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const priorityScenarios: readonly ScenarioDraft[] = [
  {
    name: "change_priority",
    contract: "A waiting job moves to its place in the flat queue or its lane; priority 0 leaves no field.",
    async run(t) {
      const [first, second] = (await t.enqueuedMany(2)) as [string, string];
      same(await t.jobs.changePriority(t.queue, first, 7), "ok", "the flat job");
      same([await t.members("pending"), await t.field(first, "priority")], [[second, first], "7"], "order and field");
      same(await t.jobs.changePriority(t.queue, first, 0), "ok", "back to 0");
      same([await t.members("pending"), await t.field(first, "priority")], [[first, second], null], "order and field");
      const rows = t.ids(2).map((id) => ({ id, payload: "p", lane: "lane-a" }));
      await t.jobs.admit(t.queue, rows);
      same(await t.jobs.changePriority(t.queue, rows[0]?.id ?? "", 3), "ok", "the lane job");
      same(await t.members("g:lane-a:pending"), [rows[1]?.id, rows[0]?.id], "the lane");
      same(await t.list("ring"), ["lane-a"], "the ring");
    },
  },
  {
    name: "change_priority_scheduled",
    contract: "A scheduled job keeps its due time and waits by its new priority afterwards.",
    async run(t) {
      const id = t.id();
      await t.jobs.enqueueAt(t.queue, id, "p", 1000);
      same(await t.jobs.changePriority(t.queue, id, 5), "ok", "the change");
      same(await t.score("schedule", id), 1000, "the due time");
      same(await t.jobs.promote(t.queue, 1), 1, "promoted");
      same(await t.score("pending", id), 5, "its place");
    },
  },
  {
    name: "change_priority_refused",
    contract: "An active or dead job is refused and stays as it is; an unknown one is gone.",
    async run(t) {
      const dead = await t.dead();
      const { id } = await t.active();
      const before = await t.snapshot();
      same(await t.jobs.changePriority(t.queue, id, 5), "not_waiting", "an active job");
      same(await t.jobs.changePriority(t.queue, dead, 5), "not_waiting", "a dead job");
      same(await t.jobs.changePriority(t.queue, t.id(), 5), "gone", "an unknown job");
      same(await t.snapshot(), before, "what is there");
      same((await t.jobs.extendLock(t.queue, id, 1, LEASE_MS)) === "ok", true, "the lease");
    },
  },
];
