/** What `QPAUSE` promises: nothing is claimed, and nothing is lost. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const qpauseScenarios: readonly ScenarioDraft[] = [
  {
    name: "pause_keeps_settings",
    contract: "Pausing twice is pausing once, and the queue's other settings stay.",
    async run(t) {
      await t.command("HSET", t.key("meta"), "concurrency", "5");
      await t.jobs.pause(t.queue);
      await t.jobs.pause(t.queue);
      same(await t.command("HGET", t.key("meta"), "paused"), "1", "the field");
      same(await t.jobs.isPaused(t.queue), true, "isPaused");
      same(await t.command("HGET", t.key("meta"), "concurrency"), "5", "the other setting");
      await t.jobs.resume(t.queue);
      same(await t.jobs.isPaused(t.queue), false, "isPaused afterwards");
    },
  },
];
