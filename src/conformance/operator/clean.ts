/** What `CLEAN` promises: of the given jobs, those of one state go, and no other. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const cleanScenarios: readonly ScenarioDraft[] = [
  {
    name: "clean",
    contract: "Of the given jobs those of the state are removed with their rows; the others stay.",
    async run(t) {
      const dead = await t.dead();
      const [pending, scheduled, inLane] = t.ids(3);
      await t.jobs.admit(t.queue, [
        { id: pending, payload: "p" },
        { id: scheduled, payload: "p", dueInMs: LEASE_MS },
        { id: inLane, payload: "p", lane: "lane-a" },
      ]);
      const all = [dead, pending, scheduled, inLane, t.id()];
      same(await t.jobs.clean(t.queue, "dead", all), 1, "dead ones");
      same(await t.jobs.clean(t.queue, "scheduled", all), 1, "scheduled ones");
      same(await t.jobs.getState(t.queue, pending), "pending", "a pending one meanwhile");
      same(await t.jobs.clean(t.queue, "pending", all), 2, "pending ones, of lanes too");
      const states = await Promise.all(all.map(async (id) => await t.jobs.getState(t.queue, id)));
      same(states, Array(5).fill("absent"), "the states");
      same(await t.list("ring"), [], "the ring");
      same(await t.jobs.clean(t.queue, "dead", []), 0, "no ids");
    },
  },
  {
    name: "clean_moved",
    contract: "A job that left the state since, or is locked, is not removed.",
    async run(t) {
      const { id } = await t.active();
      const [field, key] = (await t.enqueuedMany(2)) as [string, string];
      await t.command("HSET", t.row(field), "lock", "w");
      await t.command("SET", `${t.row(key)}:lock`, "w");
      same(await t.jobs.clean(t.queue, "pending", [id, field, key]), 0, "removed");
      same(await t.members("pending"), [field, key], "the pending jobs");
      same(await t.jobs.getState(t.queue, id), "active", "the active job");
    },
  },
  {
    name: "clean_budget",
    contract: "More than 1000 ids are refused, and nothing is removed (C22).",
    async run(t) {
      const id = await t.enqueued();
      const text = await t.refusalOf("CLEAN", ["pending", ...Array<string>(1001).fill(id)]);
      same(text, "ERR EMQ.CLEAN bad argument ids", "the refusal");
      same(await t.jobs.getState(t.queue, id), "pending", "the job");
    },
  },
];
