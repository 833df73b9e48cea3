/** What `STATE` promises: where a job is, by membership first. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const stateScenarios: readonly ScenarioDraft[] = [
  {
    row: 20,
    name: "state",
    contract: "States are active, scheduled and absent; a row is read as it is stored.",
    async run(t) {
      const { id } = await t.active("s");
      const [scheduled, missing] = t.ids(2);
      await t.jobs.enqueueIn(t.queue, scheduled, "later", 60_000);
      const states = await Promise.all(
        [id, scheduled, missing].map(async (one) => await t.jobs.getState(t.queue, one)),
      );
      same(states, ["active", "scheduled", "absent"], "the states");
      same(await t.fields(id), { state: "active", attempts: "1", payload: "s" }, "the row");
      same(await t.jobs.getRow(t.queue, missing), undefined, "the row of a missing job");
    },
  },
  {
    row: 38,
    name: "unknown_state",
    contract: "A row that stands in no set is unknown; an id that never was is absent.",
    expectFindings: ["row-place"],
    async run(t) {
      const { id } = await t.active();
      same(await t.command("ZREM", t.key("active"), id), 1, "taken out of active");
      same(await t.jobs.getState(t.queue, id), "unknown", "the state");
      same((await t.jobs.getRow(t.queue, id))?.get("state"), "active", "the row's state");
      same(await t.jobs.getState(t.queue, t.id()), "absent", "the state of an unknown id");
    },
  },
  {
    name: "state_everywhere",
    contract: "Pending, lane, dead, completed and waiting parents are found where they are (C17).",
    expectFindings: ["member-score"],
    async run(t) {
      const dead = await t.dead();
      const [flat, inLane, kept, parent] = t.ids(4);
      await t.jobs.admit(t.queue, [
        { id: flat, payload: "p" },
        { id: inLane, payload: "p", lane: "lane-a" },
      ]);
      await t.command("HSET", t.row(kept), "state", "completed", "attempts", "1", "payload", "p");
      await t.command("ZADD", t.key("completed"), "1", kept);
      await t.command("HSET", t.row(parent), "state", "awaiting_children", "attempts", "0", "payload", "p");
      await t.command("ZADD", t.key("awaiting"), "1", parent);
      await t.command("SET", `${t.row(parent)}:dependencies`, "1");
      const ids = [flat, inLane, dead, kept, parent];
      const states = await Promise.all(ids.map(async (id) => await t.jobs.getState(t.queue, id)));
      same(states, ["pending", "pending", "dead", "completed", "awaiting_children"], "the states");
    },
  },
];
