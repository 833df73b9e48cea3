/** What several connections to one server promise: they are one queue. */

import { Jobs } from "../../queue/jobs.ts";
import { same } from "../expectation.ts";
import type { ConformanceConnection } from "../port.ts";
import type { ScenarioDraft } from "../scenario.ts";
import type { Trial } from "../trial.ts";

export const poolScenarios: readonly ScenarioDraft[] = [
  {
    row: 56,
    name: "pool_enqueue",
    contract: "Through a pool of two the record is the same, and a duplicate is found whichever member asks.",
    async run(t) {
      await withPool(t, async ([first, second]) => {
        const id = t.id();
        same(await first.enqueue(t.queue, id, "cargo"), "enqueued", "enqueue through one member");
        same(await second.enqueue(t.queue, id, "again"), "duplicate", "enqueue through the other");
        same(await t.fields(id), { state: "pending", attempts: "0", payload: "cargo" }, "the row");
        same([await t.score("pending", id), await t.jobs.pendingSize(t.queue)], [0, 1], "score and size");
      });
    },
  },
  {
    row: 57,
    name: "pool_order",
    contract: "Jobs enqueued round-robin through a pool stand in the order of their minting.",
    async run(t) {
      await withPool(t, async (members) => {
        const ids = t.ids(5);
        for (const [at, id] of ids.entries()) {
          same(await members[at % 2 === 0 ? 0 : 1].enqueue(t.queue, id, "p"), "enqueued", "enqueue");
        }
        const pending = await t.command("ZRANGE", t.key("pending"), "+", "-", "BYLEX", "REV");
        same(pending, ids.toReversed(), "pending from the newest on");
      });
    },
  },
];

/** Runs with two connections, and closes them. */
async function withPool(t: Trial, run: (pool: [Jobs, Jobs]) => Promise<void>): Promise<void> {
  const connections: ConformanceConnection[] = [await t.port.open(), await t.port.open()];
  try {
    await run(connections.map(({ engine }) => new Jobs(engine)) as [Jobs, Jobs]);
  } finally {
    for (const connection of connections) await connection.close();
  }
}
