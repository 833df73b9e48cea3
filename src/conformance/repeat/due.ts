/** What `DUE` promises: what is due by the server's clock, and when the next one is. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const dueScenarios: readonly ScenarioDraft[] = [
  {
    name: "due",
    contract: "Both sets are told in the order of their instants, within limit and offset, with the next instant.",
    async run(t) {
      same(await t.repeats.due(t.queue).then(({ entries, nextAtMs }) => [entries, nextAtMs]), [[], undefined], "none");
      const now = await t.port.serverNow();
      for (const [name, at] of [
        ["b", now - 1],
        ["a", now],
        ["late", now + 3_600_000],
      ] as const) {
        const pairs = ["limit", "9", "until", String(now + 7_200_000), "rule", "r", "policy", "q"];
        await t.repeats.put(t.queue, name, { everyMs: 5, template: "p", firstAtMs: at, pairs });
      }
      await t.repeats.register(t.queue, "old", { everyMs: 7, template: "p" });
      await t.command("ZADD", t.key("cron"), String(Number.MAX_SAFE_INTEGER), "ended");
      const found = await t.repeats.due(t.queue);
      holds(found.nowMs >= now, "the server's clock");
      same(found.nextAtMs, now + 3_600_000, "the next instant");
      same(
        found.entries.map(({ set, name }) => `${set} ${name}`),
        ["cron b", "cron a", "repeat old"],
        "what is due",
      );
      const [first] = found.entries;
      same(
        [first?.dueAtMs, first?.everyMs, first?.rule, first?.policy, first?.limit, first?.untilMs, first?.fired],
        [now - 1, 5, "r", "q", 9, now + 7_200_000, 0],
        "an entry",
      );
      const names = async (limit: number, cron: number, repeat: number) =>
        (await t.repeats.due(t.queue, { limit, offsets: { cron, repeat } })).entries.map(({ name }) => name);
      same(await names(1, 0, 0), ["b", "old"], "one of each");
      same(await names(9, 1, 1), ["a"], "after the first of each");
      same(await names(0, 0, 0), [], "none at all");
      await t.command("ZREM", t.key("cron"), "ended");
    },
  },
  {
    name: "due_without_record",
    contract: "A member without a record is told as one, so that whoever fires clears it away.",
    async run(t) {
      await t.command("ZADD", t.key("cron"), "1", "stray");
      const { entries } = await t.repeats.due(t.queue);
      same(
        entries.map(({ name, everyMs }) => [name, everyMs]),
        [["stray", undefined]],
        "what is due",
      );
      same(await t.repeats.fire(t.queue, "stray", { id: t.id(), dueAtMs: 1 }, "cron"), "gone", "fire");
      same(await t.members("cron"), [], "the set");
    },
  },
];
