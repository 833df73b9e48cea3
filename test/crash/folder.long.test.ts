/** As folder.test.ts, for two thousand lives. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltChild, buildChild } from "./build-child.ts";
import { liveAndDie } from "./folder-lives.ts";

let child: BuiltChild;

beforeAll(async () => {
  child = await buildChild();
});

afterAll(() => child?.remove());

it("folders outlive two thousand processes that are killed in the middle of their work", async () => {
  const { killed, added, ended } = await liveAndDie({ child, lives: 2000, seed: 1000 });
  expect(killed).toBe(2000);
  expect(added).toBeGreaterThan(20_000);
  expect(ended).toBeGreaterThan(10_000);
}, 1_800_000);
