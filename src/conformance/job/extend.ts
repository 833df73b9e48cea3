/** What `EXTEND` promises: the holder's lease goes on, and nobody else's. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const extendScenarios: readonly ScenarioDraft[] = [
  {
    row: 33,
    name: "lock_extend",
    contract: "An extended lease is not reaped at its first deadline; a wrong token is stale, an unknown id gone.",
    async run(t) {
      const { id } = await t.active("work", 50);
      same(await t.jobs.extendLock(t.queue, id, 1, 60_000), "ok", "extend");
      await t.advance(120);
      same(await t.jobs.reap(t.queue), 0, "reaped");
      same(await t.members("active"), [id], "active");
      same(await t.jobs.extendLock(t.queue, id, 2, 60_000), "stale", "with a wrong token");
      same(await t.jobs.extendLock(t.queue, t.id(), 1, 60_000), "gone", "an unknown id");
    },
  },
  {
    name: "c06_only_active",
    contract: "Only a member of active is extended, so no job ever stands in two sets.",
    async run(t) {
      const { id } = await t.active("work", 10);
      await t.advance(20);
      same(await t.jobs.reap(t.queue), 1, "reaped");
      // The lapsed job is taken out of the line, so that the next claims meet the others.
      await t.command("ZREM", t.key("pending"), id);
      const dead = await t.dead();
      const scheduled = (await t.active()).id;
      same(await t.jobs.delay(t.queue, scheduled, 1, LEASE_MS), "ok", "delay");
      await t.command("ZADD", t.key("pending"), "0", id);
      const before = await t.snapshot();
      for (const held of [id, dead, scheduled]) {
        const attempts = Number(await t.field(held, "attempts"));
        same(await t.jobs.extendLock(t.queue, held, attempts, LEASE_MS), "stale", "extend");
        const { failed } = await t.jobs.extendLocks(t.queue, [{ id: held, token: attempts }], LEASE_MS);
        same(failed, [held], "not extended as one of many");
      }
      same(await t.snapshot(), before, "what it changed");
    },
  },
  {
    name: "extend_cancelled",
    contract: "The holder of a job that was asked to stop hears of it when it renews, and keeps its lease.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.cancel(t.queue, id, "enough"), "marked", "cancel");
      const before = await t.port.serverNow();
      same(await t.jobs.extendLock(t.queue, id, 1, 90_000), "cancel", "extend");
      holds(((await t.score("active", id)) ?? 0) >= before + 90_000, "the lease goes on");
    },
  },
];
