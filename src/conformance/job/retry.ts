/** What `RETRY` promises: another attempt after a delay, or death when the budget of failures is spent. */

import { backoffDelayMs, checkedBackoff } from "../../queue/backoff.ts";
import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const retryScenarios: readonly ScenarioDraft[] = [
  {
    row: 9,
    name: "retry",
    contract: "A failed job waits out its delay, keeps its error and comes back with a raised token.",
    async run(t) {
      const { id } = await t.active();
      const failure = { delayMs: 10, maxAttempts: 3, error: "boom" };
      same(await t.jobs.retry(t.queue, id, 1, failure), "scheduled", "retry");
      same([await t.field(id, "state"), await t.field(id, "last_error")], ["scheduled", "boom"], "the row");
      await t.advance(30);
      same(await t.jobs.promote(t.queue, 10), 1, "promoted");
      same((await t.claimed()).attempts, 2, "the token of the second claim");
      same(await t.jobs.complete(t.queue, id, 2), "ok", "complete");
    },
  },
  {
    row: 10,
    name: "dead",
    contract: "A job whose budget is spent is dead and stands in the set of the dead.",
    async run(t) {
      const { id } = await t.active();
      const failure = { delayMs: 10, maxAttempts: 1, error: "gave up" };
      same(await t.jobs.retry(t.queue, id, 1, failure), "dead", "retry");
      same([await t.field(id, "state"), await t.field(id, "last_error")], ["dead", "gave up"], "the row");
      same(await t.command("ZRANGE", t.key("dead"), "+", "-", "BYLEX", "REV"), [id], "the dead");
      same(await t.members("active"), [], "active");
      same((await t.jobs.getMetrics(t.queue, "failed")).count, 1, "failed jobs");
    },
  },
  {
    row: 17,
    name: "backoff",
    contract: "A job under an exponential policy dies exactly at its last attempt.",
    async run(t) {
      const id = await t.enqueued("poison");
      const policy = checkedBackoff({ type: "exponential", delay: 1, cap: 10 });
      const outcomes: string[] = [];
      for (let attempt = 1; outcomes.at(-1) !== "dead" && attempt <= 4; attempt++) {
        same((await t.claimed()).attempts, attempt, "the token");
        const delayMs = backoffDelayMs(policy, attempt, () => 0);
        const outcome = await t.jobs.retry(t.queue, id, attempt, { delayMs, maxAttempts: 3, error: `boom ${attempt}` });
        outcomes.push(outcome);
        if (outcome === "scheduled") {
          await t.advance(delayMs + 5);
          same(await t.jobs.promote(t.queue, 10), 1, "promoted");
        }
      }
      same(outcomes, ["scheduled", "scheduled", "dead"], "the outcomes");
      same([await t.field(id, "state"), await t.field(id, "last_error")], ["dead", "boom 3"], "the row");
      same(await t.members("dead"), [id], "the dead");
    },
  },
  {
    name: "retry_gone",
    contract: "Failing a job whose row is gone says so.",
    async run(t) {
      const failure = { delayMs: 10, maxAttempts: 3, error: "boom" };
      same(await t.jobs.retry(t.queue, t.id(), 1, failure), "gone", "retry of an unknown id");
      const { id } = await t.active();
      same(await t.jobs.retry(t.queue, id, 2, failure), "stale", "retry with a wrong token");
      same(await t.field(id, "state"), "active", "the state");
    },
  },
  {
    name: "retry_cancelled",
    contract: "A failed job that was asked to stop is dead, whatever is left of its budget.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.cancel(t.queue, id, "enough"), "marked", "cancel");
      const failure = { delayMs: 10, maxAttempts: 9, error: "stopped" };
      same(await t.jobs.retry(t.queue, id, 1, failure), "dead", "retry");
      same(await t.members("dead"), [id], "the dead");
    },
  },
  {
    name: "c26_three_counts",
    contract: "Failures, crashes and interruptions are counted apart; only failures spend the budget of attempts.",
    async run(t) {
      const id = await t.enqueued();
      const promote = async () => {
        await t.advance(20);
        same(await t.jobs.promote(t.queue, 1), 1, "promoted");
      };
      await t.claimed();
      same(await t.jobs.delay(t.queue, id, 1, 5), "ok", "the first interruption");
      await promote();
      await t.claimed();
      same(await t.jobs.giveBack(t.queue, id, 2), "ok", "the second interruption");
      await t.claimed(10);
      await t.advance(20);
      same((await t.jobs.sweep(t.queue)).recovered, [id], "the crash");
      await t.claimed();
      const counts = await t.fields(id);
      same([counts.attempts, counts.stalled, counts.deferred], ["4", "1", "2"], "attempts, crashes, interruptions");
      const failure = { delayMs: 5, maxAttempts: 2, error: "boom" };
      same(await t.jobs.retry(t.queue, id, 4, failure), "scheduled", "the first failure of two");
      await promote();
      await t.claimed();
      same(await t.jobs.retry(t.queue, id, 5, failure), "dead", "the second failure of two");
      same((await t.fields(id)).stalled, "1", "crashes at the end");
    },
  },
  {
    name: "c26_crash_taken_back",
    contract: "A settlement accepted after the reap takes its crash back, and the failure counts as one.",
    async run(t) {
      const { id } = await t.active("work", 10);
      await t.advance(20);
      same(await t.jobs.reap(t.queue), 1, "reaped");
      same(await t.field(id, "stalled"), "1", "crashes after the reap");
      const failure = { delayMs: 5, maxAttempts: 2, error: "late" };
      same(await t.jobs.retry(t.queue, id, 1, failure), "scheduled", "the late failure");
      same(await t.field(id, "stalled"), null, "crashes after the late failure");
      await t.advance(20);
      same(await t.jobs.promote(t.queue, 1), 1, "promoted");
      await t.claimed();
      same(await t.jobs.retry(t.queue, id, 2, failure), "dead", "the second failure of two");
      const last = await t.active("work", 10);
      await t.advance(20);
      same(await t.jobs.reap(t.queue), 1, "reaped again");
      const once = { delayMs: 5, maxAttempts: 1, error: "late" };
      same(await t.jobs.retry(t.queue, last.id, 1, once), "dead", "a late failure of one");
      same(await t.jobs.claim(t.queue, LEASE_MS), undefined, "a claim afterwards");
      const settlements = {
        RETRY: async (id: string) => await t.jobs.retry(t.queue, id, 1, failure),
        DELAY: async (id: string) => await t.jobs.delay(t.queue, id, 1, LEASE_MS),
        GIVEBACK: async (id: string) => await t.jobs.giveBack(t.queue, id, 1),
      };
      for (const [name, settle] of Object.entries(settlements)) {
        const twice = await t.active("work", 10);
        await t.command("HSET", t.row(twice.id), "stalled", "1");
        await t.advance(20);
        same(await t.jobs.reap(t.queue), 1, "reaped a second time");
        await settle(twice.id);
        same(await t.field(twice.id, "stalled"), "1", `crashes after a late ${name}`);
        await t.jobs.removeJob(t.queue, twice.id);
      }
    },
  },
];
