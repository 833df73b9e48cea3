/** What a minter promises: ids that rise and that nobody else mints, whatever the clock does. */

import { idParts } from "../../protocol/id.ts";
import { createMinter } from "../../protocol/mint.ts";
import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

/** Sequences of one millisecond. */
const SEQUENCES = 4096;

export const mintScenarios: readonly ScenarioDraft[] = [
  {
    name: "c23_mint",
    contract:
      "A full millisecond carries into the timestamp and never into the node; a clock that steps back keeps the order.",
    async run(t) {
      const start = 1_750_000_000_000;
      let now = start;
      const mint = createMinter({ node: 1023, clock: () => now });
      const neighbour = createMinter({ node: 0, clock: () => now });
      const ids = Array.from({ length: SEQUENCES * 2 + 10 }, () => mint("JOB"));
      now = start - 5000;
      ids.push(mint("JOB"), mint("JOB"));
      const theirs = Array.from({ length: SEQUENCES * 2 }, () => neighbour("JOB"));
      holds(
        ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? "")),
        "every id is greater than the one before",
      );
      same(new Set(ids.map((id) => idParts(id).node)), new Set([1023]), "the nodes of the ids");
      same(idParts(ids[SEQUENCES + 1] ?? "").ms, start + 1, "the millisecond after the carry");
      same(new Set([...ids, ...theirs]).size, ids.length + theirs.length, "different ids of both minters");
      const minted = t.ids(50);
      same(minted.toSorted(), minted, "ids of this port, which rise");
    },
  },
];
