/** What a connection promises before its first act: the server is marked with the version that both speak. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const fenceScenarios: readonly ScenarioDraft[] = [
  {
    row: 1,
    name: "fence",
    contract: "The fence key holds the version of the wire that this client speaks.",
    async run(t) {
      // A server that claims the fence with the first write of all has had one then.
      await t.enqueued();
      same(await t.command("GET", "{emq}:version"), t.port.wireVersion, "the fence key");
    },
  },
];
