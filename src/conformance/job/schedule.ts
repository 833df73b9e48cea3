/** What `SCHEDULE` promises: a job that nobody can claim before its time, by the server's clock. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS } from "../trial.ts";

export const scheduleScenarios: readonly ScenarioDraft[] = [
  {
    row: 15,
    name: "schedule",
    contract: "A job with a delay cannot be claimed before it is due, and can after promotion.",
    async run(t) {
      const id = t.id();
      same(await t.jobs.enqueueIn(t.queue, id, "later", 30), "scheduled", "enqueueIn");
      same(await t.field(id, "state"), "scheduled", "the row's state");
      same(await t.jobs.claim(t.queue, LEASE_MS), undefined, "a claim before the time");
      await t.advance(50);
      same(await t.jobs.promote(t.queue, 10), 1, "promoted");
      const job = await t.claimed();
      same([job.id, bytesIn(job.payload), job.attempts], [id, "later", 1], "the claim");
      same(await t.jobs.complete(t.queue, id, 1), "ok", "complete");
    },
  },
  {
    name: "schedule_in",
    contract: "A delay counts from the server's now; the row is born with exactly three fields.",
    async run(t) {
      const id = t.id();
      const before = await t.port.serverNow();
      same(await t.jobs.enqueueIn(t.queue, id, "later", 5000), "scheduled", "enqueueIn");
      const after = await t.port.serverNow();
      const due = (await t.score("schedule", id)) ?? 0;
      holds(due >= before + 5000 && due <= after + 5000, `due ${due} is the server's now and 5000`);
      same(await t.fields(id), { state: "scheduled", attempts: "0", payload: "later" }, "the row");
      same(await t.tokens(), 0, "wake tokens");
    },
  },
  {
    name: "schedule_at",
    contract: "An instant is stored as it is, also the largest and one that has passed; an id is admitted once.",
    async run(t) {
      const [past, last] = t.ids(2);
      same(await t.jobs.enqueueAt(t.queue, past, "p", 1), "scheduled", "an instant that has passed");
      same(await t.jobs.enqueueAt(t.queue, last, "p", Number.MAX_SAFE_INTEGER), "scheduled", "the largest instant");
      same(await t.jobs.enqueueAt(t.queue, past, "other", 5), "duplicate", "the same id");
      same(await t.jobs.enqueueAt(t.queue, t.port.mint("ORD"), "p", 5), "kind", "an id of another namespace");
      same(await t.score("schedule", past), 1, "the score that has passed");
      same(await t.score("schedule", last), Number.MAX_SAFE_INTEGER, "the largest score");
      same(await t.jobs.promote(t.queue, 10), 1, "promoted");
      same(await t.members("pending"), [past], "pending");
    },
  },
];
