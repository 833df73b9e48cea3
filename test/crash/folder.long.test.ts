/** As folder.test.ts, for five hundred lives. */

import { expect, it } from "vitest";
import { liveAndDie } from "./folder-lives.ts";

it("folders outlive five hundred processes that are killed in the middle of their work", async () => {
  for (let round = 0; round < 5; round++) {
    const reports = await Promise.all([liveAndDie(50, 100 + 2 * round), liveAndDie(50, 101 + 2 * round)]);
    for (const { added } of reports) expect(added).toBeGreaterThan(200);
  }
}, 1_200_000);
