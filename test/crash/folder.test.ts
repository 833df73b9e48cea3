/**
 * Processes that work on a folder with `fsync: always` are killed at random instants, and nothing acknowledged is lost.
 */

import { expect, it } from "vitest";
import { liveAndDie } from "./folder-lives.ts";

it("a folder outlives forty processes that are killed in the middle of their work", async () => {
  const reports = await Promise.all([liveAndDie(20, 11), liveAndDie(20, 12)]);
  for (const { added, ended } of reports) {
    expect(added).toBeGreaterThan(200);
    expect(ended).toBeGreaterThan(100);
  }
}, 180_000);
