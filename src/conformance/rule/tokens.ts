/**
 * Tokens of one id only grow, also when a job is removed and its id added again: so a holder of the former life is
 * never taken for the present one.
 */

import type { ClaimedJob } from "../../queue/jobs.ts";
import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** Every way of claiming one flat job; answers its token, and failures, crashes and interruptions before it. */
const CLAIMS: Readonly<Record<string, (t: Trial) => Promise<number>>> = {
  CLAIM: async (t) => (await t.claimed()).attempts,
  BCLAIM: async (t) => ((await t.jobs.claimBatch(t.queue, 5, LEASE_MS))[0] as ClaimedJob).attempts,
  TURN: async (t) => (await turnJobs(t))[0]?.token ?? 0,
};

const turnJobs = async (t: Trial) => (await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 5 })).jobs;

/** Every way of removing a job that was claimed with the token 1 and waits again or is active. */
const REMOVALS: Readonly<Record<string, (t: Trial, id: string) => Promise<unknown>>> = {
  "REMOVE of an active job": async (t, id) => await t.jobs.removeJob(t.queue, id),
  "REMOVE of a pending job": async (t, id) => {
    await t.jobs.giveBack(t.queue, id, 1);
    await t.jobs.removeJob(t.queue, id);
  },
  "REMOVE of a dead job": async (t, id) => {
    await t.jobs.retry(t.queue, id, 1, { delayMs: 0, maxAttempts: 1, error: "e" });
    await t.jobs.removeJob(t.queue, id);
  },
  "DRAIN of a pending job": async (t, id) => {
    await t.jobs.giveBack(t.queue, id, 1);
    await t.jobs.drain(t.queue);
  },
  "DRAIN of a scheduled job": async (t, id) => {
    await t.jobs.retry(t.queue, id, 1, { delayMs: LEASE_MS, maxAttempts: 9, error: "e" });
    await t.jobs.drain(t.queue, { schedule: true });
  },
  "CLEAN of a pending job": async (t, id) => {
    await t.jobs.giveBack(t.queue, id, 1);
    await t.jobs.clean(t.queue, "pending", [id]);
  },
  "CLEAN of a dead job": async (t, id) => {
    await t.jobs.retry(t.queue, id, 1, { delayMs: 0, maxAttempts: 1, error: "e" });
    await t.jobs.clean(t.queue, "dead", [id]);
  },
  "RETRY that keeps no dead job": async (t, id) => {
    const keep = { count: 0, ms: 0 };
    await t.jobs.retry(t.queue, id, 1, { delayMs: 0, maxAttempts: 1, error: "e", keep });
  },
  "RETRY that keeps one dead job, another": async (t, id) => {
    await t.jobs.retry(t.queue, id, 1, { delayMs: 0, maxAttempts: 1, error: "e" });
    await dieUnremembered(t);
  },
  "SWEEP of a dead job whose time is over": async (t, id) => {
    const keep = { count: 9, ms: 1 };
    await t.jobs.retry(t.queue, id, 1, { delayMs: 0, maxAttempts: 1, error: "e", keep });
    await t.advance(5);
    await t.jobs.sweep(t.queue, { keep: { count: 9, ms: 0 } });
  },
  "CANCEL of a pending job": async (t, id) => {
    await t.jobs.giveBack(t.queue, id, 1);
    await t.jobs.cancel(t.queue, id, "enough");
  },
};

/** Another job dies and is the only one that is kept, then it goes and what is remembered of it too. */
async function dieUnremembered(t: Trial): Promise<void> {
  const other = await t.active();
  const keep = { count: 1, ms: 0 };
  await t.jobs.retry(t.queue, other.id, 1, { delayMs: 0, maxAttempts: 1, error: "e", keep });
  await t.jobs.removeJob(t.queue, other.id);
  await t.command("ZREM", t.key("tokens"), other.id);
}

