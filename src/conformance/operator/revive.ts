/** What `REVIVE` promises: dead jobs wait again, many in one act, each as by `REPROCESS`. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const reviveScenarios: readonly ScenarioDraft[] = [
  {
    name: "revive",
    contract: "The dead of the given jobs wait again at their places with a fresh budget, and a worker is woken.",
    async run(t) {
      const flat = await t.dead();
      const inLane = t.id();
      await t.jobs.admit(t.queue, [{ id: inLane, payload: "p", lane: "lane-a", priority: 4 }]);
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      const settlements = [{ op: "k", id: inLane, token: 1, error: "e" }] as const;
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0, settlements });
      const pending = await t.enqueued();
      await t.takeTokens();
      same(await t.jobs.revive(t.queue, [flat, inLane, pending, t.id(), flat]), 2, "revived");
      same([await t.members("dead"), await t.members("pending")], [[], [flat, pending]], "dead and pending");
      same([await t.score("g:lane-a:pending", inLane), await t.list("ring")], [4, ["lane-a"]], "score and ring");
      const { attempts, deferred, last_error } = await t.fields(flat);
      same([attempts, deferred, last_error], ["1", "1", undefined], "attempts, interruptions and error");
      same(await t.tokens(), 1, "tokens");
    },
  },
  {
    name: "revive_ghost",
    contract: "A member of dead whose row is gone or not dead is dropped, and no row is made (C3).",
    async run(t) {
      const [ghost, stray] = [t.id(), await t.enqueued()];
      await t.command("ZADD", t.key("dead"), "0", ghost, "0", stray);
      same(await t.jobs.revive(t.queue, [ghost, stray]), 0, "revived");
      same([await t.members("dead"), await t.exists(t.row(ghost))], [[], false], "dead, and a row");
      same(await t.members("pending"), [stray], "pending");
    },
  },
];
