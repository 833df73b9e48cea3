/** What `BCLAIM` promises: the oldest jobs with one deadline, a short batch as a success, each member settled alone. */

import { decide, partition, type ResolvedMember } from "../../queue/batch.ts";
import { fail, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

export const bclaimScenarios: readonly ScenarioDraft[] = [
  {
    row: 62,
    name: "batch_claim",
    contract: "A batch is exactly the oldest jobs in mint order, with one common deadline.",
    async run(t) {
      const ids = await t.enqueuedMany(8, "b");
      const batch = await t.jobs.claimBatch(t.queue, 4, LEASE_MS);
      same(
        batch.map((job) => [job.id, job.attempts]),
        ids.slice(0, 4).map((id) => [id, 1]),
        "the batch",
      );
      const deadlines = await Promise.all(batch.map(async ({ id }) => await t.score("active", id)));
      same(new Set(deadlines).size, 1, "different deadlines");
      same(deadlines.includes(null), false, "a member without a lease");
      for (const { id } of batch) same(await t.field(id, "state"), "active", "the row's state");
      same(await t.members("pending"), ids.slice(4), "pending");
    },
  },
  {
    row: 63,
    name: "batch_claim_short",
    contract: "Fewer jobs than asked for are a batch; an empty and a paused queue give none.",
    async run(t) {
      const ids = await t.enqueuedMany(3, "s");
      const batch = await t.jobs.claimBatch(t.queue, 7, LEASE_MS);
      same(
        batch.map(({ id }) => id),
        ids,
        "the batch",
      );
      same(await t.jobs.claimBatch(t.queue, 5, LEASE_MS), [], "a batch of an empty queue");
      const paused = t.otherQueue("paused");
      same(await t.jobs.enqueue(paused, t.id(), "s"), "enqueued", "enqueue into the other queue");
      await t.jobs.pause(paused);
      same(await t.jobs.claimBatch(paused, 5, LEASE_MS), [], "a batch of a paused queue");
      same(await t.jobs.pendingSize(paused), 1, "pending of the paused queue");
    },
  },
  {
    row: 64,
    name: "batch_partial_failure",
    contract: "One member's stale or failed settlement leaves the others as they are.",
    async run(t) {
      const ids = await t.enqueuedMany(3);
      const batch = await t.jobs.claimBatch(t.queue, 3, LEASE_MS);
      const first = batch[0]?.id ?? "";
      same(first, ids[0], "the oldest comes first");
      same(await t.jobs.complete(t.queue, first, 99), "stale", "complete with a wrong token");
      const failure = { delayMs: 5, maxAttempts: 3, error: "poison" };
      same(await t.jobs.retry(t.queue, first, 1, failure), "scheduled", "retry");
      for (const id of ids.slice(1)) same(await t.jobs.complete(t.queue, id, 1), "ok", "complete");
      same([await t.field(first, "state"), await t.field(first, "last_error")], ["scheduled", "poison"], "the first");
      for (const id of ids.slice(1)) same(await t.exists(t.row(id)), false, "a row of a completed job");
      await t.advance(30);
      same(await t.jobs.promote(t.queue, 10), 1, "promoted");
      const next = await t.jobs.claimBatch(t.queue, 5, LEASE_MS);
      same(
        next.map((job) => [job.id, job.attempts]),
        [[first, 2]],
        "the next batch",
      );
    },
  },
  {
    row: 65,
    name: "batch_shaping_floor",
    contract: "Enough jobs flush at once, all that are there, and fewer wait.",
    async run(t) {
      const ids = await t.enqueuedMany(6);
      const depth = await t.jobs.pendingSize(t.queue);
      same(depth, 6, "pending");
      same(decide(3, 0, 4, 200), "wait", "three of four");
      same(decide(depth, 0, 4, 200), { flush: 6 }, "six of four");
      const batch = await t.jobs.claimBatch(t.queue, 6, LEASE_MS);
      same(
        batch.map((job) => [job.id, job.attempts]),
        ids.map((id) => [id, 1]),
        "the batch",
      );
      await completeAll(t, ids);
    },
  },
  {
    row: 66,
    name: "batch_shaping_timeout",
    contract: "A window that has lasted flushes what is there, and never nothing.",
    async run(t) {
      const ids = await t.enqueuedMany(2);
      const depth = await t.jobs.pendingSize(t.queue);
      same(depth, 2, "pending");
      same(decide(depth, 199, 5, 200), "wait", "before the end of the window");
      same(decide(depth, 200, 5, 200), { flush: 2 }, "at the end of the window");
      same(decide(0, 200, 5, 200), "wait", "an empty queue");
      const batch = await t.jobs.claimBatch(t.queue, 2, LEASE_MS);
      same(
        batch.map(({ id }) => id),
        ids,
        "the batch",
      );
      await completeAll(t, ids);
    },
  },
  {
    row: 67,
    name: "batch_shaping_partial_failure",
    contract: "Each member is settled by its own verdict; one without a verdict is tried again.",
    async run(t) {
      const ids = await t.enqueuedMany(3);
      const batch = await t.jobs.claimBatch(t.queue, 3, LEASE_MS);
      const verdicts = [{ error: "poison" }, "ok", undefined] as const;
      for (const [at, { id, attempts }] of batch.entries()) {
        const verdict = verdicts[at];
        if (verdict === "ok") {
          same(await t.jobs.complete(t.queue, id, attempts), "ok", "complete");
        } else {
          const error = verdict?.error ?? "missing verdict";
          const outcome = await t.jobs.retry(t.queue, id, attempts, { delayMs: 1, maxAttempts: 5, error });
          same(outcome, "scheduled", "retry");
        }
      }
      const [first, second, third] = ids as [string, string, string];
      same([await t.field(first, "state"), await t.field(first, "last_error")], ["scheduled", "poison"], "the first");
      same(await t.exists(t.row(second)), false, "the row of the second");
      same(await t.field(third, "last_error"), "missing verdict", "the error of the third");
      await t.advance(30);
      same(await t.jobs.promote(t.queue, 10), 2, "promoted");
      const next = await t.jobs.claimBatch(t.queue, 5, LEASE_MS);
      same(
        next.map((job) => [job.id, job.attempts]),
        [
          [first, 2],
          [third, 2],
        ],
        "the next batch",
      );
    },
  },
  {
    row: 71,
    name: "batch_partition",
    contract: "The parts of a batch hold each member once, by how it ended.",
    async run(t) {
      const ids = await t.enqueuedMany(5);
      await t.jobs.claimBatch(t.queue, 5, LEASE_MS);
      const [done, scheduled, dead, delayed, omitted] = ids as [string, string, string, string, string];
      const retry = async (id: string, maxAttempts: number, error: string): Promise<string> =>
        await t.jobs.retry(t.queue, id, 1, { delayMs: 5, maxAttempts, error });
      const resolved = new Map<string, ResolvedMember>([
        [done, { verdict: "ok", outcome: await t.jobs.complete(t.queue, done, 1) }],
        [scheduled, { verdict: { error: "boom" }, outcome: await retry(scheduled, 9, "boom") }],
        [dead, { verdict: { error: "gave up" }, outcome: await retry(dead, 1, "gave up") }],
        [delayed, { verdict: { delay: 30 }, outcome: await t.jobs.delay(t.queue, delayed, 1, 30) }],
        [omitted, { verdict: { error: "missing verdict" }, outcome: await retry(omitted, 9, "missing verdict") }],
      ]);
      const parts = partition(ids, resolved);
      same(
        parts,
        { completed: [done], dead: [dead], delayed: [delayed], retried: [scheduled, omitted] },
        "the parts of the batch",
      );
      same(Object.values(parts).flat().sort(), ids, "all parts together");
      const states = await Promise.all(
        [dead, scheduled, delayed, omitted].map(async (id) => await t.field(id, "state")),
      );
      same(states, ["dead", "scheduled", "scheduled", "scheduled"], "the states of the rows");
      same(await t.exists(t.row(done)), false, "the row of the completed job");
    },
  },
  {
    name: "batch_claim_none",
    contract: "A batch of size 0 claims nothing.",
    async run(t) {
      const id = await t.enqueued();
      same(await t.jobs.claimBatch(t.queue, 0, LEASE_MS), [], "the batch");
      same(await t.members("pending"), [id], "pending");
    },
  },
];

/** Completes jobs of their first claim and looks that their rows are gone. */
async function completeAll(t: Trial, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    same(await t.jobs.complete(t.queue, id, 1), "ok", "complete");
    if (await t.exists(t.row(id))) fail(`the row of ${id} is still there`);
  }
}
