/** What `GWEIGHT` promises. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const gweightScenarios: readonly ScenarioDraft[] = [
  {
    name: "lane_weight",
    contract: "A weight is stored and taken away, and touches nothing else.",
    async run(t) {
      await t.lanes.enqueue(t.queue, "a", { id: t.id(), payload: "p" });
      const before = await t.snapshot();
      await t.lanes.weight(t.queue, "a", 3);
      same(await t.command("HGETALL", t.key("gweight")), ["a", "3"], "the weights");
      await t.lanes.weight(t.queue, "a", null);
      await t.lanes.weight(t.queue, "b", null);
      same(await t.snapshot(), before, "the keys after it was taken away");
    },
  },
  {
    name: "lane_settings_full",
    contract: "A setting of one lane more than 100000 is refused before any write; one that is there can be changed.",
    async run(t) {
      const names = Array.from({ length: 100_000 }, (_, at) => `l${at}`);
      const settings = [
        {
          key: "gweight",
          name: "HSET",
          value: ["1"],
          set: async (lane: string) => await t.act("GWEIGHT", [lane, "2"]),
        },
        { key: "paused", name: "SADD", value: [], set: async (lane: string) => await t.act("GPAUSE", [lane]) },
        { key: "glimit", name: "HSET", value: ["1"], set: async (lane: string) => await t.act("GLIMIT", [lane, "2"]) },
        { key: "gordered", name: "SADD", value: [], set: async (lane: string) => await t.act("GORDER", [lane, "on"]) },
      ];
      for (const { key, name, value, set } of settings) {
        for (let at = 0; at < names.length; at += 1000) {
          const members = names.slice(at, at + 1000).flatMap((lane) => [lane, ...value]);
          await t.command(name, t.key(key), ...members);
        }
        const verb = { gweight: "GWEIGHT", paused: "GPAUSE", glimit: "GLIMIT", gordered: "GORDER" }[key] as "GPAUSE";
        const args = { gweight: ["x", "2"], paused: ["x"], glimit: ["x", "2"], gordered: ["x", "on"] }[key] ?? [];
        same(await t.refusalOf(verb, args), "EMQFULL settings of lanes", `${verb} of one lane more`);
        same(await set("l7"), 1, `${verb} of a lane that has it`);
        await t.command("DEL", t.key(key));
      }
    },
  },
];
