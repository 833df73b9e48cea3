/** What `REPROCESS` promises: a dead job waits again, at its own place and with a fresh budget. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const reprocessScenarios: readonly ScenarioDraft[] = [
  {
    row: 32,
    name: "reprocess_job",
    contract: "A dead job waits again without its error; one that is not dead is refused and stays.",
    async run(t) {
      const id = await t.dead();
      const pending = await t.enqueued();
      same(await t.jobs.reprocessJob(t.queue, id), "ok", "reprocess");
      same(await t.jobs.getState(t.queue, id), "pending", "its state");
      same([await t.field(id, "state"), await t.field(id, "last_error")], ["pending", null], "the row");
      same(await t.jobs.reprocessJob(t.queue, pending), "not_dead", "reprocess a pending job");
      same(await t.jobs.getState(t.queue, pending), "pending", "its state");
      same(await t.jobs.reprocessJob(t.queue, t.id()), "gone", "an unknown id");
    },
  },
  {
    name: "reprocess_budget",
    contract:
      "A reprocessed job has its whole budget of failures and lapses again, and its token goes on rising (C26).",
    async run(t) {
      const id = await t.enqueued();
      const failure = { delayMs: 0, maxAttempts: 2, error: "boom" };
      const failTwice = async (from: number): Promise<string[]> => {
        const outcomes: string[] = [];
        for (const token of [from, from + 1]) {
          same((await t.claimed()).attempts, token, "the token");
          outcomes.push(await t.jobs.retry(t.queue, id, token, failure));
          await t.advance(5);
          await t.jobs.promote(t.queue, 10);
        }
        return outcomes;
      };
      same(await failTwice(1), ["scheduled", "dead"], "the first life");
      same(await t.jobs.reprocessJob(t.queue, id), "ok", "reprocess");
      const { attempts, deferred, stalled } = await t.fields(id);
      same([attempts, deferred, stalled], ["2", "2", undefined], "attempts, interruptions and lapses");
      same(await failTwice(3), ["scheduled", "dead"], "the second life");
    },
  },
  {
    name: "reprocess_lane",
    contract: "A dead lane job goes back into its lane at its priority (C5).",
    async run(t) {
      const id = t.id();
      await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "lane-a", priority: 4 }]);
      const settlements = [{ op: "k", id, token: 1, error: "e" }] as const;
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0, settlements });
      same(await t.members("dead"), [id], "the dead");
      same(await t.jobs.reprocessJob(t.queue, id), "ok", "reprocess");
      same([await t.score("g:lane-a:pending", id), await t.list("ring")], [4, ["lane-a"]], "score and ring");
      same([await t.members("pending"), await t.members("dead")], [[], []], "flat pending and dead");
    },
  },
];
