/** What `EXTENDM` promises: each lease is judged alone, and the answer names those that were not renewed. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const extendmScenarios: readonly ScenarioDraft[] = [
  {
    row: 41,
    name: "extend_locks_batch",
    contract: "Of many leases exactly those that are stale or gone are named as not extended.",
    async run(t) {
      const live = await t.active();
      const stale = await t.active();
      const gone = t.id();
      const held = [
        { id: live.id, token: live.attempts },
        { id: stale.id, token: 999 },
        { id: gone, token: 1 },
      ];
      const before = await t.port.serverNow();
      same(await t.jobs.extendLocks(t.queue, held, 90_000), { failed: [stale.id, gone], cancelled: [] }, "the answer");
      holds(((await t.score("active", live.id)) ?? 0) >= before + 90_000, "the live lease goes on");
      holds(((await t.score("active", stale.id)) ?? 0) < before + 90_000, "the other does not");
      same(await t.score("active", gone), null, "a lease of the job that is gone");
    },
  },
  {
    name: "extendm_many",
    contract: "A thousand leases are renewed by one act with one deadline; those to cancel are named; none is no act.",
    async run(t) {
      const ids = await t.enqueuedMany(1000);
      await t.jobs.claimBatch(t.queue, 1000, 60_000);
      const [first, last] = [ids[0] ?? "", ids[999] ?? ""];
      await t.jobs.cancel(t.queue, last, "enough");
      await t.jobs.cancel(t.queue, first, "enough");
      const held = ids.map((id) => ({ id, token: 1 }));
      same(await t.jobs.extendLocks(t.queue, held, 90_000), { failed: [], cancelled: [first, last] }, "the answer");
      same(await t.score("active", first), await t.score("active", last), "the deadlines of first and last");
      same(await t.jobs.extendLocks(t.queue, [], 90_000), { failed: [], cancelled: [] }, "none");
    },
  },
];