export const tokenScenarios: readonly ScenarioDraft[] = [
  {
    name: "tokens_after_removal",
    contract: "An id that is removed and added again goes on with the next token; the old holder stays refused.",
    async run(t) {
      for (const [removal, remove] of Object.entries(REMOVALS)) {
        for (const [verb, claim] of Object.entries(CLAIMS)) {
          const what = `${removal}, then ${verb}`;
          const id = t.id();
          await t.jobs.enqueue(t.queue, id, "first");
          same(await claim(t), 1, `${what}: the first token`);
          await remove(t, id);
          same(await t.jobs.enqueue(t.queue, id, "second"), "enqueued", `${what}: the second add`);
          same(await t.field(id, "attempts"), "0", `${what}: the row at birth`);
          same(await t.jobs.complete(t.queue, id, 1), "stale", `${what}: the old holder before the claim`);
          same(await claim(t), 2, `${what}: the second token`);
          same(await t.field(id, "deferred"), "1", `${what}: interruptions`);
          same(await t.exists(t.key("tokens")), false, `${what}: the memory afterwards`);
          same(await t.jobs.complete(t.queue, id, 1), "stale", `${what}: the old holder`);
          same(await t.jobs.extendLock(t.queue, id, 1, LEASE_MS), "stale", `${what}: the old lease`);
          same(await t.jobs.complete(t.queue, id, 2), "ok", `${what}: the new holder`);
        }
      }
    },
  },
  {
    name: "tokens_after_lane_drain",
    contract:
      "A lane that is drained remembers the last tokens of its jobs as well, and nothing of those that were never claimed.",
    async run(t) {
      const [id, fresh] = t.ids(2);
      const admit = async (...ids: readonly string[]) =>
        await t.jobs.admit(
          t.queue,
          ids.map((each) => ({ id: each, payload: "p", lane: "A" })),
        );
      for (const drain of [
        async () => await t.lanes.drain(t.queue, "A", 1000),
        async () => await t.jobs.drain(t.queue, { lanes: true }),
      ]) {
        await admit(id);
        const [job] = await turnJobs(t);
        await t.jobs.giveBack(t.queue, id, job?.token ?? 0);
        await admit(fresh);
        await drain();
        same(((await t.score("tokens", id)) ?? 0) % 2 ** 27, job?.token, "the token that is remembered");
        same(await t.score("tokens", fresh), null, "a job that was never claimed");
      }
      await admit(id);
      same((await turnJobs(t))[0]?.token, 3, "the third token");
    },
  },
  {
    name: "tokens_budget",
    contract: "A job whose id lived before has its whole budget of failures and crashes.",
    async run(t) {
      const id = t.id();
      await t.jobs.admit(t.queue, [{ id, payload: "first" }]);
      for (let token = 1; token <= 3; token++) {
        await t.claimed();
        await t.jobs.retry(t.queue, id, token, { delayMs: 0, maxAttempts: 9, error: "e" });
        await t.advance(1);
        await t.jobs.promote(t.queue, 9);
      }
      await t.jobs.removeJob(t.queue, id);
      await t.jobs.admit(t.queue, [{ id, payload: "second" }]);
      const [job] = await turnJobs(t);
      same([job?.token, job?.stalled, job?.deferred], [4, 0, 3], "token, crashes and interruptions");
      const first = await t.jobs.retry(t.queue, id, 4, { delayMs: 0, maxAttempts: 2, error: "e" });
      same(first, "scheduled", "the first failure of two");
    },
  },
  {
    name: "tokens_memory",
    contract:
      "Only ids that were claimed are remembered, for a day, and a second removal before a claim changes nothing.",
    async run(t) {
      const never = await t.enqueued();
      await t.jobs.removeJob(t.queue, never);
      same(await t.exists(t.key("tokens")), false, "after the removal of a job that was never claimed");
      const { id } = await t.active();
      await t.jobs.removeJob(t.queue, id);
      const score = await t.score("tokens", id);
      const minute = Math.floor((score ?? 0) / 2 ** 27);
      same((score ?? 0) % 2 ** 27, 1, "the token in the score");
      const now = Math.floor((await t.port.serverNow()) / 60_000);
      holds(minute === now || minute === now - 1, `the minute in the score is ${minute}, not ${now}`);
      const life = Number(await t.command("PTTL", t.key("tokens")));
      holds(life > 86_000_000 && life <= 86_400_000, `the memory lasts ${life} ms`);
      await t.jobs.enqueue(t.queue, id, "again");
      await t.jobs.removeJob(t.queue, id);
      same(((await t.score("tokens", id)) ?? 0) % 2 ** 27, 1, "the token after a removal before any claim");
    },
  },
  {
    name: "tokens_bound",
    contract: "At most 10,000 ids are remembered, and the oldest removals go first.",
    async run(t) {
      const { id } = await t.active();
      const members = t.ids(10_000).flatMap((other, at) => [String(2 ** 27 * (1000 + at) + 1), other]);
      for (let at = 0; at < members.length; at += 1000) {
        await t.command("ZADD", t.key("tokens"), ...members.slice(at, at + 1000));
      }
      await t.jobs.removeJob(t.queue, id);
      same(await t.command("ZCARD", t.key("tokens")), 10_000, "ids that are remembered");
      same(await t.score("tokens", members[1] as string), null, "the oldest");
      holds((await t.score("tokens", id)) !== null, "the newest is remembered");
    },
  },
];
