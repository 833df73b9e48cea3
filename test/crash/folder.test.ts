/**
 * Processes that work on a folder with `fsync: always` are killed at random instants, and nothing acknowledged is lost.
 */

import { expect, it } from "vitest";
import { liveAndDie } from "./folder-lives.ts";

it("a folder outlives a hundred processes that are killed in the middle of their work", async () => {
  const reports = await Promise.all([liveAndDie(50, 11), liveAndDie(50, 12)]);
  for (const { added, ended } of reports) {
    expect(added).toBeGreaterThan(500);
    expect(ended).toBeGreaterThan(250);
  }
}, 180_000);
