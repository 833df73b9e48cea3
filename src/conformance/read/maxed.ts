/** What `MAXED` promises: a host learns before it claims that the ceiling is reached. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

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
];
