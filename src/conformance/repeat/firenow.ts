/** What `FIRENOW` promises: a job at once, and the next occurrence as it was. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const firenowScenarios: readonly ScenarioDraft[] = [
  {
    name: "fire_now",
    contract: "A job is made at once with the server's now as its slot; instant, count and end stay.",
    async run(t) {
      const before = await t.port.serverNow();
      const firstAtMs = before + 3_600_000;
      const pairs = ["name", "n", "limit", "1"];
      await t.repeats.put(t.queue, "s", { everyMs: 1000, template: "p", firstAtMs, pairs });
      const id = t.id();
      same(await t.repeats.fireNow(t.queue, "s", id), "fired", "fire now");
      const opts = JSON.parse((await t.field(id, "opts")) ?? "{}") as { repeat: string; slot: number };
      holds(opts.repeat === "s" && opts.slot >= before, `the slot ${opts.slot} is the server's now`);
      same(await t.score("cron", "s"), firstAtMs, "the next occurrence");
      same(await t.command("HMGET", t.key("cron:s"), "fired", "last"), [null, id], "the record");
      same(await t.repeats.fireNow(t.queue, "s", id), "not_due", "an id that is taken");
      same(await t.repeats.fireNow(t.queue, "nobody", t.id()), "gone", "of no repeat");
      same(await t.repeats.fireNow(t.queue, "s", t.port.mint("ORD")), "kind", "an id of another kind");
      same((await t.members("pending")).length, 1, "jobs");
    },
  },
];
