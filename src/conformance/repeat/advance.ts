/** What `ADVANCE` promises: another instant, and no member without a record. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const advanceScenarios: readonly ScenarioDraft[] = [
  {
    name: "advance",
    contract: "The next occurrence is moved, due or not; a member without a record leaves the set.",
    async run(t) {
      await t.repeats.register(t.queue, "r", { everyMs: 1000, template: "p", firstInMs: 60_000 });
      same(await t.repeats.advance(t.queue, "r", 5), "advanced", "advance to the past");
      same(await t.score("repeat", "r"), 5, "the score");
      same(await t.repeats.advance(t.queue, "r", Number.MAX_SAFE_INTEGER), "advanced", "advance to the end");
      same((await t.repeats.due(t.queue)).entries, [], "what is due");
      await t.command("DEL", t.key("repeat:r"));
      same(await t.repeats.advance(t.queue, "r", 5), "absent", "advance without a record");
      same(await t.members("repeat"), [], "the set");
    },
  },
];
