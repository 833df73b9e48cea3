/** What `UNREPEAT` promises: the repeat goes, its jobs stay. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const unrepeatScenarios: readonly ScenarioDraft[] = [
  {
    name: "unrepeat",
    contract: "A cancelled repeat leaves nothing but the jobs that it has made; a record without a place goes too.",
    async run(t) {
      const now = await t.port.serverNow();
      const content = { everyMs: 1000, template: "p", firstAtMs: now, pairs: ["name", "n"] };
      await t.repeats.put(t.queue, "s", content);
      const id = t.id();
      same(await t.repeats.fire(t.queue, "s", { id, dueAtMs: now }, "cron"), "fired", "fire");
      same(await t.repeats.cancel(t.queue, "s", "cron"), "cancelled", "cancel");
      same([await t.exists(t.key("cron")), await t.exists(t.key("cron:s"))], [false, false], "what is left");
      same(await t.members("pending"), [id], "the job");
      same(await t.repeats.fire(t.queue, "s", { id: t.id(), dueAtMs: now + 1000 }, "cron"), "gone", "fire afterwards");
      await t.command("HSET", t.key("cron:s"), "every_ms", "1", "template", "x");
      same(await t.repeats.cancel(t.queue, "s", "cron"), "absent", "cancel of a record alone");
      same(await t.exists(t.key("cron:s")), false, "the record");
    },
  },
  {
    name: "unrepeat_lane",
    contract: "The settings of the lane of a scheduler go with it when nothing is in that lane, and stay otherwise.",
    async run(t) {
      const now = await t.port.serverNow();
      const pairs = ["group", "one", "overlap", "queue"];
      const settings = async () => [
        await t.command("HGET", t.key("glimit"), "one"),
        await t.command("SISMEMBER", t.key("gordered"), "one"),
      ];
      await t.repeats.put(t.queue, "s", { everyMs: 1000, template: "p", firstAtMs: now, pairs });
      same(await t.repeats.fire(t.queue, "s", { id: t.id(), dueAtMs: now }, "cron"), "fired", "fire");
      same(await settings(), ["1", 1], "the settings");
      await t.repeats.cancel(t.queue, "s", "cron");
      same(await settings(), ["1", 1], "the settings while a job waits");
      same(await t.lanes.drain(t.queue, "one", 9), 1, "drain of the lane");
      await t.repeats.put(t.queue, "s", { everyMs: 1000, template: "p", firstAtMs: now, pairs });
      await t.repeats.cancel(t.queue, "s", "cron");
      same(await settings(), [null, 0], "the settings of an empty lane");
    },
  },
];
