/** What `RATETTL` promises: a host learns before it claims for how long the rate is spent. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const ratettlScenarios: readonly ScenarioDraft[] = [
  {
    name: "rate_ttl",
    contract: "RATETTL tells for how long the counter is at max: that of the call, else that of the queue.",
    async run(t) {
      same(await t.jobs.rateLimitTtl(t.queue), 0, "without a rate");
      await t.command("HSET", t.key("meta"), "max", "5");
      await t.command("SET", t.key("limiter"), "5", "PX", String(LEASE_MS));
      const ttl = await t.jobs.rateLimitTtl(t.queue);
      holds(ttl > 0 && ttl <= LEASE_MS, `RATETTL answers ${ttl}`);
      same(await t.jobs.rateLimitTtl(t.queue, 6), 0, "with a larger max");
      holds((await t.jobs.rateLimitTtl(t.queue, 5)) > 0, "with the same max");
      await t.command("SET", t.key("limiter"), "5");
      same(await t.jobs.rateLimitTtl(t.queue), 0, "with a counter that never ends");
      await t.command("DEL", t.key("limiter"));
    },
  },
];
