/** Random and mutated commands into the project's own server, in many rounds, and what it holds afterwards. */

import { expect, it, onTestFinished } from "vitest";
import { SEED } from "../../random/seed.ts";
import { startServed } from "../../server/start-served.ts";
import { everyCommand, expectSound, fuzzRound } from "./serve-fuzz.ts";

const ROUNDS = 3000;
/** What the heap may have grown by, in bytes, after the store was emptied: caches that fill once, and no more. */
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;

it("a server that is sent anything at all for minutes says whole replies, and holds no more than before", async () => {
  const served = await startServed();
  onTestFinished(() => served.stop());
  const commands = await everyCommand(served);
  let heapBytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await fuzzRound(served, commands, SEED + round);
    if (round % 100 !== 99) continue;
    await expectSound(served);
    if (round < ROUNDS / 2) heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed);
  }
  expect(process.memoryUsage().heapUsed - heapBytes).toBeLessThan(GROWTH_BYTES_MAX);
});
