/**
 * Processes that work on a folder with `fsync: always` are killed at random instants, and nothing acknowledged is lost.
 */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltChild, buildChild } from "./build-child.ts";
import { liveAndDie } from "./folder-lives.ts";

let child: BuiltChild;

beforeAll(async () => {
  child = await buildChild();
});

afterAll(() => child?.remove());

it("folders outlive three hundred processes that are killed in the middle of their work", async () => {
  const { killed, killedOpening, added, ended } = await liveAndDie({ child, lives: 300, seed: 11 });
  expect(killed).toBe(300);
  // Most of them got to work, and not all.
  expect(killedOpening).toBeGreaterThan(0);
  expect(killedOpening).toBeLessThan(100);
  expect(added).toBeGreaterThan(2000);
  expect(ended).toBeGreaterThan(1000);
}, 600_000);

it("is what files that acknowledge before they write cannot keep, which shows that the kills kill", async () => {
  await expect(liveAndDie({ child, lives: 30, seed: 5, lies: true })).rejects.toThrow(/fault JOB\w+ is \w+, not/u);
});
