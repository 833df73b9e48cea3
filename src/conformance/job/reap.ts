/** What `REAP` promises: lapsed leases come back and are counted; nothing is ever killed by it. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const reapScenarios: readonly ScenarioDraft[] = [
  {
    row: 11,
    name: "reap",
    contract: "A job whose lease lapsed waits again and is claimed with a raised token.",
    async run(t) {
      const { id } = await t.active("work", 30);
      await t.advance(60);
      same(await t.jobs.reap(t.queue), 1, "reaped");
      same(await t.field(id, "state"), "pending", "the state");
      same((await t.claimed()).attempts, 2, "the token of the second claim");
      same(await t.jobs.complete(t.queue, id, 2), "ok", "complete");
    },
  },
  {
    name: "reap_never_kills",
    contract: "Reap counts each lapse, looks at no more leases than asked for, and leaves live ones alone.",
    async run(t) {
      const ids = await t.enqueuedMany(3);
      for (let round = 1; round <= 5; round++) {
        await t.jobs.claimBatch(t.queue, 3, 10);
        await t.advance(20);
        same(await t.jobs.reap(t.queue, 0), 0, "a limit of none");
        same(await t.jobs.reap(t.queue, 2), 2, "a limit of two");
        same(await t.jobs.reap(t.queue), 1, "the rest");
      }
      for (const id of ids) same(await t.field(id, "stalled"), "5", "lapses");
      await t.jobs.claimBatch(t.queue, 3, 60_000);
      same(await t.jobs.reap(t.queue), 0, "live leases");
      same(await t.members("dead"), [], "the dead");
    },
  },
  {
    name: "reap_lane",
    contract: "A lane job comes back into its lane, its lane's count falls, and the ring stays exact.",
    async run(t) {
      const id = t.id();
      await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "lane-a" }]);
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: 10, want: 1 });
      await t.advance(20);
      same(await t.jobs.reap(t.queue), 1, "reaped");
      same(await t.members("g:lane-a:pending"), [id], "the lane");
      same([await t.list("ring"), await t.exists(t.key("gactive"))], [["lane-a"], false], "ring and count");
      same(await t.members("pending"), [], "flat pending");
    },
  },
];
