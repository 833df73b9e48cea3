/** Priority is the score at which a job waits: small numbers first, kept through everything that puts a job back. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** Every way back to the line, for a job that is active with the token of its last claim. */
const WAYS_BACK: Readonly<Record<string, (t: Trial, id: string, token: number) => Promise<unknown>>> = {
  GIVEBACK: async (t, id, token) => await t.jobs.giveBack(t.queue, id, token),
  "TURN with b": async (t, id, token) => await settle(t, { op: "b", id, token }),
  "RETRY and PROMOTE": async (t, id, token) => {
    await t.jobs.retry(t.queue, id, token, { delayMs: 0, maxAttempts: 99, error: "e" });
    await t.advance(5);
    await t.jobs.promote(t.queue, 10);
  },
  "DELAY and a promoting TURN": async (t, id, token) => {
    await t.jobs.delay(t.queue, id, token, 1, "at");
    await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0 });
  },
  "DELAY and RELEASE": async (t, id, token) => {
    await t.jobs.delay(t.queue, id, token, LEASE_MS);
    await t.act("RELEASE", [id]);
  },
  "death and REPROCESS": async (t, id, token) => {
    await settle(t, { op: "k", id, token, error: "e" });
    await t.jobs.reprocessJob(t.queue, id);
  },
  REAP: async (t, id, token) => {
    await t.jobs.extendLock(t.queue, id, token, 1);
    await t.advance(5);
    await t.jobs.reap(t.queue);
  },
  SWEEP: async (t, id, token) => {
    await t.jobs.extendLock(t.queue, id, token, 1);
    await t.advance(5);
    await t.jobs.sweep(t.queue, { maxStalled: 99 });
  },
};

export const priorityScenarios: readonly ScenarioDraft[] = [
  {
    name: "priority_order",
    contract: "Jobs without priority go first, then rising numbers, mint order within one, for every claiming verb.",
    async run(t) {
      const priorities = [2_097_152, 1, undefined, 10, 1, 0, 9];
      const ids = t.ids(priorities.length);
      await t.jobs.admit(
        t.queue,
        ids.map((id, at) => ({ id, payload: "p", priority: priorities[at] ?? 0 })),
      );
      const order = [2, 5, 1, 4, 6, 3, 0].map((at) => ids[at] ?? "");
      same(await t.jobs.browse(t.queue, 10), order.toReversed(), "browse, from the end of the line");
      const served = [(await t.claimed()).id];
      for (const { id } of await t.jobs.claimBatch(t.queue, 3, LEASE_MS)) served.push(id);
      const { jobs } = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 9 });
      served.push(...jobs.map(({ id }) => id));
      same(served, order, "the order of the claims");
    },
  },
  {
    name: "priority_kept",
    contract: "A job keeps its priority through retry, delay, give-back, promote, reap, sweep, release and reprocess.",
    async run(t) {
      for (const lane of [undefined, "lane-a"]) {
        const id = t.id();
        await t.jobs.admit(t.queue, [{ id, payload: "p", priority: 7, ...(lane === undefined ? {} : { lane }) }]);
        const place = lane === undefined ? "pending" : `g:${lane}:pending`;
        for (const [name, putBack] of Object.entries(WAYS_BACK)) {
          const { jobs } = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
          same(jobs[0]?.id, id, `the claim before ${name}`);
          await putBack(t, id, jobs[0]?.token ?? 0);
          same(await t.score(place, id), 7, `the score after ${name}`);
          same(await t.field(id, "state"), "pending", `the state after ${name}`);
        }
        await t.jobs.removeJob(t.queue, id);
      }
    },
  },
  {
    name: "priority_lanes",
    contract: "Lanes take turns whatever the priorities within them.",
    async run(t) {
      const rows = [1, 2].flatMap(() => [
        { id: t.id(), payload: "p", lane: "late", priority: 1000 },
        { id: t.id(), payload: "p", lane: "early" },
      ]);
      await t.jobs.admit(t.queue, rows);
      const served: string[] = [];
      for (let at = 0; at < 4; at++) {
        const { jobs } = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
        served.push(jobs[0]?.lane ?? "");
      }
      same(served, ["late", "early", "late", "early"], "the lanes served");
    },
  },
];

async function settle(
  t: Trial,
  settlement:
    | { readonly op: "b"; readonly id: string; readonly token: number }
    | { readonly op: "k"; readonly id: string; readonly token: number; readonly error: string },
): Promise<void> {
  await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0, settlements: [settlement] });
}
