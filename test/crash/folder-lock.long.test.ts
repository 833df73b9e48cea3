/** As folder-lock.test.ts, for many more rounds and processes. */

import { expect, it } from "vitest";
import { raceForFolder } from "./folder-races.ts";
import { temporaryFolder } from "./lock-process.ts";

it("a folder that eight processes want goes to exactly one of them a thousand times", async () => {
  const folder = temporaryFolder();
  await raceForFolder(Array<string>(8).fill(folder), { rounds: 1000, killEvery: 25 });
  expect.hasAssertions();
});
