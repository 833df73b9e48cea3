/** What `SKIP` promises: one occurrence less, and the following one as it should be. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const skipScenarios: readonly ScenarioDraft[] = [
  {
    name: "skip",
    contract: "The named occurrence is left out, due or not, once; it is counted, and listeners hear of it.",
    async run(t) {
      await t.command("SET", t.key("listeners"), "0");
      const heard = await t.messages(t.key("events"));
      const at = (await t.port.serverNow()) + 3_600_000;
      await t.repeats.put(t.queue, "s", { everyMs: 1000, template: "p", firstAtMs: at, pairs: [] });
      const rev = Number(await t.command("HGET", t.key("cron:s"), "rev"));
      const skipped = { count: 1, slotAtMs: at, why: "hand" } as const;
      const options = { dueAtMs: at, rev, nextAtMs: at + 1000, skipped };
      same(await t.repeats.skip(t.queue, "s", { ...options, rev: rev + 1 }), "changed", "of another revision");
      same(await t.repeats.skip(t.queue, "s", options), "skipped", "skip");
      same(await t.repeats.skip(t.queue, "s", options), "changed", "the same one again");
      same(await t.score("cron", "s"), at + 1000, "the next occurrence");
      const record = await t.command("HMGET", t.key("cron:s"), "skipped", "skip_slot", "skip_why");
      same(record, ["1", String(at), "hand"], "the record");
      await t.until(() => heard.length === 1, "the event");
      const event = { event: "skipped", job: "", repeat: "s", slot: String(at), count: "1", why: "hand" };
      same(JSON.parse(heard[0] ?? "{}"), event, "the event");
      const quiet = { dueAtMs: at + 1000, rev: 0, nextAtMs: at + 2000, skipped: { ...skipped, count: 0 } };
      same(await t.repeats.skip(t.queue, "s", quiet), "skipped", "an instant that was no slot");
      same(await t.command("HGET", t.key("cron:s"), "skipped"), "1", "what is counted");
      await t.command("DEL", t.key("cron:s"), t.key("listeners"));
      same(await t.repeats.skip(t.queue, "s", { ...options, dueAtMs: at + 2000 }), "gone", "without a record");
      same(await t.members("cron"), [], "its place");
    },
  },
];
