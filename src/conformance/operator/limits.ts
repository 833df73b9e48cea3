/** What `LIMITS` promises: settings are changed at run time, and who may go on is woken. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

const turn = async (t: Trial, want: number) => await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want });

export const limitsScenarios: readonly ScenarioDraft[] = [
  {
    name: "limits_silence",
    contract: "A limited queue wakes nobody for new work; whoever spends the rate wakes one worker to keep its time.",
    async run(t) {
      await t.jobs.setLimits(t.queue, { rate: { max: 1, duration: LEASE_MS } });
      await t.enqueuedMany(5);
      await t.takeTokens();
      const { dueMs } = await turn(t, 1);
      holds((dueMs ?? 0) > LEASE_MS / 2 && (dueMs ?? 0) <= LEASE_MS, `TURN tells ${dueMs} ms`);
      same(await t.tokens(), 1, "tokens after the turn that spent the rate");
      await t.takeTokens();
      await t.jobs.admit(t.queue, [{ id: t.id(), payload: "p" }]);
      await turn(t, 0);
      await turn(t, 5);
      same(await t.tokens(), 0, "tokens while limited");
      await t.jobs.setLimits(t.queue, { rate: { max: 3, duration: LEASE_MS } });
      same(await t.tokens(), 1, "tokens after the rate was raised");
      same((await turn(t, 9)).jobs.length, 2, "claims that a raised rate lets through");
      await t.takeTokens();
      await t.jobs.setLimits(t.queue, { rate: null });
      same(await t.tokens(), 1, "tokens after the rate was removed");
    },
  },
  {
    name: "limits_foreign_limiter",
    contract: "A counter that another speaker keeps in limiter is heeded as long as it lives.",
    async run(t) {
      await t.enqueued();
      await t.jobs.setLimits(t.queue, { rate: { max: 2, duration: LEASE_MS } });
      await t.command("SET", t.key("limiter"), "2", "PX", String(LEASE_MS));
      same(await t.jobs.claim(t.queue, LEASE_MS), undefined, "a claim with the counter spent");
      await t.jobs.setLimits(t.queue, { rate: { max: 3, duration: LEASE_MS } });
      holds((await t.jobs.claim(t.queue, LEASE_MS)) !== undefined, "a claim after the rate was raised");
    },
  },
];
