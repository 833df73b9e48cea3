/** What a subscription promises: it outlives its connection. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const subscriptionScenarios: readonly ScenarioDraft[] = [
  {
    row: 18,
    name: "resubscribe",
    contract: "A subscription hears messages again after its connection was broken and came back, each once.",
    async run(t) {
      const channel = t.key("chan");
      const connection = await t.port.open();
      try {
        const heard: string[] = [];
        const subscription = await connection.engine.subscribe(channel, (payload) => heard.push(payload));
        same(await t.command("PUBLISH", channel, "before"), 1, "receivers before");
        await t.until(() => heard.includes("before"), "the message before");
        await connection.drop();
        await connection.reopen();
        // Until the server has noticed the broken connection, it counts as a receiver too.
        const said = { count: 0 };
        const isAlone = async () => (await t.command("PUBLISH", channel, `after ${++said.count}`)) === 1;
        await t.until(isAlone, "one receiver afterwards");
        await t.until(() => heard.includes(`after ${said.count}`), "the message afterwards");
        same([...new Set(heard)], heard, "messages heard, each once");
        await subscription.close();
        same(await t.command("PUBLISH", channel, "late"), 0, "receivers after the end");
      } finally {
        await connection.close();
      }
    },
  },
  {
    name: "drop_and_act",
    contract: "A connection that was broken acts again, and what was admitted before is there once.",
    async run(t) {
      const connection = await t.port.open();
      try {
        const id = await t.enqueued();
        const keys = [t.key("pending"), t.key("active"), t.base];
        await connection.drop();
        await connection.reopen();
        same(await connection.engine.act("ENQUEUE", [t.row(id), t.key("pending")], [id, "again"]), 0, "enqueue again");
        same(await connection.engine.act("CLAIM", keys, ["60000"]), [id, "work", 1], "the claim");
      } finally {
        await connection.close();
      }
    },
  },
];
