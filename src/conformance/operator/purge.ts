/** What `PURGE` promises: keys of a paused queue go, whatever they are, and no key of another. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const purgeScenarios: readonly ScenarioDraft[] = [
  {
    name: "purge_keys",
    contract: "Keys of a paused queue are unlinked whatever they hold; a running queue and a foreign key refuse it.",
    async run(t) {
      await t.command("SET", t.key("unheard-of"), "x");
      const id = await t.enqueued();
      const keys = [t.key("unheard-of"), t.row(id), t.key("pending"), t.key("nothing")];
      same(await t.jobs.purge(t.queue, keys), "not_paused", "not paused");
      await t.jobs.pause(t.queue);
      const declared = [t.key("meta"), t.base];
      const layout = "ERR EMQ.PURGE keys do not match the wire-4 layout";
      for (const foreign of ["emq:{other}:pending", t.base, `x${t.key("pending")}`]) {
        same(await t.refusal("PURGE", [...declared, t.row(id), foreign], []), layout, `with ${foreign}`);
      }
      const many = Array.from({ length: 1001 }, (_, at) => t.key(`x${at}`));
      same(await t.refusal("PURGE", [...declared, ...many], []), "ERR EMQ.PURGE bad argument keys", "too many");
      same(await t.exists(t.row(id)), true, "the row is there");
      same(await t.jobs.purge(t.queue, keys), 3, "unlinked");
      same(await t.jobs.purge(t.queue, [t.key("meta")]), 1, "the pause last");
      same([...(await t.snapshot()).keys()], [], "keys that are left");
    },
  },
];
