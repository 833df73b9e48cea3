/** What `GRATE` promises of its bounds; what a rate lets through is in the scenarios of limits (rule/limits.ts). */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const grateScenarios: readonly ScenarioDraft[] = [
  {
    name: "limits_full",
    contract: "A rate of one lane more than fit is refused before any write; one that is there can be changed.",
    async run(t) {
      const fields = Array.from({ length: 100_000 }, (_, at) => [`ml${at}`, "1", `dl${at}`, "1", `ll${at}`, "0"]);
      for (let at = 0; at < fields.length; at += 1000) {
        await t.command("HSET", t.key("rate"), ...fields.slice(at, at + 1000).flat());
      }
      const rate = ["2", "1000", "window", "0"];
      same(await t.refusalOf("GRATE", ["x", ...rate]), "EMQFULL settings of lanes", "one lane more");
      same(await t.act("GRATE", ["l7", ...rate]), 1, "a lane that has one");
      same(await t.act("GRATE", ["x", "0", "1", "window", "0"]), 1, "the removal of one that is not there");
    },
  },
];
