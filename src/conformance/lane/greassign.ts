/** What `GREASSIGN` promises: the job changes its lane, and both lanes stay exact. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const greassignScenarios: readonly ScenarioDraft[] = [
  {
    row: 44,
    name: "reassign",
    contract: "A waiting job moves to another lane and is served and counted there.",
    async run(t) {
      const id = t.id();
      await t.lanes.enqueue(t.queue, "S", { id, payload: "move-me" });
      same(await t.lanes.reassign(t.queue, id, "D"), "reassigned", "the outcome");
      same([await t.score("g:S:pending", id), await t.score("g:D:pending", id)], [null, 0], "the scores");
      same(await t.field(id, "group"), "D", "the row's lane");
      same(await t.list("ring"), ["D"], "the ring");
      same(await t.lanes.reassign(t.queue, id, "D"), "noop", "a second time");
      const job = await t.lanes.claim(t.queue, LEASE_MS);
      same([job?.id, job?.attempts, job?.lane], [id, 1, "D"], "the claim");
      same(await t.command("HMGET", t.key("gactive"), "D", "S"), ["1", null], "the lanes' counts");
      same(await t.lanes.reassign(t.queue, id, "S"), "not_pending", "the outcome for an active job");
      await t.jobs.complete(t.queue, id, 1);
      same(await t.exists(t.key("gactive")), false, "the counts after the completion");
    },
  },
  {
    name: "reassign_edges",
    contract:
      "Jobs of no lane cannot be moved; the priority stays; a parked lane gets the job without a place on the ring.",
    async run(t) {
      const flat = await t.enqueued();
      same(await t.lanes.reassign(t.queue, flat, "D"), "not_found", "the outcome for a flat job");
      same(await t.lanes.reassign(t.queue, t.id(), "D"), "not_found", "the outcome for no job");
      const [stays, moves] = t.ids(2);
      await t.jobs.admit(t.queue, [
        { id: stays, payload: "p", lane: "S" },
        { id: moves, payload: "p", lane: "S", priority: 7 },
      ]);
      await t.lanes.pause(t.queue, "D");
      same(await t.lanes.reassign(t.queue, moves, "D"), "reassigned", "the outcome");
      same([await t.list("ring"), await t.score("g:D:pending", moves)], [["S"], 7], "the ring and the score");
    },
  },
];
