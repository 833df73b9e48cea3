/** What `SHOW` promises: next occurrence and record of repeats, as they stand together. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const showScenarios: readonly ScenarioDraft[] = [
  {
    name: "show",
    contract: "Each name is told with its instant and its record, one without either as such; a hundred at most.",
    expectFindings: ["repeat-place"],
    async run(t) {
      await t.repeats.register(t.queue, "r", { everyMs: 1000, template: "p", firstInMs: 60_000 });
      const at = String(await t.score("repeat", "r"));
      await t.command("ZADD", t.key("repeat"), "5", "stray", "6", "a{b");
      await t.command("HSET", t.key("repeat:loose"), "every_ms", "1", "template", "x");
      const shown = await t.act("SHOW", ["r", "stray", "a{b", "loose", "nobody"]);
      const record = ["every_ms", "1000", "template", "p"];
      const loose = ["", "every_ms", "1", "template", "x"];
      same(shown, [[at, ...record], ["5"], ["6"], loose, [""]], "what is told");
      same(await t.act("SHOW", ["r"], { isOther: true }), [[""]], "the same name in the other set");
      const many = Array.from({ length: 101 }, () => "r");
      same(await t.refusalOf("SHOW", many), "ERR EMQ.SHOW bad argument name", "too many");
    },
  },
];
