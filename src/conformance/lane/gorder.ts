/** What `GORDER` promises: one job at a time, and the one that was begun holds its lane. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** A lease that was lost before it could be used, and how long a scenario waits to be sure, in ms. */
const SHORT_MS = 1;
const DELAY_MS = 40;

const failure = { delayMs: DELAY_MS, maxAttempts: 9, error: "e" };

export const gorderScenarios: readonly ScenarioDraft[] = [
  {
    name: "ordered_retry",
    contract: "A job of an ordered lane that is tried again holds the lane; higher priorities do not pass it.",
    async run(t) {
      const [a, b] = await fill(t, 2);
      await t.lanes.order(t.queue, "o", true);
      same(await t.command("HGET", t.key("glimit"), "o"), "1", "the limit");
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, a, "the first claim");
      same(await t.jobs.retry(t.queue, a, 1, failure), "scheduled", "the failure");
      same(await t.command("HGET", t.key("gactive"), "o"), "1", "the lane's count while its job is scheduled");
      const early = t.id();
      await t.jobs.admit(t.queue, [{ id: early, payload: "p", lane: "o" }]);
      same(await t.lanes.claim(t.queue, LEASE_MS), undefined, "a claim meanwhile");
      await t.advance(DELAY_MS + 5);
      await t.takeTokens();
      same(await t.jobs.promote(t.queue, 10), 1, "the promotion");
      same([await t.list("ring"), await t.tokens()], [["o"], 1], "the ring and tokens");
      const again = await t.lanes.claim(t.queue, LEASE_MS);
      same([again?.id, again?.attempts], [a, 2], "the claim after it");
      await t.jobs.complete(t.queue, a, 2);
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, b, "the next job");
    },
  },
  {
    name: "ordered_interruptions",
    contract:
      "A begun job that is delayed, given back, or lost by its worker is the next of its ordered lane all the same.",
    async run(t) {
      await t.lanes.order(t.queue, "o", true);
      const interruptions: Record<string, (id: string, token: number) => Promise<unknown>> = {
        DELAY: async (id, token) => {
          await t.jobs.delay(t.queue, id, token, DELAY_MS);
          same(await t.lanes.claim(t.queue, LEASE_MS), undefined, "a claim while it is delayed");
          await t.advance(DELAY_MS + 5);
          await t.jobs.promote(t.queue, 10);
        },
        GIVEBACK: async (id, token) => await t.jobs.giveBack(t.queue, id, token),
        REAP: async (id, token) => {
          await t.jobs.extendLock(t.queue, id, token, SHORT_MS);
          await t.advance(5);
          await t.jobs.reap(t.queue);
        },
        GREAP: async (id, token) => {
          await t.jobs.extendLock(t.queue, id, token, SHORT_MS);
          await t.advance(5);
          await t.lanes.reap(t.queue, "o");
        },
        RELEASE: async (id, token) => {
          await t.jobs.delay(t.queue, id, token, LEASE_MS);
          await t.jobs.release(t.queue, id);
        },
      };
      const head = t.id();
      await t.jobs.admit(t.queue, [{ id: head, payload: "p", lane: "o", priority: 9 }]);
      let token = (await t.lanes.claim(t.queue, LEASE_MS))?.attempts ?? 0;
      await fill(t, 2);
      for (const [name, interrupt] of Object.entries(interruptions)) {
        await interrupt(head, token);
        const job = await t.lanes.claim(t.queue, LEASE_MS);
        same(job?.id, head, `the claim after ${name}`);
        token = job?.attempts ?? 0;
        same(await t.lanes.claim(t.queue, LEASE_MS), undefined, `a second claim after ${name}`);
      }
    },
  },
  {
    name: "ordered_release",
    contract: "Whatever ends the job that holds an ordered lane hands the lane to the next.",
    async run(t) {
      await t.lanes.order(t.queue, "o", true);
      const ends: Record<string, (id: string) => Promise<unknown>> = {
        REMOVE: async (id) => await t.jobs.removeJob(t.queue, id),
        CANCEL: async (id) => await t.jobs.cancel(t.queue, id, "x"),
      };
      for (const [name, end] of Object.entries(ends)) {
        const [a, b] = await fill(t, 2);
        same((await t.lanes.claim(t.queue, LEASE_MS))?.id, a, "the claim");
        await t.jobs.retry(t.queue, a, 1, { ...failure, delayMs: LEASE_MS });
        await t.takeTokens();
        await end(a);
        same(await t.tokens(), 1, `tokens after ${name}`);
        same((await t.lanes.claim(t.queue, LEASE_MS))?.id, b, `the claim after ${name}`);
        await t.jobs.complete(t.queue, b, 1);
        same(await t.exists(t.key("gactive")), false, `the lane's count after ${name}`);
      }
      const [a, b] = await fill(t, 2);
      await t.lanes.claim(t.queue, LEASE_MS);
      same(await t.jobs.retry(t.queue, a, 1, { ...failure, maxAttempts: 1 }), "dead", "the death");
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, b, "the claim after the death");
    },
  },
  {
    name: "ordered_delayed_head",
    contract: "In an ordered lane a job that was added with a delay keeps its place: what is behind it waits for it.",
    async run(t) {
      await t.lanes.order(t.queue, "o", true);
      const [first, late, last] = t.ids(3);
      await t.jobs.admit(t.queue, [
        { id: first, payload: "p", lane: "o" },
        { id: late, payload: "p", lane: "o", dueInMs: DELAY_MS * 5 },
        { id: last, payload: "p", lane: "o" },
      ]);
      same(await t.jobs.getState(t.queue, late), "pending", "the state of the delayed job");
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, first, "the first claim");
      await t.jobs.complete(t.queue, first, 1);
      await t.takeTokens();
      same(await t.lanes.claim(t.queue, LEASE_MS), undefined, "the claim that met the delayed job");
      same(await t.jobs.getState(t.queue, late), "scheduled", "its state then");
      same([await t.list("ring"), await t.tokens()], [[], 1], "the ring, and a token for the schedule");
      await t.advance(DELAY_MS * 5 + 5);
      await t.jobs.promote(t.queue, 10);
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, late, "the claim when it fell due");
      await t.jobs.complete(t.queue, late, 1);
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, last, "the last claim");
    },
  },
  {
    name: "ordered_promote_now",
    contract: "RELEASE takes the delay of a job away that keeps its place in an ordered lane, and leaves it there.",
    async run(t) {
      await t.lanes.order(t.queue, "o", true);
      const [late, next] = t.ids(2);
      await t.jobs.admit(t.queue, [
        { id: late, payload: "p", lane: "o", dueInMs: LEASE_MS },
        { id: next, payload: "p", lane: "o" },
      ]);
      same(await t.jobs.release(t.queue, late), "ok", "the first release");
      same(await t.jobs.release(t.queue, late), "not_scheduled", "the second release");
      same(await t.jobs.release(t.queue, next), "not_scheduled", "the release of a job without a delay");
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, late, "the claim");
    },
  },
  {
    name: "ordered_turn",
    contract:
      "TURN puts a delayed head of an ordered lane into the schedule, serves the other lanes and tells the time.",
    async run(t) {
      await t.lanes.order(t.queue, "o", true);
      const [late, next, other] = t.ids(3);
      await t.jobs.admit(t.queue, [
        { id: late, payload: "p", lane: "o", dueInMs: LEASE_MS },
        { id: next, payload: "p", lane: "o" },
        { id: other, payload: "p", lane: "z" },
      ]);
      const reply = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 5 });
      same(
        reply.jobs.map(({ id }) => id),
        [other],
        "the claimed jobs",
      );
      same((reply.dueMs ?? 0) > 0, true, "whether a time is told");
      same(await t.jobs.getState(t.queue, late), "scheduled", "the state of the delayed job");
      same(await t.list("ring"), [], "the ring");
    },
  },
  {
    name: "ordered_end",
    contract: "Ending the order takes the limit away; a begun job that is scheduled is counted until it falls due.",
    async run(t) {
      await t.lanes.order(t.queue, "o", true);
      same(await t.refusalOf("GLIMIT", ["o", "5"]), "EMQSTATE lane is ordered", "another limit");
      const [a, b] = await fill(t, 2);
      await t.lanes.claim(t.queue, LEASE_MS);
      await t.jobs.retry(t.queue, a, 1, failure);
      await t.lanes.order(t.queue, "o", false);
      same(await t.exists(t.key("glimit")), false, "the limits");
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, b, "the claim");
      same(await t.command("HGET", t.key("gactive"), "o"), "2", "the lane's count");
      await t.advance(DELAY_MS + 5);
      await t.jobs.promote(t.queue, 10);
      same(await t.command("HGET", t.key("gactive"), "o"), "1", "the lane's count after the promotion");
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, a, "the claim after it");
    },
  },
];

/** Admits so many jobs into the lane `o`; answers their ids. */
async function fill(t: Trial, count: 2): Promise<[string, string]> {
  const ids = t.ids(count);
  await t.jobs.admit(
    t.queue,
    ids.map((id) => ({ id, payload: "p", lane: "o" })),
  );
  return ids;
}
