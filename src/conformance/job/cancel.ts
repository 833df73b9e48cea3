/** What `CANCEL` promises: a waiting job goes, an active one is asked to stop, one that is over is left alone. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const cancelScenarios: readonly ScenarioDraft[] = [
  {
    row: 37,
    name: "cancel",
    contract: "A holder that is asked to stop hears so with every renewal, and the last reason stands.",
    async run(t) {
      const { id } = await t.active();
      const renew = async () => await t.jobs.extendLock(t.queue, id, 1, LEASE_MS);
      same([await renew(), await renew(), await t.field(id, "cancel")], ["ok", "ok", null], "before it is asked");
      same(await t.jobs.cancel(t.queue, id, "stop"), "marked", "the first cancel");
      same([await renew(), await t.field(id, "cancel")], ["cancel", "stop"], "after the first cancel");
      same(await t.jobs.cancel(t.queue, id, "again"), "marked", "the second cancel");
      same([await renew(), await t.field(id, "cancel")], ["cancel", "again"], "after the second cancel");
    },
  },
  {
    name: "cancel_waiting",
    contract: "A pending, scheduled or lane job is removed with all that hangs on it.",
    async run(t) {
      const [pending, scheduled, inLane] = t.ids(3);
      await t.jobs.admit(t.queue, [
        { id: pending, payload: "p" },
        { id: scheduled, payload: "p", dueInMs: LEASE_MS },
        { id: inLane, payload: "p", lane: "lane-a" },
      ]);
      for (const id of [pending, scheduled, inLane]) {
        await t.jobs.addLog(t.queue, id, "line");
        same(await t.jobs.cancel(t.queue, id, "enough"), "removed", "cancel");
        same(await t.jobs.getState(t.queue, id), "absent", "the state");
      }
      await t.takeTokens();
      same([...(await t.snapshot()).keys()], [], "keys that are left");
    },
  },
  {
    name: "cancel_active",
    contract: "An active job is marked with the reason and goes on being leased; its holder may complete it.",
    async run(t) {
      const { id } = await t.active();
      const heard = await t.messages(t.key("control"));
      same(await t.jobs.cancel(t.queue, id, "enough"), "marked", "cancel");
      await t.until(() => heard.length > 0, "the message to its holder");
      same(heard, [`c${id}`], "messages");
      same(await t.jobs.cancel(t.queue, id, "at once"), "marked", "cancel again");
      same([await t.field(id, "cancel"), await t.members("active")], ["at once", [id]], "reason and active");
      same(await t.jobs.extendLocks(t.queue, [{ id, token: 1 }], LEASE_MS), { failed: [], cancelled: [id] }, "renewal");
      same(await t.jobs.complete(t.queue, id, 1), "ok", "complete");
    },
  },
  {
    name: "cancel_over",
    contract: "A job that is over or unknown cannot be cancelled and stays as it is.",
    async run(t) {
      const id = await t.dead();
      const before = await t.snapshot();
      same(await t.jobs.cancel(t.queue, id, "enough"), "gone", "a dead job");
      same(await t.jobs.cancel(t.queue, t.id(), "enough"), "gone", "an unknown id");
      same(await t.snapshot(), before, "what it changed");
    },
  },
  {
    name: "cancel_last_of_lane",
    contract: "The last waiting job of a lane takes the lane off the ring.",
    async run(t) {
      const ids = t.ids(2);
      await t.jobs.admit(
        t.queue,
        ids.map((id) => ({ id, payload: "p", lane: "lane-a" })),
      );
      const rings: string[][] = [];
      for (const id of ids) {
        same(await t.jobs.cancel(t.queue, id, ""), "removed", "cancel");
        rings.push(await t.list("ring"));
      }
      same(rings, [["lane-a"], []], "the ring after each");
    },
  },
];
