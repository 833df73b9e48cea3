/** What `UPDATE` promises: the payload is replaced in any state, and under a token only by the holder. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn } from "../trial.ts";

export const updateScenarios: readonly ScenarioDraft[] = [
  {
    row: 28,
    name: "update_data",
    contract: "A job's payload can be replaced; an unknown job is gone.",
    async run(t) {
      const id = await t.enqueued("old");
      same(await t.jobs.updateData(t.queue, id, "new"), "ok", "update");
      same((await t.jobs.getRow(t.queue, id))?.get("payload"), "new", "the payload");
      same(await t.jobs.updateData(t.queue, t.id(), "new"), "gone", "an unknown id");
    },
  },
  {
    name: "update_token",
    contract: "With a token only the holder of that claim writes payload, progress and log.",
    async run(t) {
      const { id } = await t.active("old");
      const before = await t.snapshot();
      same(await t.jobs.updateData(t.queue, id, "new", 2), "stale", "update with a wrong token");
      same(await t.jobs.updateProgress(t.queue, id, "50", 2), "stale", "progress with a wrong token");
      same(await t.jobs.addLog(t.queue, id, "line", 0, 2), "stale", "log with a wrong token");
      same(await t.snapshot(), before, "what they changed");
      same(await t.jobs.updateData(t.queue, id, "new", 1), "ok", "update with the token");
      same(await t.jobs.updateProgress(t.queue, id, "50", 1), "ok", "progress with the token");
      same(await t.jobs.addLog(t.queue, id, "line", 0, 1), 1, "log with the token");
    },
  },
  {
    name: "update_any_state",
    contract: "A dead job's payload can be replaced, and the next attempt sees it.",
    async run(t) {
      const id = await t.dead();
      same(await t.jobs.updateData(t.queue, id, "repaired"), "ok", "update");
      same(await t.jobs.reprocessJob(t.queue, id), "ok", "reprocess");
      same(bytesIn((await t.claimed()).payload), "repaired", "the payload of the next claim");
    },
  },
];
