/** What `RESCHEDULE` promises: a scheduled job gets another due time. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const rescheduleScenarios: readonly ScenarioDraft[] = [
  {
    name: "reschedule",
    contract: "The due time moves to the instant, or to the delay from now by the server's clock.",
    async run(t) {
      const id = t.id();
      await t.jobs.enqueueAt(t.queue, id, "p", 1000);
      same(await t.jobs.changeDelay(t.queue, id, 2000, "at"), "ok", "at an instant");
      same(await t.score("schedule", id), 2000, "the instant");
      const before = await t.port.serverNow();
      same(await t.jobs.changeDelay(t.queue, id, LEASE_MS), "ok", "by a delay");
      const score = (await t.score("schedule", id)) ?? 0;
      const after = await t.port.serverNow();
      holds(score >= before + LEASE_MS && score <= after + LEASE_MS, `the due time ${score} is not a delay from now`);
      same(await t.fields(id), { state: "scheduled", attempts: "0", payload: "p" }, "the row");
    },
  },
  {
    name: "reschedule_refused",
    contract: "A job that is not scheduled is refused and stays; an unknown one is gone.",
    async run(t) {
      const id = await t.enqueued();
      same(await t.jobs.changeDelay(t.queue, id, 5), "not_scheduled", "a pending job");
      same(await t.jobs.getState(t.queue, id), "pending", "its state");
      same(await t.jobs.changeDelay(t.queue, t.id(), 5), "gone", "an unknown job");
    },
  },
  {
    name: "reschedule_wakes",
    contract: "A job that comes to the head of the schedule wakes whoever keeps time, and another does not.",
    async run(t) {
      const [near, far] = t.ids(2);
      await t.jobs.enqueueIn(t.queue, near, "p", LEASE_MS);
      await t.jobs.enqueueIn(t.queue, far, "p", LEASE_MS * 2);
      await t.takeTokens();
      same(await t.jobs.changeDelay(t.queue, far, LEASE_MS * 3), "ok", "farther");
      same(await t.tokens(), 0, "tokens after a move behind the head");
      same(await t.jobs.changeDelay(t.queue, far, 5), "ok", "nearer");
      same(await t.tokens(), 1, "tokens after a move to the head");
    },
  },
];
