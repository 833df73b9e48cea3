/** What `MAXED` promises: a host learns before it claims that the ceiling is reached. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const maxedScenarios: readonly ScenarioDraft[] = [
  {
    row: 23,
    name: "rate",
    contract: "At the concurrency ceiling the queue is maxed, below it and without one it is not.",
    async run(t) {
      same(await t.jobs.isMaxed(t.queue), "ok", "without a ceiling");
      await t.command("HSET", t.key("meta"), "concurrency", "1");
      same(await t.jobs.isMaxed(t.queue), "ok", "below the ceiling");
      const { id } = await t.active();
      same(await t.jobs.isMaxed(t.queue), "rate", "at the ceiling");
      await t.command("HSET", t.key("meta"), "concurrency", "0");
      same(await t.jobs.isMaxed(t.queue), "ok", "at a ceiling of 0, which is none");
      await t.command("HSET", t.key("meta"), "concurrency", "1");
      same(await t.jobs.complete(t.queue, id, 1), "ok", "complete");
      same(await t.jobs.isMaxed(t.queue), "ok", "below it again");
    },
  },
  {
    row: 39,
    name: "rate_consult",
    contract:
      "A host that asks first leaves work where it is while the queue is maxed, and claims it when a job ended.",
    async run(t) {
      await t.command("HSET", t.key("meta"), "concurrency", "1");
      const claimIfBelow = async () =>
        (await t.jobs.isMaxed(t.queue)) === "rate" ? undefined : await t.jobs.claim(t.queue, LEASE_MS);
      const first = await t.enqueued();
      const second = await t.enqueued();
      same((await claimIfBelow())?.id, first, "below the ceiling");
      same(await claimIfBelow(), undefined, "at the ceiling");
      const { active, pending } = await t.jobs.getCounts(t.queue, ["active", "pending"]);
      same([active, pending], [1, 1], "active and pending");
      same(await t.jobs.complete(t.queue, first, 1), "ok", "complete");
      same((await claimIfBelow())?.id, second, "below it again");
    },
  },
];
