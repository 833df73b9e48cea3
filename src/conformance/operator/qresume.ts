/** What `QRESUME` promises: claims work again, and a worker is woken. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS } from "../trial.ts";

export const qresumeScenarios: readonly ScenarioDraft[] = [
  {
    row: 25,
    name: "queue_pause",
    contract: "A paused queue gives nothing and keeps what it has; after the resume it gives again.",
    async run(t) {
      const id = await t.enqueued("p");
      await t.jobs.pause(t.queue);
      same(await t.jobs.claim(t.queue, LEASE_MS), undefined, "a claim while paused");
      same(await t.jobs.pendingSize(t.queue), 1, "pending");
      await t.jobs.resume(t.queue);
      const job = await t.claimed();
      same([job.id, bytesIn(job.payload), job.attempts], [id, "p", 1], "the claim");
    },
  },
];
