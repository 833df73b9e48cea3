/** What `COMPLETE` promises: exactly one holder ends a job, and nothing of it stays. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

export const completeScenarios: readonly ScenarioDraft[] = [
  {
    row: 7,
    name: "stale",
    contract: "A wrong token cannot complete a job, also when the server has just lost its scripts.",
    async run(t) {
      const { id } = await t.active();
      await t.port.flush();
      same(await t.jobs.complete(t.queue, id, 99), "stale", "complete with a wrong token");
      await t.port.flush();
      same(await t.jobs.complete(t.queue, id, 1), "ok", "complete with the right token");
    },
  },
  {
    row: 8,
    name: "complete",
    contract: "A completed job leaves no row and no lease.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.complete(t.queue, id, 1), "ok", "complete");
      same(await t.exists(t.row(id)), false, "a row");
      same(await t.command("ZCARD", t.key("active")), 0, "leases");
    },
  },
  {
    name: "complete_twice",
    contract: "The second completion is told that the job is gone; the counter moves once.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.complete(t.queue, id, 1, ""), "ok", "complete");
      same(await t.jobs.complete(t.queue, id, 1), "gone", "complete again");
      same((await t.jobs.getMetrics(t.queue, "completed")).count, 1, "completed jobs");
    },
  },
  {
    name: "c04_stray_lease",
    contract: "Completing a job whose row is gone answers gone and clears its stray lease.",
    async run(t) {
      const { id } = await t.active();
      await t.command("DEL", t.row(id));
      same(await t.jobs.complete(t.queue, id, 1), "gone", "complete");
      same(await t.members("active"), [], "active");
      const other = await t.active();
      await t.command("DEL", t.row(other.id));
      const settlements = [{ op: "c", id: other.id, token: 1 }] as const;
      const { exceptions } = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0, settlements });
      same(exceptions, new Map([[0, "0"]]), "the exceptions of a TURN");
      same(await t.members("active"), [], "active after a TURN");
    },
  },
  {
    name: "c07_after_reap",
    contract:
      "A holder whose lease lapsed settles its job until the next claim; the job leaves the place where it waits.",
    async run(t) {
      for (const lane of ["", "lane-a"]) {
        for (const [name, settle] of Object.entries(settlements)) {
          const id = await lapsed(t, lane);
          same(await settle(t, id), "accepted", `${name} after the reap${lane === "" ? "" : " in a lane"}`);
          const waits = name === "giveback" ? id : null;
          const place = lane === "" ? "pending" : `g:${lane}:pending`;
          same((await t.members(place))[0] ?? null, waits, `who waits after ${name}`);
          same(await t.members("active"), [], `active after ${name}`);
          same(await t.list("ring"), lane !== "" && waits !== null ? [lane] : [], `the ring after ${name}`);
          same(await t.exists(t.key("gactive")), false, `leases of the lane after ${name}`);
          await t.jobs.removeJob(t.queue, id);
        }
      }
    },
  },
  {
    name: "c07_next_holder",
    contract: "Once the job is claimed again the former holder's token is stale in every settlement.",
    async run(t) {
      for (const [name, settle] of Object.entries(settlements)) {
        const id = await lapsed(t, "");
        same((await t.claimed()).attempts, 2, "the token of the second claim");
        const before = await t.snapshot();
        const answer = await settle(t, id);
        same(answer, "stale", `${name} by the former holder`);
        same(await t.snapshot(), before, `what ${name} changed`);
        same(await t.jobs.complete(t.queue, id, 2), "ok", "complete by the new holder");
      }
    },
  },
  {
    name: "c07_not_active",
    contract: "A dead, scheduled or given-back job cannot be settled again by its last token; nothing counts twice.",
    async run(t) {
      const failure = { delayMs: LEASE_MS, maxAttempts: 1, error: "e" };
      const ends: Record<string, (id: string) => Promise<string>> = {
        dead: async (id) => await t.jobs.retry(t.queue, id, 1, failure),
        scheduled: async (id) => await t.jobs.delay(t.queue, id, 1, LEASE_MS),
        pending: async (id) => await t.jobs.giveBack(t.queue, id, 1),
      };
      for (const [state, end] of Object.entries(ends)) {
        const { id } = await t.active();
        await end(id);
        same(await t.field(id, "state"), state, "the state");
        const before = await t.snapshot();
        for (const [name, settle] of Object.entries(settlements)) {
          same(await settle(t, id), "state", `${name} on a job that is ${state}`);
        }
        same(await t.snapshot(), before, `what settlements of a ${state} job changed`);
        await t.jobs.removeJob(t.queue, id);
      }
    },
  },
  {
    name: "c07_token_zero",
    contract: "The token 0 is never current, not even for a job that was never claimed.",
    async run(t) {
      const id = await t.enqueued();
      const before = await t.snapshot();
      for (const [name, settle] of Object.entries(settlements)) {
        same(await settle(t, id, 0), "stale", `${name} with the token 0`);
      }
      // The TURN among them finds work that it leaves, so it wakes a worker.
      await t.takeTokens();
      same(await t.snapshot(), before, "what they changed");
    },
  },
];

/** Each settlement of a job, answering `accepted` or the refusal. */
const settlements: Readonly<Record<string, (t: Trial, id: string, token?: number) => Promise<string>>> = {
  complete: async (t, id, token = 1) => accepted(await t.jobs.complete(t.queue, id, token)),
  retry: async (t, id, token = 1) =>
    accepted(await t.jobs.retry(t.queue, id, token, { delayMs: LEASE_MS, maxAttempts: 5, error: "e" })),
  kill: async (t, id, token = 1) => accepted(await turnAnswer(t, { op: "k", id, token, error: "e" })),
  delay: async (t, id, token = 1) => accepted(await t.jobs.delay(t.queue, id, token, LEASE_MS)),
  giveback: async (t, id, token = 1) => accepted(await t.jobs.giveBack(t.queue, id, token)),
};

function accepted(outcome: string): string {
  return outcome === "ok" || outcome === "scheduled" || outcome === "dead" ? "accepted" : outcome;
}

/** Settles by a `TURN`, whose verdicts are those of the single verbs. */
async function turnAnswer(
  t: Trial,
  settlement: { readonly op: "k"; readonly id: string; readonly token: number; readonly error: string },
): Promise<string> {
  const request = { worker: "w", leaseMs: LEASE_MS, want: 0, settlements: [settlement] };
  const verdict = (await t.jobs.turn(t.queue, request)).exceptions.get(0);
  if (verdict === undefined) return "ok";
  return verdict.startsWith("EMQSTATE") ? "state" : "stale";
}

/** A job whose first lease lapsed and that waits again, in a lane or in the flat queue. */
async function lapsed(t: Trial, lane: string): Promise<string> {
  const id = t.id();
  await t.jobs.admit(t.queue, [{ id, payload: "work", ...(lane === "" ? {} : { lane }) }]);
  await t.jobs.turn(t.queue, { worker: "w", leaseMs: 10, want: 1 });
  await t.advance(20);
  same(await t.jobs.reap(t.queue), 1, "reaped");
  same(await t.field(id, "state"), "pending", "the state after the reap");
  return id;
}
